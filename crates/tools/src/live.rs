//! Where a call tells what it prints while it still runs.

use codewhale_sandbox::{Command, Error, Outcome, run, run_told};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The listener of a call, if it has one.
#[derive(Clone, Default, Debug)]
pub struct Live(Option<mpsc::Sender<String>>);

impl Live {
    /// Pieces of text go here, in the order they are printed.
    pub fn to(listener: mpsc::Sender<String>) -> Self {
        Self(Some(listener))
    }

    /// Tells the next piece, as soon as the listener takes it. To one that is gone there is nothing to
    /// tell.
    pub async fn say(&self, piece: impl Into<String>) {
        if let Some(listener) = &self.0 {
            let _ = listener.send(piece.into()).await;
        }
    }

    /// Runs a command to its end and tells what it prints meanwhile.
    pub(crate) async fn run(
        self,
        command: Command,
        cancel: &CancellationToken,
    ) -> Result<Outcome, Error> {
        match self.0 {
            Some(listener) => run_told(command, listener, cancel).await,
            None => run(command, cancel).await,
        }
    }
}
