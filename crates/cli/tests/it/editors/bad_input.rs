//! Input that is broken, and methods and sessions that are not there.

use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Desk, prompt};
use crate::scene::program;

#[tokio::test]
async fn a_broken_line_is_answered_and_the_next_one_is_read() {
    let mut desk = Desk::new().await;
    for (line, id, code) in [
        ("{", Value::Null, -32700),
        ("[]", Value::Null, -32600),
        (r#"{"id":"x","method":"initialize"}"#, json!("x"), -32600),
        (r#"{"jsonrpc":"2.0","id":"y"}"#, json!("y"), -32600),
        (
            r#"{"jsonrpc":"2.0","id":"z","method":"swim"}"#,
            json!("z"),
            -32601,
        ),
    ] {
        desk.editor.send_line(line).await;
        let answer = desk.editor.next().await.unwrap();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(code)),
            "{line}"
        );
    }
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(33 * 1024 * 1024)
    );
    desk.editor.send_line(&long).await;
    let answer = desk.editor.next().await.unwrap();
    assert_eq!(answer["error"]["code"], -32600);
    desk.session().await;
}

#[tokio::test]
async fn parameters_that_cannot_be_are_refused() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let image = json!([{ "type": "image", "data": "%", "mimeType": "image/png" }]);
    for (method, params, code) in [
        ("session/new", json!({}), -32602),
        (
            "session/new",
            json!({ "cwd": "here", "mcpServers": [] }),
            -32602,
        ),
        (
            "session/new",
            json!({ "cwd": "/nowhere/at/all", "mcpServers": [] }),
            -32602,
        ),
        ("session/prompt", json!({ "sessionId": session }), -32602),
        (
            "session/prompt",
            json!({ "sessionId": session, "prompt": image }),
            -32602,
        ),
        (
            "session/prompt",
            json!({ "sessionId": session, "prompt": [] }),
            -32602,
        ),
        ("session/prompt", prompt("thr_unknown", "x"), -32002),
        (
            "session/set_mode",
            json!({ "sessionId": session, "modeId": "swim" }),
            -32602,
        ),
        (
            "session/close",
            json!({ "sessionId": "thr_unknown" }),
            -32002,
        ),
        (
            "session/delete",
            json!({ "sessionId": "thr_unknown" }),
            -32002,
        ),
        ("session/list", json!({ "cursor": "elsewhere" }), -32602),
        ("authenticate", json!({ "methodId": "x" }), -32602),
        ("initialize", json!({ "protocolVersion": 1 }), -32600),
    ] {
        let error = desk.editor.refused(method, params.clone()).await;
        assert_eq!(error["code"], code, "{method} {params}: {error}");
    }
}

#[tokio::test]
async fn an_id_is_refused_while_it_is_in_use_and_good_again_after_that() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(Reply::says("Hel").stall());
    let id = json!("again");
    let first = prompt(&session, "one");
    desk.editor.begin_as("again", "session/prompt", first).await;
    desk.editor.update("agent_message_chunk").await;
    let list = json!({ "cwd": desk.workspace() });
    desk.editor
        .begin_as("again", "session/list", list.clone())
        .await;
    let refused = desk.editor.answer_to(&id).await;
    assert_eq!(refused["error"]["code"], -32600);
    // As a request it is answered, though the protocol has it as a notification.
    let session_of_it = json!({ "sessionId": session });
    desk.editor
        .tell_and_wait("session/cancel", session_of_it)
        .await;
    let answer = desk.editor.answer_to(&id).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    desk.editor.begin_as("again", "session/list", list).await;
    let listed = desk.editor.answer_to(&id).await;
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], json!(session));
}

#[tokio::test]
async fn nothing_is_served_before_the_two_sides_know_each_other() {
    let home = Home::new();
    let mut editor = program(&home).edit();
    let error = editor
        .refused("session/new", json!({ "cwd": "/", "mcpServers": [] }))
        .await;
    assert_eq!(error["code"], -32600);
    // A later version is answered with ours.
    let params =
        json!({ "protocolVersion": 2, "clientCapabilities": { "auth": { "terminal": true } } });
    let opened = editor.ask("initialize", params).await;
    assert_eq!(opened["protocolVersion"], 1);
    assert_eq!(opened["agentCapabilities"]["loadSession"], true);
}
