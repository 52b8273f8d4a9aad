//! One thread through all doors, each a process of its own: it has one id and one log.

use codewhale_protocol::Surface;
use codewhale_protocol::runtime::{Seq, ThreadId};
use codewhale_testkit::app::{App, Follower, Home, Seen, fold};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::scene::program;

/// An editor begins the thread, and its agent asks; whoever is at the server follows and allows it.
async fn begin_in_an_editor(home: &Home, model: &ModelServer, app: &App) -> (ThreadId, Follower) {
    let input = json!({ "path": "a.txt", "content": "hello\n" });
    model
        .push(Reply::calls("c1", "write_file", &input.to_string()))
        .push(Reply::says("Written."));
    let mut editor = program(home).edit();
    editor
        .ask("initialize", json!({ "protocolVersion": 1 }))
        .await;
    let place = json!({ "cwd": home.workspace(), "mcpServers": [] });
    let made = editor.ask("session/new", place).await;
    let session = made["sessionId"].as_str().unwrap();
    let thread = ThreadId::from(session);
    let mut follower = app.follow(&thread, Seq::ZERO).await;
    let words = json!([{ "type": "text", "text": "write it" }]);
    let prompt = json!({ "sessionId": session, "prompt": words });
    let prompted = editor.begin("session/prompt", prompt).await;
    editor.asked("session/request_permission").await;
    follower.until("approval.required").await;
    let waiting = app.snapshot(&thread).await.pending_approvals;
    assert_eq!(waiting.len(), 1);
    let allowed = app.decide(&waiting[0].id, "allow").await;
    assert_eq!(allowed.status, 200, "{}", allowed.text());
    let answer = editor.answer_to(&prompted).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert_eq!(home.read("a.txt").as_deref(), Some("hello\n"));
    editor.close();
    assert_eq!(editor.ended().await.0, Some(0));
    (thread, follower)
}

/// `exec` goes on with it.
async fn go_on_by_exec(home: &Home, model: &ModelServer, thread: &ThreadId) {
    model.push(Reply::says("As I said."));
    let exec = ["exec", "--resume", thread.as_str(), "and now?"];
    let ended = program(home).arguments(exec).run().await;
    assert_eq!(ended.stdout, "As I said.\n", "{}", ended.stderr);
    let said = model.last_request().said().join("\n");
    assert!(said.contains("write it"), "{said}");
}

/// Who sits at the pipes sees it in their list, once.
async fn list_over_pipes(home: &Home) -> Vec<Value> {
    let mut pipes = program(home)
        .arguments(["app-server", "--stdio"])
        .begin_heard();
    let ask = json!({ "id": 1, "method": "thread/list", "params": {} });
    pipes.say(&format!("{ask}\n")).await;
    let answer: Value = serde_json::from_str(&pipes.line(1).await).unwrap();
    pipes.hang_up();
    assert_eq!(pipes.ended().await.code, Some(0));
    answer["result"]["threads"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_thread_that_goes_through_all_doors_has_one_id_and_one_log() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;

    let (thread, mut follower) = begin_in_an_editor(&home, &model, &app).await;
    follower.until("turn.completed").await;
    go_on_by_exec(&home, &model, &thread).await;
    follower.until("turn.completed").await;

    let listed = list_over_pipes(&home).await;
    let ids: Vec<&Value> = listed.iter().map(|it| &it["id"]).collect();
    assert_eq!(ids, [thread.as_str()]);
    // The other agents know it too, under the same digits.
    let digits = thread.as_str().trim_start_matches(ThreadId::PREFIX);
    let session = app.get(&format!("/acp/sessions/{digits}")).await;
    assert_eq!(session.status, 200, "{}", session.text());

    let seen = follower.into_seen();
    assert_eq!(
        doors_of(&seen, "turn.started"),
        [Surface::Acp, Surface::Cli]
    );
    assert_eq!(doors_of(&seen, "approval.decided"), [Surface::Http]);
    assert_eq!(fold(&seen).turns, app.snapshot(&thread).await.turns);
    assert_eq!(app.history(&thread).await, seen);
}

/// The doors through which those came who made these events.
fn doors_of(seen: &[Seen], name: &str) -> Vec<Surface> {
    let named = seen.iter().filter(|seen| seen.event == name);
    named.map(|it| it.actor.as_ref().unwrap().surface).collect()
}
