//! Copies of threads.

use std::collections::BTreeSet;

use codewhale_protocol::runtime::{ThreadDetail, ThreadRecord};
use codewhale_testkit::model_server::{Gate, Reply};
use serde_json::json;

use crate::outline::outline;
use crate::scene::Scene;

/// Everything of a thread that has an id of its own.
fn ids(detail: &ThreadDetail) -> BTreeSet<String> {
    let turns = detail.turns.iter().map(|turn| turn.id.to_string());
    let items = detail.items.iter().map(|item| item.id.to_string());
    let thread = [detail.thread.id.to_string()];
    turns.chain(items).chain(thread).collect()
}

/// The words of a thread, without ids and times.
fn words(detail: &ThreadDetail) -> Vec<(String, String, Option<String>)> {
    let word = |item: &codewhale_protocol::runtime::TurnItemRecord| {
        let status = item.status.as_str().to_owned();
        (item.kind.as_str().to_owned(), status, item.detail.clone())
    };
    detail.items.iter().map(word).collect()
}

#[tokio::test]
async fn a_copy_has_everything_under_new_ids_and_the_source_does_not_notice() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("One."));
    let (thread, mut events) = scene.thread(json!({ "title": "Source" })).await;
    scene.app.start_turn(&thread, "first").await;
    events.until("turn.completed").await;
    let source = scene.app.snapshot(&thread).await;
    let answer = scene
        .app
        .request("POST", &format!("/v1/threads/{thread}/fork"));
    let copy: ThreadRecord = scene.app.send(answer).await.read(201);
    let copied = scene.app.snapshot(&copy.id).await;
    assert_eq!(copied.thread, copy);
    assert_eq!(words(&copied), words(&source));
    assert!(ids(&copied).is_disjoint(&ids(&source)));
    assert_eq!(copy.latest_turn_id, Some(copied.turns[0].id.clone()));
    assert_eq!(copied.turns[0].item_ids.len(), 2);
    assert_eq!(scene.app.snapshot(&thread).await, source);
    let told = scene.app.history(&copy.id).await;
    assert_eq!(outline(&told), ["thread.forked"]);
    assert_eq!(told[0].payload["source_thread_id"], json!(thread));
}

#[tokio::test]
async fn a_running_turn_is_copied_as_interrupted_and_goes_on_in_the_source() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    scene
        .model
        .push(Reply::says("Half").hold(&gate).text(" done."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    events.until("item.delta").await;
    let fork = scene
        .app
        .request("POST", &format!("/v1/threads/{thread}/fork"));
    let copy: ThreadRecord = scene.app.send(fork).await.read(201);
    let copied = scene.app.snapshot(&copy.id).await;
    assert_eq!(copied.turns[0].status.as_str(), "interrupted");
    assert_eq!(
        words(&copied),
        [
            ("user_message".into(), "completed".into(), Some("go".into())),
            (
                "agent_message".into(),
                "interrupted".into(),
                Some("Half".into())
            ),
        ]
    );
    gate.open();
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    let source = scene.app.snapshot(&thread).await;
    assert_eq!(source.items[1].detail.as_deref(), Some("Half done."));
}

#[tokio::test]
async fn a_copy_goes_its_own_way() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("One."));
    scene.model.push(Reply::says("Elsewhere."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "first").await;
    events.until("turn.completed").await;
    let source = scene.app.snapshot(&thread).await;
    let fork = scene
        .app
        .request("POST", &format!("/v1/threads/{thread}/fork"));
    let copy: ThreadRecord = scene.app.send(fork).await.read(201);
    let mut copied = scene
        .app
        .follow(&copy.id, codewhale_protocol::runtime::Seq::ZERO)
        .await;
    scene.app.start_turn(&copy.id, "second").await;
    copied.until("turn.completed").await;
    let request = scene.model.last_request();
    assert_eq!(request.said(), ["first", "One.", "second"]);
    assert_eq!(scene.app.snapshot(&thread).await, source);
}
