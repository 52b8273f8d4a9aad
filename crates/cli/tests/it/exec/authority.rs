//! The envelope of a fleet worker: it narrows, it is kept on the thread, and an attempt is made once.

use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Bench, of_type, only};
use crate::scene::program;

fn envelope(more: Value) -> String {
    let mut envelope =
        json!({ "run_id": "run_1", "task_id": "t1", "worker_id": "w1", "attempt": 1 });
    envelope
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    envelope.to_string()
}

#[tokio::test]
async fn a_tool_outside_the_list_is_not_there() {
    let bench = Bench::new().await;
    bench.model.push(Reply::calls(
        "call_1",
        "exec_shell",
        r#"{"command":"true"}"#,
    ));
    bench.model.push(Reply::says("There is no shell."));
    let envelope = envelope(json!({ "tools": ["Read_File", "list_dir"] }));
    let (ended, lines) = bench
        .lines(["--auto", "--tool-authority-json", &envelope, "look"])
        .await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let request = &bench.model.requests()[0];
    assert_eq!(request.tool_names(), ["list_dir", "read_file"]);
    assert_eq!(
        only(&lines, "tool_result")["error_category"],
        "not_available"
    );
}

#[tokio::test]
async fn files_change_in_their_places_alone_also_by_commands() {
    let bench = Bench::new().await;
    bench.home.write("src/old.txt", "old");
    let write = |path: &str| json!({ "path": path, "content": "x" }).to_string();
    let run = json!({ "command": "echo b > src/b.txt; echo c > c.txt" }).to_string();
    let leave = json!({
        "command": "echo d > d.txt", "sandbox_permissions": "danger-full-access", "justification": "x",
    });
    let calls = Reply::new()
        .call("call_1", "write_file", &write("src/a.txt"))
        .call("call_2", "write_file", &write("a.txt"))
        .call("call_3", "exec_shell", &run)
        .call("call_4", "exec_shell", &leave.to_string());
    bench.model.push(calls);
    bench.model.push(Reply::says("Done."));
    let envelope = envelope(json!({ "writable_paths": ["src"] }));
    let order = [
        "--auto",
        "--allow-sandbox-elevation",
        "--tool-authority-json",
        &envelope,
        "write",
    ];
    let (_, lines) = bench.lines(order).await;
    assert_eq!(bench.home.read("src/a.txt").as_deref(), Some("x"));
    assert_eq!(bench.home.read("a.txt"), None);
    assert_eq!(bench.home.read("c.txt"), None);
    assert_eq!(bench.home.read("d.txt"), None);
    let results = of_type(&lines, "tool_result");
    assert_eq!(results[0]["status"], "success", "{}", results[0]);
    for refused in [1, 3] {
        assert_eq!(
            results[refused]["error_category"], "permission_denied",
            "{}",
            results[refused]
        );
    }
}

#[tokio::test]
async fn budgets_of_calls_tokens_and_time_are_kept() {
    for (budget, requests) in [
        (json!({ "max_tool_calls": 2 }), 4),
        (json!({ "max_tokens": 15 }), 3),
    ] {
        let bench = Bench::new().await;
        let call = Reply::calls("call_1", "list_dir", "{}").usage(9, 1);
        bench.model.push(call.clone()).push(call.clone()).push(call);
        bench.model.default_reply(Reply::says("That is all."));
        let envelope = envelope(budget.clone());
        let (ended, lines) = bench
            .lines(["--tool-authority-json", &envelope, "look"])
            .await;
        assert_eq!(ended.code, Some(1), "{budget}: {}", ended.stderr);
        let meta = &only(&lines, "metadata")["meta"];
        assert_eq!(meta["termination_reason"], "budget_exhausted", "{budget}");
        assert_eq!(bench.model.request_count(), requests, "{budget}");
    }
    let bench = Bench::new().await;
    bench.model.push(Reply::says("Hello").stall());
    let envelope = envelope(json!({ "max_seconds": 1 }));
    let (ended, lines) = bench
        .lines(["--tool-authority-json", &envelope, "wait"])
        .await;
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let meta = &only(&lines, "metadata")["meta"];
    assert_eq!(meta["termination_reason"], "budget_exhausted", "{meta}");
}

#[tokio::test]
async fn an_attempt_is_made_once_and_its_bounds_bind_whoever_goes_on() {
    let bench = Bench::new().await;
    bench.model.push(Reply::says("Once."));
    let envelope = envelope(json!({ "tools": ["list_dir"] }));
    let order = ["--tool-authority-json", &envelope, "work"];
    let (_, first) = bench.lines(order).await;
    let (again, second) = bench.lines(order).await;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(first[0], second[0]);
    assert_eq!(bench.model.request_count(), 1);
    let thread = first[0]["thread_id"].as_str().unwrap();
    let app = program(&bench.home).serve().await;
    let snapshot = app.snapshot(&thread.into()).await;
    assert_eq!(
        serde_json::to_value(&snapshot.thread.origin).unwrap(),
        json!({ "surface": "fleet", "dedupe_key": "run_1/t1/1", "worker_id": "w1" })
    );
    bench.model.push(Reply::says("More."));
    app.start_turn(&thread.into(), "go on").await;
    bench.model.wait_for_requests(2).await;
    assert_eq!(bench.model.last_request().tool_names(), ["list_dir"]);
}
