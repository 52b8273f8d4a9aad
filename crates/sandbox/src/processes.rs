//! A running command: its leader and everyone in the leader's process group.

use std::io::{self, PipeWriter};
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, ChildStdin};
use tokio::signal::unix::{self, SignalKind};

use crate::{Command, Error, Stdin};

/// The processes of one command. Dropped before they are reaped, they are killed.
pub(crate) struct Processes {
    leader: Child,
    /// The leader's id, which is also the group's. As long as the leader is not reaped, the
    /// system gives this id to nobody else, so a signal to the group cannot hit a stranger.
    group: Pid,
    children: unix::Signal,
    reaped: bool,
}

impl Processes {
    /// Starts the command, writing both its outputs into one pipe so that their order is kept.
    pub(crate) fn start(command: &Command, output: PipeWriter) -> Result<Self, Error> {
        check_cwd(command)?;
        let start_error = |source| Error::Start {
            program: command.program.clone(),
            source,
        };
        let children = unix::signal(SignalKind::child()).map_err(start_error)?;
        let errors = output.try_clone().map_err(start_error)?;
        let leader = new_command(command)
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(start_error)?;
        let group = leader.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let group = group.expect("a process that was not waited for has an id");
        Ok(Self {
            leader,
            group,
            children,
            reaped: false,
        })
    }

    pub(crate) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.leader.stdin.take()
    }

    /// Waits until the leader has ended, and leaves it to be reaped.
    pub(crate) async fn leader_ended(&mut self) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while let Ok(None) = waitid(WaitId::Pid(self.group), look) {
            self.children.recv().await;
        }
    }

    /// Sends a signal to everyone in the group. That nobody is left is no failure.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.group, signal);
    }

    /// Collects the leader. From here on the group's id means nothing.
    pub(crate) async fn reap(&mut self) -> io::Result<ExitStatus> {
        let status = self.leader.wait().await?;
        self.reaped = true;
        Ok(status)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        if !self.reaped {
            self.signal(Signal::KILL);
        }
    }
}

/// The system reports a missing directory and a missing program alike.
fn check_cwd(command: &Command) -> Result<(), Error> {
    let path = &command.cwd;
    match path.metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(source) => Err(source),
    }
    .map_err(|source| Error::WorkingDirectory {
        path: path.clone(),
        source,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place where child processes start"
)]
fn new_command(command: &Command) -> tokio::process::Command {
    let mut new = tokio::process::Command::new(&command.program);
    new.args(&command.arguments)
        .current_dir(&command.cwd)
        .env_clear()
        .envs(
            command
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(match command.stdin {
            Stdin::Null => Stdio::null(),
            Stdin::Bytes(_) => Stdio::piped(),
        });
    lead_session(&mut new);
    new
}

/// A session of its own means a group of its own, and no terminal to ask questions on: a program
/// that wants a password fails at once instead of taking the user's keyboard.
#[expect(
    unsafe_code,
    reason = "the safe `CommandExt::setsid` is not stable yet"
)]
fn lead_session(new: &mut tokio::process::Command) {
    // SAFETY: between fork and exec only async-signal-safe functions may be called. `setsid` is
    // one, and the closure neither allocates nor locks nor can panic.
    unsafe {
        new.pre_exec(|| {
            rustix::process::setsid()?;
            Ok(())
        });
    }
}
