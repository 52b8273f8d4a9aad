//! What ends the program from outside.

use std::io;
use std::process::ExitCode;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask the program to end. From their making on they are heard, and end nothing by
/// themselves.
pub(crate) struct Signals {
    hangup: Signal,
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(crate) fn watch() -> io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for one of them, and gives the exit code that tells of it.
    pub(crate) async fn end(&mut self) -> ExitCode {
        ExitCode::from(self.heard().await)
    }

    /// The same as a number.
    pub(crate) async fn heard(&mut self) -> u8 {
        let number = tokio::select! {
            _ = self.hangup.recv() => 1,
            _ = self.interrupt.recv() => 2,
            _ = self.terminate.recv() => 15,
        };
        128 + number
    }
}
