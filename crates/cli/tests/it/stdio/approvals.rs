//! Questions to a person, and their answers, over the pipes.

use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::{Scene, Talk, events};

fn call(tool: &str, input: Value) -> Reply {
    Reply::calls("call_1", tool, &input.to_string())
}

#[tokio::test]
async fn a_command_is_approved_and_told_from_its_beginning_to_its_end() {
    let Scene {
        mut talk,
        model,
        home,
    } = Scene::new().await;
    model.push(call(
        "exec_shell",
        json!({ "command": "echo seen; touch made.txt" }),
    ));
    model.push(Reply::says("Done."));
    let thread = talk.thread().await;
    talk.message(1, &thread, "make it").await;
    let asked = talk.event("exec_approval_request").await;
    assert_eq!(asked["request"]["command"], "echo seen; touch made.txt");
    let approve = json!({
        "approval_id": asked["request"]["approval_id"], "decision": { "type": "approved" },
    });
    talk.send(2, "thread/approve", approve).await;
    let (_, receipt) = talk.until(2).await;
    assert_eq!(receipt["result"]["decision"], "allow", "{receipt}");
    let (lines, answer) = talk.until(1).await;
    assert_eq!(answer["result"]["status"], "accepted");
    let told = events(&lines);
    let about = |name: &&&str| name.starts_with("exec_") || name.starts_with("turn_");
    let told: Vec<&&str> = told.iter().filter(about).collect();
    assert_eq!(
        told,
        [
            &"exec_command_output_delta",
            &"exec_command_output_delta",
            &"exec_command_end",
            &"turn_complete"
        ]
    );
    let end = lines
        .iter()
        .find(|it| it["params"]["event"]["event"] == "exec_command_end");
    assert_eq!(end.unwrap()["params"]["event"]["exit_code"], 0);
    assert!(home.read("made.txt").is_some());
}

#[tokio::test]
async fn a_patch_is_denied_and_does_not_land() {
    let Scene {
        mut talk,
        model,
        home,
    } = Scene::new().await;
    model.push(call(
        "write_file",
        json!({ "path": "a.txt", "content": "a" }),
    ));
    model.push(Reply::says("Then not."));
    let thread = talk.thread().await;
    talk.message(1, &thread, "write it").await;
    talk.event("patch_apply_begin").await;
    let asked = talk.event("apply_patch_approval_request").await;
    let deny = json!({ "approval_id": asked["request"]["approval_id"], "decision": "denied" });
    talk.send(2, "thread/approve", deny.clone()).await;
    assert_eq!(talk.until(2).await.1["result"]["decision"], "deny");
    let ended = talk.event("patch_apply_end").await;
    assert_eq!(ended["ok"], false);
    talk.until(1).await;
    assert_eq!(home.read("a.txt"), None);
    talk.send(3, "thread/approve", deny).await;
    let (_, again) = talk.until(3).await;
    assert_eq!(again["error"]["code"], -32603, "{again}");
    assert_eq!(again["error"]["data"]["error"], "conflict");
    let none = json!({ "approval_id": "appr_none", "decision": "allow" });
    talk.send(4, "thread/approve", none).await;
    assert_eq!(talk.until(4).await.1["error"]["code"], -32004);
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_an_answer_to_a_question() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    model.push(call("exec_shell", json!({ "command": "touch made.txt" })));
    let thread = talk.thread().await;
    talk.message(1, &thread, "make it").await;
    talk.event("exec_approval_request").await;
    talk.send(2, "shutdown", json!({})).await;
    let ended = talk.program.ended().await;
    assert_eq!(ended.code, Some(0));
    let last: Value = serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["result"]["status"], "stopped");
}

#[tokio::test]
async fn a_question_of_the_agent_is_answered_once() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    let questions = json!({ "questions": [{
        "header": "Database", "id": "db", "question": "Which one?",
        "options": [
            { "label": "SQLite", "description": "a file" },
            { "label": "Postgres", "description": "a server" },
        ],
    }] });
    model.push(call("request_user_input", questions));
    model.push(Reply::says("SQLite it is."));
    let thread = talk.thread().await;
    talk.message(1, &thread, "choose").await;
    let asked = talk.event("user_input_request").await;
    let submit = json!({
        "kind": "submit_user_input", "request_id": asked["request"]["request_id"],
        "answers": [{ "id": "db", "label": "SQLite", "value": "SQLite" }],
    });
    // The second one is read before anything about the first is known to us.
    talk.send(2, "app/request", submit.clone()).await;
    talk.send(3, "app/request", submit).await;
    let mut answers = std::collections::BTreeMap::new();
    while answers.len() < 3 {
        let line = talk.next().await;
        if let Some(id) = line["id"].as_u64() {
            answers.insert(id, line["result"].clone());
        }
    }
    assert_eq!(answers[&1]["status"], "accepted");
    let mut oks = [&answers[&2]["ok"], &answers[&3]["ok"]];
    oks.sort_by_key(|ok| ok.as_bool());
    assert_eq!(oks, [false, true], "{answers:?}");
}

/// A server whose tool asks the person behind the call.
const SERVER: &str = r#"
import json, sys
def say(id, result):
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        say(m["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "own", "version": "1"}})
    elif m.get("method") == "tools/list":
        say(m["id"], {"tools": [{"name": "ask", "description": "d", "inputSchema": {"type": "object"}}]})
    elif m.get("method") == "tools/call":
        call = m
        print(json.dumps({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create",
            "params": {"message": "Really?", "requestedSchema": {"type": "object", "properties": {}}}}), flush=True)
    elif m.get("id") == "q":
        say(call["id"], {"content": [{"type": "text", "text": "it said " + m["result"]["action"]}]})
"#;

#[tokio::test]
async fn a_server_comes_up_is_called_and_asks() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let server = json!({ "command": "/usr/bin/python3", "args": ["-c", SERVER], "required": true });
    let document = json!({ "servers": { "own": server } }).to_string();
    std::fs::write(home.path().join("mcp.json"), document).unwrap();
    let mut talk = Talk::begin(&home);
    model.push(call("mcp_own_ask", json!({})));
    model.push(Reply::says("Done."));
    let thread = talk.thread().await;
    talk.message(1, &thread, "ask").await;
    let summary = talk.event("mcp_startup_complete").await;
    assert_eq!(summary["summary"]["ready"], json!(["own"]));
    let begun = talk.event("mcp_tool_call_begin").await;
    let expect = json!({
        "event": "mcp_tool_call_begin", "server_name": "own", "tool_name": "ask",
    });
    assert_eq!(begun, expect);
    let asked = talk.event("exec_approval_request").await;
    let approve = json!({ "approval_id": asked["request"]["approval_id"], "decision": "allow" });
    talk.send(2, "thread/approve", approve).await;
    let elicited = talk.event("elicitation_request").await;
    assert_eq!(elicited["server_name"], "own");
    assert_eq!(elicited["prompt"], "Really?");
    let answer = json!({
        "thread_id": thread, "request_id": elicited["request_id"],
        "answers": [{ "id": "consent", "label": "Yes", "value": "Yes" }],
    });
    talk.send(3, "thread/answer", answer).await;
    let ended = talk.event("mcp_tool_call_end").await;
    assert_eq!(ended["ok"], true);
    talk.until(1).await;
}
