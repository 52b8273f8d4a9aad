//! The walls of one command, planned in the runtime and put up by the command itself before its
//! program starts.
#![expect(unsafe_code, reason = "mounts are made by bare calls")]

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::ptr;

use libc::{c_int, c_long, c_uint};

use super::landlock::{self, Access, Ruleset, around};
use super::places::{DEVICES, Hold, Make, Place, Thing, plan};
use super::seccomp::{Filter, Sockets};
use super::step::{At, Step};
use super::sys;
use crate::limits::PROCESSES_MAX;
use crate::{Confinement, Network, Temporary};

/// Everything a command needs to enclose itself.
pub(crate) struct Enclosure {
    pub(super) rooms: Option<Rooms>,
    rules: Option<Ruleset>,
    filter: Filter,
}

/// Namespaces and what the file system looks like in them.
pub(super) struct Rooms {
    flags: c_int,
    user: String,
    group: String,
    places: Vec<Place>,
    /// The trees that were taken hold of, one for each place.
    taken: Vec<RawFd>,
    processes_max: String,
}

type Done = Result<(), (Step, io::Error)>;

impl Enclosure {
    /// Plans walls of namespaces, with Landlock behind them where the kernel has it.
    pub(crate) fn with_namespaces(confinement: &Confinement, cwd: &Path) -> io::Result<Self> {
        let abi = landlock::abi();
        let rules = if abi > 0 {
            let rules = Ruleset::new(abi, true)?;
            rules.grant(Path::new("/"), Access::Read)?;
            grant_writable(&rules, confinement)?;
            grant_devices(&rules)?;
            Some(rules)
        } else {
            None
        };
        Ok(Self {
            rooms: Some(Rooms::plan(confinement, cwd)?),
            rules,
            filter: filter(Sockets::Internet)?,
        })
    }

    /// Plans walls of Landlock alone.
    pub(crate) fn without_namespaces(confinement: &Confinement) -> io::Result<Self> {
        let (abi, network) = (landlock::abi(), confinement.network == Network::On);
        let rules = Ruleset::new(abi, network)?;
        let mut unread = real(&confinement.hidden);
        unread.push("/dev".into());
        rules.grant(Path::new("/"), Access::List)?;
        for path in around(Path::new("/"), &unread)? {
            grant_what_is_there(&rules, &path, Access::Read)?;
        }
        grant_devices(&rules)?;
        let mut closed = real(&confinement.hidden);
        closed.extend(
            confinement
                .protected
                .iter()
                .map(|path| whole_repository(path)),
        );
        for root in real(&confinement.writable) {
            for path in around(&root, &closed)? {
                grant_what_is_there(&rules, &path, Access::Write)?;
            }
        }
        if let Temporary::At(path) = &confinement.temporary {
            rules.grant(path, Access::Write)?;
        }
        let sockets = if network {
            Sockets::Internet
        } else {
            Sockets::Pairs
        };
        Ok(Self {
            rooms: None,
            rules: Some(rules),
            filter: filter(sockets)?,
        })
    }

    /// Leaves the terminal that the command was given open to it.
    pub(crate) fn grant_terminal(&self, terminal: RawFd) -> io::Result<()> {
        match &self.rules {
            Some(rules) => rules.grant_open(terminal),
            None => Ok(()),
        }
    }

    pub(crate) fn has_namespaces(&self) -> bool {
        self.rooms.is_some()
    }

    /// The paths of its places, by which steps count them.
    pub(crate) fn places(&self) -> Vec<String> {
        let places = self.rooms.iter().flat_map(|rooms| &rooms.places);
        places
            .map(|place| place.at.to_string_lossy().into_owned())
            .collect()
    }

    /// Shuts the command in for good. Between fork and exec.
    pub(super) fn shut(&self) -> Done {
        sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1).at(Step::Privileges)?;
        if self.rooms.is_some() {
            // Counted per namespace, so others of the same user do not matter.
            sys::set_limit(libc::RLIMIT_NPROC as c_int, PROCESSES_MAX).at(Step::Bounds)?;
        }
        sys::drop_capabilities().at(Step::Privileges)?;
        if let Some(rules) = &self.rules {
            for place in self.rooms.iter().flat_map(|rooms| &rooms.places) {
                if let Thing::Terminals
                | Thing::Fresh {
                    hold: Hold::Writable,
                    ..
                } = place.thing
                {
                    rules
                        .grant_here(&place.at, Access::Write)
                        .at(Step::Grants)?;
                }
            }
            rules.restrict().at(Step::Landlock)?;
        }
        self.filter.install().at(Step::Filter)
    }
}

fn filter(sockets: Sockets) -> io::Result<Filter> {
    Filter::new(sockets).ok_or_else(|| io::ErrorKind::Unsupported.into())
}

fn grant_writable(rules: &Ruleset, confinement: &Confinement) -> io::Result<()> {
    for path in &confinement.writable {
        rules.grant(path, Access::Write)?;
    }
    match &confinement.temporary {
        Temporary::Fresh => Ok(()),
        Temporary::At(path) => rules.grant(path, Access::Write),
    }
}

fn grant_devices(rules: &Ruleset) -> io::Result<()> {
    let mut devices = DEVICES.iter().map(Path::new);
    devices.try_for_each(|device| grant_what_is_there(rules, device, Access::Write))
}

/// What vanished since it was listed needs no grant.
fn grant_what_is_there(rules: &Ruleset, path: &Path, access: Access) -> io::Result<()> {
    match rules.grant(path, access) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // What we may not even name, neither may the command.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

fn real(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().flat_map(fs::canonicalize).collect()
}

/// Landlock cannot leave `.git` open around its hooks: whoever may make files in it may also put
/// a link there. So the repository is closed as a whole, and a commit has to ask.
fn whole_repository(path: &Path) -> PathBuf {
    let repository = path.ancestors().find(|path| path.ends_with(".git"));
    let path = repository.unwrap_or(path);
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(path), _, _) => path,
        (Err(_), Some(parent), Some(name)) => parent
            .canonicalize()
            .unwrap_or_else(|_| parent.into())
            .join(name),
        (Err(_), _, _) => path.to_owned(),
    }
}

impl Rooms {
    fn plan(confinement: &Confinement, cwd: &Path) -> io::Result<Self> {
        let mut flags =
            libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
        if confinement.network == Network::Off {
            flags |= libc::CLONE_NEWNET;
        }
        let (user, group) = sys::user_and_group();
        let places = plan(confinement, cwd)?;
        Ok(Self {
            flags,
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
        Thing::Tree { .. } => attach(taken, &place.at),
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
