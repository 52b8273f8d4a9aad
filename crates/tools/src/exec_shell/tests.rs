use std::os::unix::fs::symlink;

use serde_json::Value;

use super::*;
use crate::testing::Bench;

async fn check(bench: &Bench, input: Value, success: bool, text: &str) {
    let output = bench.call("exec_shell", input).await;
    assert_eq!((output.success, output.text.as_str()), (success, text));
}

async fn problem(bench: &Bench, input: Value) -> String {
    bench
        .prepare("exec_shell", input)
        .await
        .expect_err("it is refused")
        .text
}

#[tokio::test]
async fn a_command_answers_with_its_output_and_its_exit_code() {
    let bench = Bench::new();
    check(
        &bench,
        json!({"command": "echo a; echo b >&2"}),
        true,
        "a\nb\n[exit code 0]",
    )
    .await;
    check(
        &bench,
        json!({"command": "printf x; exit 3"}),
        false,
        "x\n[exit code 3]",
    )
    .await;
    check(&bench, json!({"command": "true"}), true, "[exit code 0]").await;
    check(
        &bench,
        json!({"command": "kill -9 $$"}),
        false,
        "[ended by signal 9]",
    )
    .await;
}

#[tokio::test]
async fn facts_about_the_run_are_there_for_clients() {
    let bench = Bench::new();
    let output = bench
        .call("bash", json!({"command": "echo hello; exit 2"}))
        .await;
    let mut metadata = output.metadata.expect("facts");
    assert!(metadata["duration_ms"].take().is_u64());
    let expected = json!({
        "exit_code": 2, "signal": null, "timed_out": false, "interrupted": false,
        "duration_ms": null, "bytes_total": 6, "truncated": false,
    });
    assert_eq!(metadata, expected);
}

#[tokio::test]
async fn a_command_runs_in_the_workspace_or_below() {
    let bench = Bench::new();
    bench.write("sub/file", "");
    symlink("sub", bench.workspace.join("link")).unwrap();
    let root = bench.workspace.display();
    check(
        &bench,
        json!({"command": "pwd -P"}),
        true,
        &format!("{root}\n[exit code 0]"),
    )
    .await;
    for cwd in ["sub", "link", "./sub/../sub"] {
        let text = format!("{root}/sub\n[exit code 0]");
        check(
            &bench,
            json!({"command": "pwd -P", "cwd": cwd}),
            true,
            &text,
        )
        .await;
    }
}

#[tokio::test]
async fn a_command_sees_the_environment_of_the_turn_and_no_other() {
    let bench = Bench::new();
    let output = bench
        .call("exec_shell", json!({"command": "echo $GREETING; env"}))
        .await;
    assert!(output.text.starts_with("hello\n"));
    assert!(!output.text.contains("CARGO"), "{}", output.text);
}

#[tokio::test]
async fn bash_is_spoken_where_it_is_installed() {
    let bench = Bench::new();
    let input = json!({"command": "[[ ab == a* ]] && echo {1..3}"});
    if Path::new("/bin/bash").exists() {
        check(&bench, input, true, "1 2 3\n[exit code 0]").await;
    }
}

#[tokio::test]
async fn what_cannot_run_is_refused_before_anyone_is_asked() {
    let bench = Bench::new();
    bench.write("file", "");
    symlink(&bench.outside, bench.workspace.join("exit")).unwrap();
    let long = "x".repeat(COMMAND_BYTES_MAX + 1);
    for (input, why) in [
        (json!({"command": " \n"}), "empty"),
        (json!({"command": "a\0b"}), "NUL"),
        (json!({"command": long}), "write it to a file"),
        (
            json!({"command": "true", "cwd": ".."}),
            "outside the workspace",
        ),
        (
            json!({"command": "true", "cwd": "exit"}),
            "outside the workspace",
        ),
        (
            json!({"command": "true", "cwd": "/"}),
            "outside the workspace",
        ),
        (json!({"command": "true", "cwd": "file"}), "not a directory"),
        (json!({"command": "true", "cwd": "none"}), "not a directory"),
        (
            json!({"command": "true", "timeout": 5}),
            "unknown field `timeout`",
        ),
    ] {
        let problem = problem(&bench, input).await;
        assert!(problem.contains(why), "{problem}");
    }
}

#[tokio::test]
async fn a_command_is_stopped_when_its_time_is_up() {
    let bench = Bench::new();
    let input = json!({"command": "echo started; sleep 1000", "timeout_ms": 1});
    let output = bench.call("exec_shell", input).await;
    assert!(!output.success);
    assert!(
        output.text.contains("[stopped after 1 s, its time limit;"),
        "{}",
        output.text
    );
    assert_eq!(output.metadata.expect("facts")["timed_out"], true);
}

#[tokio::test]
async fn a_cancelled_turn_stops_its_command() {
    let bench = Bench::new();
    let input = json!({"command": "echo started >mark; sleep 1000"});
    let call = bench.call("exec_shell", input);
    let cancel = async {
        while !bench.workspace.join("mark").exists() {
            tokio::task::yield_now().await;
        }
        bench.cancel.cancel();
    };
    let (output, ()) = tokio::join!(call, cancel);
    assert_eq!(output.text, "[interrupted: the turn was stopped]");
    assert!(!output.success);
}

#[tokio::test]
async fn a_person_sees_the_exact_command_and_where_it_would_run() {
    let bench = Bench::new();
    bench.write("sub/file", "");
    let command = "rm -rf build && make";
    let input = json!({"command": command, "cwd": "sub", "timeout_ms": 5_000_000});
    let prepared = bench.prepare("exec_shell", input).await.unwrap();
    let execution = Execution::within(command, bench.workspace.join("sub"));
    assert_eq!(prepared.demand, Demand::Execute(execution));
    let expected = Preview {
        description: "Run a command, for at most 600 s".into(),
        command: Some(command.into()),
        cwd: Some(bench.workspace.join("sub").display().to_string()),
        ..Preview::default()
    };
    assert_eq!(prepared.preview, expected);
}

#[tokio::test]
async fn the_digest_changes_with_anything_that_changes_the_effect() {
    let bench = Bench::new();
    bench.write("sub/file", "");
    let digest = async |input| bench.prepare("exec_shell", input).await.unwrap().digest;
    let first = digest(json!({"command": "make"})).await;
    let same = json!({"command": "make", "cwd": "sub/..", "timeout_ms": 120_000});
    assert_eq!(digest(same).await, first);
    for other in [
        json!({"command": "make "}),
        json!({"command": "make", "cwd": "sub"}),
        json!({"command": "make", "timeout_ms": 5_000}),
    ] {
        assert_ne!(digest(other).await, first);
    }
}

#[tokio::test]
async fn a_directory_replaced_by_a_link_after_the_approval_runs_nothing() {
    let bench = Bench::new();
    bench.write("sub/file", "");
    let input = json!({"command": "touch ran", "cwd": "sub"});
    let prepared = bench.prepare("exec_shell", input).await.unwrap();
    std::fs::remove_dir_all(bench.workspace.join("sub")).unwrap();
    symlink(&bench.outside, bench.workspace.join("sub")).unwrap();
    let output = prepared.run(bench.context()).await;
    assert!(output.text.contains("leads elsewhere"), "{}", output.text);
    assert!(!bench.outside.join("ran").exists());
}

#[tokio::test]
async fn a_directory_that_vanished_after_the_approval_says_so() {
    let bench = Bench::new();
    bench.write("sub/file", "");
    let input = json!({"command": "true", "cwd": "sub"});
    let prepared = bench.prepare("exec_shell", input).await.unwrap();
    std::fs::remove_dir_all(bench.workspace.join("sub")).unwrap();
    let output = prepared.run(bench.context()).await;
    assert!(
        output
            .text
            .contains("as the working directory: No such file"),
        "{}",
        output.text
    );
}
