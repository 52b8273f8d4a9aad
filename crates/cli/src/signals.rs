//! What ends the program from outside.

use std::process::ExitCode;

/// Waits for the signal to end, and gives the exit code that tells of it.
pub(crate) async fn end() -> std::io::Result<ExitCode> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut hangup = signal(SignalKind::hangup())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let number = tokio::select! {
            _ = hangup.recv() => 1,
            _ = interrupt.recv() => 2,
            _ = terminate.recv() => 15,
        };
        Ok(ExitCode::from(128 + number))
    }
    #[cfg(not(unix))]
    {
        tokio::signal::ctrl_c().await?;
        Ok(ExitCode::from(130))
    }
}
