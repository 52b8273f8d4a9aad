//! The keeper of a command: the process that stays beside it, tells how it ended, and sees to it
//! that nothing outlives it.
//!
//! Orphans fall to the keeper: in a process namespace because it is the first process there, else
//! because it asked to be given them. So whoever leaves the command's group or session is still
//! found. The keeper ends when all are gone, or when the runtime closes the control pipe, by will
//! or by its own death; then it kills what is left. It has nothing open but its two pipes, and
//! cannot be looked into: it is a copy of the runtime.

use std::os::fd::RawFd;

use libc::c_int;

use super::sys;

/// A report: what it is about, then four bytes.
pub(super) const REPORT_END: u8 = 1;
pub(super) const REPORT_STEP: u8 = 2;
pub(super) const REPORT_GONE: u8 = 3;

const CONTROL: RawFd = 0;
const STATUS: RawFd = 1;

/// Whom the keeper keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flock {
    /// All processes of a namespace in which it is the first.
    Namespace,
    /// Its descendants.
    Descendants,
}

/// Keeps `command` and its kin until all are gone.
pub(super) fn keep(command: c_int, flock: Flock, control: RawFd, status: RawFd) -> ! {
    let Some(children) = withdraw(control, status) else {
        end(command, flock)
    };
    loop {
        reap_ended(command);
        let [told, _] = sys::wait_for_either([CONTROL, children]);
        let mut signals = [0; 128];
        if told {
            match sys::read(CONTROL, &mut signals) {
                Ok(0) | Err(_) => end(command, flock),
                Ok(count) => signals[..count]
                    .iter()
                    .for_each(|signal| signal_all(command, flock, (*signal).into())),
            }
        } else {
            let _ = sys::read(children, &mut signals);
        }
    }
}

/// Waits for the one child and does nothing else, until it is gone.
pub(super) fn wait_out() -> ! {
    let _ = sys::prctl(libc::PR_SET_DUMPABLE, 0);
    sys::set_name(c"codewhale-gate");
    let _ = sys::close_from(0, 0);
    while sys::reap(0).is_ok() {}
    sys::exit(0)
}

/// Lets go of everything inherited but the two pipes.
fn withdraw(control: RawFd, status: RawFd) -> Option<RawFd> {
    let _ = sys::prctl(libc::PR_SET_DUMPABLE, 0);
    sys::set_name(c"codewhale-keep");
    // Neither pipe has the number the other one moves to: standard files come first.
    sys::duplicate(control, CONTROL).ok()?;
    sys::duplicate(status, STATUS).ok()?;
    sys::close_from(2, 0).ok()?;
    sys::watch_children().ok()
}

/// Tells the command's end, and ends itself when nobody is left.
fn reap_ended(command: c_int) {
    loop {
        match sys::reap(libc::WNOHANG) {
            Ok(Some((pid, status))) if pid == command => {
                let [a, b, c, d] = status.to_le_bytes();
                sys::write(STATUS, &[REPORT_END, a, b, c, d]);
            }
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
            Err(_) => {
                sys::write(STATUS, &[REPORT_GONE, 0, 0, 0, 0]);
                sys::exit(0)
            }
        }
    }
}

fn signal_all(command: c_int, flock: Flock, signal: c_int) {
    match flock {
        Flock::Namespace => sys::kill(-1, signal),
        Flock::Descendants => {
            for_each_child(|child| {
                sys::kill(child, signal);
                if sys::group_of(child) == command {
                    sys::kill(-command, signal);
                }
            });
        }
    }
}

/// Kills whoever is left. The end of a namespace's first process is the end of all others; else
/// killing the children brings up their children, until there are none.
fn end(command: c_int, flock: Flock) -> ! {
    if flock == Flock::Namespace {
        sys::exit(0);
    }
    loop {
        if !for_each_child(|child| sys::kill(child, libc::SIGKILL)) {
            // A kernel that lists no children leaves us the group.
            sys::kill(-command, libc::SIGKILL);
            sys::exit(0);
        }
        match sys::reap(0) {
            Ok(_) => {}
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
            Err(_) => sys::exit(0),
        }
    }
}

/// Each direct child, as the kernel lists them. Those past the end of the buffer have their turn
/// when the list is read again. Says whether there is such a list.
fn for_each_child(mut act: impl FnMut(c_int)) -> bool {
    let mut list = [0; 4096];
    let Ok(file) = sys::open_for_reading(c"/proc/thread-self/children") else {
        return false;
    };
    let count = sys::read(file, &mut list).unwrap_or(0);
    sys::close(file);
    let mut pid: c_int = 0;
    for byte in &list[..count] {
        if byte.is_ascii_digit() {
            pid = pid.wrapping_mul(10).wrapping_add((byte - b'0').into());
        } else if pid > 0 {
            act(pid);
            pid = 0;
        }
    }
    true
}
