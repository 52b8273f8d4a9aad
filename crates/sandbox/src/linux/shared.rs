//! Namespaces that outlive a command, so that the next one can join them: users, who own it, and a
//! network.
#![expect(
    unsafe_code,
    reason = "the namespaces are made between fork and exec, and joined by bare calls"
)]

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use libc::c_int;

use super::sys;

/// A pair of namespaces, held open.
pub(crate) struct SharedRooms {
    users: OwnedFd,
    network: OwnedFd,
}

impl SharedRooms {
    /// Makes them. Waits for a short process, so it belongs off the async threads.
    pub(crate) fn make() -> io::Result<Self> {
        let mut maker = start_maker()?;
        let held = Self::of(maker.id());
        // It ends with what it reads.
        drop(maker.stdin.take());
        maker.wait()?;
        held
    }

    fn of(process: u32) -> io::Result<Self> {
        let open = |kind: &str| File::open(format!("/proc/{process}/ns/{kind}")).map(OwnedFd::from);
        Ok(Self {
            users: open("user")?,
            network: open("net")?,
        })
    }

    /// Joins them. Between fork and exec.
    pub(super) fn join(&self) -> io::Result<()> {
        enter(self.users.as_raw_fd(), libc::CLONE_NEWUSER)?;
        enter(self.network.as_raw_fd(), libc::CLONE_NEWNET)
    }
}

fn enter(namespace: c_int, kind: c_int) -> io::Result<()> {
    // SAFETY: takes no pointers.
    sys::check(unsafe { libc::setns(namespace, kind) }.into()).map(drop)
}

/// A process in new namespaces that waits until it is let go.
#[expect(
    clippy::disallowed_methods,
    reason = "it runs nothing of anyone's, and this is the crate where processes start"
)]
fn start_maker() -> io::Result<Child> {
    let (user, group) = sys::user_and_group();
    let (user, group) = (format!("{user} {user} 1"), format!("{group} {group} 1"));
    let mut maker = Command::new("/bin/cat");
    maker
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: only bare calls to the kernel, with what was made before.
    unsafe {
        maker.pre_exec(move || {
            sys::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET)?;
            sys::prctl(libc::PR_SET_DUMPABLE, 1)?;
            sys::write_to(c"/proc/self/setgroups", b"deny")?;
            sys::write_to(c"/proc/self/uid_map", user.as_bytes())?;
            sys::write_to(c"/proc/self/gid_map", group.as_bytes())?;
            sys::raise_loopback()
        });
    }
    maker.spawn()
}
