//! What differs between two snapshots, and a snapshot made from parts of others.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::history::SnapshotId;
use crate::{Error, Visit};

/// What a snapshot knows of a file: its kind and its content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    mode: String,
    content: String,
}

/// A path at which two snapshots differ. Without an entry there is nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The path, relative to the workspace.
    pub path: PathBuf,
    /// What one has there.
    pub before: Option<Entry>,
    /// What the other has.
    pub after: Option<Entry>,
}

/// What git writes where there is nothing.
const NOTHING: &str = "000000";

impl Visit {
    /// What differs between two snapshots, sorted by path.
    pub async fn changes(&self, from: &SnapshotId, to: &SnapshotId) -> Result<Vec<Change>, Error> {
        for id in [from, to] {
            if !self.has(id).await? {
                return Err(Error::Unknown);
            }
        }
        let compare = [
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-abbrev",
        ];
        let ends = [from.as_str(), to.as_str()];
        let answer = self
            .git
            .run(compare.into_iter().chain(ends), Vec::new())
            .await?;
        read(&answer).ok_or(Error::Answer { task: "diff-tree" })
    }

    /// A tree that is as `base`, except for these paths. It is kept until [`Visit::let_go`].
    pub async fn compose(
        &self,
        base: &SnapshotId,
        parts: &[(PathBuf, Option<Entry>)],
        at: i64,
    ) -> Result<SnapshotId, Error> {
        let index = tempfile::Builder::new().make_in(&self.temporary, |path| {
            // Made by git; only the name is wanted.
            Ok(path.to_owned())
        });
        let index = index.map_err(Error::files("write to", &self.temporary))?;
        let git = self
            .git
            .with("GIT_INDEX_FILE", crate::git::text(index.path())?);
        git.run(["read-tree", base.as_str()], Vec::new()).await?;
        let parts = parts.iter().map(|(path, entry)| (path, entry.as_ref()));
        git.run(["update-index", "-z", "--index-info"], index_lines(parts))
            .await?;
        let tree = git.line(["write-tree"], Vec::new()).await?;
        let tree = SnapshotId::read(&tree).ok_or(Error::Answer { task: "write-tree" })?;
        let plan = self.commit(&tree, "plan", "", at).await?;
        self.hold(&plan).await?;
        Ok(plan)
    }
}

/// Entries in the form that git takes into an index.
pub(crate) fn index_lines<'a>(
    entries: impl Iterator<Item = (&'a PathBuf, Option<&'a Entry>)> + Clone,
) -> Vec<u8> {
    let mut lines = Vec::new();
    // What goes makes room for what comes: a file may stand where a directory was.
    let gone = entries.clone().filter(|(_, entry)| entry.is_none());
    let there = entries.filter(|(_, entry)| entry.is_some());
    for (path, entry) in gone.chain(there) {
        match entry {
            Some(Entry { mode, content }) => {
                lines.extend_from_slice(format!("{mode} {content}\t").as_bytes());
            }
            None => lines.extend_from_slice(format!("0 {}\t", "0".repeat(40)).as_bytes()),
        }
        lines.extend_from_slice(path.as_os_str().as_bytes());
        lines.push(0);
    }
    lines
}

fn read(answer: &[u8]) -> Option<Vec<Change>> {
    let mut parts = answer.split(|byte| *byte == 0);
    let mut changes = Vec::new();
    while let Some(facts) = parts.next().filter(|facts| !facts.is_empty()) {
        let facts = std::str::from_utf8(facts).ok()?.strip_prefix(':')?;
        let mut facts = facts.split(' ');
        let [from, to] = [facts.next()?, facts.next()?];
        let [was, is] = [facts.next()?, facts.next()?];
        let path = OsStr::from_bytes(parts.next()?).to_owned();
        changes.push(Change {
            path: PathBuf::from(std::ffi::OsString::from_vec(path.into_vec())),
            before: entry(from, was),
            after: entry(to, is),
        });
    }
    Some(changes)
}

fn entry(mode: &str, content: &str) -> Option<Entry> {
    (mode != NOTHING).then(|| Entry {
        mode: mode.to_owned(),
        content: content.to_owned(),
    })
}
