//! The walls of one command, planned in the runtime and put up by the command itself before its
//! program starts.

use std::fs;
use std::io;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

use libc::c_int;

use super::landlock::{self, Access, Ruleset, around};
use super::places::{DEVICES, Hold, Thing};
use super::rooms::Rooms;
use super::seccomp::{Filter, Sockets};
use super::step::{At, Done, Step};
use super::sys;
use crate::limits::PROCESSES_MAX;
use crate::{Confinement, Network, Temporary};

/// Everything a command needs to enclose itself.
pub(crate) struct Enclosure {
    pub(super) rooms: Option<Rooms>,
    rules: Option<Ruleset>,
    filter: Filter,
}

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
