//! The disk fills up while the program serves.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use codewhale_protocol::runtime::Seq;
use codewhale_testkit::app::{Answer, App, Follower, Home, Request};
use codewhale_testkit::model_server::{Gate, ModelServer, Reply};
use serde_json::json;

use super::mounts::{inside, mounted};
use crate::outline::outline;

struct SmallDisk {
    app: App,
    model: ModelServer,
    home: Home,
}

impl SmallDisk {
    async fn new() -> Self {
        let model = ModelServer::start().await;
        let home = Home::with_model(&model);
        // The home is covered by the small disk, so its configuration lies beside it.
        let config = home.workspace().join("config.toml");
        std::fs::rename(home.path().join("config.toml"), &config).unwrap();
        let mount = "mount -t tmpfs -o size=8m tmpfs \"$CODEWHALE_HOME\"";
        let program = mounted(&home, mount).await;
        let app = program
            .variable("CODEWHALE_CONFIG_PATH", &config)
            .serve()
            .await;
        Self { app, model, home }
    }

    /// Takes all the room there is.
    fn fill(&self) {
        let mut filler = File::create(self.filler()).unwrap();
        let block = [0; 4096];
        while filler.write_all(&block).is_ok() {}
        while filler.write_all(&block[..1]).is_ok() {}
    }

    /// Gives it back.
    fn free(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }

    fn filler(&self) -> PathBuf {
        inside(&self.app, &self.home).join("filler")
    }

    async fn end(self) {
        let ended = self.app.terminate().await;
        assert_eq!(ended.code, Some(143));
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    }
}

#[track_caller]
fn check_full(answer: &Answer) {
    assert_eq!(answer.status, 503, "{}", answer.text());
    let error = &answer.json()["error"];
    assert_eq!(error["code"], "unavailable");
    assert_eq!(
        error["message"],
        "the disk that holds the store is full; free some space and try again"
    );
}

/// Follows a thread that is busy with a turn, up to its first words.
async fn held_turn(disk: &SmallDisk, gate: &Gate) -> Follower {
    disk.model
        .push(Reply::says("One").hold(gate).text(", two."));
    let thread = disk.app.create_thread(json!({})).await.id;
    let mut events = disk.app.follow(&thread, Seq::ZERO).await;
    disk.app.start_turn(&thread, "count").await;
    events.until("item.delta").await;
    events
}

#[tokio::test]
async fn what_cannot_be_written_is_refused_and_reading_goes_on() {
    let disk = SmallDisk::new().await;
    let thread = disk.app.create_thread(json!({ "title": "Kept" })).await;
    disk.model.push(Reply::says("Done."));
    let mut events = disk.app.follow(&thread.id, Seq::ZERO).await;
    disk.app.start_turn(&thread.id, "go").await;
    events.until("turn.completed").await;
    let before = disk.app.snapshot(&thread.id).await;
    disk.fill();
    let path = format!("/v1/threads/{}", thread.id);
    for _ in 0..3 {
        check_full(&disk.app.post("/v1/threads", json!({})).await);
        check_full(&disk.app.patch(&path, json!({ "title": "New" })).await);
        let prompt = json!({ "prompt": "again" });
        check_full(&disk.app.ask_for_turn(&thread.id, prompt).await);
    }
    assert_eq!(disk.app.snapshot(&thread.id).await, before);
    assert_eq!(disk.app.history(&thread.id).await, events.seen());
    assert_eq!(
        disk.app.send(Request::new("GET", "/health")).await.status,
        200
    );
    disk.free();
    disk.model.push(Reply::says("Room again."));
    disk.app.start_turn(&thread.id, "again").await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    disk.end().await;
}

#[tokio::test]
async fn a_turn_that_meets_a_full_disk_ends_as_failed_once_there_is_room() {
    let disk = SmallDisk::new().await;
    let gate = Gate::new();
    let mut events = held_turn(&disk, &gate).await;
    let seen = events.seen().to_vec();
    disk.fill();
    gate.open();
    let words = "the end of a turn could not be written; trying again";
    disk.app.until_complained(words).await;
    check_full(&disk.app.post("/v1/threads", json!({})).await);
    disk.free();
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "failed");
    assert_eq!(end.payload["turn"]["failure_class"], "storage");
    assert_eq!(end.payload["turn"]["retryable"], true);
    let thread = end.thread_id.clone();
    let history = disk.app.history(&thread).await;
    assert_eq!(history[..seen.len()], seen);
    assert_eq!(history, events.seen());
    let told = outline(&history[seen.len()..]);
    assert_eq!(told.last().unwrap(), "turn.completed failed");
    assert!(told.contains(&"item.failed error".to_owned()), "{told:?}");
    let snapshot = disk.app.snapshot(&thread).await;
    assert_eq!(codewhale_testkit::app::fold(&history), snapshot.into());
    disk.model.push(Reply::says("Room again."));
    disk.app.start_turn(&thread, "again").await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    disk.end().await;
}

#[tokio::test]
async fn an_effect_whose_approval_cannot_be_written_down_does_not_happen() {
    let disk = SmallDisk::new().await;
    let gate = Gate::new();
    let write = r#"{"path":"a.txt","content":"a"}"#;
    disk.model
        .push(Reply::calls("call_1", "write_file", write).hold_head(&gate));
    disk.model.default_reply(Reply::says("Could not."));
    let body = json!({ "permission_posture": "full_access" });
    let thread = disk.app.create_thread(body).await.id;
    let mut events = disk.app.follow(&thread, Seq::ZERO).await;
    disk.app.start_turn(&thread, "write it").await;
    disk.model.wait_for_requests(1).await;
    events.until("turn.lifecycle").await;
    disk.fill();
    gate.open();
    // The model is asked again once its call has come to nothing.
    disk.model.wait_for_requests(2).await;
    disk.free();
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "failed");
    assert_eq!(disk.home.read("a.txt"), None);
    disk.end().await;
}
