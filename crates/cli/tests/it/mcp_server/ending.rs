//! Clients that go away or do not read, and a program that is killed: what ran is written down.

use codewhale_protocol::runtime::{ItemStatus, Seq, ThreadDetail, ThreadId, TurnStatus};
use codewhale_testkit::app::{App, Home, Signal};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::talk::{Talk, forms};
use crate::scene::program;

/// The only thread there is.
async fn only_thread(app: &App) -> ThreadId {
    let threads = app.get("/v1/threads").await.json();
    assert_eq!(threads.as_array().map(Vec::len), Some(1), "{threads}");
    ThreadId::from(threads[0]["id"].as_str().unwrap())
}

/// A command that was allowed, has begun and does not end by itself.
async fn long_command(home: &Home) -> Talk {
    let mut talk = Talk::begin_with(home, forms()).await;
    let command = "echo begun > begun; sleep 600";
    let params = json!({
        "name": "shell", "arguments": { "command": command }, "_meta": { "progressToken": 1 },
    });
    talk.request("tools/call", params).await;
    let yes = json!({ "action": "accept", "content": { "decision": "allow" } });
    talk.answer_question(0, yes).await;
    while home.read("begun").is_none() {
        let pong = talk.ask("ping", json!({})).await;
        assert!(pong["result"].is_object(), "{pong}");
    }
    talk
}

fn assert_interrupted(detail: &ThreadDetail) {
    assert_eq!(detail.turns.len(), 1);
    assert_eq!(detail.turns[0].status, TurnStatus::Interrupted);
    let call = detail.items.iter().find(|it| it.kind.is_tool()).unwrap();
    assert_ne!(call.status, ItemStatus::InProgress, "{call:?}");
    assert_ne!(call.status, ItemStatus::Completed, "{call:?}");
    assert!(detail.pending_approvals.is_empty());
}

#[tokio::test]
async fn when_the_input_ends_in_the_middle_of_a_call_the_call_is_stopped_and_that_is_written_down()
{
    let home = Home::new();
    let talk = long_command(&home).await;
    let ended = talk.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let app = program(&home).serve().await;
    let thread = only_thread(&app).await;
    assert_interrupted(&app.snapshot(&thread).await);
}

#[tokio::test]
async fn after_a_kill_in_the_middle_of_a_call_the_next_program_lists_it_as_interrupted() {
    let home = Home::new();
    let talk = long_command(&home).await;
    assert_eq!(talk.kill().await.signal, Some(9));

    let mut talk = Talk::begin(&home).await;
    let listed = talk.ask("resources/list", json!({})).await;
    let resources = listed["result"]["resources"].as_array().unwrap();
    let is_thread = |it: &&Value| it["name"] == "Tool calls of tester";
    let uri = resources.iter().find(is_thread).unwrap()["uri"].clone();
    let read = talk.ask("resources/read", json!({ "uri": uri })).await;
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    let shown: Value = serde_json::from_str(text).unwrap();
    assert_eq!(shown["turns"][0]["status"], "interrupted", "{shown}");
    assert_eq!(talk.end().await.code, Some(0));
    let app = program(&home).serve().await;
    let thread = only_thread(&app).await;
    assert_interrupted(&app.snapshot(&thread).await);
}

#[tokio::test]
async fn a_signal_stops_the_call_in_order() {
    let home = Home::new();
    let talk = long_command(&home).await;
    let ended = talk.end_by(Signal::TERM).await;
    assert_eq!(ended.code, Some(143), "{}", ended.stderr);
    let app = program(&home).serve().await;
    let thread = only_thread(&app).await;
    assert_interrupted(&app.snapshot(&thread).await);
}

#[tokio::test]
async fn a_turn_goes_on_though_its_client_stopped_reading_and_the_end_is_clean() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    // More than the pipe holds, and said once more in the result.
    model.push(Reply::flood(4_000, "much more than anyone reads at once, "));
    let mut client = program(&home).arguments(["serve", "--mcp"]).converse();
    let hello = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "tester", "version": "1" },
    });
    let begin = json!({
        "name": "codewhale", "arguments": { "prompt": "say a lot" }, "_meta": { "progressToken": 1 },
    });
    let request = |id: u64, method: &str, params: &Value| {
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
    };
    client.send_line(&request(1, "initialize", &hello)).await;
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    client.send_line(&ready.to_string()).await;
    client.send_line(&request(2, "tools/call", &begin)).await;
    model.wait_for_requests(1).await;
    for id in 3..303 {
        client
            .send_line(&request(id, "tools/list", &json!({})))
            .await;
    }
    let app = program(&home).serve().await;
    let thread = only_thread(&app).await;
    app.follow(&thread, Seq::ZERO)
        .await
        .until("turn.completed")
        .await;
    let detail = app.snapshot(&thread).await;
    assert_eq!(detail.turns[0].status, TurnStatus::Completed);
    assert_eq!(client.ended_unread().await, Some(0));
}
