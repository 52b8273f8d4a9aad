//! How the repository of a workspace stands: what is changed, and how far it is from its upstream.

use std::fs;
use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::WorkspacesStatus;
use codewhale_protocol::runtime::{WorkspaceParams, WorkspaceStatus};
use tokio::time::timeout;

use super::git::{Look, STATUS};
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<WorkspacesStatus> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: WorkspaceParams,
    ) -> Result<WorkspaceStatus, Error> {
        let workspace = self.visible_workspace(caller, params.workspace.as_deref())?;
        Ok(status(workspace, &self.child_environment).await)
    }
}

/// What git does not say in time is left out.
async fn status(workspace: String, environment: &[(String, String)]) -> WorkspaceStatus {
    let Some(look) = Look::around(&workspace) else {
        return WorkspaceStatus {
            workspace,
            ..WorkspaceStatus::default()
        };
    };
    let (branch, head) = look.shown();
    let said = async {
        tokio::join!(
            look.git(environment, STATUS, limits::GIT_LINES_BYTES_MAX),
            look.distance(environment)
        )
    };
    let (lines, distance) = timeout(limits::GIT_LOOK, said).await.unwrap_or_default();
    let lines = lines.unwrap_or_default().text;
    let counts = Counts::of(&lines);
    WorkspaceStatus {
        workspace,
        git_repo: true,
        branch,
        head,
        dirty: !lines.is_empty(),
        staged: counts.staged,
        unstaged: counts.unstaged,
        untracked: counts.untracked,
        ahead: distance.map(|(ahead, _)| ahead),
        behind: distance.map(|(_, behind)| behind),
    }
}

#[derive(Default, PartialEq, Eq, Debug)]
struct Counts {
    staged: u64,
    unstaged: u64,
    untracked: u64,
}

impl Counts {
    /// Of lines that begin with the state in the index and that in the directory.
    fn of(lines: &str) -> Self {
        let mut counts = Self::default();
        for line in lines.lines() {
            let mut states = line.chars();
            match (states.next(), states.next()) {
                (Some('?'), _) => counts.untracked += 1,
                (Some(index), Some(directory)) => {
                    counts.staged += u64::from(index != ' ');
                    counts.unstaged += u64::from(directory != ' ');
                }
                _ => {}
            }
        }
        counts
    }
}

impl Look {
    /// Commits that the upstream of the branch lacks, and those that are lacking here.
    async fn distance(&self, environment: &[(String, String)]) -> Option<(u64, u64)> {
        let branch = self.position().0?;
        let config = fs::read_to_string(self.0.common_dir.join("config")).ok()?;
        let range = format!("{}...HEAD", upstream(&config, &branch)?);
        let arguments = ["rev-list", "--left-right", "--count", &range, "--"];
        let said = self.git(environment, &arguments, limits::GIT_LOOK_BYTES_MAX);
        let said = said.await?.text;
        let mut counts = said.split_whitespace().map(str::parse);
        let (behind, ahead) = (counts.next()?.ok()?, counts.next()?.ok()?);
        Some((ahead, behind))
    }
}

/// The name under which the upstream of a branch is known here, as the configuration says. It is
/// read as text: git itself is never shown it.
fn upstream(config: &str, branch: &str) -> Option<String> {
    let section = format!("[branch \"{branch}\"]");
    let lines = config.lines().map(str::trim);
    let own = lines.skip_while(|line| *line != section).skip(1);
    let (mut remote, mut merge) = (None, None);
    for line in own.take_while(|line| !line.starts_with('[')) {
        match line
            .split_once('=')
            .map(|(key, value)| (key.trim(), value.trim()))
        {
            Some(("remote", value)) => remote = Some(value),
            Some(("merge", value)) => merge = value.strip_prefix("refs/heads/"),
            _ => {}
        }
    }
    match (remote?, merge?) {
        (".", branch) => Some(format!("refs/heads/{branch}")),
        (remote, branch) => Some(format!("refs/remotes/{remote}/{branch}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::git::tests::{environment, git, repository};
    use super::*;

    #[tokio::test]
    async fn changes_and_the_way_to_the_upstream_are_counted() {
        let dir = repository().await;
        let path = dir.path();
        let look = async || status(path.to_str().unwrap().to_owned(), &environment()).await;
        let clean = look().await;
        assert!(clean.git_repo && !clean.dirty);
        assert_eq!((clean.branch.as_deref(), clean.ahead), (Some("main"), None));
        git(path, &["checkout", "-q", "-b", "side", "--track", "main"]).await;
        git(path, &["commit", "-q", "--allow-empty", "-m", "two"]).await;
        git(path, &["commit", "-q", "--allow-empty", "-m", "three"]).await;
        git(path, &["branch", "-q", "-f", "main", "HEAD~1"]).await;
        git(
            path,
            &["commit", "-q", "--amend", "--allow-empty", "-m", "other"],
        )
        .await;
        fs::write(path.join("b.txt"), "new\n").unwrap();
        fs::write(path.join("c.txt"), "staged\n").unwrap();
        git(path, &["add", "c.txt"]).await;
        fs::write(path.join("a.txt"), "changed\n").unwrap();
        let dirty = look().await;
        assert_eq!(dirty.branch.as_deref(), Some("side"));
        assert_eq!((dirty.staged, dirty.unstaged, dirty.untracked), (1, 1, 1));
        assert!(dirty.dirty);
        assert_eq!((dirty.ahead, dirty.behind), (Some(1), Some(0)));
        git(path, &["reset", "-q", "--hard", "main~1"]).await;
        let behind = look().await;
        assert_eq!((behind.ahead, behind.behind), (Some(0), Some(1)));
    }

    #[test]
    fn a_file_may_be_staged_and_changed_again() {
        let counts = Counts::of("M  a\n M b\nMM c\n?? d\nR  e -> f\nUU g\n");
        let expected = Counts {
            staged: 4,
            unstaged: 3,
            untracked: 1,
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn the_upstream_is_that_of_the_branch() {
        let config = "[core]\n\tbare = false\n[branch \"a\"]\n\tremote = origin\n\tmerge = refs/heads/x\n\
            [branch \"b\"]\n\tremote = .\n\tmerge = refs/heads/a\n[branch \"c\"]\n\tremote = origin\n";
        let check = |branch: &str, expected: Option<&str>| {
            assert_eq!(upstream(config, branch).as_deref(), expected, "{branch}");
        };
        check("a", Some("refs/remotes/origin/x"));
        check("b", Some("refs/heads/a"));
        check("c", None);
        check("d", None);
    }
}
