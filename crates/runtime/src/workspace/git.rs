//! A look at the repository of a workspace: branch, head, and whether something changed.
//!
//! A repository is not trusted just because someone works in it. Its own configuration can name
//! programs that git would run (filters, monitors, hooks), so git is never pointed at it: the
//! branch is read from files, and `git status` runs with a configuration of ours that borrows
//! nothing but the index and the objects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use codewhale_sandbox::{Command, End, Limits, Stdin, run};
use futures_util::StreamExt;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::runtime::Core;

/// What a look found.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct GitLook {
    pub(crate) branch: Option<String>,
    pub(crate) head: Option<String>,
    pub(crate) dirty: bool,
}

/// Looks that are still good.
#[derive(Default)]
pub(crate) struct GitLooks(Mutex<BTreeMap<String, (Instant, GitLook)>>);

/// Looks at once: enough to hide the start of a process, few enough for a small machine.
const LOOKS_AT_ONCE: usize = 4;

/// Looks that are remembered.
const LOOKS_KEPT: usize = 512;

impl Core {
    /// Looks at each of these workspaces, as far as the time allows.
    pub(crate) async fn look_at<'a>(
        &self,
        workspaces: impl Iterator<Item = &'a str>,
    ) -> BTreeMap<String, GitLook> {
        let distinct: BTreeSet<&str> = workspaces.collect();
        let now = Instant::now();
        let mut found = self.git.fresh(&distinct, now);
        let missing: Vec<String> = distinct
            .into_iter()
            .filter(|path| !found.contains_key(*path))
            .map(str::to_owned)
            .collect();
        let looks = futures_util::stream::iter(missing.into_iter().map(|path| async {
            let environment = Arc::clone(&self.child_environment);
            let look = look(&path, &environment).await;
            (path, look)
        }));
        let mut looks = looks.buffer_unordered(LOOKS_AT_ONCE);
        let all = async {
            while let Some((path, look)) = looks.next().await {
                found.insert(path, look);
            }
        };
        let _ = timeout(limits::GIT_LOOK, all).await;
        self.git.keep(&found, now);
        found
    }
}

impl GitLooks {
    fn fresh(&self, wanted: &BTreeSet<&str>, now: Instant) -> BTreeMap<String, GitLook> {
        let known = self
            .0
            .lock()
            .expect("nothing panics while it holds the looks");
        let fresh = known.iter().filter(|(path, (at, _))| {
            wanted.contains(path.as_str()) && now.duration_since(*at) < limits::GIT_LOOK_FRESH
        });
        fresh
            .map(|(path, (_, look))| (path.clone(), look.clone()))
            .collect()
    }

    fn keep(&self, found: &BTreeMap<String, GitLook>, now: Instant) {
        let mut known = self
            .0
            .lock()
            .expect("nothing panics while it holds the looks");
        known.retain(|_, (at, _)| now.duration_since(*at) < limits::GIT_LOOK_FRESH);
        for (path, look) in found.iter().take(LOOKS_KEPT) {
            known
                .entry(path.clone())
                .or_insert_with(|| (now, look.clone()));
        }
    }
}

async fn look(workspace: &str, environment: &[(String, String)]) -> GitLook {
    let Some(repository) = Repository::around(Path::new(workspace)) else {
        return GitLook::default();
    };
    let (branch, head) = repository.position();
    let dirty = repository.is_dirty(head.as_deref(), environment).await;
    let short = head.map(|head| head.chars().take(7).collect::<String>());
    let branch = branch.or_else(|| short.as_ref().map(|short| format!("detached@{short}")));
    GitLook {
        branch,
        head: short,
        dirty: dirty.unwrap_or(false),
    }
}

/// Where the parts of a repository lie.
struct Repository {
    work_tree: PathBuf,
    git_dir: PathBuf,
    /// Where branches and objects are; differs from `git_dir` in a linked worktree.
    common_dir: PathBuf,
}

impl Repository {
    fn around(workspace: &Path) -> Option<Self> {
        let (work_tree, dot_git) = workspace
            .ancestors()
            .map(|dir| (dir, dir.join(".git")))
            .find(|(_, git)| git.exists())?;
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
            git_dir,
            common_dir,
        })
    }

    /// The branch, unless the head is detached, and the commit, unless there is none yet.
    fn position(&self) -> (Option<String>, Option<String>) {
        let head = fs::read_to_string(self.git_dir.join("HEAD")).unwrap_or_default();
        let head = head.trim();
        match head.strip_prefix("ref: ") {
            None => (None, is_commit(head).then(|| head.to_owned())),
            Some(name) => {
                let branch = name.strip_prefix("refs/heads/").unwrap_or(name);
                (Some(branch.to_owned()), self.resolve(name))
            }
        }
    }

    fn resolve(&self, name: &str) -> Option<String> {
        if name.split('/').any(|part| part == "..") {
            return None;
        }
        let loose = [&self.git_dir, &self.common_dir]
            .into_iter()
            .find_map(|dir| fs::read_to_string(dir.join(name)).ok());
        if let Some(text) = loose {
            return Some(text.trim().to_owned()).filter(|text| is_commit(text));
        }
        let packed = fs::read_to_string(self.common_dir.join("packed-refs")).ok()?;
        let line = packed
            .lines()
            .find_map(|line| line.strip_suffix(name)?.strip_suffix(' '));
        line.filter(|text| is_commit(text)).map(str::to_owned)
    }

    async fn is_dirty(&self, head: Option<&str>, environment: &[(String, String)]) -> Option<bool> {
        let stand_in = self.stand_in(head).ok()?;
        let mut environment = environment.to_vec();
        environment.retain(|(name, _)| !name.starts_with("GIT_"));
        let text = |path: &Path| path.to_str().map(str::to_owned);
        for (name, value) in [
            ("GIT_DIR", text(stand_in.path())?),
            ("GIT_WORK_TREE", text(&self.work_tree)?),
            ("GIT_INDEX_FILE", text(&self.git_dir.join("index"))?),
            (
                "GIT_OBJECT_DIRECTORY",
                text(&self.common_dir.join("objects"))?,
            ),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
            ("GIT_OPTIONAL_LOCKS", "0".to_owned()),
        ] {
            environment.push((name.to_owned(), value));
        }
        let arguments = ["status", "--porcelain", "--ignore-submodules=all"];
        let command = Command {
            program: "git".into(),
            arguments: arguments.map(Into::into).to_vec(),
            cwd: self.work_tree.clone(),
            environment,
            stdin: Stdin::Null,
            limits: Limits {
                wall_time: limits::GIT_LOOK,
                ..Limits::default()
            },
            walls: codewhale_sandbox::Walls::Open,
            terminal: None,
        };
        let outcome = run(command, &CancellationToken::new()).await.ok()?;
        (outcome.end == End::Exited(0)).then_some(outcome.output.bytes_total > 0)
    }

    /// A directory that stands in for the repository's own, with a configuration of ours.
    fn stand_in(&self, head: Option<&str>) -> std::io::Result<tempfile::TempDir> {
        let dir = tempfile::tempdir()?;
        let path = dir.path();
        for part in ["refs/heads", "objects", "info"] {
            fs::create_dir_all(path.join(part))?;
        }
        fs::write(path.join("HEAD"), head.unwrap_or("ref: refs/heads/unborn"))?;
        let format = match head {
            Some(head) if head.len() == 64 => {
                "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\n"
            }
            _ => "[core]\nrepositoryformatversion = 0\n",
        };
        fs::write(path.join("config"), format)?;
        let _ = fs::copy(
            self.common_dir.join("info/exclude"),
            path.join("info/exclude"),
        );
        Ok(dir)
    }
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests;
