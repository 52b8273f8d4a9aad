//! The life of a command, from its start to the last of its processes.
//!
//! ```text
//!  start ──► running ──► command ended ──► drain ──┐
//!               │                                  ├─► TERM ──► grace ──► KILL ──► reap
//!               └─ time is up, or stopped ─────────┘    (everyone who comes from it)
//! ```
//!
//! Output is read all the way. Each wait after the command's end or the stop is bounded by the
//! limits and is over at once when the output has ended and everyone is gone, so a command that
//! leaves nothing behind waits for nothing.

use std::future::pending;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::capture::Capture;
use crate::guards::Guards;
use crate::limits::REAP_WAIT;
use crate::processes::{self, Processes, Started};
use crate::stream::{Input, Output, Outputs, lock};
use crate::telling::Telling;
use crate::{Command, Denial, End, Error, Limits, Stdin, Walls, denial};

/// A command that runs. Dropped, it is killed with all that comes from it.
pub(crate) struct Life {
    processes: Processes,
    output: Outputs,
    feed: Option<(Input, Vec<u8>)>,
    capture: Arc<Mutex<Capture>>,
    errors: Arc<Mutex<Capture>>,
    guards: Guards,
    confined: bool,
    limits: Limits,
    program: PathBuf,
    started: Instant,
}

/// How a life ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ended {
    pub(crate) end: End,
    pub(crate) duration: Duration,
    pub(crate) denial: Option<Denial>,
}

impl Life {
    /// Starts a command. The input comes with it where it is to stay open.
    /// What it says goes to the listener as well.
    pub(crate) async fn start(
        command: Command,
        listener: Option<mpsc::Sender<String>>,
    ) -> Result<(Self, Option<Input>), Error> {
        let started = Instant::now();
        let program = command.program.clone();
        let start_error = |source| Error::Start {
            program: program.clone(),
            source,
        };
        let work = move || {
            let guards = Guards::set_up(&command.walls);
            processes::start(&command).map(|started| (command, guards, started))
        };
        let (command, guards, ends) = spawn_blocking(work)
            .await
            .map_err(|lost| start_error(io::Error::other(lost)))??;
        let Started {
            processes,
            output,
            errors: their_errors,
            input,
        } = ends;
        let capture = Capture::new(command.limits.output_bytes_max);
        let capture = Arc::new(Mutex::new(capture));
        let errors = Capture::new(command.limits.output_bytes_max);
        let errors = Arc::new(Mutex::new(errors));
        let output = Outputs {
            output: Output::new(output, capture.clone(), Telling::new(listener))
                .map_err(start_error)?,
            errors: their_errors
                .map(|source| Output::new(source, errors.clone(), Telling::new(None)))
                .transpose()
                .map_err(start_error)?,
        };
        let is_terminal = command.terminal.is_some();
        let input = input
            .map(|input| Input::new(input, is_terminal))
            .transpose()
            .map_err(start_error)?;
        let (feed, open) = match (input, command.stdin) {
            (None, _) => (None, None),
            (Some(input), Stdin::Bytes(bytes)) => (Some((input, bytes)), None),
            (Some(input), Stdin::Null | Stdin::Open) => (None, Some(input)),
        };
        let life = Self {
            processes,
            output,
            feed,
            capture,
            errors,
            guards,
            confined: matches!(command.walls, Walls::Confined(_)),
            limits: command.limits,
            program,
            started,
        };
        Ok((life, open))
    }

    pub(crate) fn capture(&self) -> Arc<Mutex<Capture>> {
        self.capture.clone()
    }

    /// Standard error, where it is kept apart.
    pub(crate) fn errors(&self) -> Arc<Mutex<Capture>> {
        self.errors.clone()
    }

    /// Lives it to its end: its own, or the one that its limits or `stop` put to it.
    pub(crate) async fn live(mut self, stop: &CancellationToken) -> Result<Ended, Error> {
        let limits = self.limits;
        let mut status = None;
        let feed = feed(self.feed.take());
        let stopped = tokio::select! {
            biased;
            () = stop.cancelled() => Some(End::Cancelled),
            () = sleep(limits.wall_time) => Some(End::TimedOut),
            ended = self.processes.ended() => { status = Some(ended); None },
            () = async { tokio::join!(feed, self.output.collect()); pending().await } => None,
        };
        let duration = self.started.elapsed();
        self.wind_up(stopped.is_none()).await;
        let end = match (stopped, status) {
            (Some(end), _) => end,
            (None, status) => self.own_end(status)?,
        };
        let denial = self.denial(end).await;
        Ok(Ended {
            end,
            duration,
            denial,
        })
    }

    /// Sees everyone off.
    async fn wind_up(&mut self, ended_by_itself: bool) {
        let Self {
            processes,
            output,
            limits,
            ..
        } = self;
        output.output.telling.hurry();
        if ended_by_itself {
            let _ = timeout(limits.drain, output.collect()).await;
        }
        processes.signal(Signal::TERM);
        let _ = timeout(limits.kill_grace, async {
            tokio::join!(processes.gone(), output.collect());
        })
        .await;
        processes.kill();
        let _ = timeout(limits.drain, output.collect()).await;
        let _ = timeout(limits.drain, output.output.telling.tell_rest()).await;
        let _ = timeout(REAP_WAIT, processes.gone()).await;
    }

    fn own_end(&self, status: Option<io::Result<ExitStatus>>) -> Result<End, Error> {
        match status {
            Some(Ok(status)) => Ok(end_of(status)),
            // Its keeper was killed, and everyone with it.
            Some(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Ok(End::Signaled(Signal::KILL.as_raw()))
            }
            Some(Err(source)) => Err(Error::Wait {
                program: self.program.clone(),
                source,
            }),
            None => Err(Error::Wait {
                program: self.program.clone(),
                source: io::ErrorKind::TimedOut.into(),
            }),
        }
    }

    async fn denial(&mut self, end: End) -> Option<Denial> {
        if !self.confined {
            return None;
        }
        let guards = std::mem::take(&mut self.guards);
        let seen = spawn_blocking(move || guards.look_after()).await;
        let output = lock(&self.capture).clone().finish();
        seen.ok()
            .flatten()
            .or_else(|| denial::suspect(end, &output))
    }
}

/// A command that does not want its input may close it: that is its own affair.
async fn feed(feed: Option<(Input, Vec<u8>)>) {
    if let Some((mut input, bytes)) = feed {
        let _ = input.write(&bytes).await;
        let _ = input.close().await;
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signaled(signal.expect("a process ends by exit or by signal")),
    }
}
