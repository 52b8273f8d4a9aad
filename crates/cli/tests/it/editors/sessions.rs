//! Sessions are threads: they are listed, opened again, shared with other doors, and taken away.

use codewhale_protocol::runtime::{Seq, ThreadId};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Desk, opened, prompt};
use crate::scene::program;

#[tokio::test]
async fn a_session_outlives_its_editor_and_is_told_from_the_start_when_it_is_loaded() {
    let mut desk = Desk::new().await;
    desk.home.write("a.txt", "one\n");
    let session = desk.session().await;
    let read = json!({ "path": "a.txt" }).to_string();
    desk.model
        .push(Reply::calls("c1", "read_file", &read).reasoning("hm"));
    desk.model.push(Reply::says("It says one.").usage(7, 2));
    desk.editor
        .ask("session/prompt", prompt(&session, "read a.txt"))
        .await;
    desk.editor.close();
    let (code, _) = desk.editor.ended().await;
    assert_eq!(code, Some(0));

    let mut editor = opened(&desk.home, json!({})).await;
    let cwd = desk.home.workspace();
    let listed = editor.ask("session/list", json!({ "cwd": cwd })).await;
    assert_eq!(listed["sessions"][0]["sessionId"], json!(session));
    assert_eq!(listed["sessions"][0]["title"], "read a.txt");
    let elsewhere = editor.ask("session/list", json!({ "cwd": "/" })).await;
    assert_eq!(elsewhere["sessions"], json!([]));

    let params = json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] });
    let loaded = editor.ask("session/load", params.clone()).await;
    assert_eq!(loaded["modes"]["currentModeId"], "agent");
    let seen = editor.take_seen();
    let kinds: Vec<&str> = seen
        .iter()
        .map(|it| it["params"]["update"]["sessionUpdate"].as_str().unwrap())
        .collect();
    let expected = [
        "user_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "agent_message_chunk",
    ];
    assert_eq!(kinds, expected);
    let call = &seen[2]["params"]["update"];
    assert_eq!(
        (&call["status"], &call["kind"]),
        (&json!("completed"), &json!("read"))
    );

    let usage = editor.update("usage_update").await;
    assert_eq!(
        (&usage["used"], &usage["size"]),
        (&json!(7), &json!(100_000))
    );

    // To resume is to go on without being told.
    editor.ask("session/resume", params).await;
    let told: Vec<Value> = editor.take_seen();
    assert!(
        told.iter()
            .all(|it| it["params"]["update"]["sessionUpdate"] != "user_message_chunk")
    );
    desk.model.push(Reply::says("more").stall());
    let request = editor
        .begin("session/prompt", prompt(&session, "go on"))
        .await;
    editor.update("agent_message_chunk").await;
    // It is stopped whatever was before.
    editor
        .tell("session/cancel", json!({ "sessionId": session }))
        .await;
    let answer = editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
}

#[tokio::test]
async fn what_happens_to_the_thread_through_another_door_is_shown() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let thread = ThreadId::from(session.as_str());
    let app = program(&desk.home).serve().await;
    desk.model.push(Reply::says("Hello"));
    let mut events = app.follow(&thread, Seq::ZERO).await;
    app.start_turn(&thread, "from elsewhere").await;
    events.until("turn.completed").await;
    let said = desk.editor.update("user_message_chunk").await;
    assert_eq!(said["content"]["text"], "from elsewhere");
    let said = desk.editor.update("agent_message_chunk").await;
    assert_eq!(said["content"]["text"], "Hello");
    let title = json!({ "title": "A better name" });
    app.patch(&format!("/v1/threads/{thread}"), title).await;
    let is_it = |it: &Value| it["params"]["update"]["title"] == "A better name";
    desk.editor.until(is_it).await;
}

#[tokio::test]
async fn a_closed_session_is_not_known_until_it_is_opened_again_and_a_deleted_one_never() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(Reply::says("Hello").stall());
    let request = desk.prompt(&session, "hello").await;
    desk.editor.update("agent_message_chunk").await;
    desk.editor
        .ask("session/close", json!({ "sessionId": session }))
        .await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    let error = desk
        .editor
        .refused("session/prompt", prompt(&session, "more"))
        .await;
    assert_eq!(error["code"], -32002);

    desk.editor
        .ask("session/delete", json!({ "sessionId": session }))
        .await;
    let params = json!({ "sessionId": session, "cwd": desk.workspace(), "mcpServers": [] });
    let error = desk.editor.refused("session/load", params).await;
    assert_eq!(error["code"], -32002);
    let listed = desk.editor.ask("session/list", json!({})).await;
    assert_eq!(listed["sessions"], json!([]));
}

#[tokio::test]
async fn two_editors_share_a_session_and_only_one_turn_runs_at_a_time() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let mut other = opened(&desk.home, json!({})).await;
    let place = json!({ "sessionId": session, "cwd": desk.workspace(), "mcpServers": [] });
    other.ask("session/load", place).await;
    desk.model.push(Reply::says("Hel").stall());
    let request = desk.prompt(&session, "one").await;
    let said = other.update("agent_message_chunk").await;
    assert_eq!(said["content"]["text"], "Hel");
    let error = other
        .refused("session/prompt", prompt(&session, "two"))
        .await;
    assert_eq!(error["data"]["code"], "conflict", "{error}");
    desk.editor
        .tell("session/cancel", json!({ "sessionId": session }))
        .await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    desk.model.push(Reply::says("Now it works."));
    let answer = other.ask("session/prompt", prompt(&session, "two")).await;
    assert_eq!(answer["stopReason"], "end_turn");
    let is_it = |it: &Value| it["params"]["update"]["content"]["text"] == "Now it works.";
    desk.editor.until(is_it).await;
}

#[tokio::test]
async fn a_session_works_in_the_directories_that_the_editor_names() {
    let mut desk = Desk::new().await;
    let beside = tempfile::tempdir().unwrap();
    let beside = beside.path().canonicalize().unwrap();
    let cwd = desk.workspace();
    let place = json!({ "cwd": cwd, "mcpServers": [], "additionalDirectories": [beside] });
    let made = desk.editor.ask("session/new", place).await;
    let session = made["sessionId"].as_str().unwrap().to_owned();
    let file = beside.join("a.txt");
    std::fs::write(&file, "from beside").unwrap();
    let read = json!({ "path": file }).to_string();
    desk.model.push(Reply::calls("c1", "read_file", &read));
    desk.model.push(Reply::says("Read."));
    desk.editor
        .ask("session/prompt", prompt(&session, "read it"))
        .await;
    let result = desk.model.last_request().messages().last().unwrap()["content"].to_string();
    assert!(result.contains("from beside"), "{result}");
    let listed = desk.editor.ask("session/list", json!({})).await;
    assert_eq!(
        listed["sessions"][0]["additionalDirectories"],
        json!([beside])
    );

    // Opened without them, it has them no more.
    let params = json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] });
    desk.editor.ask("session/resume", params).await;
    let listed = desk.editor.ask("session/list", json!({})).await;
    assert_eq!(
        listed["sessions"][0].get("additionalDirectories"),
        None::<&Value>
    );
    for wrong in ["not/absolute", "/nowhere/at/all", "/"] {
        let place = json!({ "cwd": cwd, "mcpServers": [], "additionalDirectories": [wrong] });
        let error = desk.editor.refused("session/new", place).await;
        assert_eq!(error["code"], -32602, "{error}");
    }
}
