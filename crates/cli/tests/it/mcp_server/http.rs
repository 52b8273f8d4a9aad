//! The same server at `/mcp` of the Runtime API, behind its token.

use codewhale_testkit::app::{Answer, App, Home, Request};
use serde_json::{Value, json};

use crate::scene::program;

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

    let greeted = app.send(post(&app, &hello())).await;
    assert_eq!(greeted.status, 200);
    let session = greeted.header("mcp-session-id").unwrap().to_owned();
    let in_session = |message: Value| {
        post(&app, &message)
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", "2025-06-18")
    };
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(app.send(in_session(ready)).await.status, 202);
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
