//! Tools that a client runs, over real HTTP.

use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::{Scene, program};

/// A turn of a client that has an editor.
fn turn() -> Value {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    json!({ "prompt": "go", "dynamic_tools": [{
        "namespace": "ide", "name": "open", "description": "Opens a file.", "input_schema": schema
    }] })
}

fn calls() -> Reply {
    Reply::calls("call_1", "ide__open", r#"{"path":"a.rs"}"#)
}

#[tokio::test]
async fn the_model_calls_the_client_answers_and_nobody_else_is_asked() {
    let scene = Scene::new().await;
    scene.model.push(calls()).push(Reply::says("Opened."));
    let (thread, mut events) = scene.thread(json!({})).await;
    let started = scene.app.ask_for_turn(&thread, turn()).await;
    assert_eq!(started.status, 201, "{}", started.text());
    let requested = events.until("tool_call.requested").await;
    let call = &requested.payload;
    assert_eq!(
        (&call["namespace"], &call["tool"], &call["arguments"]),
        (&json!("ide"), &json!("open"), &json!({ "path": "a.rs" }))
    );
    let offered = scene.model.last_request().body["tools"].to_string();
    assert!(offered.contains("ide__open"), "{offered}");
    let snapshot = scene.app.snapshot(&thread).await;
    assert_eq!(
        json!(snapshot.pending_dynamic_tool_calls),
        json!([requested.payload])
    );
    let text = |key: &str| call[key].as_str().unwrap();
    let (turn, id) = (text("turn_id"), text("call_id"));
    let target = format!("/v1/threads/{thread}/turns/{turn}/tool-calls/{id}/result");
    let secret = "key-of-the-tests-0123456789";
    let said = format!("It is open; mind {secret}.");
    let body = json!({ "success": true, "content": [{ "type": "input_text", "text": said }] });
    for (wrong, status) in [
        (json!({}), 422),
        (
            json!({ "success": true, "content": [{ "type": "sound" }] }),
            422,
        ),
        (
            json!({ "success": true, "content": [{ "type": "input_image", "image_url": "x" }] }),
            400,
        ),
    ] {
        let answer = scene.app.post(&target, wrong).await;
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    let taken = scene.app.post(&target, body.clone()).await;
    assert_eq!((taken.status, taken.text()), (202, ""));
    assert_eq!(scene.app.post(&target, body).await.status, 404);
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    let seen = events.seen().iter().map(|it| it.event.as_str());
    let about: Vec<&str> = seen
        .filter(|it| it.starts_with("tool_call.") || it.starts_with("approval."))
        .collect();
    assert_eq!(about, ["tool_call.requested", "tool_call.resolved"]);
    let sent = scene.model.last_request().body.to_string();
    assert!(sent.contains("It is open"), "{sent}");
    let kept = format!("{:?}", scene.app.snapshot(&thread).await.items);
    assert!(
        kept.contains("It is open") && !kept.contains(secret),
        "{kept}"
    );
}

#[tokio::test]
async fn a_call_that_waited_when_the_program_was_killed_is_canceled_once() {
    let scene = Scene::new().await;
    scene.model.push(calls());
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.ask_for_turn(&thread, turn()).await;
    events.until("tool_call.requested").await;
    drop(events);
    let Scene { app, model, home } = scene;
    app.kill().await;
    let app = program(&home).serve().await;
    let snapshot = app.snapshot(&thread).await;
    assert_eq!(snapshot.pending_dynamic_tool_calls, []);
    let history = app.history(&thread).await;
    let canceled = history.iter().filter(|it| it.event == "tool_call.canceled");
    let canceled: Vec<_> = canceled.map(|it| it.payload.clone()).collect();
    assert_eq!(canceled.len(), 1, "{canceled:?}");
    assert_eq!(
        (&canceled[0]["reason"], &canceled[0]["recovered"]),
        (&json!("process_restart"), &json!(true))
    );
    drop(model);
}

#[tokio::test]
async fn a_tool_with_the_name_of_another_begins_no_turn() {
    let scene = Scene::new().await;
    let (thread, _) = scene.thread(json!({})).await;
    let mut body = turn();
    body["dynamic_tools"][0] = json!({
        "name": "read_file", "description": "Mine.", "input_schema": {}
    });
    let answer = scene.app.ask_for_turn(&thread, body).await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("read_file"), "{}", answer.text());
    assert_eq!(scene.app.snapshot(&thread).await.turns, []);
}
