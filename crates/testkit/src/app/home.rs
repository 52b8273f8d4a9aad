//! The files of a program: its home, and a workspace for it to work in.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::model_server::ModelServer;

/// A home and a workspace that nobody else has. Both go when it is dropped.
pub struct Home {
    directory: TempDir,
}

impl Home {
    /// Both empty.
    #[expect(
        clippy::new_without_default,
        reason = "a default would hide that it makes directories"
    )]
    pub fn new() -> Self {
        let directory = tempfile::tempdir().expect("the machine has a directory for such files");
        let home = Self { directory };
        fs::create_dir(home.path()).expect("a new directory is empty");
        fs::create_dir(home.workspace()).expect("a new directory is empty");
        home
    }

    /// With the scripted server as its only provider.
    pub fn with_model(model: &ModelServer) -> Self {
        let home = Self::new();
        home.configure(&config_for(model, ""));
        home
    }

    /// The home.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// The workspace, by the name that the program calls it.
    pub fn workspace(&self) -> PathBuf {
        let workspace = self.directory.path().join("workspace");
        workspace.canonicalize().unwrap_or(workspace)
    }

    /// Replaces the configuration.
    pub fn configure(&self, text: &str) {
        fs::write(self.path().join("config.toml"), text).expect("the home can be written");
    }

    /// Puts a file into the workspace.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.workspace().join(name);
        let parent = path.parent().expect("a file has a parent");
        let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
        written.expect("the workspace can be written");
    }

    /// The text of a file in the workspace, if it is there.
    pub fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.workspace().join(name)).ok()
    }

    /// The same files once more, as they are now, for those who look at them with other eyes.
    pub fn copy(&self) -> Self {
        let copy = Self::new();
        copy_tree(&self.path(), &copy.path());
        copy
    }

    /// Every file of the home with its bytes.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        collect(&self.path(), &mut files);
        files
    }
}

/// A configuration with the scripted server as its only provider and short waits, and what a test
/// adds to it: whole tables.
pub fn config_for(model: &ModelServer, tables: &str) -> String {
    format!(
        r#"provider = "script"

[providers.script]
kind = "openai-compatible"
base_url = "{}"
api_key = "key-of-the-tests-0123456789"
model = "scripted"

[retry]
max_retries = 2
initial_delay = 0.01
max_delay = 0.02

{tables}"#,
        model.base_url()
    )
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the home can be read") {
        let entry = entry.expect("the home can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).expect("the copy can be written");
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("the copy can be written");
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("the home can be read") {
        let path = entry.expect("the home can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.is_file() {
            let bytes = fs::read(&path).expect("the home can be read");
            files.push((path, bytes));
        }
    }
}
