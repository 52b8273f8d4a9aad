//! Turns that the provider lets down.

use codewhale_testkit::app::{Follower, Seen};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::outline::outline;
use crate::scene::Scene;

/// Runs a turn to its end, and tells that end.
async fn run(scene: &Scene) -> (Follower, Seen) {
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    let end = events.until("turn.completed").await;
    (events, end)
}

fn failure(message: &str) -> Value {
    json!({ "error": { "message": message } })
}

#[track_caller]
fn check_end(end: &Seen, class: &str, retryable: bool, words: &str) {
    let turn = &end.payload["turn"];
    assert_eq!(turn["status"], "failed");
    assert_eq!(turn["failure_class"], class);
    assert_eq!(turn["retryable"], retryable);
    let error = turn["error"].as_str().unwrap();
    assert!(error.contains(words), "{error}");
}

#[tokio::test]
async fn a_request_the_provider_refuses_fails_the_turn_at_once() {
    let scene = Scene::new().await;
    scene
        .model
        .push(Reply::new().status(400).json(&failure("no such thing")));
    let (events, end) = run(&scene).await;
    assert_eq!(
        outline(&events.seen()[4..]),
        [
            "turn.lifecycle in_progress",
            "item.failed error",
            "turn.completed failed",
        ]
    );
    check_end(&end, "invalid_request", false, "no such thing");
    assert_eq!(
        events.seen()[5].payload["item"]["detail"],
        end.payload["turn"]["error"]
    );
    assert_eq!(scene.model.request_count(), 1);
}

#[tokio::test]
async fn a_key_the_provider_refuses_fails_the_turn_and_says_where_the_key_comes_from() {
    let scene = Scene::new().await;
    scene
        .model
        .push(Reply::new().status(401).json(&failure("bad key")));
    let (_, end) = run(&scene).await;
    check_end(&end, "authentication", false, "refused the key");
    assert_eq!(scene.model.request_count(), 1);
}

#[tokio::test]
async fn a_failure_that_passes_is_shown_and_waited_for() {
    let scene = Scene::new().await;
    scene
        .model
        .push(Reply::new().status(503).json(&failure("overloaded")));
    scene.model.push(Reply::says("Here."));
    let (events, _) = run(&scene).await;
    assert_eq!(
        outline(&events.seen()[4..]),
        [
            "turn.lifecycle in_progress",
            "item.completed status",
            "item.started agent_message",
            "item.delta agent_message \"Here.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
    let status = events.seen()[5].payload["item"]["detail"].as_str().unwrap();
    assert!(status.contains("overloaded"), "{status}");
    assert!(
        status.contains("trying again in 10 ms (attempt 2 of 3)"),
        "{status}"
    );
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again_and_told_as_a_new_item() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Hal").cut());
    scene.model.push(Reply::says("Hello."));
    let (events, _) = run(&scene).await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.started agent_message",
            "item.delta agent_message \"Hal\"",
            "item.failed agent_message",
            "item.completed status",
            "item.started agent_message",
            "item.delta agent_message \"Hello.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
}

#[tokio::test]
async fn an_answer_that_keeps_breaking_off_fails_the_turn_the_cause_before_what_it_took_down() {
    let scene = Scene::new().await;
    scene.model.default_reply(Reply::says("Hal").cut());
    let (events, end) = run(&scene).await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.started agent_message",
            "item.delta agent_message \"Hal\"",
            "item.failed agent_message",
            "item.completed status",
            "item.started agent_message",
            "item.delta agent_message \"Hal\"",
            "item.failed agent_message",
            "item.completed status",
            "item.started agent_message",
            "item.delta agent_message \"Hal\"",
            "item.failed error",
            "item.failed agent_message",
            "turn.completed failed",
        ]
    );
    check_end(&end, "network", true, "script");
    assert_eq!(scene.model.request_count(), 3);
}

#[tokio::test]
async fn a_provider_that_is_not_there_fails_the_turn_after_the_last_attempt() {
    let mut scene = Scene::new().await;
    scene.model = codewhale_testkit::model_server::ModelServer::start().await;
    let (events, end) = run(&scene).await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.completed status",
            "item.completed status",
            "item.failed error",
            "turn.completed failed",
        ]
    );
    check_end(&end, "network", true, "cannot be reached");
}

#[tokio::test]
async fn a_provider_that_asks_for_a_long_pause_is_not_waited_for() {
    let scene = Scene::new().await;
    let busy = Reply::new().status(429).header("retry-after", "3600");
    scene.model.push(busy.json(&failure("slow down")));
    let (_, end) = run(&scene).await;
    check_end(&end, "rate_limit", true, "slow down");
    assert_eq!(scene.model.request_count(), 1);
}

#[tokio::test]
async fn a_provider_that_falls_silent_fails_the_turn() {
    let scene = Scene::configured("[stream]\nidle_timeout_secs = 0.2").await;
    scene.model.default_reply(Reply::says("Hm").stall());
    let (_, end) = run(&scene).await;
    check_end(&end, "timeout", true, "script");
    assert_eq!(scene.model.request_count(), 3);
}

#[tokio::test]
async fn an_answer_cut_short_by_its_length_limit_is_no_completed_turn() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("And so").finish("length"));
    let (events, end) = run(&scene).await;
    assert_eq!(
        outline(&events.seen()[7..]),
        [
            "item.completed agent_message",
            "item.failed error",
            "turn.completed failed",
        ]
    );
    check_end(&end, "truncated", false, "length limit");
}

#[tokio::test]
async fn the_turn_after_a_failed_one_works() {
    let scene = Scene::new().await;
    scene
        .model
        .push(Reply::new().status(400).json(&failure("no")));
    let (mut events, end) = run(&scene).await;
    scene.model.push(Reply::says("Better."));
    scene.app.start_turn(&end.thread_id, "again").await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
}
