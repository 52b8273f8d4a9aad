use std::os::unix::fs::symlink;

use codewhale_protocol::runtime::untold;
use codewhale_sandbox::{Confinement, Jobs};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::*;
use crate::testing::Bench;
use crate::{Live, Registry};

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
            json!({"command": "true", "timeout": 5, "timeout_ms": 5000}),
            "give one of them",
        ),
        (json!({}), "empty"),
        (
            json!({"command": "true", "task_id": "task_1"}),
            "leave it out",
        ),
        (json!({"action": "poll"}), "`task_id` is missing"),
        (
            json!({"action": "poll", "task_id": "task_9"}),
            "there is no task task_9",
        ),
        (
            json!({"action": "wait", "command": "true"}),
            "is for action run",
        ),
        (json!({"action": "dance"}), "unknown variant `dance`"),
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
async fn what_a_command_prints_is_told_before_it_is_over() {
    let bench = Bench::new();
    let (listener, mut heard) = mpsc::channel(1);
    let input =
        json!({"command": "echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 3"});
    let prepared = bench.prepare("exec_shell", input).await.unwrap();
    let running = prepared.run(bench.context().with_live(Live::to(listener)));
    let listening = async {
        let mut told: String = heard.recv().await.expect("it is told before the end");
        assert_eq!(told, "one\n");
        bench.write("go", "");
        while let Some(piece) = heard.recv().await {
            told.push_str(&piece);
        }
        told
    };
    let (output, told) = tokio::join!(running, listening);
    assert_eq!(told, "one\ntwo\n");
    assert_eq!(output.text, "one\ntwo\n[exit code 3]");
    assert_eq!(untold(&told, &output.text), "[exit code 3]");
}

#[tokio::test]
async fn the_result_of_a_long_output_ends_where_the_pieces_end() {
    let bench = Bench::new();
    let (listener, mut heard) = mpsc::channel(1);
    let input = json!({"command": "seq 20000"});
    let prepared = bench.prepare("exec_shell", input).await.unwrap();
    let running = prepared.run(bench.context().with_live(Live::to(listener)));
    let listening = async {
        let mut told = String::new();
        while let Some(piece) = heard.recv().await {
            told.push_str(&piece);
        }
        told
    };
    let (output, told) = tokio::join!(running, listening);
    assert_eq!(told.lines().count(), 20_000);
    assert!(
        output.text.contains(" bytes left out ...]\n"),
        "{}",
        output.text
    );
    assert_eq!(untold(&told, &output.text), "[exit code 0]");
}

#[tokio::test]
async fn a_command_in_the_background_is_told_by_polling_alone() {
    let bench = Bench::new();
    let (listener, mut heard) = mpsc::channel(1);
    let context = bench.context().with_jobs(Jobs::default());
    let watched = context.clone().with_live(Live::to(listener));
    let input = json!({"command": "echo hi", "background": true});
    assert!(call(&watched, input).await.success);
    drop(watched);
    let over = call(&context, json!({"action": "wait", "task_id": "task_1"})).await;
    assert_eq!(over.text, "hi\n[exit code 0]");
    assert_eq!(heard.recv().await, None);
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
    assert_eq!(output.text, "[stopped before its end]");
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
        json!({"command": "make", "background": true}),
        json!({"command": "make", "tty": true}),
        json!({"command": "make", "stdin": "x"}),
        json!({"command": "make", "sandbox_permissions": "network"}),
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

/// Prepares and runs a call in a context of its own making.
async fn call(context: &Context, input: Value) -> Output {
    let registry = Registry::builtin();
    let tool = registry.get("exec_shell").expect("the tool exists");
    match tool.prepare(input, context).await {
        Ok(prepared) => prepared.run(context.clone()).await,
        Err(output) => output,
    }
}

async fn demand(context: &Context, input: Value) -> Demand {
    let registry = Registry::builtin();
    let tool = registry.get("exec_shell").expect("the tool exists");
    tool.prepare(input, context).await.unwrap().demand
}

fn confined(bench: &Bench) -> Context {
    let walls = Confinement::workspace(&bench.workspace);
    bench
        .context()
        .with_walls(codewhale_sandbox::Walls::Confined(walls))
}

#[tokio::test]
async fn seconds_are_understood_as_well() {
    let bench = Bench::new();
    let preview = async |input| bench.prepare("exec_shell", input).await.unwrap().preview;
    let seconds = preview(json!({"command": "make", "timeout": 2.5})).await;
    assert_eq!(seconds.description, "Run a command, for at most 2.5 s");
}

#[tokio::test]
async fn what_a_command_reads_can_be_given() {
    let bench = Bench::new();
    let input = json!({"command": "cat", "stdin": "given\n"});
    check(&bench, input, true, "given\n[exit code 0]").await;
    let input = json!({"command": "tty -s && stty size", "tty": true});
    check(&bench, input, true, "24 80\r\n[exit code 0]").await;
}

#[tokio::test]
async fn a_wish_for_wider_walls_is_stated_and_explained() {
    let bench = Bench::new();
    for (permissions, walls, words) in [
        ("workspace-write", Walls::Usual, ""),
        ("network", Walls::Network, " with the network open"),
        ("danger-full-access", Walls::Without, " without any walls"),
    ] {
        let input = json!({
            "command": "make", "sandbox_permissions": permissions, "justification": "to install it",
        });
        let prepared = bench.prepare("exec_shell", input).await.unwrap();
        let execution = Execution {
            walls,
            ..Execution::within("make", &bench.workspace)
        };
        assert_eq!(prepared.demand, Demand::Execute(execution));
        let expected = format!("Run a command{words}, for at most 120 s: to install it");
        assert_eq!(prepared.preview.description, expected);
    }
}

#[tokio::test]
async fn a_confined_command_is_told_what_kept_it_and_how_to_ask() {
    let bench = Bench::new();
    let context = confined(&bench);
    let output = call(&context, json!({"command": "touch .codewhale/settings"})).await;
    assert!(!output.success);
    assert!(!bench.workspace.join(".codewhale/settings").exists());
    if codewhale_sandbox::probe().is_available() {
        let asks = output
            .text
            .contains("sandbox_permissions \"danger-full-access\"");
        assert!(asks, "{}", output.text);
        let denied = &output.metadata.expect("facts")["sandbox_denied"];
        assert_eq!(denied["what"], "file");
        assert_eq!(denied["certainty"], "suspected");
    }
}

#[tokio::test]
async fn a_granted_wish_opens_the_walls_for_that_call_only() {
    let bench = Bench::new();
    let context = confined(&bench);
    let touch = |name: &str| format!("touch {}/{name}", bench.outside.display());
    let wide = json!({"command": touch("wide"), "sandbox_permissions": "danger-full-access"});
    let output = call(&context, wide).await;
    assert!(output.success, "{}", output.text);
    assert!(bench.outside.join("wide").exists());
    assert!(
        !call(&context, json!({"command": touch("usual")}))
            .await
            .success
    );
    let network = json!({"command": touch("network"), "sandbox_permissions": "network"});
    assert!(!call(&context, network).await.success);
}

#[tokio::test]
async fn a_command_in_the_background_is_followed_and_ends() {
    let bench = Bench::new();
    let context = bench.context().with_jobs(Jobs::default());
    let script = "echo ready; read line; echo got $line";
    let started = call(&context, json!({"command": script, "background": true})).await;
    assert_eq!(started.metadata.expect("facts")["task_id"], "task_1");

    let on = |action: &str| json!({"action": action, "task_id": "task_1"});
    let mut seen = String::new();
    while !seen.contains("ready") {
        seen.push_str(&call(&context, on("poll")).await.text);
        tokio::task::yield_now().await;
    }
    let write = json!({"action": "stdin", "task_id": "task_1", "stdin": "it\n"});
    assert!(call(&context, write).await.success);
    let over = call(&context, on("wait")).await;
    assert_eq!(
        (over.success, over.text.as_str()),
        (true, "got it\n[exit code 0]")
    );
    assert_eq!(over.metadata.expect("facts")["state"], "over");
    let list = call(&context, json!({"action": "list"})).await;
    assert!(
        list.text.starts_with("task_1 [exit code 0], 13 bytes"),
        "{}",
        list.text
    );
}

#[tokio::test]
async fn a_command_in_the_background_can_be_stopped() {
    let bench = Bench::new();
    let context = bench.context().with_jobs(Jobs::default());
    let none = call(&context, json!({"action": "list"})).await;
    assert_eq!(none.text, "[no commands in the background]");
    call(
        &context,
        json!({"command": "sleep 1000", "background": true}),
    )
    .await;
    let input = json!({"action": "wait", "task_id": "task_1", "timeout_ms": 1000});
    assert_eq!(call(&context, input).await.text, "[task_1 still runs]");
    let stopped = call(&context, json!({"action": "cancel", "task_id": "task_1"})).await;
    assert_eq!(
        (stopped.success, stopped.text.as_str()),
        (true, "[stopped]")
    );
}

#[tokio::test]
async fn looking_and_stopping_asks_nobody_and_writing_does() {
    let bench = Bench::new();
    let context = confined(&bench).with_jobs(Jobs::default());
    let wide = json!({
        "command": "sh", "background": true, "sandbox_permissions": "danger-full-access",
    });
    assert!(call(&context, wide).await.success);
    for action in ["poll", "wait", "cancel"] {
        let input = json!({"action": action, "task_id": "task_1"});
        assert_eq!(demand(&context, input).await, Demand::Inward);
    }
    assert_eq!(
        demand(&context, json!({"action": "list"})).await,
        Demand::Inward
    );
    let write = json!({"action": "stdin", "task_id": "task_1", "stdin": "rm -rf x\n"});
    let execution = Execution {
        walls: Walls::Without,
        ..Execution::within("rm -rf x\n", &bench.workspace)
    };
    assert_eq!(demand(&context, write).await, Demand::Execute(execution));
}
