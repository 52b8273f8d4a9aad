//! A workspace and its side repository.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use codewhale_snapshots::{Bounds, Move, Moved, Settings, SideRepository, SnapshotId, Visit};
use tempfile::TempDir;

pub(crate) struct Lab {
    _directory: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) settings: Settings,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self::with(Bounds::default())
    }

    pub(crate) fn with(bounds: Bounds) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let root = base.join("work");
        fs::create_dir(&root).unwrap();
        let path = "/usr/local/bin:/usr/bin:/bin";
        Self {
            settings: Settings {
                directory: base.join("snapshots"),
                no_projects: vec![base.join("person")],
                environment: vec![("PATH".to_owned(), path.to_owned())],
                bounds,
            },
            _directory: directory,
            root,
        }
    }

    pub(crate) fn side(&self) -> SideRepository {
        SideRepository::of(&self.settings, &self.root, &self.root).unwrap()
    }

    pub(crate) async fn enter(&self) -> Visit {
        self.side().enter().await.unwrap()
    }

    pub(crate) async fn take(&self, label: &str) -> SnapshotId {
        self.enter().await.take(label, label, 1_000).await.unwrap()
    }

    /// Brings all files from how they are to how they were.
    pub(crate) async fn go_to(&self, to: &SnapshotId) {
        let visit = self.enter().await;
        let from = visit.now().await.unwrap();
        let moving = visit.prepare(&from, to).await.unwrap();
        for step in 0..moving.steps() {
            assert_eq!(moving.forward(step).unwrap(), Moved::Done);
        }
    }

    pub(crate) async fn moving(&self, from: &SnapshotId, to: &SnapshotId) -> Move {
        self.enter().await.prepare(from, to).await.unwrap()
    }

    pub(crate) fn path(&self, name: impl AsRef<[u8]>) -> PathBuf {
        self.root.join(OsStr::from_bytes(name.as_ref()))
    }

    pub(crate) fn write(&self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: impl AsRef<[u8]>) -> Option<Vec<u8>> {
        fs::read(self.path(name)).ok()
    }

    pub(crate) async fn changed(&self, from: &SnapshotId, to: &SnapshotId) -> Vec<PathBuf> {
        let changes = self.enter().await.changes(from, to).await.unwrap();
        changes.into_iter().map(|change| change.path).collect()
    }
}

/// Everything below a directory, but for repositories.
pub(crate) fn listing(root: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() && !path.is_symlink() {
            true => all.extend(listing(&path)),
            false => all.push(path),
        }
    }
    all.sort();
    all
}
