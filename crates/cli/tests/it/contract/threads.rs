//! Threads, and what is listed.

use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Client, check_error, names};

#[tokio::test]
async fn point_03_a_thread_is_made_of_whatever_clients_send() {
    let client = Client::new().await;
    let made: Value = client.post("/v1/threads", json!({})).await.read(201);
    assert_eq!(made["mode"], "agent");
    let nulls = json!({ "model": null, "workspace": null, "title": null, "unknown": [1] });
    client.post("/v1/threads", nulls).await.read::<Value>(201);
    client.post_nothing("/v1/threads").await.read::<Value>(201);
    let bridge = json!({
        "archived": false, "auto_approve": false, "trust_mode": false, "allow_shell": false,
        "mode": "agent", "model": "auto", "workspace": client.scene.home.workspace(),
        "system_prompt": "Be brief.",
    });
    client.post("/v1/threads", bridge).await.read::<Value>(201);
    let yolo: Value = client
        .post("/v1/threads", json!({ "mode": "yolo" }))
        .await
        .read(201);
    let settings = (&yolo["mode"], &yolo["permission_posture"]);
    assert_eq!(settings, (&json!("agent"), &json!("full_access")));
}

#[tokio::test]
async fn point_04_a_change_changes_something_or_tells_nothing() {
    let client = Client::new().await;
    let thread = client.thread(json!({ "title": "One" })).await;
    let patch = async |body: Value| client.scene.app.patch(&thread, body).await;
    check_error(&patch(json!({})).await, 400);
    let seq = async || client.get(&thread).await.json()["latest_seq"].clone();
    let before = seq().await;
    patch(json!({ "title": "One" })).await.read::<Value>(200);
    assert_eq!(seq().await, before);
    let cleared: Value = patch(json!({ "title": "" })).await.read(200);
    assert_eq!(cleared.get("title"), None);
    assert_ne!(seq().await, before);
}

#[tokio::test]
async fn point_12_a_fork_is_a_copy_under_new_ids() {
    let client = Client::new().await;
    let thread = client.talked().await;
    let source: Value = client.get(&thread).await.read(200);
    let made: Value = client
        .post_nothing(&format!("{thread}/fork"))
        .await
        .read(201);
    let copy = format!("/v1/threads/{}", made["id"].as_str().unwrap());
    let copied: Value = client.get(&copy).await.read(200);
    for part in ["turns", "items"] {
        let ids = |whole: &Value| -> Vec<Value> {
            let parts = whole[part].as_array().unwrap().iter();
            parts.map(|it| it["id"].clone()).collect()
        };
        let (old, new) = (ids(&source), ids(&copied));
        assert_eq!(old.len(), new.len());
        assert!(new.iter().all(|id| !old.contains(id)));
    }
    let events = client.events_until(&copy, 0, "thread.forked").await;
    assert_eq!(names(&events).last(), Some(&"thread.forked"));
    assert_eq!(client.get(&thread).await.json(), source);
}

#[tokio::test]
async fn point_13_a_conversation_is_shortened_in_a_turn_of_its_own() {
    let client = Client::new().await;
    let thread = client.talked().await;
    let seq = client.get(&thread).await.json()["latest_seq"].as_u64();
    client.scene.model.push(Reply::says("A summary."));
    let started: Value = client
        .post(&format!("{thread}/compact"), json!({}))
        .await
        .read(202);
    let turn = started["turn"]["id"].clone();
    let events = client
        .events_until(&thread, seq.unwrap(), "turn.completed")
        .await;
    assert_eq!(events.last().unwrap()["turn_id"], turn);
    let detail: Value = client.get(&thread).await.read(200);
    let mut items = detail["items"].as_array().unwrap().iter();
    assert!(items.any(|it| it["kind"] == "context_compaction" && it["turn_id"] == turn));
}

#[tokio::test]
async fn point_16_usage_of_an_empty_store_is_zero() {
    let client = Client::new().await;
    let usage: Value = client.get("/v1/usage").await.read(200);
    let mut totals = usage["totals"].clone();
    let totals = totals.as_object_mut().unwrap();
    assert_eq!(totals.remove("cost_complete"), Some(json!(true)));
    assert!(
        totals.values().all(|it| it.as_f64() == Some(0.0)),
        "{usage}"
    );
    assert_eq!(usage["buckets"], json!([]));
}

#[tokio::test]
async fn point_17_snapshots_are_listed_by_one_to_a_hundred() {
    let client = Client::new().await;
    for (limit, status) in [("0", 400), ("1", 200), ("100", 200), ("101", 400)] {
        let answer = client.get(&format!("/v1/snapshots?limit={limit}")).await;
        assert_eq!(answer.status, status, "{limit}");
    }
}
