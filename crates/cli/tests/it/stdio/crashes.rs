//! The program dies, or its client does.

use codewhale_testkit::app::Signal;
use codewhale_testkit::model_server::{Gate, Reply};
use serde_json::{Value, json};

use super::{Scene, Talk};

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
async fn a_turn_goes_on_when_nobody_reads_and_what_it_said_is_there_later() {
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
