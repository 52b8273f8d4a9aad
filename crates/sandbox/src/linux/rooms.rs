//! The namespaces of a command: its own users, processes, mounts and, without a network granted, its
//! own network with nobody in it.
#![expect(unsafe_code, reason = "mounts are made by bare calls")]

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use libc::{c_int, c_long, c_uint};

use super::places::{Hold, Make, Place, Thing, plan};
use super::step::{At, Done, Step};
use super::sys;
use crate::limits::PROCESSES_MAX;
use crate::{Confinement, Loopback, Network};

/// Namespaces and what the file system looks like in them.
pub(super) struct Rooms {
    flags: c_int,
    /// The network it is let into.
    shared: Option<Arc<Loopback>>,
    user: String,
    group: String,
    pub(super) places: Vec<Place>,
    /// The trees that were taken hold of, one for each place.
    taken: Vec<RawFd>,
    processes_max: String,
}

impl Rooms {
    pub(super) fn plan(confinement: &Confinement, cwd: &Path) -> io::Result<Self> {
        let mut flags =
            libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
        let is_off = confinement.network == Network::Off;
        let shared = confinement.loopback.clone().filter(|_| is_off);
        let shared = shared.filter(|shared| shared.rooms().is_some());
        if is_off && shared.is_none() {
            flags |= libc::CLONE_NEWNET;
        }
        let (user, group) = sys::user_and_group();
        let places = plan(confinement, cwd)?;
        Ok(Self {
            flags,
            shared,
            user: format!("{user} {user} 1"),
            group: format!("{group} {group} 1"),
            taken: vec![-1; places.len()],
            places,
            // The kernel keeps the first 300 numbers to itself.
            processes_max: (PROCESSES_MAX + 300).to_string(),
        })
    }

    /// Leaves for namespaces of our own. The next process that is started is in all of them.
    pub(super) fn leave(&self) -> Done {
        if let Some(rooms) = self.shared.as_ref().and_then(|shared| shared.rooms()) {
            rooms.join().at(Step::Namespaces)?;
        }
        sys::unshare(self.flags).at(Step::Namespaces)?;
        sys::prctl(libc::PR_SET_DUMPABLE, 1).at(Step::Users)?;
        sys::write_to(c"/proc/self/setgroups", b"deny").at(Step::Users)?;
        sys::write_to(c"/proc/self/uid_map", self.user.as_bytes()).at(Step::Users)?;
        sys::write_to(c"/proc/self/gid_map", self.group.as_bytes()).at(Step::Users)
    }

    /// Furnishes the namespaces, as their first process.
    pub(super) fn furnish(&mut self) -> Done {
        if self.flags & libc::CLONE_NEWNET != 0 {
            // A loopback is a convenience.
            let _ = sys::raise_loopback();
        }
        mount(c"none", c"/", c"", libc::MS_REC | libc::MS_PRIVATE, c"").at(Step::Private)?;
        for (index, place) in (0..).zip(&self.places) {
            if let Thing::Tree { hold, .. } = place.thing {
                let taken = take(&place.text, hold).at(Step::Take(index))?;
                self.taken[usize::from(index)] = taken;
            }
        }
        make_read_only(libc::AT_FDCWD, c"/", AT_RECURSIVE).at(Step::ReadOnly)?;
        for (index, place) in (0..).zip(&self.places) {
            let taken = self.taken[usize::from(index)];
            put(place, taken, &self.processes_max).at(Step::Place(index))?;
        }
        for place in &self.places {
            if let Thing::Processes
            | Thing::Fresh {
                hold: Hold::ReadOnly,
                ..
            } = place.thing
            {
                make_read_only(libc::AT_FDCWD, &place.at, 0).at(Step::Seal)?;
            }
        }
        Ok(())
    }
}

const AT_RECURSIVE: c_int = 0x8000;

fn put(place: &Place, taken: RawFd, processes_max: &str) -> io::Result<()> {
    place.makes.iter().for_each(|(path, what)| make(path, what));
    let plain = libc::MS_NOSUID | libc::MS_NODEV;
    match place.thing {
        Thing::Tree { .. } => match attach(taken, &place.at) {
            // What was to be covered has gone by itself, as sockets do.
            Err(error) if place.covers() && error.raw_os_error() == Some(libc::ENOENT) => Ok(()),
            attached => attached,
        },
        Thing::Fresh { .. } => mount(c"tmpfs", &place.at, c"tmpfs", plain, &place.text),
        Thing::Terminals => {
            let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
            mount(c"devpts", &place.at, c"devpts", flags, &place.text)
        }
        Thing::Processes => {
            mount(
                c"proc",
                &place.at,
                c"proc",
                plain | libc::MS_NOEXEC,
                c"hidepid=2",
            )?;
            // The keeper is not shown: its command line is that of the runtime.
            // Bounds the processes of root as well, whom limits do not bind. Kernels before 6.14
            // have one number for all, which is not ours to change.
            let _ = sys::write_to(c"/proc/sys/kernel/pid_max", processes_max.as_bytes());
            Ok(())
        }
    }
}

/// What exists already is as good.
fn make(path: &CStr, what: &Make) {
    // SAFETY: the paths end with NUL.
    let _ = unsafe {
        match what {
            Make::Directory => libc::mkdir(path.as_ptr(), 0o755),
            Make::File => libc::mknod(path.as_ptr(), libc::S_IFREG | 0o644, 0),
            Make::Link(target) => libc::symlink(target.as_ptr(), path.as_ptr()),
        }
    };
}

fn mount(what: &CStr, at: &CStr, kind: &CStr, flags: u64, options: &CStr) -> io::Result<()> {
    // SAFETY: all texts end with NUL and live through the call.
    let answer = unsafe {
        libc::mount(
            what.as_ptr(),
            at.as_ptr(),
            kind.as_ptr(),
            flags as _,
            options.as_ptr().cast(),
        )
    };
    sys::check(answer.into()).map(drop)
}

/// A tree that hangs nowhere yet.
fn take(path: &CStr, hold: Hold) -> io::Result<RawFd> {
    const CLONE: c_int = 1;
    let flags = CLONE | libc::O_CLOEXEC | AT_RECURSIVE | libc::AT_EMPTY_PATH;
    let file = sys::open_path(path)?;
    // SAFETY: the empty path ends with NUL.
    let tree = unsafe { libc::syscall(libc::SYS_open_tree, file, c"".as_ptr(), flags as c_uint) };
    let tree = sys::check(tree)? as RawFd;
    sys::close(file);
    if hold == Hold::ReadOnly {
        make_read_only(tree, c"", AT_RECURSIVE | libc::AT_EMPTY_PATH)?;
    }
    Ok(tree)
}

fn attach(tree: RawFd, at: &CStr) -> io::Result<()> {
    const FROM_OPEN_FILE: c_uint = 0x04;
    const TO_OPEN_FILE: c_uint = 0x40;
    let target = sys::open_path(at)?;
    // SAFETY: the empty paths end with NUL.
    let answer: c_long = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree,
            c"".as_ptr(),
            target,
            c"".as_ptr(),
            FROM_OPEN_FILE | TO_OPEN_FILE,
        )
    };
    sys::close(target);
    sys::close(tree);
    sys::check(answer).map(drop)
}

#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    users: u64,
}

fn make_read_only(directory: RawFd, path: &CStr, flags: c_int) -> io::Result<()> {
    const READ_ONLY: u64 = 1;
    let attributes = MountAttributes {
        set: READ_ONLY,
        clear: 0,
        propagation: 0,
        users: 0,
    };
    // SAFETY: path and structure live through the call; the size is that of the structure.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            directory,
            path.as_ptr(),
            flags as c_uint,
            ptr::from_ref(&attributes),
            size_of::<MountAttributes>(),
        )
    };
    sys::check(answer).map(drop)
}
