//! What a new process does before it becomes the command.
//!
//! In namespaces there are three processes: the one the runtime started waits at the gate, outside;
//! the keeper is the first process inside; the command is the second. Without them, the one that was
//! started is the keeper.

use std::ffi::CString;
use std::io;
use std::os::fd::RawFd;
use std::path::Path;

use libc::{c_int, c_ulong};

use super::enclosure::Enclosure;
use super::keeper::{Flock, REPORT_END, REPORT_GONE, REPORT_STEP, keep, wait_out};
use super::places::text_of;
use super::step::{At, Done, Step};
use super::sys;

/// Everything a new process needs, made before the fork.
pub(crate) struct Entry {
    enclosure: Option<Enclosure>,
    cwd: CString,
    has_terminal: bool,
    control: RawFd,
    status: RawFd,
}

/// What the status pipe says.
#[derive(Debug)]
pub(crate) enum Report {
    /// The command ended, with this status as `wait` gives it.
    End(i32),
    /// The command did not start; this step failed.
    Failed(Step),
    /// Nobody is left. The keeper ends too, which in namespaces takes the system a while.
    Gone,
}

/// A report is this long.
pub(crate) const REPORT_BYTES: usize = 5;

impl Report {
    pub(crate) fn read([kind, rest @ ..]: [u8; REPORT_BYTES]) -> Option<Self> {
        match kind {
            REPORT_END => Some(Self::End(i32::from_le_bytes(rest))),
            REPORT_STEP => Step::from_bytes(rest).map(Self::Failed),
            REPORT_GONE => Some(Self::Gone),
            _ => None,
        }
    }
}

impl Entry {
    pub(crate) fn new(
        enclosure: Option<Enclosure>,
        cwd: &Path,
        has_terminal: bool,
        [control, status]: [RawFd; 2],
    ) -> io::Result<Self> {
        Ok(Self {
            enclosure,
            cwd: text_of(cwd)?,
            has_terminal,
            control,
            status,
        })
    }

    /// Comes back only in the process that is to become the command, or with the failure of a
    /// step, which the runtime is told. Between fork and exec.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        let entered = self.part_from_keeper().and_then(|()| self.become_command());
        entered.map_err(|(step, error)| {
            let [a, b, c, d] = step.to_bytes();
            sys::write(self.status, &[REPORT_STEP, a, b, c, d]);
            error
        })
    }

    fn part_from_keeper(&mut self) -> Done {
        sys::lead_session().at(Step::Session)?;
        sys::mask_signals(libc::SIG_BLOCK);
        let rooms = self
            .enclosure
            .as_mut()
            .and_then(|walls| walls.rooms.as_mut());
        let flock = match rooms {
            Some(rooms) => {
                rooms.leave()?;
                if sys::fork().at(Step::Fork)? > 0 {
                    wait_out();
                }
                die_with_parent().at(Step::Session)?;
                rooms.furnish()?;
                Flock::Namespace
            }
            None => {
                sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1).at(Step::Session)?;
                Flock::Descendants
            }
        };
        let command: c_int = sys::fork().at(Step::Fork)?;
        if command > 0 {
            keep(command, flock, self.control, self.status);
        }
        sys::mask_signals(libc::SIG_UNBLOCK);
        Ok(())
    }

    fn become_command(&self) -> Done {
        die_with_parent().at(Step::Session)?;
        sys::lead_session().at(Step::Session)?;
        if self.has_terminal {
            sys::take_terminal().at(Step::Session)?;
        }
        sys::close_from(3, libc::CLOSE_RANGE_CLOEXEC).at(Step::Session)?;
        sys::set_limit(libc::RLIMIT_CORE as c_int, 0).at(Step::Bounds)?;
        if let Some(enclosure) = &self.enclosure {
            // The directory we are in lies under the places that were put up since.
            sys::chdir(&self.cwd).at(Step::Directory)?;
            enclosure.shut()?;
        }
        Ok(())
    }
}

/// The keeper has one thread, so its end is not mistaken for that of a thread.
fn die_with_parent() -> io::Result<()> {
    sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong)
}
