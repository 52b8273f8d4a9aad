//! Recordings of other programs: listed and read, gone on with in a thread, never written.

use codewhale_protocol::runtime::Seq;
use codewhale_testkit::app::{App, Home};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::scene::program;

const KEY: &str = "key-of-the-tests-0123456789";

fn keep(home: &Home, name: &str, text: &str) {
    let folder = home.path().join("sessions");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

fn recording(home: &Home) -> String {
    json!({
        "metadata": {
            "id": "0d6c-roses", "title": "Roses", "created_at": "2025-01-02T03:04:05Z",
            "updated_at": "2025-01-02T04:04:05Z", "message_count": 4, "total_tokens": 70,
            "model": "scripted", "workspace": home.workspace(), "mode": "yolo"
        },
        "messages": [
            { "role": "user", "content": format!("Plant roses. My key is {KEY}.") },
            { "role": "assistant", "content": [
                { "type": "thinking", "text": "Where?" },
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "t1", "name": "list_dir", "input": { "path": "." } },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "t1", "content": "garden/" },
            ] },
            { "role": "assistant", "content": [{ "type": "text", "text": "Planted." }] },
        ],
        "system_prompt": "be brief"
    })
    .to_string()
}

/// A home with a recording and with files that are none.
fn home(model: &ModelServer) -> (Home, String) {
    let home = Home::with_model(model);
    let text = recording(&home);
    keep(&home, "a.json", &text);
    keep(&home, "broken.json", "{\"metadata\":");
    keep(&home, "notes.txt", "{}");
    (home, text)
}

async fn listed(app: &App, query: &str) -> Vec<String> {
    let body: Value = app.get(&format!("/v1/sessions{query}")).await.read(200);
    let list = body["sessions"].as_array().unwrap().iter();
    let ids = list.map(|it| it["id"].as_str().unwrap().to_owned());
    ids.collect()
}

#[tokio::test]
async fn a_recording_is_listed_and_read_without_its_secrets_and_never_written() {
    let model = ModelServer::start().await;
    let (home, text) = home(&model);
    let app = program(&home).serve().await;
    assert_eq!(listed(&app, "").await, ["0d6c-roses"]);
    app.until_complained("an old session is left out").await;
    for (query, count) in [
        ("?search=ROSES", 1),
        ("?search=tulips", 0),
        ("?workspace=/elsewhere", 0),
        ("?archived_only=true", 0),
        ("?sort=size&limit=1", 1),
    ] {
        assert_eq!(listed(&app, query).await.len(), count, "{query}");
    }
    let lines: Value = app.get("/v1/sessions/summary").await.read(200);
    assert_eq!(
        (&lines[0]["title"], &lines[0]["mode"]),
        (&json!("Roses"), &json!("agent"))
    );
    let path = "/v1/sessions/0d6c-roses";
    let whole = app.get(path).await;
    assert!(!whole.text().contains(KEY), "{}", whole.text());
    let whole: Value = whole.read(200);
    assert_eq!(whole["metadata"]["message_count"], 4);
    assert_eq!(whole["system_prompt"], "be brief");
    assert_eq!(whole["messages"][2]["content"][0]["content"], "garden/");
    let peek: Value = app
        .get(&format!("{path}?peek=true&entries=2"))
        .await
        .read(200);
    assert_eq!(
        (&peek["omitted_before"], &peek["entries"][0]["kind"]),
        (&json!(3), &json!("tool"))
    );
    let named = json!({ "session_id": "0d6c-roses" });
    let put = app.request("PUT", "/v1/sessions").json(&named);
    let exported: Value = app.send(put).await.read(200);
    assert_eq!(exported["session"]["metadata"]["title"], "Roses");
    let renamed = app.patch(path, json!({ "title": "Mine" })).await;
    assert_eq!(renamed.status, 409, "{}", renamed.text());
    let deleted = app.send(app.request("DELETE", path)).await;
    assert_eq!(deleted.status, 409, "{}", deleted.text());
    let file = home.path().join("sessions/a.json");
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

#[tokio::test]
async fn going_on_with_a_recording_makes_one_thread_that_knows_what_was_said() {
    let model = ModelServer::start().await;
    let (home, text) = home(&model);
    let app = program(&home).serve().await;
    let resume = async |app: &App| -> Value {
        let target = "/v1/sessions/0d6c-roses/resume-thread";
        app.post(target, json!({})).await.read(201)
    };
    let (first, second) = tokio::join!(resume(&app), resume(&app));
    assert_eq!(first["thread_id"], second["thread_id"]);
    assert_eq!(first["session_id"], "0d6c-roses");
    let thread = first["thread_id"].as_str().unwrap().into();
    let detail = app.snapshot(&thread).await;
    assert_eq!(detail.thread.session_id.as_deref(), Some("0d6c-roses"));
    assert_eq!(detail.thread.mode.as_str(), "agent");
    assert_eq!((detail.turns.len(), detail.items.len()), (1, 5));
    // The recording is the thread now.
    assert_eq!(listed(&app, "").await, [thread.as_str()]);
    let names = app.history(&thread).await;
    let names: Vec<&str> = names.iter().map(|it| it.event.as_str()).collect();
    assert_eq!(names, ["thread.started", "thread.updated"]);

    model.push(Reply::says("Yes."));
    let mut events = app.follow(&thread, Seq::ZERO).await;
    app.start_turn(&thread, "Water them?").await;
    events.until("turn.completed").await;
    let sent = model.last_request().body["messages"].to_string();
    for words in ["Plant roses.", "I look.", "garden/", "Planted.", "be brief"] {
        assert!(sent.contains(words), "{words}: {sent}");
    }
    assert!(!sent.contains(KEY), "{sent}");
    drop(events);
    app.kill().await;
    let app = program(&home).serve().await;
    assert_eq!(resume(&app).await["thread_id"], first["thread_id"]);
    assert_eq!(app.snapshot(&thread).await.turns.len(), 2);
    let file = home.path().join("sessions/a.json");
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

#[tokio::test]
async fn a_recording_whose_provider_is_gone_is_not_gone_on_with() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let recording = json!({
        "metadata": { "id": "old", "model": "m", "model_provider": "nobody-knows-it" },
        "messages": [{ "role": "user", "content": "hello" }]
    });
    keep(&home, "old.json", &recording.to_string());
    let app = program(&home).serve().await;
    let target = "/v1/sessions/old/resume-thread";
    let refused = app.post(target, json!({})).await;
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(refused.text().contains("nobody-knows-it"));
    assert_eq!(app.get("/v1/threads").await.json(), json!([]));
}
