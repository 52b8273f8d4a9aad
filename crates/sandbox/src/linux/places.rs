//! The file system as a command in namespaces sees it: everything read-only, with some places put
//! over it.
//!
//! A place is put at its path parents first. Between a writable root and something protected or
//! hidden in it, each directory is a place too: the kernel does not let a place be renamed, so
//! nobody moves `.git` away and puts another there.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::sockets;
use crate::limits::{FRESH_BYTES_MAX, PLACES_MAX};
use crate::{Confinement, Network, Temporary};

/// What is put at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Thing {
    /// What lies there or elsewhere, with all that is mounted below.
    Tree { source: PathBuf, hold: Hold },
    /// An empty directory in memory, with these options of `tmpfs`.
    Fresh { options: String, hold: Hold },
    /// The processes of the namespace.
    Processes,
    /// Terminals of its own.
    Terminals,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hold {
    Writable,
    ReadOnly,
}

/// One place, ready to be put up without any allocation.
pub(super) struct Place {
    pub(super) at: CString,
    pub(super) thing: Thing,
    /// Where a tree comes from; else the options of a fresh directory.
    pub(super) text: CString,
    /// What is made first, in order, where an empty place lies below.
    pub(super) makes: Vec<(CString, Make)>,
}

impl Place {
    /// Whether it only takes something out of sight.
    pub(super) fn covers(&self) -> bool {
        self.text.as_c_str() == c"/dev/null" && self.text != self.at
    }
}

pub(super) enum Make {
    Directory,
    File,
    Link(CString),
}

/// The places of a confinement, parents first.
pub(super) fn plan(confinement: &Confinement, cwd: &Path) -> io::Result<Vec<Place>> {
    let mut things = BTreeMap::new();
    lay_system(&mut things, confinement)?;
    lay_guards(&mut things, confinement)?;
    cover_sockets(&mut things);
    show_cwd(&mut things, cwd)?;
    if things.len() > PLACES_MAX {
        return Err(io::Error::other("too many protected or hidden places"));
    }
    let mut places: Vec<Place> = Vec::with_capacity(things.len());
    // Only what is really put up can have something in it.
    let mut put_up = Things::new();
    for (path, thing) in things {
        if let Some(makes) = makes_for(&path, &thing, &put_up)? {
            places.push(place(&path, thing.clone(), makes)?);
            put_up.insert(path, thing);
        }
    }
    Ok(places)
}

type Things = BTreeMap<PathBuf, Thing>;

fn tree(source: &Path, hold: Hold) -> Thing {
    Thing::Tree {
        source: source.to_owned(),
        hold,
    }
}

fn fresh(mode: &str, bytes: u64) -> Thing {
    Thing::Fresh {
        options: format!("mode={mode},size={bytes}"),
        hold: Hold::Writable,
    }
}

/// An empty directory that stays so, but for the places in it.
fn sealed(options: &str) -> Thing {
    Thing::Fresh {
        options: options.into(),
        hold: Hold::ReadOnly,
    }
}

/// What every confined command finds in place of the system's own.
fn lay_system(things: &mut Things, confinement: &Confinement) -> io::Result<()> {
    let temporary = match &confinement.temporary {
        Temporary::Fresh => fresh("1777", FRESH_BYTES_MAX),
        Temporary::At(path) => tree(&path.canonicalize()?, Hold::Writable),
    };
    things.insert("/tmp".into(), temporary);
    // Sockets of the services of the machine.
    things.insert("/run".into(), fresh("0755", 1 << 20));
    things.insert("/proc".into(), Thing::Processes);
    things.insert("/dev".into(), sealed("mode=0755,size=65536"));
    things.insert("/dev/shm".into(), fresh("1777", FRESH_BYTES_MAX));
    things.insert("/dev/pts".into(), Thing::Terminals);
    for device in DEVICES {
        things.insert(device.into(), tree(Path::new(device), Hold::Writable));
    }
    let mut needed = vec![PathBuf::from("/run/current-system")];
    if confinement.network == Network::On {
        needed.extend(fs::canonicalize("/etc/resolv.conf"));
    }
    needed.retain(|path| path.starts_with("/run") && path.exists());
    for path in needed {
        let path = path.canonicalize()?;
        let thing = tree(&path, Hold::ReadOnly);
        things.insert(path, thing);
    }
    things.retain(|path, _| path.exists() && path.canonicalize().is_ok_and(|real| real == *path));
    Ok(())
}

pub(super) const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// Links that programs expect beside them.
const DEVICE_LINKS: &[(&str, &str)] = &[
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
    ("/dev/ptmx", "pts/ptmx"),
];

/// What may be written, what in it may not, and what may not be seen.
fn lay_guards(things: &mut Things, confinement: &Confinement) -> io::Result<()> {
    let mut roots = Vec::new();
    for path in &confinement.writable {
        let root = path.canonicalize()?;
        if root == Path::new("/") {
            return Err(io::Error::other(
                "the whole file system cannot be the writable place",
            ));
        }
        things.insert(root.clone(), tree(&root, Hold::Writable));
        roots.push(root);
    }
    let guard = |things: &mut Things, path: &Path, thing: Thing| {
        for between in path.ancestors().skip(1) {
            let inside = |root: &PathBuf| between.starts_with(root) && between != root.as_path();
            if roots.iter().any(inside) {
                let held = || tree(between, Hold::Writable);
                things.entry(between.to_owned()).or_insert_with(held);
            }
        }
        things.insert(path.to_owned(), thing);
    };
    for path in existing(&confinement.protected) {
        guard(things, &path, tree(&path, Hold::ReadOnly));
    }
    for path in existing(&confinement.hidden) {
        let thing = if path.is_dir() {
            sealed("mode=0555,size=4096")
        } else {
            tree(Path::new("/dev/null"), Hold::ReadOnly)
        };
        guard(things, &path, thing);
    }
    Ok(())
}

/// Sockets that others listen on now are covered, wherever they lie: who answers there may do for a
/// command what the walls forbid it. Those in a writable place are left: they may be its own.
fn cover_sockets(things: &mut Things) {
    for path in sockets::bound() {
        let writable =
            |thing: &Thing| matches!(thing, Thing::Tree { hold, .. } if *hold == Hold::Writable);
        if !nearest(&path, things).is_some_and(|(_, thing)| writable(thing)) {
            let nothing = tree(Path::new("/dev/null"), Hold::ReadOnly);
            things.insert(path, nothing);
        }
    }
}

fn existing(paths: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    paths.iter().filter_map(|path| path.canonicalize().ok())
}

/// A command that starts in a place which is covered sees it all the same.
fn show_cwd(things: &mut Things, cwd: &Path) -> io::Result<()> {
    let cwd = cwd.canonicalize()?;
    let Some((above, thing)) = nearest(&cwd, things) else {
        return Ok(());
    };
    if let Thing::Fresh {
        hold: Hold::ReadOnly,
        ..
    } = thing
    {
        return Err(io::Error::other("the working directory is hidden from it"));
    }
    if above != &cwd && !shows_itself(above, thing) {
        let thing = tree(&cwd, Hold::ReadOnly);
        things.insert(cwd, thing);
    }
    Ok(())
}

/// The place that a path would lie in, itself included.
fn nearest<'a>(path: &Path, things: &'a Things) -> Option<(&'a PathBuf, &'a Thing)> {
    path.ancestors()
        .find_map(|above| things.get_key_value(above))
}

/// Whether what is below this place is what the system has there.
fn shows_itself(at: &Path, thing: &Thing) -> bool {
    matches!(thing, Thing::Tree { source, .. } if source == at)
}

/// What must be made so that the place has somewhere to be; `None` for one that nobody can see,
/// because what is above it is covered.
fn makes_for(
    path: &Path,
    thing: &Thing,
    things: &Things,
) -> io::Result<Option<Vec<(CString, Make)>>> {
    let Some((above, covering)) = path.parent().and_then(|parent| nearest(parent, things)) else {
        return Ok(Some(Vec::new()));
    };
    if shows_itself(above, covering) {
        return Ok(Some(Vec::new()));
    }
    let hides = !matches!(thing, Thing::Tree { source, .. } if source == path);
    if hides && !path.starts_with("/dev") {
        return Ok(None);
    }
    let mut makes = Vec::new();
    let between = path.strip_prefix(above).unwrap_or(path).components();
    let mut at = above.clone();
    for part in between {
        at.push(part);
        let kind = if at.is_dir() {
            Make::Directory
        } else {
            Make::File
        };
        makes.push((text_of(&at)?, kind));
    }
    if path == Path::new("/dev/null") {
        for (link, target) in DEVICE_LINKS {
            makes.push((text_of(link)?, Make::Link(text_of(target)?)));
        }
    }
    Ok(Some(makes))
}

fn place(path: &Path, thing: Thing, makes: Vec<(CString, Make)>) -> io::Result<Place> {
    let text = match &thing {
        Thing::Tree { source, .. } => text_of(source)?,
        Thing::Fresh { options, .. } => text_of(options)?,
        Thing::Processes => CString::default(),
        Thing::Terminals => text_of("newinstance,ptmxmode=0666,mode=620")?,
    };
    Ok(Place {
        at: text_of(path)?,
        thing,
        text,
        makes,
    })
}

pub(super) fn text_of(path: impl AsRef<Path>) -> io::Result<CString> {
    Ok(CString::new(path.as_ref().as_os_str().as_bytes())?)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn what_lies_between_a_root_and_its_guards_cannot_be_moved() {
        let directory = TempDir::new_in("/var/tmp").unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::create_dir_all(root.join("a/b/secret")).unwrap();
        let confinement = Confinement {
            hidden: vec![root.join("a/b/secret"), root.join("missing")],
            ..Confinement::workspace(&root)
        };
        let places = plan(&confinement, &root).unwrap();
        let below: Vec<_> = places
            .iter()
            .filter_map(|place| {
                let path = Path::new(place.at.to_str().unwrap());
                let name = path.strip_prefix(&root).ok()?.display().to_string();
                Some(match &place.thing {
                    Thing::Tree { hold, .. } => format!("{name} {hold:?}"),
                    other => format!("{name} {}", matches!(other, Thing::Fresh { .. })),
                })
            })
            .collect();
        let expected = [
            " Writable",
            ".git Writable",
            ".git/hooks ReadOnly",
            "a Writable",
            "a/b Writable",
            "a/b/secret true",
        ];
        assert_eq!(below, expected);
    }

    #[test]
    fn a_workspace_in_a_covered_place_is_shown_there() {
        let directory = TempDir::new_in("/tmp").unwrap();
        let root = directory.path().canonicalize().unwrap();
        let places = plan(&Confinement::workspace(&root), &root).unwrap();
        let at = text_of(&root).unwrap();
        let place = places.iter().find(|place| place.at == at).expect("a place");
        assert_eq!(place.makes.len(), 1);
        assert_eq!(place.makes[0].0, at);
    }

    #[test]
    fn the_whole_system_is_no_workspace() {
        assert!(plan(&Confinement::workspace("/"), Path::new("/")).is_err());
    }
}
