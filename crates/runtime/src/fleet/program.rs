//! Workers that are processes: a program that reads its prompt and tells in lines what it does.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use codewhale_protocol::service::BoxFuture;
use codewhale_sandbox::{Command, End, Errors, Limits, Outcome, Running, State, Stdin, start};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::seam::{FleetWorkers, WorkEnd, WorkOrder};
use crate::limits;

/// A program that works. It leads a process group of its own and does not outlive this process.
#[derive(Clone, Debug)]
pub struct FleetProgram {
    /// The program.
    pub program: PathBuf,
    /// The whole environment it gets.
    pub environment: Arc<[(String, String)]>,
}

impl FleetWorkers for FleetProgram {
    fn work(
        &self,
        order: WorkOrder,
        said: mpsc::Sender<String>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, WorkEnd> {
        let command = Command {
            arguments: order.arguments.iter().map(OsString::from).collect(),
            environment: self.environment.to_vec(),
            stdin: Stdin::Bytes(order.prompt.into_bytes()),
            errors: Errors::Apart,
            limits: Limits {
                wall_time: order.wall_time,
                output_bytes_max: limits::FLEET_SAID_BYTES_MAX,
                kill_grace: limits::FLEET_KILL_GRACE,
                ..Limits::default()
            },
            ..Command::new(&self.program, order.directory)
        };
        Box::pin(async move {
            let running = match start(command).await {
                Ok(running) => running,
                Err(error) => {
                    let reason = error.to_string();
                    return WorkEnd::NotStarted { reason };
                }
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => {
                    running.kill().await;
                    WorkEnd::Stopped
                }
                end = listen(&running, &said) => end,
            }
        })
    }
}

/// Hands on every line until the process is over.
async fn listen(running: &Running, said: &mpsc::Sender<String>) -> WorkEnd {
    let (mut from, mut line) = (0, String::new());
    loop {
        // Asked before the output: what comes in between is read the next time.
        let state = running.state();
        let heard = running.bytes_total();
        let piece = running.output_since(from);
        from = piece.next;
        line.push_str(&piece.text);
        while let Some(end) = line.find('\n') {
            let rest = line.split_off(end + 1);
            let whole = std::mem::replace(&mut line, rest);
            // Nobody listens any more: the end still counts.
            let _ = said.send(whole.trim_end().to_owned()).await;
        }
        if line.len() > limits::FLEET_LINE_BYTES_MAX {
            line.clear();
        }
        match state {
            State::Running => running.says_more(heard).await,
            State::Over(outcome) => return ended(outcome),
            State::Lost => {
                let reason = "nobody knows how its process ended".to_owned();
                return WorkEnd::NotStarted { reason };
            }
        }
    }
}

fn ended(outcome: Outcome) -> WorkEnd {
    let errors = outcome.errors.text;
    match outcome.end {
        End::Exited(code) => WorkEnd::Exited { code, errors },
        End::Signaled(signal) => WorkEnd::Signaled { signal, errors },
        End::TimedOut => WorkEnd::TimedOut,
        End::Cancelled => WorkEnd::Stopped,
    }
}
