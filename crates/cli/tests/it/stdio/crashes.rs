//! The program dies, or its client does.

use codewhale_protocol::runtime::Seq;
use codewhale_testkit::app::{Home, Signal};
use codewhale_testkit::model_server::{Gate, ModelServer, Reply};
use serde_json::{Value, json};

use super::{Scene, Talk};
use crate::scene::program;

#[tokio::test]
async fn after_a_kill_the_thread_shows_the_turn_that_was_cut_off() {
    let Scene {
        mut talk,
        model,
        home,
    } = Scene::new().await;
    model.push(Reply::says("Hello").stall());
    let thread = talk.thread().await;
    talk.message(1, &thread, "talk on").await;
    talk.event("response_delta").await;
    let ended = talk.program.kill().await;
    assert_eq!(ended.signal, Some(9));

    let mut talk = Talk::begin(&home);
    let read = talk
        .ask(1, "thread/read", json!({ "thread_id": thread }))
        .await;
    assert_eq!(read["thread"]["status"], "idle");
    let history = read["data"]["history"].as_array().unwrap();
    assert_eq!(history[0]["content"], "talk on");
    assert_eq!(history[1]["item"]["status"], "interrupted");
    assert_eq!(history[1]["content"], "Hello");
    model.push(Reply::says("Back."));
    let params = json!({ "thread_id": thread, "input": "go on" });
    let answer = talk.ask(2, "thread/message", params).await;
    assert_eq!(answer["status"], "accepted");
}

#[tokio::test]
async fn a_signal_ends_the_turn_in_order() {
    let Scene {
        mut talk,
        model,
        home,
    } = Scene::new().await;
    model.push(Reply::says("Hello").stall());
    let thread = talk.thread().await;
    talk.message(1, &thread, "talk on").await;
    talk.event("response_delta").await;
    let ended = talk.program.end_by(Signal::TERM).await;
    assert_eq!(ended.code, Some(143), "{}", ended.stderr);
    let last: Value = serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["error"]["code"], -32603);
    let mut talk = Talk::begin(&home);
    let read = talk
        .ask(1, "thread/read", json!({ "thread_id": thread }))
        .await;
    let history = read["data"]["history"].as_array().unwrap();
    assert_eq!(history.last().unwrap()["item"]["status"], "interrupted");
}

#[tokio::test]
async fn an_answer_longer_than_the_pipe_arrives_whole() {
    let Scene {
        mut talk,
        model,
        home,
    } = Scene::new().await;
    let gate = Gate::new();
    // More than a pipe and the queue before it hold.
    let flood = Reply::flood(3_000, &"x".repeat(512)).hold(&gate);
    model.push(flood.text(" end"));
    let thread = talk.thread().await;
    let params = json!({ "thread_id": thread, "input": "flood" });
    talk.send(1, "thread/message", params).await;
    gate.open();
    let (_, answer) = talk.until(1).await;
    assert_eq!(answer["result"]["status"], "accepted");
    let read = talk
        .ask(2, "thread/read", json!({ "thread_id": thread }))
        .await;
    let said = read["data"]["history"][1]["content"].as_str().unwrap();
    assert_eq!(said.len(), 3_000 * 512 + 4);
    drop(home);
}

/// Starts the program with an output that takes what fits into a pipe and is never read.
const UNREAD: [&str; 3] = [
    "sh",
    "-c",
    "mkfifo unread && exec 3<>unread && exec \"$0\" \"$@\" >unread",
];

#[tokio::test]
async fn a_turn_comes_to_its_end_although_nobody_reads() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({})).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    model.push(Reply::flood(3_000, &"x".repeat(512)));
    let mut pipes = program(&home)
        .arguments(["app-server", "--stdio"])
        .through(UNREAD)
        .begin_heard();
    let params = json!({ "thread_id": thread, "input": "flood" });
    let ask = json!({ "id": 1, "method": "thread/message", "params": params });
    pipes.say(&format!("{ask}\n")).await;
    let ended = events.until("turn.completed").await;
    assert_eq!(ended.payload["turn"]["status"], "completed");
    // It is still there, and ends when it is told to.
    assert_eq!(pipes.end_by(Signal::TERM).await.code, Some(143));
}
