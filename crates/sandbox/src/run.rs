//! A command run to its end.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::life::Life;
use crate::stream::lock;
use crate::{Captured, Command, End, Error, Outcome};

/// Runs a command to its end: its own, or the one that its limits or `cancel` put to it. When
/// this returns or is dropped, no process that came from it is left running.
pub async fn run(command: Command, cancel: &CancellationToken) -> Result<Outcome, Error> {
    to_its_end(command, None, cancel).await
}

/// The same, and tells what the command says while it says it. Who listens slowly makes it wait; its
/// time and `cancel` hold all the same.
pub async fn run_told(
    command: Command,
    listener: mpsc::Sender<String>,
    cancel: &CancellationToken,
) -> Result<Outcome, Error> {
    to_its_end(command, Some(listener), cancel).await
}

async fn to_its_end(
    command: Command,
    listener: Option<mpsc::Sender<String>>,
    cancel: &CancellationToken,
) -> Result<Outcome, Error> {
    if cancel.is_cancelled() {
        return Ok(Outcome {
            end: End::Cancelled,
            output: Captured::default(),
            errors: Captured::default(),
            duration: Duration::ZERO,
            denial: None,
        });
    }
    let (life, input) = Life::start(command, listener).await?;
    // Nobody is there to write: it finds the end.
    if let Some(input) = input {
        let _ = input.close().await;
    }
    let (capture, errors) = (life.capture(), life.errors());
    let ended = life.live(cancel).await?;
    let output = lock(&capture).clone().finish();
    let errors = lock(&errors).clone().finish();
    Ok(Outcome {
        end: ended.end,
        output,
        errors,
        duration: ended.duration,
        denial: ended.denial,
    })
}

#[cfg(test)]
mod tests;
