//! Where a repository lies, and a stand-in for it that runs nothing.
//!
//! A repository is not trusted just because someone works in it: its configuration can name
//! programs that git would run (filters, monitors, hooks, signers). So git is pointed at a
//! directory with a configuration of ours, which borrows index, objects and names of commits.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::TempDir;

use crate::paths::path_bytes;

/// Where the parts of a repository lie, links followed.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Repository {
    /// The directory with the files.
    #[serde(serialize_with = "path_bytes")]
    pub work_tree: PathBuf,
    /// Where its own state is: the head, the index.
    #[serde(serialize_with = "path_bytes")]
    pub git_dir: PathBuf,
    /// Where branches and objects are; differs from `git_dir` in a linked worktree.
    #[serde(serialize_with = "path_bytes")]
    pub common_dir: PathBuf,
}

/// A directory to point git at, with the environment that does so. Gone when dropped.
pub struct StandIn {
    /// What a child process that runs git is given.
    pub environment: Vec<(String, String)>,
    _directory: TempDir,
}

/// Nothing here names a program, and nothing makes git look for more of it.
const CONFIGURATION: &str = "[core]
\tbare = false
\tfsmonitor = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tquotePath = false
\tpager = cat
[color]
\tui = false
[diff]
\tignoreSubmodules = all
\tsubmodule = short
[log]
\tshowSignature = false
[submodule]
\trecurse = false
";

impl Repository {
    /// The repository that a directory is part of.
    pub fn around(directory: &Path) -> Option<Self> {
        let (work_tree, dot_git) = directory
            .ancestors()
            .map(|directory| (directory, directory.join(".git")))
            .find(|(_, dot_git)| dot_git.exists())?;
        let git_dir = match dot_git.is_dir() {
            true => dot_git,
            false => {
                let text = fs::read_to_string(&dot_git).ok()?;
                work_tree.join(text.trim().strip_prefix("gitdir:")?.trim())
            }
        };
        let common_dir = match fs::read_to_string(git_dir.join("commondir")) {
            Ok(text) => git_dir.join(text.trim()),
            Err(_) => git_dir.clone(),
        };
        Some(Self {
            work_tree: work_tree.to_owned(),
            git_dir: git_dir.canonicalize().ok()?,
            common_dir: common_dir.canonicalize().ok()?,
        })
    }

    /// Whether all that git reads belongs to this workspace. A `.git` that leads to the
    /// repository of someone else does not.
    pub(super) fn belongs_to(&self, workspace: &Path) -> bool {
        let own = self.work_tree.join(".git");
        let is_own = |path: &Path| path.starts_with(workspace) || path == own;
        let parts = ["objects", "refs"].map(|part| self.common_dir.join(part).canonicalize());
        let mut parts = parts.iter().flatten();
        if !parts.all(|part| part.starts_with(&self.common_dir)) {
            return false;
        }
        (is_own(&self.git_dir) && is_own(&self.common_dir)) || self.is_linked()
    }

    /// Whether this is a worktree that its repository knows of: the pointer goes both ways.
    fn is_linked(&self) -> bool {
        let listed = self.git_dir.parent() == Some(&self.common_dir.join("worktrees"));
        let back = fs::read_to_string(self.git_dir.join("gitdir")).unwrap_or_default();
        let back = Path::new(back.trim()).canonicalize();
        listed && back.is_ok_and(|back| back == self.work_tree.join(".git"))
    }

    /// Makes a stand-in. `environment` is that of child processes.
    pub fn stand_in(&self, environment: Vec<(String, String)>) -> io::Result<StandIn> {
        let directory = self.make_stand_in()?;
        let text = |path: &Path| {
            let text = path.to_str().map(str::to_owned);
            text.ok_or_else(|| io::Error::other("the repository's path is not UTF-8"))
        };
        let mut environment = environment;
        environment.retain(|(name, _)| !name.starts_with("GIT_") && name != "LC_ALL");
        let nothing = || "/dev/null".to_owned();
        let ours = [
            ("GIT_DIR", text(directory.path())?),
            ("GIT_WORK_TREE", text(&self.work_tree)?),
            ("GIT_INDEX_FILE", text(&self.git_dir.join("index"))?),
            (
                "GIT_OBJECT_DIRECTORY",
                text(&self.common_dir.join("objects"))?,
            ),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_GLOBAL", nothing()),
            ("GIT_ATTR_NOSYSTEM", "1".into()),
            ("GIT_NO_LAZY_FETCH", "1".into()),
            ("GIT_TERMINAL_PROMPT", "0".into()),
            ("GIT_ALLOW_PROTOCOL", "none".into()),
            ("LC_ALL", "C.UTF-8".into()),
        ];
        environment.extend(ours.map(|(name, value)| (name.to_owned(), value)));
        Ok(StandIn {
            environment,
            _directory: directory,
        })
    }

    fn make_stand_in(&self) -> io::Result<TempDir> {
        let directory = tempfile::tempdir()?;
        let path = directory.path();
        fs::create_dir_all(path.join("objects"))?;
        fs::create_dir_all(path.join("info"))?;
        fs::copy(self.git_dir.join("HEAD"), path.join("HEAD"))?;
        fs::write(path.join("config"), self.configuration())?;
        let _ = fs::copy(
            self.common_dir.join("info/exclude"),
            path.join("info/exclude"),
        );
        symlink(self.common_dir.join("refs"), path.join("refs"))?;
        for (from, name) in [
            (&self.common_dir, "packed-refs"),
            (&self.common_dir, "shallow"),
            (&self.common_dir, "reftable"),
            (&self.git_dir, "logs"),
        ] {
            if from.join(name).exists() {
                symlink(from.join(name), path.join(name))?;
            }
        }
        Ok(directory)
    }

    /// The little that git must know about the form of the repository.
    fn configuration(&self) -> String {
        let own = fs::read_to_string(self.common_dir.join("config")).unwrap_or_default();
        let own = own.to_lowercase().replace([' ', '\t'], "");
        let mut extensions = String::new();
        if own.contains("objectformat=sha256") {
            extensions.push_str("\tobjectFormat = sha256\n");
        }
        if own.contains("refstorage=reftable") {
            extensions.push_str("\trefStorage = reftable\n");
        }
        let version = u8::from(!extensions.is_empty());
        let version = format!("[core]\n\trepositoryFormatVersion = {version}\n");
        match extensions.is_empty() {
            true => format!("{version}{CONFIGURATION}"),
            false => format!("{version}{CONFIGURATION}[extensions]\n{extensions}"),
        }
    }
}
