//! Finding threads again.

use codewhale_protocol::runtime::{ThreadId, ThreadRecord, ThreadSummary};
use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::{Scene, program};

async fn listed(scene: &Scene, query: &str) -> Vec<ThreadId> {
    let answer = scene.app.get(&format!("/v1/threads{query}")).await;
    let threads: Vec<ThreadRecord> = answer.read(200);
    threads.into_iter().map(|thread| thread.id).collect()
}

async fn summaries(scene: &Scene, query: &str) -> Vec<ThreadSummary> {
    let answer = scene.app.get(&format!("/v1/threads/summary{query}")).await;
    answer.read(200)
}

/// Threads with these titles, the last one changed last.
async fn threads(scene: &Scene, titles: &[&str]) -> Vec<ThreadId> {
    let mut ids = Vec::new();
    for title in titles {
        ids.push(scene.app.create_thread(json!({ "title": title })).await.id);
    }
    ids
}

#[tokio::test]
async fn the_last_changed_stands_first_and_a_limit_cuts_the_rest() {
    let scene = Scene::new().await;
    let ids = threads(&scene, &["One", "Two", "Three"]).await;
    let path = format!("/v1/threads/{}", ids[0]);
    scene.app.patch(&path, json!({ "title": "First" })).await;
    let all: Vec<ThreadRecord> = scene.app.get("/v1/threads").await.read(200);
    assert!(all.is_sorted_by(|a, b| a.updated_at >= b.updated_at));
    let changed = all.iter().position(|thread| thread.id == ids[0]).unwrap();
    assert!(all[changed].updated_at >= all[0].updated_at);
    let order: Vec<_> = all.into_iter().map(|thread| thread.id).collect();
    assert_eq!(order.len(), 3);
    assert_eq!(listed(&scene, "?limit=2").await, order[..2]);
    assert_eq!(listed(&scene, "?limit=0").await, order[..1]);
    assert_eq!(listed(&scene, "?limit=100000").await, order);
    let short = summaries(&scene, "?limit=2").await.into_iter();
    assert_eq!(short.map(|it| it.id).collect::<Vec<_>>(), order[..2]);
}

#[tokio::test]
async fn archived_threads_are_shown_when_they_are_asked_for() {
    let scene = Scene::new().await;
    let ids = threads(&scene, &["Old", "New"]).await;
    let path = format!("/v1/threads/{}", ids[0]);
    scene
        .app
        .patch(&path, json!({ "archived": true }))
        .await
        .read::<Value>(200);
    assert_eq!(listed(&scene, "").await, [ids[1].clone()]);
    assert_eq!(listed(&scene, "?include_archived=true").await.len(), 2);
    assert_eq!(
        listed(&scene, "?archived_only=true").await,
        [ids[0].clone()]
    );
    assert_eq!(
        listed(&scene, "?archived_only=true&include_archived=true").await,
        [ids[0].clone()]
    );
    assert_eq!(summaries(&scene, "").await.len(), 1);
    assert!(summaries(&scene, "?archived_only=true").await[0].archived);
}

#[tokio::test]
async fn a_search_looks_at_everything_before_the_limit_cuts() {
    let scene = Scene::new().await;
    let ids = threads(&scene, &["Fix the Parser", "Other", "Another", "More"]).await;
    let found = summaries(&scene, "?search=PARSER&limit=1").await;
    assert_eq!(
        found.iter().map(|it| it.id.clone()).collect::<Vec<_>>(),
        [ids[0].clone()]
    );
    assert_eq!(
        summaries(&scene, &format!("?search={}", ids[1]))
            .await
            .len(),
        1
    );
    assert_eq!(summaries(&scene, "?search=scripted").await.len(), 4);
    assert_eq!(summaries(&scene, "?search=%25").await.len(), 0);
    assert_eq!(summaries(&scene, "?search=nothing+like+it").await.len(), 0);
    assert_eq!(summaries(&scene, "?search=+").await.len(), 4);
}

#[tokio::test]
async fn a_summary_tells_what_a_thread_is_about() {
    let scene = Scene::new().await;
    let (thread, mut events) = scene.thread(json!({})).await;
    let empty = summaries(&scene, "").await.remove(0);
    assert_eq!(
        (empty.title.as_str(), empty.preview.as_str()),
        ("New Thread", "New Thread")
    );
    assert_eq!(
        (&empty.latest_turn_id, empty.latest_turn_status),
        (&None, None)
    );
    assert_eq!(
        (&empty.branch, &empty.head, empty.dirty),
        (&None, &None, false)
    );
    scene.model.push(Reply::says("It is fixed.").stall());
    let turn = scene.app.start_turn(&thread, "fix the parser").await;
    events.until("item.delta").await;
    let running = summaries(&scene, "").await.remove(0);
    assert_eq!(
        (running.title.as_str(), running.preview.as_str()),
        ("fix the parser", "fix the parser")
    );
    assert_eq!(running.latest_turn_status.unwrap().as_str(), "in_progress");
    scene.app.interrupt(&turn).await;
    events.until("turn.completed").await;
    scene.model.push(Reply::says("It is fixed."));
    scene.app.start_turn(&thread, "again").await;
    events.until("turn.completed").await;
    let ended = summaries(&scene, "").await.remove(0);
    assert_eq!(
        (ended.title.as_str(), ended.preview.as_str()),
        ("again", "It is fixed.")
    );
    assert_eq!(ended.latest_turn_status.unwrap().as_str(), "completed");
}

#[tokio::test]
async fn loading_a_thread_ahead_of_its_turn_tells_nothing() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("One."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "first").await;
    events.until("turn.completed").await;
    let Scene { app, model, home } = scene;
    app.terminate().await;
    let app = program(&home).serve().await;
    let before = app.snapshot(&thread).await;
    let resumed = app
        .send(app.request("POST", &format!("/v1/threads/{thread}/resume")))
        .await;
    assert_eq!(resumed.read::<ThreadRecord>(200), before.thread);
    assert_eq!(app.snapshot(&thread).await, before);
    model.push(Reply::says("Two."));
    let mut events = app.follow(&thread, before.latest_seq).await;
    app.start_turn(&thread, "second").await;
    events.until("turn.completed").await;
    assert_eq!(model.last_request().said(), ["first", "One.", "second"]);
}

#[tokio::test]
async fn an_empty_store_has_empty_lists() {
    let home = Home::new();
    let app = program(&home).serve().await;
    for target in ["/v1/threads", "/v1/threads/summary"] {
        assert_eq!(app.get(target).await.read::<Value>(200), json!([]));
    }
}
