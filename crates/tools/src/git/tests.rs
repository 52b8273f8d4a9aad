use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::Results;
use crate::testing::{Bench, Shelf};

/// Runs git as its user would, with the repository's own configuration.
async fn git(directory: &Path, arguments: &[&str]) -> String {
    let environment = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/nonexistent"),
        ("GIT_AUTHOR_NAME", "Ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.org"),
        ("GIT_COMMITTER_NAME", "Ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.org"),
        ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z"),
        ("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z"),
    ];
    let command = Command {
        program: "git".into(),
        arguments: arguments.iter().map(Into::into).collect(),
        cwd: directory.to_owned(),
        environment: environment
            .map(|(name, value)| (name.into(), value.into()))
            .into(),
        stdin: Stdin::Null,
        errors: codewhale_sandbox::Errors::WithOutput,
        limits: Limits::default(),
        walls: codewhale_sandbox::Walls::Open,
        terminal: None,
    };
    let outcome = codewhale_sandbox::run(command, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(
        outcome.end,
        End::Exited(0),
        "{arguments:?}: {}",
        outcome.output.text
    );
    outcome.output.text
}

/// A repository with two commits, in this directory of the bench.
async fn repository(bench: &Bench, directory: &Path) {
    git(directory, &["init", "--quiet", "--initial-branch=main"]).await;
    bench.write(directory.join("a.txt"), "one\ntwo\n");
    bench.write(directory.join("sub/b.txt"), "b\n");
    git(directory, &["add", "."]).await;
    git(directory, &["commit", "--quiet", "-m", "first"]).await;
    bench.write(directory.join("a.txt"), "one\n2\n");
    git(directory, &["commit", "--quiet", "-am", "second"]).await;
}

async fn project() -> Bench {
    let bench = Bench::new();
    repository(&bench, &bench.workspace).await;
    bench
}

async fn text(bench: &Bench, tool: &str, input: Value) -> String {
    let output = bench.call(tool, input).await;
    assert!(output.success, "{}", output.text);
    output.text
}

async fn failure(bench: &Bench, tool: &str, input: Value) -> String {
    let output = bench.call(tool, input).await;
    assert!(!output.success, "{}", output.text);
    output.text
}

#[tokio::test]
async fn status_shows_branch_and_changes() {
    let bench = project().await;
    assert_eq!(text(&bench, "git_status", json!({})).await, "## main\n");
    bench.write("a.txt", "changed\n");
    bench.write("sub/grüße", "");
    let expected = "## main\n M a.txt\n?? sub/grüße\n";
    assert_eq!(text(&bench, "git_status", json!({})).await, expected);
    let expected = "## main\n?? sub/grüße\n";
    assert_eq!(
        text(&bench, "git_status", json!({"path": "sub"})).await,
        expected
    );
}

#[tokio::test]
async fn diff_shows_what_is_not_committed() {
    let bench = project().await;
    assert_eq!(text(&bench, "git_diff", json!({})).await, "[no difference]");
    bench.write("a.txt", "one\nzwei\n");
    let diff = text(&bench, "git_diff", json!({})).await;
    assert!(diff.contains("-2\n+zwei\n"), "{diff}");
    assert_eq!(
        text(&bench, "git_diff", json!({"cached": true})).await,
        "[no difference]"
    );
    assert_eq!(
        text(&bench, "git_diff", json!({"path": "sub"})).await,
        "[no difference]"
    );
    git(&bench.workspace, &["add", "."]).await;
    let diff = text(&bench, "git_diff", json!({"cached": true, "unified": 0})).await;
    assert!(
        diff.contains("-2\n+zwei\n") && !diff.contains("\n one"),
        "{diff}"
    );
    let diff = text(
        &bench,
        "git_diff",
        json!({"rev": "HEAD~1..HEAD", "stat": true}),
    )
    .await;
    assert!(diff.contains("a.txt | 2 +-"), "{diff}");
}

#[tokio::test]
async fn log_lists_commits() {
    let bench = project().await;
    let log = text(&bench, "git_log", json!({})).await;
    let lines: Vec<&str> = log.lines().collect();
    assert!(
        lines[0].ends_with("2026-01-02 Ada: second (HEAD -> main)"),
        "{log}"
    );
    assert!(lines[1].ends_with("2026-01-02 Ada: first"), "{log}");
    assert_eq!(
        text(&bench, "git_log", json!({"max_count": 1}))
            .await
            .lines()
            .count(),
        1
    );
    let log = text(
        &bench,
        "git_log",
        json!({"path": "sub/b.txt", "author": "ada"}),
    )
    .await;
    assert!(
        log.ends_with("Ada: first\n") && log.lines().count() == 1,
        "{log}"
    );
    assert_eq!(
        text(&bench, "git_log", json!({"since": "2026-02-01"})).await,
        "[no such commits]"
    );
    let log = text(&bench, "git_log", json!({"rev": "main~1"})).await;
    assert_eq!(log.lines().count(), 1);
}

#[tokio::test]
async fn show_shows_a_commit_or_a_file_in_it() {
    let bench = project().await;
    let shown = text(&bench, "git_show", json!({})).await;
    assert!(
        shown.contains("    second\n") && shown.contains("-two\n+2\n"),
        "{shown}"
    );
    let shown = text(&bench, "git_show", json!({"rev": "main", "patch": false})).await;
    assert!(shown.ends_with("    second\n"), "{shown}");
    assert_eq!(
        text(&bench, "git_show", json!({"rev": "HEAD~1:a.txt"})).await,
        "one\ntwo\n"
    );
    for rev in ["HEAD:../a.txt", "HEAD:/etc/passwd", ":a.txt", "HEAD:"] {
        let text = failure(&bench, "git_show", json!({"rev": rev})).await;
        assert!(text.contains("is `commit:path`"), "{rev}: {text}");
    }
}

#[tokio::test]
async fn blame_shows_where_lines_come_from() {
    let bench = project().await;
    let shown = text(
        &bench,
        "git_blame",
        json!({"path": "a.txt", "start_line": 2}),
    )
    .await;
    assert!(shown.contains("Ada 2026-01-02 2) 2"), "{shown}");
    let input = json!({"path": "a.txt", "rev": "HEAD~1", "max_lines": 1});
    let shown = text(&bench, "git_blame", input).await;
    assert!(
        shown.contains("1) one") && shown.lines().count() == 1,
        "{shown}"
    );
    let text = failure(&bench, "git_blame", json!({"path": "none"})).await;
    assert!(text.contains("no such path"), "{text}");
}

#[tokio::test]
async fn a_workspace_below_the_repository_sees_its_own_part() {
    let mut bench = project().await;
    bench.write("a.txt", "changed\n");
    bench.write("sub/b.txt", "changed\n");
    bench.workspace = bench.workspace.join("sub");
    assert_eq!(
        text(&bench, "git_status", json!({})).await,
        "## main\n M b.txt\n"
    );
    assert_eq!(text(&bench, "git_log", json!({})).await.lines().count(), 1);
    assert_eq!(
        text(&bench, "git_show", json!({"rev": "HEAD:b.txt"})).await,
        "b\n"
    );
    assert!(!text(&bench, "git_diff", json!({})).await.contains("a.txt"));
    let prepared = bench.prepare("git_status", json!({})).await.unwrap();
    assert!(!prepared.demand.is_outside());
    let prepared = bench
        .prepare("git_diff", json!({"path": "../a.txt"}))
        .await
        .unwrap();
    assert!(prepared.demand.is_outside());
}

#[tokio::test]
async fn nothing_that_the_repository_names_is_run() {
    let bench = project().await;
    let trap = bench.outside.join("trap");
    bench.write(
        &trap,
        format!("#!/bin/sh\ntouch {}/sprung\ncat\n", bench.outside.display()),
    );
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let trap = trap.display().to_string();
    for name in [
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "gpg.program",
        "core.sshCommand",
    ] {
        git(&bench.workspace, &["config", name, &trap]).await;
    }
    git(&bench.workspace, &["config", "log.showSignature", "true"]).await;
    git(&bench.workspace, &["config", "alias.status", "!false"]).await;
    bench.write(".gitattributes", "* filter=trap diff=trap\n");
    bench.write("a.txt", "changed\n");
    let sprung = bench.outside.join("sprung");
    for (tool, input) in [
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_diff", json!({"rev": "HEAD~1"})),
        ("git_log", json!({})),
        ("git_show", json!({})),
        ("git_show", json!({"rev": "HEAD:a.txt"})),
        ("git_blame", json!({"path": "a.txt"})),
    ] {
        text(&bench, tool, input).await;
        assert!(!sprung.exists(), "{tool}");
    }
    git(&bench.workspace, &["status"]).await;
    assert!(sprung.exists(), "the traps would not have caught anyone");
}

#[tokio::test]
async fn parameters_cannot_become_options() {
    let bench = project().await;
    let out = bench.workspace.join("out").display().to_string();
    for (tool, input) in [
        ("git_log", json!({"rev": format!("--output={out}")})),
        ("git_show", json!({"rev": format!("--output={out}")})),
        ("git_diff", json!({"rev": "--no-index"})),
        (
            "git_blame",
            json!({"path": "a.txt", "rev": "--contents=/etc/passwd"}),
        ),
        ("git_log", json!({"rev": ""})),
        ("git_log", json!({"author": "a\0b"})),
    ] {
        failure(&bench, tool, input).await;
    }
    text(
        &bench,
        "git_log",
        json!({"author": format!("x --output={out}")}),
    )
    .await;
    failure(
        &bench,
        "git_blame",
        json!({"path": format!("--output={out}")}),
    )
    .await;
    assert!(!Path::new(&out).exists());
}

#[tokio::test]
async fn a_repository_of_someone_else_asks_for_more() {
    let bench = Bench::new();
    repository(&bench, &bench.outside).await;
    let is_outside = async || {
        let prepared = bench.prepare("git_log", json!({})).await.unwrap();
        prepared.demand.is_outside()
    };
    let theirs = bench.outside.join(".git");
    bench.write(".git", format!("gitdir: {}\n", theirs.display()));
    assert!(is_outside().await);
    fs::remove_file(bench.workspace.join(".git")).unwrap();
    symlink(&theirs, bench.workspace.join(".git")).unwrap();
    assert!(is_outside().await);
    fs::remove_file(bench.workspace.join(".git")).unwrap();
    bench.write(".git/HEAD", "ref: refs/heads/main\n");
    bench.write(".git/commondir", theirs.display().to_string());
    assert!(is_outside().await);
    fs::remove_file(bench.workspace.join(".git/commondir")).unwrap();
    symlink(theirs.join("objects"), bench.workspace.join(".git/objects")).unwrap();
    assert!(is_outside().await);
}

#[tokio::test]
async fn a_linked_worktree_is_the_users_own() {
    let mut bench = project().await;
    let linked = bench.outside.join("linked").display().to_string();
    git(
        &bench.workspace,
        &["worktree", "add", "--quiet", "-b", "side", &linked],
    )
    .await;
    bench.workspace = linked.into();
    bench.write("a.txt", "changed\n");
    assert_eq!(
        text(&bench, "git_status", json!({})).await,
        "## side\n M a.txt\n"
    );
    let prepared = bench.prepare("git_status", json!({})).await.unwrap();
    assert!(!prepared.demand.is_outside());
}

#[tokio::test]
async fn a_new_repository_and_none_say_so() {
    let bench = Bench::new();
    let text_of = failure(&bench, "git_status", json!({})).await;
    assert!(text_of.contains("not in a git repository"), "{text_of}");
    git(
        &bench.workspace,
        &["init", "--quiet", "--initial-branch=main"],
    )
    .await;
    assert_eq!(
        text(&bench, "git_status", json!({})).await,
        "## No commits yet on main\n"
    );
    let text_of = failure(&bench, "git_log", json!({})).await;
    assert!(text_of.contains("[git ended with code 128]"), "{text_of}");
}

#[tokio::test]
async fn a_long_answer_is_kept_elsewhere() {
    let bench = project().await;
    bench.write("a.txt", "a line that is new\n".repeat(20_000));
    let shelf = Arc::new(Shelf::default());
    let prepared = bench.prepare("git_diff", json!({})).await.unwrap();
    let output = prepared
        .run(bench.context().with_results(shelf.clone()))
        .await;
    let facts = output.metadata.unwrap();
    assert_eq!(facts["truncated"], true);
    let whole = shelf.read(facts["ref"].as_str().unwrap()).unwrap();
    assert_eq!(whole.matches("+a line").count(), 20_000);
}

#[tokio::test]
async fn a_path_that_is_not_utf8_is_a_failure_and_no_panic() {
    let mut bench = Bench::new();
    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9");
    bench.workspace = bench.workspace.join(odd);
    fs::create_dir(&bench.workspace).unwrap();
    git(&bench.workspace, &["init", "--quiet"]).await;
    let text = failure(&bench, "git_status", json!({})).await;
    assert!(text.contains("not UTF-8"), "{text}");
}

#[tokio::test]
async fn a_cancelled_turn_looks_at_nothing() {
    let bench = project().await;
    bench.cancel.cancel();
    let text = failure(&bench, "git_status", json!({})).await;
    assert!(text.contains("stopped before its end"), "{text}");
}
