use super::*;

pub(in crate::workspace) fn environment() -> Vec<(String, String)> {
    vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]
}

pub(in crate::workspace) async fn git(dir: &Path, arguments: &[&str]) {
    let mut environment = environment();
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
    ] {
        environment.push((name.into(), value.into()));
    }
    let command = Command {
        arguments: arguments.iter().map(Into::into).collect(),
        environment,
        ..Command::new("git", dir)
    };
    let outcome = run(command, &CancellationToken::new()).await.unwrap();
    assert_eq!(
        outcome.end,
        End::Exited(0),
        "git {arguments:?}: {}",
        outcome.output.text
    );
}

pub(in crate::workspace) async fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"]).await;
    fs::write(dir.path().join("a.txt"), "one\n").unwrap();
    git(dir.path(), &["add", "."]).await;
    git(dir.path(), &["commit", "-q", "-m", "one"]).await;
    dir
}

async fn look_at(dir: &Path) -> GitLook {
    look(dir.to_str().unwrap(), &environment()).await
}

#[tokio::test]
async fn a_directory_without_a_repository_has_nothing_to_say() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(look_at(dir.path()).await, GitLook::default());
}

#[tokio::test]
async fn branch_head_and_changes_are_seen_from_below_too() {
    let dir = repository().await;
    let clean = look_at(dir.path()).await;
    assert_eq!(
        (clean.branch.as_deref(), clean.dirty),
        (Some("main"), false)
    );
    assert_eq!(clean.head.as_ref().map(String::len), Some(7));
    fs::create_dir(dir.path().join("sub")).unwrap();
    assert_eq!(look_at(&dir.path().join("sub")).await, clean);
    fs::write(dir.path().join("a.txt"), "two\n").unwrap();
    assert!(look_at(dir.path()).await.dirty, "a changed file");
    git(dir.path(), &["checkout", "-q", "a.txt"]).await;
    fs::write(dir.path().join("new.txt"), "").unwrap();
    assert!(look_at(dir.path()).await.dirty, "a new file");
}

#[tokio::test]
async fn a_detached_head_a_packed_branch_and_an_unborn_one_are_told() {
    let dir = repository().await;
    let head = look_at(dir.path()).await.head;
    git(dir.path(), &["pack-refs", "--all"]).await;
    assert_eq!(look_at(dir.path()).await.head, head);
    git(dir.path(), &["checkout", "-q", "--detach"]).await;
    let branch = look_at(dir.path()).await.branch.unwrap();
    assert_eq!(branch, format!("detached@{}", head.unwrap()));
    let empty = tempfile::tempdir().unwrap();
    git(empty.path(), &["init", "-q", "-b", "start"]).await;
    let look = look_at(empty.path()).await;
    assert_eq!(
        (look.branch.as_deref(), look.head, look.dirty),
        (Some("start"), None, false)
    );
}

#[tokio::test]
async fn a_linked_worktree_has_its_own_branch() {
    let dir = repository().await;
    let tree = dir.path().join("tree");
    git(
        dir.path(),
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "side",
            tree.to_str().unwrap(),
        ],
    )
    .await;
    let look = look_at(&tree).await;
    assert_eq!((look.branch.as_deref(), look.dirty), (Some("side"), false));
}

#[tokio::test]
async fn what_a_repositorys_own_configuration_wants_to_run_is_not_run() {
    let dir = repository().await;
    let trap = dir.path().join("trapped");
    let command = format!("touch {}; cat", trap.display());
    git(dir.path(), &["config", "filter.trap.clean", &command]).await;
    git(
        dir.path(),
        &[
            "config",
            "core.fsmonitor",
            &format!("touch {}", trap.display()),
        ],
    )
    .await;
    fs::write(dir.path().join(".gitattributes"), "* filter=trap\n").unwrap();
    fs::write(dir.path().join("a.txt"), "two\n").unwrap();
    assert!(look_at(dir.path()).await.dirty);
    assert!(!trap.exists(), "a program of the repository was run");
    git(dir.path(), &["status"]).await;
    assert!(trap.exists(), "plain git does run it, so the test can fail");
}
