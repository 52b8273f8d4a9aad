//! Editors that go away, in whatever way, and those that do not read.

use codewhale_protocol::runtime::{ThreadId, TurnStatus};
use codewhale_testkit::model_server::Reply;
use serde_json::json;

use super::{Desk, opened};
use crate::scene::program;

#[tokio::test]
async fn a_turn_ends_with_the_editor_that_asked_for_it() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(Reply::says("Hel").stall());
    let request = desk.prompt(&session, "say hello").await;
    desk.editor.update("agent_message_chunk").await;
    desk.editor.close();
    let (code, said) = desk.editor.ended().await;
    assert_eq!(code, Some(0));
    let answer = said.iter().find(|it| it["id"] == request).unwrap();
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    let app = program(&desk.home).serve().await;
    let thread = app.snapshot(&ThreadId::from(session.as_str())).await;
    assert_eq!(thread.turns[0].status, TurnStatus::Interrupted);
}

#[tokio::test]
async fn an_editor_that_stops_reading_and_then_goes_takes_the_program_with_it() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    // More than the pipe and everything behind it hold.
    desk.model
        .push(Reply::flood(20_000, "much more than anyone reads at once").stall());
    desk.prompt(&session, "say a lot").await;
    desk.model.wait_for_requests(1).await;
    desk.editor.close();
    let code = desk.editor.ended_unread().await;
    assert_eq!(code, Some(0));
    let mut editor = opened(&desk.home, json!({})).await;
    let params = json!({ "sessionId": session, "cwd": desk.home.workspace(), "mcpServers": [] });
    editor.ask("session/load", params).await;
}
