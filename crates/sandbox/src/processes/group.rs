//! A command and its process group.

use std::io;
use std::process::ExitStatus;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::Child;
use tokio::signal::unix::{self, SignalKind};

use super::{Theirs, new_command};
use crate::{Command, Error, Walls, seatbelt};

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
    pub(super) fn start(command: &Command, theirs: Theirs) -> Result<Self, Error> {
        let start_error = |source| Error::Start {
            program: command.program.clone(),
            source,
        };
        let enclosed = enclosed(command)?;
        let children = unix::signal(SignalKind::child()).map_err(start_error)?;
        let mut new = new_command(enclosed.as_ref().unwrap_or(command));
        lead_session(&mut new, theirs.terminal.is_some());
        new.stdin(theirs.stdin)
            .stdout(theirs.stdout)
            .stderr(theirs.stderr);
        let leader = new.spawn().map_err(start_error)?;
        let group = leader.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let group = group.expect("a process that was not waited for has an id");
        Ok(Self {
            leader,
            group,
            children,
            reaped: false,
        })
    }

    /// Waits until the command has ended, and says how. What comes from it may still run.
    pub(crate) async fn ended(&mut self) -> io::Result<ExitStatus> {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while let Ok(None) = waitid(WaitId::Pid(self.group), look) {
            self.children.recv().await;
        }
        // Its group dies before it is reaped: from then on the group's id means nothing.
        let _ = kill_process_group(self.group, Signal::TERM);
        let status = self.leader.wait().await?;
        self.reaped = true;
        Ok(status)
    }

    /// Waits until the leader is gone.
    pub(crate) async fn gone(&mut self) {
        let _ = self.ended().await;
    }

    /// Sends a signal to everyone in the group. That nobody is left is no failure.
    pub(crate) fn signal(&mut self, signal: Signal) {
        if !self.reaped {
            let _ = kill_process_group(self.group, signal);
        }
    }

    /// Kills everyone in the group.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The same command, started by the program that encloses it.
fn enclosed(command: &Command) -> Result<Option<Command>, Error> {
    match &command.walls {
        Walls::Open => Ok(None),
        Walls::Confined(confinement) => {
            crate::support::means(confinement.backend)
                .map_err(|why| Error::CannotConfine { why })?;
            Ok(Some(seatbelt::enclosed(command, confinement)))
        }
    }
}

/// A session of its own means a group of its own, and no terminal to ask questions on but the one
/// it was given.
#[expect(
    unsafe_code,
    reason = "the safe `CommandExt::setsid` is not stable yet"
)]
fn lead_session(new: &mut tokio::process::Command, has_terminal: bool) {
    // SAFETY: between fork and exec only async-signal-safe functions may be called. These are, and
    // the closure neither allocates nor locks nor can panic.
    unsafe {
        new.pre_exec(move || {
            rustix::process::setsid()?;
            if has_terminal {
                rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
            }
            Ok(())
        });
    }
}
