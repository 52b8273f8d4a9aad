//! Whole agents behind one call: started, continued, called off, left alone.

use codewhale_protocol::runtime::{Seq, ThreadId, TurnStatus};
use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{Gate, ModelServer, Reply};
use serde_json::{Value, json};

use super::talk::{Talk, assert_done, assert_failed, text};
use crate::scene::program;

/// The thread of the only turn there is, and how that ended.
async fn fate(home: &Home) -> (TurnStatus, usize) {
    let app = program(home).serve().await;
    let threads = app.get("/v1/threads").await.json();
    let id = threads[0]["id"].as_str().unwrap();
    let detail = app.snapshot(&ThreadId::from(id)).await;
    (detail.turns[0].status, detail.turns.len())
}

#[tokio::test]
async fn an_agent_is_started_and_continued_and_tells_its_progress() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    home.write("notes.txt", "first line\n");
    model.push(Reply::calls("c1", "read_file", r#"{"path":"notes.txt"}"#));
    model.push(Reply::says("It says first line.").usage(5, 2));
    let mut talk = Talk::begin(&home).await;
    let begin = json!({
        "name": "codewhale", "arguments": { "prompt": "read notes.txt" }, "_meta": { "progressToken": "p1" },
    });
    let begun = talk.ask("tools/call", begin).await;
    assert_done(&begun);
    assert_eq!(text(&begun), "It says first line.");
    let said = &begun["result"]["structuredContent"];
    assert_eq!(said["content"], "It says first line.");
    assert_eq!(said["status"], "completed");
    assert!(
        said["usage"]["inputTokens"].as_u64().unwrap() >= 5,
        "{said}"
    );
    let is_call = |it: &Value| it["params"]["message"] == "calls read_file";
    let progress = talk.until("notifications/progress", is_call).await;
    assert_eq!(progress["params"]["progressToken"], "p1");

    model.push(Reply::says("Still first line."));
    let reply = json!({ "thread_id": said["threadId"], "prompt": "and now?" });
    let replied = talk.call("codewhale-reply", reply).await;
    assert_eq!(text(&replied), "Still first line.");
    assert_eq!(
        replied["result"]["structuredContent"]["threadId"],
        said["threadId"]
    );
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn a_call_that_is_called_off_stops_its_turn() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    model.push(Reply::says("Hello").stall());
    let mut talk = Talk::begin(&home).await;
    let begin = json!({ "name": "codewhale", "arguments": { "prompt": "say hello" } });
    let id = talk.request("tools/call", begin).await;
    model.wait_for_requests(1).await;
    let params = json!({ "requestId": id, "reason": "changed my mind" });
    let off = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    talk.send(&off).await;
    let listed = loop {
        let listed = talk.ask("resources/list", json!({})).await;
        let resources = listed["result"]["resources"].as_array().unwrap();
        let thread = resources
            .iter()
            .find(|it| it["uri"].as_str().unwrap().contains("thread"));
        let uri = thread.unwrap()["uri"].clone();
        let read = talk.ask("resources/read", json!({ "uri": uri })).await;
        if read.to_string().contains("interrupted") {
            break read;
        }
    };
    assert!(listed["error"].is_null());
    assert_eq!(talk.end().await.code, Some(0));
    assert_eq!(fate(&home).await, (TurnStatus::Interrupted, 1));
}

#[tokio::test]
async fn when_the_input_ends_the_turn_is_stopped_and_that_is_written_down() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    model.push(Reply::says("Hello").stall());
    let mut talk = Talk::begin(&home).await;
    let begin = json!({ "name": "codewhale", "arguments": { "prompt": "say hello" } });
    talk.request("tools/call", begin).await;
    model.wait_for_requests(1).await;
    let ended = talk.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(fate(&home).await, (TurnStatus::Interrupted, 1));
}

#[tokio::test]
async fn a_thread_that_another_program_works_on_is_busy_and_free_afterwards() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let gate = Gate::new();
    model.push(Reply::says("One").hold(&gate).text(", two."));
    let thread = app.create_thread(json!({})).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    app.start_turn(&thread, "count").await;
    events.until("item.delta").await;
    let mut talk = Talk::begin(&home).await;
    let reply = json!({ "thread_id": thread, "prompt": "and on" });
    assert_failed(&talk.call("codewhale-reply", reply.clone()).await);
    gate.open();
    events.until("turn.completed").await;
    model.push(Reply::says("Three."));
    let replied = talk.call("codewhale-reply", reply).await;
    assert_done(&replied);
    assert_eq!(text(&replied), "Three.");
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn a_model_that_fails_is_told_as_a_result_with_the_thread() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    model.push(Reply::new().status(401));
    let mut talk = Talk::begin(&home).await;
    let failed = talk.call("codewhale", json!({ "prompt": "hello" })).await;
    assert_failed(&failed);
    assert_eq!(failed["result"]["structuredContent"]["status"], "failed");
    assert!(
        failed["result"]["structuredContent"]["threadId"].is_string(),
        "{failed}"
    );
    assert_eq!(talk.end().await.code, Some(0));
}
