//! Editors that go away, in whatever way, and those that do not read.

use codewhale_protocol::runtime::{Seq, ThreadId, TurnStatus};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

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

#[tokio::test]
async fn an_editor_that_does_not_read_for_a_while_holds_up_nobody_and_is_told_the_rest() {
    let mut desk = Desk::new().await;
    let (one, other) = (desk.session().await, desk.session().await);
    let app = program(&desk.home).serve().await;
    let [first, second] = [&one, &other].map(|it| ThreadId::from(it.as_str()));
    let mut flooded = app.follow(&first, Seq::ZERO).await;
    let mut quiet = app.follow(&second, Seq::ZERO).await;
    // More than the pipe and everything behind it hold.
    let text = "much more than anyone reads at once ";
    desk.model.push(Reply::flood(20_000, text));
    let request = desk.prompt(&one, "say a lot").await;
    let end = flooded.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    // Meanwhile the other session is served.
    desk.model.push(Reply::says("quick"));
    let quick = desk.prompt(&other, "be quick").await;
    let end = quiet.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");

    // Once it reads, it is told everything, and the answers come last.
    for (session, request, said) in [
        (&one, request, text.repeat(20_000)),
        (&other, quick, "quick".to_owned()),
    ] {
        let answer = desk.editor.answer_to(&request).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        let seen = desk.editor.take_seen();
        let (of_it, rest): (Vec<Value>, Vec<Value>) = seen
            .into_iter()
            .partition(|it| it["params"]["sessionId"] == **session);
        let updates = of_it.iter().map(|it| &it["params"]["update"]);
        let chunks = updates.filter(|it| it["sessionUpdate"] == "agent_message_chunk");
        let told: String = chunks
            .map(|it| it["content"]["text"].as_str().unwrap())
            .collect();
        assert!(told == said, "{} of {} bytes", told.len(), said.len());
        desk.editor.put_back(rest);
    }
}

#[tokio::test]
async fn a_stop_is_heard_from_an_editor_that_reads_nothing_and_sends_nonsense() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let app = program(&desk.home).serve().await;
    let thread = ThreadId::from(session.as_str());
    let mut events = app.follow(&thread, Seq::ZERO).await;
    let (text, times) = ("much more than anyone reads at once ", 20_000);
    desk.model.push(Reply::flood(times, text).stall());
    let request = desk.prompt(&session, "say a lot").await;
    let mut said = 0;
    while said < text.len() * times {
        let delta = events.until("item.delta").await;
        said += delta.payload["delta"].as_str().unwrap().len();
    }
    for _ in 0..3 {
        desk.editor.send_line("{").await;
    }
    desk.editor
        .tell("session/cancel", json!({ "sessionId": session }))
        .await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "interrupted");
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
}
