//! One file below a workspace, looked at and replaced without ever following a link: someone in the
//! workspace could lead us elsewhere.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RawMode, fchmod, lstat, mkdirat, open, openat,
    readlinkat, renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use crate::{Error, Moved};

/// The directory that paths are relative to.
pub(crate) struct Root(OwnedFd);

const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Permission to run, for anyone.
const RUN: RawMode = 0o111;

/// The directory of a file, held open.
enum Parent {
    Open(OwnedFd),
    Missing,
    /// Something else stands where a directory should be.
    Blocked,
}

impl Root {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(path, flags, Mode::empty());
        let root = root.map_err(|errno| Error::files("open", path)(errno.into()))?;
        Ok(Self(root))
    }

    /// Replaces a file by a staged one, or removes it, if it is as expected. Staged files stand for
    /// both; without one there is nothing.
    pub(crate) fn swap(
        &self,
        path: &Path,
        expected: Option<&Path>,
        wanted: Option<&Path>,
    ) -> Result<Moved, Error> {
        self.try_swap(path, expected, wanted)
            .map_err(Error::files("put back", path))
    }

    fn try_swap(
        &self,
        path: &Path,
        expected: Option<&Path>,
        wanted: Option<&Path>,
    ) -> io::Result<Moved> {
        let Some(name) = path.file_name() else {
            return Ok(Moved::Changed);
        };
        let parent = match self.parent(path, false)? {
            Parent::Open(parent) => parent,
            Parent::Blocked => return Ok(Moved::Changed),
            Parent::Missing => match (expected, wanted) {
                (_, None) => return Ok(Moved::Done),
                (Some(_), Some(_)) => return Ok(Moved::Changed),
                (None, Some(_)) => match self.parent(path, true)? {
                    Parent::Open(parent) => parent,
                    Parent::Missing | Parent::Blocked => return Ok(Moved::Changed),
                },
            },
        };
        if is_as(&parent, name, wanted)? {
            return Ok(Moved::Done);
        }
        if !is_as(&parent, name, expected)? {
            return Ok(Moved::Changed);
        }
        match wanted {
            Some(staged) => put(&parent, name, staged)?,
            None => {
                unlinkat(&parent, name, AtFlags::empty())?;
                drop(parent);
                self.remove_empty_parents(path);
            }
        }
        Ok(Moved::Done)
    }

    /// Removes what was left half written in a directory.
    pub(crate) fn clear(&self, directory: &Path) {
        let Ok(Parent::Open(parent)) = self.parent(&directory.join("x"), false) else {
            return;
        };
        let Ok(entries) = Dir::read_from(&parent) else {
            return;
        };
        for entry in entries.flatten() {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let bytes = name.as_bytes();
            if bytes.starts_with(UNNAMED.as_bytes()) && bytes.ends_with(b".tmp") {
                let _ = unlinkat(&parent, name, AtFlags::empty());
            }
        }
    }

    /// Opens the directory of a path step by step.
    fn parent(&self, path: &Path, make: bool) -> io::Result<Parent> {
        let mut directory = self.0.try_clone()?;
        for part in path.parent().into_iter().flat_map(Path::components) {
            let Component::Normal(part) = part else {
                return Ok(Parent::Blocked);
            };
            if make {
                match mkdirat(&directory, part, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            directory = match openat(&directory, part, DIRECTORY, Mode::empty()) {
                Ok(directory) => directory,
                Err(Errno::NOENT) => return Ok(Parent::Missing),
                Err(Errno::NOTDIR | Errno::LOOP) => return Ok(Parent::Blocked),
                Err(error) => return Err(error.into()),
            };
        }
        Ok(Parent::Open(directory))
    }

    /// Snapshots know no empty directories: the ones that became empty go too.
    fn remove_empty_parents(&self, path: &Path) {
        let mut directory = path.parent();
        while let Some(path) = directory
            && let Some(name) = path.file_name()
        {
            let Ok(Parent::Open(parent)) = self.parent(path, false) else {
                return;
            };
            if unlinkat(&parent, name, AtFlags::REMOVEDIR).is_err() {
                return;
            }
            directory = path.parent();
        }
    }
}

/// Whether a file is exactly as a staged one; without one, whether there is nothing.
fn is_as(parent: &OwnedFd, name: &OsStr, staged: Option<&Path>) -> io::Result<bool> {
    let there = match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(there) => there,
        Err(Errno::NOENT) => return Ok(staged.is_none()),
        Err(error) => return Err(error.into()),
    };
    let Some(staged) = staged else {
        return Ok(false);
    };
    let wanted = fs::symlink_metadata(staged)?;
    match FileType::from_raw_mode(there.st_mode) {
        FileType::Symlink if wanted.is_symlink() => {
            let leads_to = readlinkat(parent, name, Vec::new())?;
            Ok(leads_to.as_bytes() == fs::read_link(staged)?.as_os_str().as_bytes())
        }
        FileType::RegularFile if wanted.is_file() => {
            // git knows one bit: whether the owner may run it.
            let runs = there.st_mode & 0o100 != 0;
            let should_run = wanted.permissions().mode() & 0o100 != 0;
            let same_size = u64::try_from(there.st_size) == Ok(wanted.len());
            if runs != should_run || !same_size {
                return Ok(false);
            }
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = File::from(openat(parent, name, flags, Mode::empty())?);
            same_bytes(file, File::open(staged)?)
        }
        _ => Ok(false),
    }
}

fn same_bytes(mut one: File, mut other: File) -> io::Result<bool> {
    let (mut left, mut right) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        let count = one.read(&mut left)?;
        if count == 0 {
            return Ok(other.read(&mut right)? == 0);
        }
        match other.read_exact(&mut right[..count]) {
            Ok(()) if left[..count] == right[..count] => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

/// Puts a copy of a staged file in place, at once and whole.
fn put(parent: &OwnedFd, name: &OsStr, staged: &Path) -> io::Result<()> {
    let unnamed = unnamed();
    let made = make(parent, name, &unnamed, staged);
    let renamed = made.and_then(|()| Ok(renameat(parent, &unnamed, parent, name)?));
    if renamed.is_err() {
        let _ = unlinkat(parent, &unnamed, AtFlags::empty());
    }
    renamed
}

fn make(parent: &OwnedFd, name: &OsStr, unnamed: &OsStr, staged: &Path) -> io::Result<()> {
    let wanted = lstat(staged)?.st_mode;
    if FileType::from_raw_mode(wanted) == FileType::Symlink {
        return Ok(symlinkat(fs::read_link(staged)?, parent, unnamed)?);
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(parent, unnamed, flags, Mode::from_raw_mode(0o600))?);
    io::copy(&mut File::open(staged)?, &mut file)?;
    let mode = mode_for(parent, name, wanted);
    fchmod(&file, Mode::from_raw_mode(mode))?;
    file.flush()?;
    file.sync_data()
}

/// Who may read a file that is replaced stays as it was; whether it runs is as staged.
fn mode_for(parent: &OwnedFd, name: &OsStr, staged: RawMode) -> RawMode {
    match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(there) if FileType::from_raw_mode(there.st_mode) == FileType::RegularFile => {
            let mode = there.st_mode & 0o777;
            match staged & 0o100 == 0 {
                true => mode & !RUN,
                // Who may read it may run it.
                false => mode | ((mode & 0o444) >> 2),
            }
        }
        Ok(_) | Err(_) => staged & 0o777,
    }
}

/// What such names begin with.
const UNNAMED: &str = ".codewhale-";

/// A name that nobody else uses.
fn unnamed() -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{UNNAMED}{}-{number}.tmp", std::process::id()).into()
}
