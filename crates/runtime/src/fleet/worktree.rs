//! A working copy of a repository for one attempt, on a branch of its own.
//!
//! A repository is not trusted just because someone works in it: git is never pointed at its
//! configuration (decision 5). The worktree is registered by writing the four files that are one; what
//! needs git runs on the stand-in that the tools of agents use, where no hook, filter or monitor is named.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use codewhale_protocol::runtime::{FleetArtifact, FleetRunId};
use codewhale_sandbox::{Command, End, Limits, run};
use codewhale_tools::Repository;
use tokio_util::sync::CancellationToken;

use super::files::Shelf;
use crate::limits;

/// A working copy.
pub(super) struct Worktree {
    repository: Repository,
    /// Where its files are.
    tree: PathBuf,
    /// Where the repository knows it.
    registered: PathBuf,
    branch: String,
    /// What it began as.
    base: String,
    /// Where in it the workspace is.
    inside: PathBuf,
    environment: Vec<(String, String)>,
}

/// For which attempt a working copy is.
pub(super) struct For<'a> {
    pub(super) run: &'a FleetRunId,
    pub(super) task: &'a str,
    pub(super) attempt: u64,
}

impl Worktree {
    /// Makes a working copy of what the repository around a workspace has committed; `None` where there
    /// is no repository, or no commit.
    pub(super) async fn make(
        workspace: &Path,
        shelf: &Shelf,
        what: &For<'_>,
        environment: &[(String, String)],
    ) -> Result<Option<Self>, String> {
        let Some(repository) = Repository::around(workspace) else {
            return Ok(None);
        };
        let environment = environment.to_vec();
        let head = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
        let Ok(base) = git(&repository, &environment, &head).await else {
            return Ok(None);
        };
        let real = repository.work_tree.canonicalize();
        let real = real.map_err(|error| error.to_string())?;
        let inside = workspace.strip_prefix(&real).unwrap_or(Path::new(""));
        let branch = branch(what);
        let made = Self {
            tree: shelf.at("tree"),
            registered: repository.common_dir.join("worktrees").join(name(what)),
            inside: inside.to_owned(),
            repository,
            branch,
            base: base.trim().to_owned(),
            environment,
        };
        match made.fill().await {
            Ok(()) => Ok(Some(made)),
            Err(why) => {
                made.remove().await;
                Err(format!("no worktree could be made: {why}"))
            }
        }
    }

    async fn fill(&self) -> Result<(), String> {
        let reference = format!("refs/heads/{}", self.branch);
        let nothing = "0".repeat(self.base.len());
        let update = ["update-ref", &reference, &self.base, &nothing];
        git(&self.repository, &self.environment, &update).await?;
        self.register().map_err(|error| error.to_string())?;
        let tree = Repository::around(&self.tree).ok_or("git does not know it")?;
        let fill = ["read-tree", "-u", "--reset", &self.base];
        git(&tree, &self.environment, &fill).await.map(drop)
    }

    fn register(&self) -> io::Result<()> {
        fs::create_dir_all(&self.tree)?;
        fs::create_dir_all(&self.registered)?;
        let dot_git = self.tree.join(".git");
        let text = |path: &Path| path.display().to_string();
        fs::write(&dot_git, format!("gitdir: {}\n", text(&self.registered)))?;
        let at = |name: &str| self.registered.join(name);
        fs::write(at("HEAD"), format!("ref: refs/heads/{}\n", self.branch))?;
        fs::write(at("commondir"), "../..\n")?;
        fs::write(at("gitdir"), format!("{}\n", text(&dot_git)))
    }

    /// Where the work is done.
    pub(super) fn directory(&self) -> PathBuf {
        self.tree.join(&self.inside)
    }

    /// Keeps what was changed as a patch, and the working copy with it. One without changes goes.
    pub(super) async fn close(self, shelf: &Shelf) -> Vec<FleetArtifact> {
        match self.patch(shelf).await {
            Ok(None) => {
                self.remove().await;
                Vec::new()
            }
            Ok(Some(patch)) => vec![patch, self.as_artifact()],
            Err(why) => {
                tracing::warn!(why, "what a worker changed could not be written as a patch");
                vec![self.as_artifact()]
            }
        }
    }

    fn as_artifact(&self) -> FleetArtifact {
        FleetArtifact {
            kind: "worktree".to_owned(),
            path: self.tree.display().to_string(),
            checksum: None,
            mime_type: None,
            size_bytes: None,
        }
    }

    async fn patch(&self, shelf: &Shelf) -> Result<Option<FleetArtifact>, String> {
        let said = |error: io::Error| error.to_string();
        let tree = Repository::around(&self.tree).ok_or("git does not know it any more")?;
        // What the agent has staged stays as it is.
        let index = shelf.at("index");
        fs::copy(self.registered.join("index"), &index).map_err(said)?;
        let file = shelf.at("changes.patch");
        let output = format!("--output={}", file.display());
        let mut environment = self.environment.clone();
        environment.push((INDEX.to_owned(), index.display().to_string()));
        git(&tree, &environment, &["add", "--all"]).await?;
        let compare = [
            "diff",
            "--cached",
            "--binary",
            "--no-color",
            &output,
            &self.base,
        ];
        git(&tree, &environment, &compare).await?;
        let _ = fs::remove_file(&index);
        let size = fs::metadata(&file).map_err(said)?.len();
        if size == 0 {
            let _ = fs::remove_file(&file);
            return Ok(None);
        }
        if size > limits::FLEET_ARTIFACT_BYTES_MAX {
            return Err("it is too long".to_owned());
        }
        let bytes = fs::read(&file).map_err(said)?;
        shelf
            .keep("patch", "changes.patch", &bytes)
            .map(Some)
            .map_err(said)
    }

    async fn remove(&self) {
        let reference = format!("refs/heads/{}", self.branch);
        let forget = ["update-ref", "-d", &reference, &self.base];
        let _ = git(&self.repository, &self.environment, &forget).await;
        let _ = fs::remove_dir_all(&self.tree);
        let _ = fs::remove_dir_all(&self.registered);
    }
}

/// Names another index than that of the working copy.
const INDEX: &str = "CODEWHALE_FLEET_INDEX";

fn branch(what: &For<'_>) -> String {
    let For { run, task, attempt } = what;
    // Git has its own mind about dots.
    let task = task.replace('.', "%2E");
    match attempt {
        1 => format!("codewhale/fleet/{run}/{task}"),
        _ => format!("codewhale/fleet/{run}/{task}@{attempt}"),
    }
}

fn name(what: &For<'_>) -> String {
    format!("{}-{}-{}", what.run, what.task, what.attempt)
}

/// Runs git on the stand-in of a repository.
async fn git(
    repository: &Repository,
    environment: &[(String, String)],
    arguments: &[&str],
) -> Result<String, String> {
    let stand_in = repository.stand_in(environment.to_vec());
    let stand_in = stand_in.map_err(|error| error.to_string())?;
    let mut environment = stand_in.environment.clone();
    let index = environment.iter().position(|(name, _)| name == INDEX);
    if let Some((_, index)) = index.map(|at| environment.swap_remove(at)) {
        environment.retain(|(name, _)| name != "GIT_INDEX_FILE");
        environment.push(("GIT_INDEX_FILE".to_owned(), index));
    }
    let command = Command {
        arguments: arguments.iter().map(Into::into).collect(),
        environment,
        limits: Limits {
            wall_time: limits::FLEET_GIT_WALL,
            ..Limits::default()
        },
        ..Command::new("git", &repository.work_tree)
    };
    let outcome = run(command, &CancellationToken::new()).await;
    let outcome = outcome.map_err(|error| error.to_string())?;
    match outcome.end {
        End::Exited(0) => Ok(outcome.output.text),
        End::Exited(_) | End::Signaled(_) | End::TimedOut | End::Cancelled => {
            Err(outcome.output.text.trim().to_owned())
        }
    }
}
