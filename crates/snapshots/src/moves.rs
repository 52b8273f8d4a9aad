//! Moving files from one snapshot to another, path by path, forth and back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use crate::changes::{Change, index_lines};
use crate::history::SnapshotId;
use crate::lock::Lock;
use crate::place::Root;
use crate::{Entry, Error, Visit};

/// Files on their way from one snapshot to another. Both states of every file lie ready, so that
/// each step is a look and a rename.
pub struct Move {
    root: Root,
    steps: Vec<Step>,
    _stage: TempDir,
    /// What lies ready would be cleared away by the next visitor.
    _lock: Arc<Lock>,
}

struct Step {
    path: PathBuf,
    before: Option<PathBuf>,
    after: Option<PathBuf>,
}

/// What became of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moved {
    /// The file is as wanted.
    Done,
    /// It was neither as expected nor as wanted, and was left alone.
    Changed,
}

impl Visit {
    /// Prepares the move of the workspace's files from one snapshot to another.
    pub async fn prepare(&self, from: &SnapshotId, to: &SnapshotId) -> Result<Move, Error> {
        let mut changes = self.changes(from, to).await?;
        // What goes makes room for what comes: a file may stand where a directory was.
        changes.sort_by_key(|change| change.after.is_some());
        let stage =
            TempDir::new_in(&self.temporary).map_err(Error::files("write to", &self.temporary))?;
        let (before, after) = (stage.path().join("before"), stage.path().join("after"));
        self.stage(&before, &changes, |change| change.before.as_ref())
            .await?;
        self.stage(&after, &changes, |change| change.after.as_ref())
            .await?;
        let step = |change: Change| Step {
            before: change.before.map(|_| before.join(&change.path)),
            after: change.after.map(|_| after.join(&change.path)),
            path: change.path,
        };
        Ok(Move {
            root: Root::open(&self.work_tree)?,
            steps: changes.into_iter().map(step).collect(),
            _stage: stage,
            _lock: Arc::clone(&self.lock),
        })
    }

    /// Writes one side of the changes to a directory.
    async fn stage(
        &self,
        directory: &Path,
        changes: &[Change],
        side: impl Fn(&Change) -> Option<&Entry>,
    ) -> Result<(), Error> {
        let entries = changes.iter().filter_map(|change| {
            let entry = side(change)?;
            Some((&change.path, Some(entry)))
        });
        let entries: Vec<_> = entries.collect();
        let index = directory.with_extension("index");
        let git = self.git.with("GIT_INDEX_FILE", crate::git::text(&index)?);
        let lines = index_lines(entries.into_iter());
        git.run(["update-index", "-z", "--index-info"], lines)
            .await?;
        let prefix = format!("--prefix={}/", crate::git::text(directory)?);
        git.run(["checkout-index", "-a", "-q", &prefix], Vec::new())
            .await?;
        Ok(())
    }
}

impl Move {
    /// The paths that move, in the order of the steps.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.steps.iter().map(|step| step.path.as_path())
    }

    /// How many steps it takes.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Removes what a process that was cut off left half written.
    pub fn clear(&self) {
        let parents = self.steps.iter().filter_map(|step| step.path.parent());
        let parents: BTreeSet<&Path> = parents.collect();
        for parent in parents {
            self.root.clear(parent);
        }
    }

    /// Takes one step, if the file is as it was.
    pub fn forward(&self, step: usize) -> Result<Moved, Error> {
        let Step {
            path,
            before,
            after,
        } = &self.steps[step];
        self.root.swap(path, before.as_deref(), after.as_deref())
    }

    /// Takes one step back, if it was taken. Steps are taken back in the opposite order.
    pub fn back(&self, step: usize) -> Result<Moved, Error> {
        let Step {
            path,
            before,
            after,
        } = &self.steps[step];
        self.root.swap(path, after.as_deref(), before.as_deref())
    }
}
