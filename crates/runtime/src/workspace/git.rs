//! A look at the repository of a workspace: branch, head, and whether something changed.
//!
//! A repository is not trusted just because someone works in it. Its own configuration can name
//! programs that git would run (filters, monitors, hooks), so git is never pointed at it: the
//! branch is read from files, and `git status` runs on the stand-in that the tools of agents use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use codewhale_sandbox::{Captured, Command, End, Limits, run};
use codewhale_tools::Repository;
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
    let Some(look) = Look::around(workspace) else {
        return GitLook::default();
    };
    let (branch, head) = look.shown();
    let dirty = look.is_dirty(environment).await;
    GitLook {
        branch,
        head,
        dirty: dirty.unwrap_or(false),
    }
}

/// A look at one repository.
pub(super) struct Look(pub(super) Repository);

/// What asks git for the changes, a line each.
pub(super) const STATUS: &[&str] = &["status", "--porcelain", "--ignore-submodules=all"];

impl Look {
    /// At the repository that a directory is part of.
    pub(super) fn around(workspace: &str) -> Option<Self> {
        Repository::around(Path::new(workspace)).map(Self)
    }

    /// Branch and commit, as people are shown them.
    pub(super) fn shown(&self) -> (Option<String>, Option<String>) {
        let (branch, head) = self.position();
        let short = head.map(|head| head.chars().take(7).collect::<String>());
        let branch = branch.or_else(|| short.as_ref().map(|short| format!("detached@{short}")));
        (branch, short)
    }

    /// The branch, unless the head is detached, and the commit, unless there is none yet.
    pub(super) fn position(&self) -> (Option<String>, Option<String>) {
        let head = fs::read_to_string(self.0.git_dir.join("HEAD")).unwrap_or_default();
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
        let loose = [&self.0.git_dir, &self.0.common_dir]
            .into_iter()
            .find_map(|dir| fs::read_to_string(dir.join(name)).ok());
        if let Some(text) = loose {
            return Some(text.trim().to_owned()).filter(|text| is_commit(text));
        }
        let packed = fs::read_to_string(self.0.common_dir.join("packed-refs")).ok()?;
        let line = packed
            .lines()
            .find_map(|line| line.strip_suffix(name)?.strip_suffix(' '));
        line.filter(|text| is_commit(text)).map(str::to_owned)
    }

    async fn is_dirty(&self, environment: &[(String, String)]) -> Option<bool> {
        let changes = self.git(environment, STATUS, limits::GIT_LOOK_BYTES_MAX);
        Some(changes.await?.bytes_total > 0)
    }

    /// What git says, if it says it in time.
    pub(super) async fn git(
        &self,
        environment: &[(String, String)],
        arguments: &[&str],
        output_bytes_max: usize,
    ) -> Option<Captured> {
        let stand_in = self.0.stand_in(environment.to_vec()).ok()?;
        let mut environment = stand_in.environment.clone();
        environment.push(("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()));
        let command = Command {
            arguments: arguments.iter().map(Into::into).collect(),
            environment,
            limits: Limits {
                wall_time: limits::GIT_LOOK,
                output_bytes_max,
                ..Limits::default()
            },
            ..Command::new("git", &self.0.work_tree)
        };
        let outcome = run(command, &CancellationToken::new()).await.ok()?;
        (outcome.end == End::Exited(0)).then_some(outcome.output)
    }
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
pub(super) mod tests;
