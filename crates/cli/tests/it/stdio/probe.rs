//! What programs of others try first, as they try it.

use std::path::Path;

use codewhale_testkit::app::{Home, Program};
use serde_json::{Value, json};

use super::Talk;
use crate::scene::{BINARY, program};

/// The probe, as the contract prints it.
const PROBE: &str = r#"printf '%s\n' \
  '{"jsonrpc":"2.0","id":1,"method":"healthz"}' \
  '{"jsonrpc":"2.0","id":2,"method":"capabilities"}' \
  '{"jsonrpc":"2.0","id":3,"method":"shutdown"}' \
  | codewhale app-server --stdio"#;

#[tokio::test]
async fn the_probe_works_as_it_is_printed() {
    let home = Home::new();
    let folder = Path::new(BINARY).parent().unwrap().to_str().unwrap();
    let ended = Program::new("/bin/bash", &home)
        .arguments(["-o", "pipefail", "-c", PROBE])
        .variable("PATH", format!("{folder}:/usr/bin:/bin"))
        .run()
        .await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stderr, "");
    let lines: Vec<Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    let health = json!({ "status": "ok", "service": "deepseek-app-server", "transport": "stdio" });
    assert_eq!(lines[0]["result"], health);
    assert_eq!(lines[1]["result"]["methods"].as_array().unwrap().len(), 30);
    assert_eq!(
        lines[2]["result"],
        json!({ "ok": true, "status": "stopped" })
    );
}

#[tokio::test]
async fn a_shutdown_ends_the_program_while_the_client_keeps_its_pipe_open() {
    let home = Home::new();
    let mut talk = Talk::begin(&home);
    talk.ask(1, "shutdown", json!({})).await;
    assert_eq!(talk.program.ended().await.code, Some(0));
}

#[tokio::test]
async fn a_thread_is_made_gets_a_goal_and_loses_it() {
    let home = Home::new();
    let mut talk = Talk::begin(&home);
    let started = talk.ask(1, "thread/start", json!({})).await;
    assert_eq!(started["status"], "started");
    let thread = &started["thread"];
    assert_eq!(thread["preview"], "New conversation");
    assert_eq!(thread["status"], "running");
    assert_eq!(thread["source"], "interactive");
    assert_eq!(
        started["data"],
        json!({ "history": [], "checkpoint": null, "goal": null })
    );
    let id = started["thread_id"].clone();
    let goal = json!({ "thread_id": id, "objective": "All green", "token_budget": 1 });
    let set = talk.ask(3, "thread/goal/set", goal).await;
    assert_eq!(set["status"], "ok");
    assert_eq!(set["goal"]["objective"], "All green");
    assert!(set["goal"]["continuation_count"].is_u64());
    assert_eq!(set["events"][0]["event"], "thread_goal_updated");
    let got = talk
        .ask(4, "thread/goal/get", json!({ "thread_id": id }))
        .await;
    assert_eq!(got["data"]["goal"]["goal_id"], set["goal"]["goal_id"]);
    let cleared = talk
        .ask(5, "thread/goal/clear", json!({ "thread_id": id }))
        .await;
    assert_eq!(cleared["status"], "cleared");
    assert_eq!(cleared["events"][0]["event"], "thread_goal_cleared");
    let empty = talk
        .ask(6, "thread/goal/clear", json!({ "thread_id": id }))
        .await;
    assert_eq!(empty["status"], "empty");
    let none = json!({ "thread_id": "thr_none", "objective": "x" });
    let missing = talk.ask(7, "thread/goal/set", none).await;
    assert_eq!(missing["status"], "missing");
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn threads_are_named_put_away_and_listed() {
    let home = Home::new();
    let mut talk = Talk::begin(&home);
    let a = talk
        .ask(1, "thread/create", json!({ "metadata": { "mine": 1 } }))
        .await;
    assert_eq!(a["status"], "created");
    assert_eq!(a["cwd"], json!(home.workspace()));
    let a = a["thread_id"].clone();
    let params = json!({ "kind": "start", "persist_extended_history": true });
    let b = talk.ask(2, "thread/request", params).await;
    assert_eq!(b["thread"]["ephemeral"], false);
    let named = talk
        .ask(
            3,
            "thread/set-name",
            json!({ "thread_id": a, "name": "first" }),
        )
        .await;
    assert_eq!(named["thread"]["name"], "first");
    let away = talk
        .ask(4, "thread/archive", json!({ "thread_id": a }))
        .await;
    assert_eq!(away["status"], "archived");
    assert_eq!(away["thread"]["status"], "archived");
    let list = talk.ask(5, "thread/list", json!({})).await;
    assert_eq!(list["thread_id"], "list");
    assert_eq!(list["threads"].as_array().unwrap().len(), 1);
    let all = talk
        .ask(6, "thread/list", json!({ "include_archived": true }))
        .await;
    assert_eq!(all["threads"].as_array().unwrap().len(), 2);
    let back = talk
        .ask(7, "thread/unarchive", json!({ "thread_id": a }))
        .await;
    assert_eq!(back["status"], "unarchived");
    let loaded = talk.ask(8, "app/thread_loaded_list", json!({})).await;
    assert_eq!(loaded["data"]["threads"].as_array().unwrap().len(), 2);
    let nowhere = json!({ "cwd": "/nowhere/at/all" });
    talk.send(9, "thread/start", nowhere).await;
    assert_eq!(talk.until(9).await.1["error"]["code"], -32602);
}

#[tokio::test]
async fn a_line_that_is_no_request_breaks_nothing() {
    let home = Home::new();
    let mut talk = Talk::begin(&home);
    talk.program.say("{\"id\":1,\n\u{0}\n\n[]\n\"\n").await;
    for code in [-32700, -32700, -32600, -32700] {
        let line = talk.next().await;
        assert_eq!(line["error"]["code"], code);
        assert_eq!(line["id"], Value::Null);
    }
    assert_eq!(talk.ask(1, "healthz", json!({})).await["status"], "ok");
}

#[tokio::test]
async fn the_file_that_was_named_is_told() {
    let home = Home::new();
    let file = home.path().join("own.toml");
    std::fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap();
    let ended = program(&home)
        .arguments(["app-server", "--stdio", "--config", file])
        .run_with("{\"id\":1,\"method\":\"app/capabilities\"}\n")
        .await;
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(answer["result"]["data"]["config_path"], file);
    assert_eq!(answer["result"]["data"]["transport"], "stdio+http");
}
