//! A workspace, a home and a person's directory to read from.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::Sources;

pub(super) struct World {
    pub(super) workspace: PathBuf,
    pub(super) home: PathBuf,
    pub(super) person: PathBuf,
    _directory: TempDir,
}

impl World {
    pub(super) fn new() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let root = directory.path().canonicalize().expect("it exists");
        let person = root.join("person");
        let (workspace, home) = (root.join("workspace"), person.join(".codewhale"));
        for path in [&workspace, &home] {
            fs::create_dir_all(path).expect("a new directory");
        }
        Self {
            workspace,
            home,
            person,
            _directory: directory,
        }
    }

    /// A trusted workspace with memory.
    pub(super) fn sources(&self) -> Sources {
        Sources {
            workspace: self.workspace.clone(),
            home: self.home.clone(),
            person: Some(self.person.clone()),
            skills: None,
            trusted: true,
            memory: true,
        }
    }

    /// Puts a file into the workspace, or anywhere when the path is absolute.
    pub(super) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.workspace.join(path);
        fs::create_dir_all(path.parent().expect("a file has a parent")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }
}
