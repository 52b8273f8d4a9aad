//! A command that was started and not waited for.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::capture::Capture;
use crate::life::Life;
use crate::limits::INPUT_WAIT;
use crate::stream::{Input, lock};
use crate::{Captured, Command, End, Error, Outcome, Piece};

/// A command in the background. Dropped, it is killed with all that comes from it.
pub struct Running {
    capture: Arc<Mutex<Capture>>,
    input: Mutex<Option<Input>>,
    seen: Mutex<u64>,
    state: watch::Receiver<State>,
    stop: CancellationToken,
    _life: AbortOnDropHandle<()>,
}

/// Whether a command still runs.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum State {
    /// It does.
    #[default]
    Running,
    /// It is over, and everyone who came from it is gone. The output stands for itself.
    Over(Outcome),
    /// It is over, and how it ended could not be learnt.
    Lost,
}

/// Starts a command and leaves it running until its end, its time limit, or [`Running::kill`].
pub async fn start(command: Command) -> Result<Running, Error> {
    let (life, input) = Life::start(command, None).await?;
    let capture = life.capture();
    let (sender, state) = watch::channel(State::Running);
    let stop = CancellationToken::new();
    let (heard, said, errors) = (stop.clone(), capture.clone(), life.errors());
    let task = async move {
        let over = match life.live(&heard).await {
            Ok(ended) => State::Over(Outcome {
                end: ended.end,
                output: lock(&said).clone().finish(),
                errors: lock(&errors).clone().finish(),
                duration: ended.duration,
                denial: ended.denial,
            }),
            Err(_) => State::Lost,
        };
        sender.send_replace(over);
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "the task is owned by what this returns, and ends with it"
    )]
    let life = AbortOnDropHandle::new(tokio::spawn(task));
    Ok(Running {
        capture,
        input: Mutex::new(input),
        seen: Mutex::new(0),
        state,
        stop,
        _life: life,
    })
}

impl Running {
    /// Whether it still runs.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// What it said from a point on. Begin at 0 and go on at [`Piece::next`].
    pub fn output_since(&self, from: u64) -> Piece {
        let complete = *self.state.borrow() != State::Running;
        lock(&self.capture).since(from, complete)
    }

    /// What it said since this was last asked.
    pub fn unread(&self) -> Piece {
        let mut seen = lock(&self.seen);
        let piece = self.output_since(*seen);
        *seen = piece.next;
        piece
    }

    /// All that is kept of what it said.
    pub fn output(&self) -> Captured {
        lock(&self.capture).clone().finish()
    }

    /// How much it has said.
    pub fn bytes_total(&self) -> u64 {
        lock(&self.capture).bytes_total()
    }

    /// Waits until it has said more than so many bytes, or is over.
    pub async fn says_more(&self, than: u64) {
        let mut growth = lock(&self.capture).growth();
        let mut state = self.state.clone();
        tokio::select! {
            biased;
            _ = growth.wait_for(|total| *total > than) => {}
            _ = state.wait_for(|state| *state != State::Running) => {}
        }
    }

    /// Waits until it is over, for at most this long.
    pub async fn wait(&self, at_most: Duration) -> State {
        let mut state = self.state.clone();
        let over = state.wait_for(|state| *state != State::Running);
        let _ = timeout(at_most, over).await;
        self.state()
    }

    /// Gives it something to read. It must have been started with an input that stays open.
    pub async fn write_stdin(&self, bytes: &[u8]) -> Result<(), Error> {
        let mut input = self.take_input()?;
        let written = timeout(INPUT_WAIT, input.write(bytes)).await;
        match written {
            Ok(Ok(())) => {
                *lock(&self.input) = Some(input);
                Ok(())
            }
            // Nobody reads it any more.
            Ok(Err(_)) => Err(Error::InputClosed),
            Err(_elapsed) => {
                *lock(&self.input) = Some(input);
                Err(Error::InputNotRead)
            }
        }
    }

    /// Ends its input.
    pub async fn close_stdin(&self) -> Result<(), Error> {
        let input = self.take_input()?;
        let closed = timeout(INPUT_WAIT, input.close()).await;
        closed
            .map_err(|_elapsed| Error::InputNotRead)?
            .map_err(|_broken| Error::InputClosed)
    }

    /// Stops it, politely first, and waits until everyone is gone.
    pub async fn kill(&self) -> State {
        self.stop.cancel();
        let mut state = self.state.clone();
        let _ = state.wait_for(|state| *state != State::Running).await;
        self.state()
    }

    /// The input is out while somebody writes, so that nobody waits behind them.
    fn take_input(&self) -> Result<Input, Error> {
        if *self.state.borrow() != State::Running {
            return Err(Error::InputClosed);
        }
        lock(&self.input).take().ok_or(Error::InputClosed)
    }
}

impl State {
    /// How it ended, if it did and that is known.
    pub fn end(&self) -> Option<End> {
        match self {
            Self::Over(outcome) => Some(outcome.end),
            Self::Running | Self::Lost => None,
        }
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
