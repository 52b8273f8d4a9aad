//! Fleets whose workers are real processes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::operations::{FleetCreate, FleetEvidence, FleetReceipt, FleetStop};
use codewhale_runtime::{FleetProgram, FleetSettings};
use codewhale_sandbox::{Command, End, run};
use codewhale_store::{Place, Writing};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::fleet_kit::{LOOKS_MAX, body, statuses};
use crate::world::{World, open};

/// Workers that are this script.
fn program(directory: &Path, script: &str) -> (FleetProgram, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let path = directory.join("worker.sh");
    std::fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let environment = [("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    let program = FleetProgram {
        program: path,
        environment: environment.into(),
    };
    (program, directory.join("fleet"))
}

async fn with_program(directory: &Path, script: &str) -> World {
    let (program, kept) = program(directory, script);
    let settings = FleetSettings {
        workers: Arc::new(program),
        directory: Some(kept),
    };
    let store = open(Place::Memory, Writing::Inline);
    let environment = [("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    World::fitted(store, |options| {
        options.fleet = Some(settings);
        options.child_environment = environment.into();
    })
    .await
}

async fn git(directory: &Path, arguments: &[&str]) -> String {
    let mut environment = vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
    ] {
        environment.push((name.to_owned(), value.to_owned()));
    }
    let command = Command {
        arguments: arguments.iter().map(Into::into).collect(),
        environment,
        ..Command::new("git", directory)
    };
    let outcome = run(command, &CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.end, End::Exited(0), "{}", outcome.output.text);
    outcome.output.text
}

#[tokio::test]
async fn a_process_works_in_a_worktree_of_its_own_and_what_it_changes_is_kept_as_a_patch() {
    let lab = tempfile::tempdir().unwrap();
    let repository = lab.path().join("repository");
    std::fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "--quiet", "--initial-branch=main"]).await;
    std::fs::write(repository.join("a.txt"), "one\n").unwrap();
    git(&repository, &["add", "."]).await;
    git(&repository, &["commit", "--quiet", "-m", "first"]).await;
    // A repository may want to run things; nothing of that happens.
    let hook = repository.join(".git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\ntouch ran-a-hook\n").unwrap();
    let script = r#"
        read -r first
        echo '{"type":"thread","thread_id":"thr_7","turn_id":"turn_7"}'
        case "$*" in *'"task_id":"quiet"'*) exit 0;; esac
        echo two >> a.txt; echo new > b.txt; echo '{"ok":true}' > report.json
        echo '{"type":"content","content":"changed two files"}'
    "#;
    let world = with_program(lab.path(), script).await;
    let mut body = body(&["loud", "quiet"]);
    body["workspace"] = json!(repository.canonicalize().unwrap());
    let loud = &mut body["workflow"]["tasks"][0];
    loud["expected_artifacts"] = json!(["report.json"]);
    loud["scorer"] = json!({ "kind": "json_path", "path": "report.json", "expression": "$.ok" });
    let run = world.set_off(body).await;
    let detail = world.run_ended(&run).await;
    assert_eq!(statuses(&detail), ["completed", "completed"], "{detail:#?}");
    assert_eq!(
        std::fs::read_to_string(repository.join("a.txt")).unwrap(),
        "one\n"
    );
    let receipt = json!({ "run_id": run, "task_id": "loud" });
    let told = world.call::<FleetReceipt>(receipt.clone()).await.unwrap();
    let kinds: Vec<&str> = told.artifacts.iter().map(|it| it.kind.as_str()).collect();
    assert_eq!(kinds, ["report", "patch", "worktree", "log"]);
    assert_eq!(told.score.as_ref().unwrap().value, 1.0);
    let patch = std::fs::read_to_string(&told.artifacts[1].path).unwrap();
    assert!(patch.contains("+two") && patch.contains("b.txt"), "{patch}");
    let evidence = world.call::<FleetEvidence>(receipt).await.unwrap();
    assert_eq!(evidence.content, json!({ "ok": true }));
    assert_eq!(evidence.checksum, told.artifacts[0].checksum);
    let branches = git(&repository, &["branch", "--list", "codewhale/*"]).await;
    assert_eq!(
        branches.lines().count(),
        1,
        "the one without changes is gone: {branches}"
    );
    assert!(branches.contains(&format!("codewhale/fleet/{run}/loud")));
    let worktrees = git(&repository, &["worktree", "list"]).await;
    assert_eq!(worktrees.lines().count(), 2, "{worktrees}");
    assert!(
        !Path::new(&told.artifacts[2].path)
            .join("ran-a-hook")
            .exists()
    );
    let quiet = json!({ "run_id": run, "task_id": "quiet" });
    let quiet = world.call::<FleetReceipt>(quiet).await.unwrap();
    assert_eq!(quiet.artifacts.len(), 1, "its log alone");
    let log = std::fs::read_to_string(&quiet.artifacts[0].path).unwrap();
    assert!(log.contains("thr_7"), "{log}");
}

#[tokio::test]
async fn whoever_makes_a_run_is_told_of_changes_that_workers_do_not_see() {
    let lab = tempfile::tempdir().unwrap();
    let repository = lab.path().join("repository");
    std::fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "--quiet", "--initial-branch=main"]).await;
    git(
        &repository,
        &["commit", "--quiet", "--allow-empty", "-m", "first"],
    )
    .await;
    let world = with_program(lab.path(), "exit 0").await;
    let mut body = body(&["a"]);
    body["workspace"] = json!(repository.canonicalize().unwrap());
    let created = world.call::<FleetCreate>(body.clone()).await.unwrap();
    assert_eq!(created.warnings, [""; 0]);
    std::fs::write(repository.join("new.txt"), "new\n").unwrap();
    // A look is good for a while.
    let told = async {
        loop {
            let created = world.call::<FleetCreate>(body.clone()).await.unwrap();
            if let [warning] = created.warnings.as_slice() {
                return warning.clone();
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(30), told)
        .await
        .unwrap();
    assert!(told.contains("not committed"), "{told}");
}

#[tokio::test]
async fn a_process_that_is_called_off_is_gone_with_all_that_came_from_it() {
    let lab = tempfile::tempdir().unwrap();
    let marker = lab.path().join("child");
    let script = format!(
        "cat > /dev/null; sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600' & wait",
        marker.display()
    );
    let world = with_program(lab.path(), &script).await;
    let mut body = body(&["a"]);
    body["workspace"] = json!(lab.path().canonicalize().unwrap());
    let run = world.set_off(body).await;
    let pid = loop {
        match std::fs::read_to_string(&marker) {
            Ok(pid) => break pid.trim().to_owned(),
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    world
        .call::<FleetStop>(json!({ "run_id": run }))
        .await
        .unwrap();
    let stat = format!("/proc/{pid}/stat");
    for _ in 0..LOOKS_MAX {
        let state = std::fs::read_to_string(&stat).unwrap_or_default();
        if state.is_empty() || state.contains(") Z") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{pid} still runs");
}

#[tokio::test]
async fn a_program_that_is_not_there_fails_the_task_after_its_attempts() {
    let lab = tempfile::tempdir().unwrap();
    let world = with_program(lab.path(), "exit 0").await;
    std::fs::remove_file(lab.path().join("worker.sh")).unwrap();
    let mut body = body(&["a"]);
    body["workspace"] = json!(lab.path().canonicalize().unwrap());
    let policy = json!({ "max_attempts": 2, "initial_backoff_seconds": 0 });
    body["workflow"]["tasks"][0]["retry_policy"] = policy;
    let run = world.set_off(body).await;
    let detail = world.run_ended(&run).await;
    assert_eq!(
        (statuses(&detail), detail.summary.tasks[0].attempts),
        (vec!["failed"], 2)
    );
    let receipt = json!({ "run_id": run, "task_id": "a" });
    let receipt = world.call::<FleetReceipt>(receipt).await.unwrap();
    assert_eq!(receipt.failure_class.as_deref(), Some("not_started"));
}
