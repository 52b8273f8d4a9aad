//! Landlock: which files a process and its descendants may reach, kept by the kernel.
//!
//! A grant counts for everything below it, and there is no taking back. So where something inside
//! a granted place is closed, the place is granted piece by piece around it.
#![expect(unsafe_code, reason = "Landlock has only bare calls")]

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

use libc::c_long;

use super::sys;
use crate::limits::GRANTS_MAX;

/// Which version of Landlock the kernel has; 0 for none.
pub(crate) fn abi() -> i32 {
    const ASK_VERSION: u32 = 1;
    // SAFETY: asked for its version, the kernel reads no memory.
    let answer = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0, 0, ASK_VERSION) };
    answer.max(0) as i32
}

/// What may be done with a file or a directory and what is below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// See and run.
    Read,
    /// See the names in directories.
    List,
    /// Everything but making device files.
    Write,
}

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEVICE: u64 = 1 << 15;

/// Rights that make sense for what is no directory.
const FILE_RIGHTS: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE;

impl Access {
    fn rights(self) -> u64 {
        match self {
            Self::Read => EXECUTE | READ_FILE | READ_DIR,
            Self::List => READ_DIR,
            Self::Write => !(MAKE_CHAR | MAKE_BLOCK),
        }
    }
}

/// All rights on files that a version knows.
fn rights_of(abi: i32) -> u64 {
    let count = match abi {
        ..=1 => 13,
        2 => 14,
        3 | 4 => 15,
        _ => 16,
    };
    (1 << count) - 1
}

/// Rules that are not in force yet.
pub(super) struct Ruleset {
    rules: OwnedFd,
    rights: u64,
}

#[repr(C)]
struct Attributes {
    files: u64,
    network: u64,
    scopes: u64,
}

#[repr(C, packed)]
struct Beneath {
    rights: u64,
    parent: RawFd,
}

impl Ruleset {
    /// Rules that grant nothing yet. `network` says whether TCP is left alone.
    pub(super) fn new(abi: i32, leave_network: bool) -> io::Result<Self> {
        let attributes = Attributes {
            files: rights_of(abi),
            network: if leave_network || abi < 4 { 0 } else { 0b11 },
            // Neither signals nor nameless sockets reach out.
            scopes: if abi < 6 { 0 } else { 0b11 },
        };
        // SAFETY: the structure lives through the call; older kernels take its zero fields.
        let fd = sys::check(unsafe {
            libc::syscall(
                libc::SYS_landlock_create_ruleset,
                &raw const attributes,
                size_of::<Attributes>(),
                0,
            )
        })?;
        // SAFETY: the kernel has just given us this file, and nobody else knows it.
        let rules = unsafe { OwnedFd::from_raw_fd(fd as RawFd) };
        Ok(Self {
            rules,
            rights: attributes.files,
        })
    }

    /// Grants access to a path, in the runtime.
    pub(super) fn grant(&self, path: &Path, access: Access) -> io::Result<()> {
        let file = rustix::fs::open(
            path,
            rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        )?;
        let is_directory =
            rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode).is_dir();
        let mask = if is_directory { u64::MAX } else { FILE_RIGHTS };
        self.add(file.as_raw_fd(), access.rights() & mask)
    }

    /// Grants access to a directory between fork and exec.
    pub(super) fn grant_here(&self, directory: &CStr, access: Access) -> io::Result<()> {
        let file = sys::open_path(directory)?;
        let added = self.add(file, access.rights());
        sys::close(file);
        added
    }

    /// Grants use of a file that is open.
    pub(super) fn grant_open(&self, file: RawFd) -> io::Result<()> {
        self.add(file, READ_FILE | WRITE_FILE | IOCTL_DEVICE)
    }

    fn add(&self, parent: RawFd, rights: u64) -> io::Result<()> {
        const PATH_BENEATH: c_long = 1;
        let rule = Beneath {
            rights: rights & self.rights,
            parent,
        };
        // SAFETY: the rule lives through the call.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                self.rules.as_raw_fd(),
                PATH_BENEATH,
                &raw const rule,
                0,
            )
        };
        sys::check(answer).map(drop)
    }

    /// Puts the rules in force for this process and all it starts.
    pub(super) fn restrict(&self) -> io::Result<()> {
        // SAFETY: takes no pointers.
        let answer =
            unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.rules.as_raw_fd(), 0) };
        sys::check(answer).map(drop)
    }
}

/// The largest places below `root` that contain nothing of `closed`. Links are left out: what they
/// lead to is reached, or not, by its own path.
pub(super) fn around(root: &Path, closed: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(place) = open.pop() {
        if closed.contains(&place) {
            continue;
        }
        if !closed.iter().any(|path| path.starts_with(&place)) {
            found.push(place);
        } else if place.is_dir() {
            for entry in fs::read_dir(&place)? {
                let entry = entry?;
                if !entry.file_type()?.is_symlink() {
                    open.push(entry.path());
                }
            }
        }
        if found.len() + open.len() > GRANTS_MAX {
            return Err(io::Error::other(
                "too many files beside those that are closed",
            ));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_place_is_granted_around_what_is_closed() {
        let directory = TempDir::new().unwrap();
        let root = directory.path();
        for path in ["a/b/secret", "a/c", "d"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        let check = |closed: &[&str], expected: &[&str]| {
            let closed: Vec<_> = closed.iter().map(|path| root.join(path)).collect();
            let mut found = around(root, &closed).unwrap();
            found.sort();
            let expected: Vec<_> = expected.iter().map(|path| root.join(path)).collect();
            assert_eq!(found, expected, "{closed:?}");
        };
        check(&["a/b/secret"], &["a/c", "d"]);
        check(&["a"], &["d"]);
        check(&["missing"], &["a", "d"]);
        assert_eq!(around(root, &[]).unwrap(), [root]);
        assert_eq!(
            around(root, &[root.to_owned()]).unwrap(),
            [] as [PathBuf; 0]
        );
    }

    #[test]
    fn rights_grow_with_the_version() {
        assert_eq!(rights_of(1).count_ones(), 13);
        assert_eq!(rights_of(3) & TRUNCATE, TRUNCATE);
        assert_eq!(rights_of(4) & IOCTL_DEVICE, 0);
        assert_eq!(rights_of(7) & IOCTL_DEVICE, IOCTL_DEVICE);
        assert_eq!(Access::Write.rights() & (MAKE_CHAR | MAKE_BLOCK), 0);
    }
}
