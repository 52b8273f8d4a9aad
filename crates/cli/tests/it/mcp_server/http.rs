//! The same server at `/mcp` of the Runtime API, behind its token.

use codewhale_protocol::runtime::{Seq, ThreadId};
use codewhale_testkit::app::{Answer, App, Home, Request};
use codewhale_testkit::model_server::{Gate, Reply};
use serde_json::{Value, json};

use crate::scene::{Scene, program};

fn post(app: &App, message: &Value) -> Request {
    app.request("POST", "/mcp")
        .header("accept", "application/json, text/event-stream")
        .json(message)
}

fn hello() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "tester", "version": "1" },
        },
    })
}

/// Begins a session.
async fn begin(app: &App) -> String {
    let greeted = app.send(post(app, &hello())).await;
    assert_eq!(greeted.status, 200);
    let session = greeted.header("mcp-session-id").unwrap().to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let ready = within(post(app, &ready), &session);
    assert_eq!(app.send(ready).await.status, 202);
    session
}

fn within(request: Request, session: &str) -> Request {
    request
        .header("mcp-session-id", session)
        .header("mcp-protocol-version", "2025-06-18")
}

/// The answer among the frames of a stream.
fn answer(answer: &Answer, id: u64) -> Value {
    let data = answer
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("data:"));
    let mut messages = data.filter_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
    messages.find(|it| it["id"] == id).unwrap()
}

#[tokio::test]
async fn tools_are_listed_and_called_over_http_and_only_with_the_token() {
    let home = Home::new();
    home.write("notes.txt", "first line\n");
    let app = program(&home).serve().await;
    let bare = Request::new("POST", "/mcp").json(&hello());
    assert_eq!(app.send(bare).await.status, 401);

    let session = begin(&app).await;
    let in_session = |message: Value| within(post(&app, &message), &session);
    let params = json!({ "name": "file_read", "arguments": { "path": "notes.txt" } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    let read = answer(&app.send(in_session(call)).await, 2);
    assert_eq!(read["result"]["isError"], false, "{read}");
    let thread = read["result"]["_meta"]["codewhale/threadId"]
        .as_str()
        .unwrap();
    let seen = app.get(&format!("/v1/threads/{thread}")).await;
    assert_eq!(seen.status, 200);
    assert!(seen.text().contains("first line"));

    let stranger = post(
        &app,
        &json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" }),
    )
    .header("mcp-session-id", "none");
    assert_eq!(app.send(stranger).await.status, 404);
    let ended = app.terminate().await;
    assert_eq!(ended.code, Some(143), "{}", ended.stderr);
}

#[tokio::test]
async fn a_session_that_is_ended_stops_its_calls_and_no_others() {
    let scene = Scene::new().await;
    let app = &scene.app;
    let gate = Gate::new();
    let (leaving, staying) = (begin(app).await, begin(app).await);
    let call = |prompt: &str| {
        let params = json!({ "name": "codewhale", "arguments": { "prompt": prompt } });
        post(
            app,
            &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }),
        )
    };
    scene.model.push(Reply::says("One").stall());
    let left = app.open(within(call("count"), &leaving)).await;
    scene.model.wait_for_requests(1).await;
    scene.model.push(Reply::says("Two").hold(&gate).text("."));
    let ending = async {
        scene.model.wait_for_requests(2).await;
        let end = within(app.request("DELETE", "/mcp"), &leaving);
        assert!(app.send(end).await.status < 300);
        let threads = app.get("/v1/threads").await.json();
        let threads = threads.as_array().unwrap().iter();
        for thread in threads.map(|it| ThreadId::from(it["id"].as_str().unwrap())) {
            let detail = app.snapshot(&thread).await;
            if detail.turns[0].input_summary == "count" {
                let mut events = app.follow(&thread, Seq::ZERO).await;
                let end = events.until("turn.completed").await;
                assert_eq!(end.payload["turn"]["status"], "interrupted");
            }
        }
        gate.open();
    };
    let (stayed, ()) = tokio::join!(app.send(within(call("two"), &staying)), ending);
    let stayed = answer(&stayed, 2);
    assert_eq!(
        stayed["result"]["structuredContent"]["content"], "Two.",
        "{stayed}"
    );
    drop(left);
}
