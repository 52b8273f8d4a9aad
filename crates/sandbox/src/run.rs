//! The life of a command, from its start to the last of its processes.
//!
//! ```text
//!  start ──► running ──► leader ended ──► drain ──┐
//!               │                                 ├─► TERM ──► grace ──► KILL ──► reap
//!               └─ time is up, or cancelled ──────┘    (the whole group)
//! ```
//!
//! The leader is reaped last, because its id is what the group is known by. Output is read all
//! the way. Each wait after the leader's end or the stop is bounded by the limits and is over at
//! once when the output has ended, so a command that leaves nothing behind waits for nothing.

use std::future::pending;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::Receiver;
use tokio::process::ChildStdin;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::capture::Capture;
use crate::limits::{READ_BYTES, REAP_WAIT};
use crate::processes::Processes;
use crate::{Captured, Command, End, Error, Outcome, Stdin};

/// Runs a command to its end: its own, or the one that its limits or `cancel` put to it. When
/// this returns or is dropped, no process of the command's group is left running.
pub async fn run(command: Command, cancel: &CancellationToken) -> Result<Outcome, Error> {
    if cancel.is_cancelled() {
        return Ok(Outcome {
            end: End::Cancelled,
            output: Captured::default(),
            duration: Duration::ZERO,
        });
    }
    let limits = command.limits;
    let started = Instant::now();
    let (mut processes, mut output) = start(&command)?;

    let feed = feed(processes.take_stdin(), &command.stdin);
    let stopped = tokio::select! {
        biased;
        () = cancel.cancelled() => Some(End::Cancelled),
        () = sleep(limits.wall_time) => Some(End::TimedOut),
        () = processes.leader_ended() => None,
        () = async { tokio::join!(feed, output.collect()); pending().await } => None,
    };
    let duration = started.elapsed();

    if stopped.is_none() {
        let _ = timeout(limits.drain, output.collect()).await;
    }
    processes.signal(Signal::TERM);
    let _ = timeout(limits.kill_grace, async {
        processes.leader_ended().await;
        output.collect().await;
    })
    .await;
    processes.signal(Signal::KILL);
    let _ = timeout(limits.drain, output.collect()).await;

    let status = timeout(REAP_WAIT, processes.reap()).await;
    let end = match stopped {
        Some(end) => end,
        None => status
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .map(end_of)
            .map_err(|source| Error::Wait {
                program: command.program,
                source,
            })?,
    };
    Ok(Outcome {
        end,
        output: output.capture.finish(),
        duration,
    })
}

fn start(command: &Command) -> Result<(Processes, Output), Error> {
    let start_error = |source| Error::Start {
        program: command.program.clone(),
        source,
    };
    let (reader, writer) = io::pipe().map_err(start_error)?;
    let reader = Receiver::from_owned_fd(reader.into()).map_err(start_error)?;
    let processes = Processes::start(command, writer)?;
    let capture = Capture::new(command.limits.output_bytes_max);
    Ok((
        processes,
        Output {
            reader,
            bytes: vec![0; READ_BYTES],
            capture,
        },
    ))
}

/// A command that does not want its input may close it: that is its own affair.
async fn feed(stdin: Option<ChildStdin>, bytes: &Stdin) {
    if let (Some(mut stdin), Stdin::Bytes(bytes)) = (stdin, bytes) {
        let _ = stdin.write_all(bytes).await;
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signaled(signal.expect("a process ends by exit or by signal")),
    }
}

struct Output {
    reader: Receiver,
    bytes: Vec<u8>,
    capture: Capture,
}

impl Output {
    /// Reads until nobody holds the other end any more. Stopped and called again, it goes on
    /// where it was.
    async fn collect(&mut self) {
        while let Ok(count @ 1..) = self.reader.read(&mut self.bytes).await {
            self.capture.push(&self.bytes[..count]);
        }
    }
}

#[cfg(test)]
mod tests;
