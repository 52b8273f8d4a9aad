//! The repository beside a workspace, and a visit there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::git::Git;
use crate::history::list;
use crate::lock::Lock;
use crate::{Bounds, Error, Snapshot};

/// Where side repositories are, and what decides how they are kept.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The directory of all side repositories.
    pub directory: PathBuf,
    /// Directories that are no project: a person's home, the product's own.
    pub no_projects: Vec<PathBuf>,
    /// The environment of child processes.
    pub environment: Vec<(String, String)>,
    /// How much is kept.
    pub bounds: Bounds,
}

/// The side repository of one workspace. It comes into being with the first snapshot.
#[derive(Clone, Debug)]
pub struct SideRepository {
    directory: PathBuf,
    work_tree: PathBuf,
    git: Git,
    bounds: Bounds,
}

/// Work in a side repository. Others wait until it, and each [`crate::Move`] it prepared, is dropped.
pub struct Visit {
    pub(crate) git: Git,
    pub(crate) git_dir: PathBuf,
    pub(crate) work_tree: PathBuf,
    pub(crate) temporary: PathBuf,
    pub(crate) bounds: Bounds,
    pub(crate) lock: Arc<Lock>,
}

/// Nothing here names a program, and files are what they are.
const CONFIGURATION: &str = "[core]
\trepositoryFormatVersion = 0
\tbare = false
\tfileMode = true
\tsymlinks = true
\tignoreCase = false
\tprecomposeUnicode = false
\tautocrlf = false
\tsafecrlf = false
\tprotectNTFS = false
\tfsmonitor = false
\tuntrackedCache = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tcompression = 1
[diff]
\tignoreSubmodules = all
[submodule]
\trecurse = false
[gc]
\tauto = 0
";

/// Stronger than any `.gitattributes`: nothing is converted, and no filter runs. The encoding can
/// only be unsaid; git takes no `-` before it.
const ATTRIBUTES: &str = "* -text -filter -ident !eol -crlf !working-tree-encoding -diff -merge\n";

/// What tools fill and can fill again.
const EXCLUDES: &str = ".git
.codewhale-*.tmp
node_modules/
target/
dist/
build/
.venv/
venv/
__pycache__/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.tox/
.gradle/
.next/
.nuxt/
.turbo/
.cache/
.terraform/
vendor/bundle/
Pods/
.DS_Store
";

impl SideRepository {
    /// The side repository of a workspace; `project` is what several work trees have in common.
    /// Both are absolute, links followed.
    pub fn of(settings: &Settings, project: &Path, workspace: &Path) -> Result<Self, Error> {
        let holds_more = |other: &PathBuf| other.starts_with(workspace);
        let holds_us = settings.directory.starts_with(workspace);
        if workspace.parent().is_none() || holds_us || settings.no_projects.iter().any(holds_more) {
            let path = workspace.to_owned();
            return Err(Error::NoProject { path });
        }
        let directory = place_of(&settings.directory, project, workspace);
        let git_dir = directory.join(".git");
        let temporary = directory.join("tmp");
        Ok(Self {
            git: Git::new(&settings.environment, &git_dir, workspace, &temporary)?,
            work_tree: workspace.to_owned(),
            bounds: settings.bounds,
            directory,
        })
    }

    /// Whether anything was ever kept.
    pub fn exists(&self) -> bool {
        self.directory.join(".git/HEAD").exists()
    }

    /// The newest snapshots, newest first. Waits for nobody: a look disturbs no visit.
    pub async fn list(&self, limit: usize) -> Result<Vec<Snapshot>, Error> {
        match self.exists() {
            false => Ok(Vec::new()),
            true => list(&self.git.answering_in(&self.directory), limit).await,
        }
    }

    /// Waits for one's turn, for a bounded time, and makes the repository when there is none.
    pub async fn enter(&self) -> Result<Visit, Error> {
        make(&self.directory)?;
        let lock = Lock::take(&self.directory).await?;
        let git_dir = self.directory.join(".git");
        let temporary = self.directory.join("tmp");
        // Nobody else is here: what lies about was left by someone who was cut off.
        let _ = fs::remove_dir_all(&temporary);
        for left in ["index.lock", "packed-refs.lock"] {
            let _ = fs::remove_file(git_dir.join(left));
        }
        make(&temporary)?;
        furnish(&git_dir)?;
        Ok(Visit {
            git: self.git.clone(),
            work_tree: self.work_tree.clone(),
            bounds: self.bounds,
            temporary,
            git_dir,
            lock: Arc::new(lock),
        })
    }
}

fn make(directory: &Path) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(Error::files("make", directory))
}

/// Makes the repository, or what is missing of it. What is ours to say is said anew each time.
fn furnish(git_dir: &Path) -> Result<(), Error> {
    for part in ["objects", "refs", "info"] {
        make(&git_dir.join(part))?;
    }
    for (name, content) in [
        ("config", CONFIGURATION),
        ("info/attributes", ATTRIBUTES),
        ("info/exclude", EXCLUDES),
        ("HEAD", "ref: refs/heads/none\n"),
    ] {
        let path = git_dir.join(name);
        if fs::read(&path).is_ok_and(|there| there == content.as_bytes()) {
            continue;
        }
        fs::write(&path, content).map_err(Error::files("write", &path))?;
    }
    Ok(())
}

/// Where the side repository of a workspace is. One that is there stays in use, also when the
/// workspace became part of another project since.
fn place_of(directory: &Path, project: &Path, workspace: &Path) -> PathBuf {
    let (project, name) = (name_of(project), name_of(workspace));
    let usual = directory.join(project).join(&name);
    if usual.exists() {
        return usual;
    }
    let projects = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut known = projects.map(|project| project.path().join(&name));
    known.find(|path| path.exists()).unwrap_or(usual)
}

/// A name for a directory that is not read back.
fn name_of(path: &Path) -> String {
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
