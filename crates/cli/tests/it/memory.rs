//! The memory over HTTP: the notes of agents, for the person they are kept for.

use serde_json::{Value, json};

use crate::scene::Scene;

async fn remembering() -> Scene {
    Scene::configured("[memory]\nenabled = true\n").await
}

async fn clear(scene: &Scene, query: &str) -> u16 {
    let request = scene.app.request("DELETE", &format!("/v1/memory{query}"));
    scene.app.send(request).await.status
}

#[tokio::test]
async fn a_note_is_kept_found_read_and_forgotten() {
    let scene = remembering().await;
    let info: Value = scene.app.get("/v1/runtime/info").await.read(200);
    assert_eq!(info["capabilities"]["memory"], true);
    let none: Value = scene.app.get("/v1/memory").await.read(200);
    assert_eq!(none, json!({ "entries": [], "total": 0 }));
    let text = json!({ "text": "Releases are cut\non Tuesdays." });
    let added: Value = scene.app.post("/v1/memory", text.clone()).await.read(201);
    let entry = &added["entry"];
    assert_eq!(entry["summary"], "Releases are cut on Tuesdays.");
    assert_eq!(entry["scope"], "global");
    assert_eq!(entry["workspace_id"], json!(null));
    assert_eq!(
        (&entry["stale"], &entry["status"]),
        (&json!(false), &json!("active"))
    );
    assert_eq!(
        (&entry["line_start"], &entry["line_end"]),
        (&json!(3), &json!(3))
    );
    // It says so already.
    let again: Value = scene.app.post("/v1/memory", text).await.read(200);
    assert_eq!(again, added);
    let here = json!({ "text": "Tests need the network off.", "scope": "workspace" });
    let here: Value = scene.app.post("/v1/memory", here).await.read(201);
    assert!(here["entry"]["workspace_id"].is_string());
    let id = &entry["id"];
    let read: Value = scene.app.get(&format!("/v1/memory/{id}")).await.read(200);
    assert_eq!(read, added);
    for (query, total, listed) in [
        ("", 2, 2),
        ("?scope=all&limit=1", 2, 1),
        ("?scope=global", 1, 1),
        ("?scope=workspace", 1, 1),
        ("?q=TUESDAYS%20cut", 1, 1),
        ("?q=whale", 0, 0),
    ] {
        let list: Value = scene.app.get(&format!("/v1/memory{query}")).await.read(200);
        assert_eq!(list["total"], total, "{query}");
        assert_eq!(list["entries"].as_array().unwrap().len(), listed, "{query}");
    }
    assert_eq!(clear(&scene, "?scope=workspace").await, 200);
    let left: Value = scene.app.get("/v1/memory").await.read(200);
    assert_eq!(left["entries"], json!([entry]));
    assert_eq!(clear(&scene, "?scope=all").await, 200);
    let left: Value = scene.app.get("/v1/memory").await.read(200);
    assert_eq!(left["total"], 0);
    assert_eq!(scene.app.get(&format!("/v1/memory/{id}")).await.status, 404);
}

#[tokio::test]
async fn what_makes_no_note_is_refused_and_nothing_is_forgotten_by_accident() {
    let scene = remembering().await;
    let status = async |body: Value| scene.app.post("/v1/memory", body).await.status;
    assert_eq!(status(json!({ "text": " \n " })).await, 400);
    assert_eq!(status(json!({ "text": "x".repeat(5_000) })).await, 400);
    assert_eq!(status(json!({ "text": "x", "scope": "moon" })).await, 422);
    assert_eq!(status(json!({})).await, 422);
    for query in ["?limit=0", "?limit=201", "?scope=moon"] {
        let answer = scene.app.get(&format!("/v1/memory{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
    }
    for id in ["none", "1", "99999999999"] {
        assert_eq!(scene.app.get(&format!("/v1/memory/{id}")).await.status, 404);
    }
    assert_eq!(clear(&scene, "").await, 400);
}

#[tokio::test]
async fn a_memory_that_is_off_says_so() {
    let scene = Scene::configured("[memory]\nenabled = false\n").await;
    let answer = scene.app.get("/v1/memory").await;
    assert_eq!(answer.status, 409, "{}", answer.text());
    let kept = scene.app.post("/v1/memory", json!({ "text": "x" })).await;
    assert_eq!(kept.status, 409);
}
