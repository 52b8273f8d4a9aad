//! The files of a workspace, as they are now.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tokio::time::timeout;

use crate::blocking::blocking;
use crate::history::SnapshotId;
use crate::{Bounds, Error, Visit, limits};

/// What to tell git about the files.
#[derive(Default)]
struct Survey {
    /// To be looked at: there, or gone since.
    seen: Vec<u8>,
    /// To be forgotten: known, and now of a kind that is not kept.
    left_out: Vec<u8>,
}

impl Visit {
    /// The files as they are now, as a tree that can be compared with snapshots.
    pub async fn now(&self) -> Result<SnapshotId, Error> {
        let read = timeout(limits::READ_TIME, self.read_files()).await;
        match read {
            Ok(Err(Error::Git { .. })) => {}
            Ok(read) => return read,
            Err(_) => return Err(slow()),
        }
        // An index that was cut off while it was written is made anew.
        let _ = fs::remove_file(self.git_dir.join("index"));
        let again = timeout(limits::READ_TIME, self.read_files()).await;
        again.unwrap_or_else(|_| Err(slow()))
    }

    async fn read_files(&self) -> Result<SnapshotId, Error> {
        let list = ["ls-files", "-z", "-t", "-c", "-o", "--exclude-standard"];
        let listed = self.git.run(list, Vec::new()).await?;
        let (root, bounds) = (self.work_tree.clone(), self.bounds);
        let survey = blocking(move || survey(&root, &listed, bounds)).await?;
        if !survey.left_out.is_empty() {
            let forget = ["update-index", "-z", "--force-remove", "--stdin"];
            self.git.run(forget, survey.left_out).await?;
        }
        let look = [
            "update-index",
            "-z",
            "--add",
            "--remove",
            "--replace",
            "--stdin",
        ];
        // What was read of a large workspace is kept when the time runs out: the next look goes on
        // from there.
        for part in parts(&survey.seen) {
            self.git.run(look, part.to_vec()).await?;
        }
        let tree = self.git.line(["write-tree"], Vec::new()).await?;
        SnapshotId::read(&tree).ok_or(Error::Answer { task: "write-tree" })
    }
}

/// Names by the thousands.
fn parts(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = names;
    std::iter::from_fn(move || {
        let ends = rest.iter().enumerate().filter(|(_, byte)| **byte == 0);
        let end = ends
            .map(|(at, _)| at + 1)
            .take(limits::NAMES_AT_ONCE)
            .last()?;
        let (part, behind) = rest.split_at(end);
        rest = behind;
        Some(part)
    })
}

fn slow() -> Error {
    Error::Slow {
        task: "update-index".to_owned(),
    }
}

/// Looks at every file that git listed: what is kept of it, and whether it is too much.
fn survey(root: &Path, listed: &[u8], bounds: Bounds) -> Result<Survey, Error> {
    let (mut survey, mut bytes, mut seen) = (Survey::default(), 0_u64, BTreeSet::new());
    let mut links = Links::default();
    for line in listed.split(|byte| *byte == 0) {
        let Some((tag, path)) = line.split_at_checked(2) else {
            continue;
        };
        // A directory is a repository of its own.
        if path.ends_with(b"/") || !seen.insert(path) {
            continue;
        }
        if seen.len() > bounds.entries_max {
            let entries_max = bounds.entries_max;
            return Err(Error::TooMany { entries_max });
        }
        let relative = Path::new(OsStr::from_bytes(path));
        let kept = match links.lead_to(root, relative) {
            true => Kept::No,
            false => size_of(&root.join(relative), bounds),
        };
        let size = match kept {
            Kept::Yes(size) => size,
            Kept::No if tag == b"? " => continue,
            Kept::No => {
                survey.left_out.extend(path.iter().chain(&[0]));
                continue;
            }
        };
        bytes = bytes.saturating_add(size);
        if bytes > bounds.workspace_bytes_max {
            let bytes_max = bounds.workspace_bytes_max;
            return Err(Error::TooLarge { bytes_max });
        }
        survey.seen.extend(path.iter().chain(&[0]));
    }
    Ok(survey)
}

/// Directories that became links: what seems to lie in them lies elsewhere.
#[derive(Default)]
struct Links(BTreeMap<PathBuf, bool>);

impl Links {
    fn lead_to(&mut self, root: &Path, path: &Path) -> bool {
        let Some(parent) = path.parent().filter(|parent| parent.file_name().is_some()) else {
            return false;
        };
        if let Some(known) = self.0.get(parent) {
            return *known;
        }
        let is_link = fs::symlink_metadata(root.join(parent)).is_ok_and(|it| it.is_symlink());
        let leads = is_link || self.lead_to(root, parent);
        self.0.insert(parent.to_owned(), leads);
        leads
    }
}

enum Kept {
    Yes(u64),
    No,
}

/// What a file takes, if it is one that is kept. One that is gone takes nothing.
fn size_of(path: &Path, bounds: Bounds) -> Kept {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return Kept::Yes(0);
    };
    let is_readable = || access(path, Access::READ_OK).is_ok();
    let kind = metadata.file_type();
    if kind.is_symlink() {
        return Kept::Yes(metadata.len());
    }
    match kind.is_file() && metadata.len() <= bounds.file_bytes_max && is_readable() {
        true => Kept::Yes(metadata.len()),
        false => Kept::No,
    }
}
