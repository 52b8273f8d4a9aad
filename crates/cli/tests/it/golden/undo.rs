//! Going back: undo, retry and restore through the program, and `kill -9` in the middle of it.

use std::time::Duration;

use codewhale_protocol::runtime::{
    Retried, Seq, SnapshotRestored, SnapshotSummary, ThreadRecord, Undone,
};
use codewhale_testkit::app::{App, Home};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::json;

use super::Task;
use crate::scene::program;

#[tokio::test]
async fn an_edit_is_undone_tried_again_and_gone_back_to() {
    let settings = json!({ "auto_approve": true, "allow_shell": true });
    let mut task = Task::new(settings, &[("a.txt", "one\r\n"), ("kept.txt", "mine\n")]).await;
    let edit = json!({ "path": "a.txt", "search": "one", "replace": "two" });
    let make = json!({ "command": "mkdir -p new && echo x > new/b.txt" });
    task.script([("edit_file", edit), ("exec_shell", make)], "Edited.");
    task.run("say two", "allow").await;
    assert_eq!(task.file("a.txt"), "two\r\n");
    task.scene.home.write("kept.txt", "changed by hand\n");
    let app = &task.scene.app;
    let list: Vec<SnapshotSummary> = app.get("/v1/snapshots?limit=8").await.read(200);
    let labels: Vec<_> = list.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(labels, ["post-turn:1: say two", "pre-turn:1: say two"]);
    for limit in [0, 101] {
        let target = format!("/v1/snapshots?limit={limit}");
        assert_eq!(app.get(&target).await.status, 400);
    }

    let undo = format!("/v1/threads/{}/undo", task.thread);
    let deep = app.post(&undo, json!({ "depth": 1 })).await;
    assert_eq!(deep.status, 400, "{}", deep.text());
    let undone: Undone = app.post(&undo, json!({})).await.read(201);
    assert_eq!(undone.original_user_text.as_deref(), Some("say two"));
    assert_eq!(undone.patch_result.files, ["new/b.txt", "a.txt"]);
    assert_eq!(task.file("a.txt"), "one\r\n");
    assert_eq!(task.file("kept.txt"), "changed by hand\n");
    assert!(!task.scene.home.workspace().join("new").exists());

    let restore = format!("/v1/snapshots/{}/restore", list[0].id);
    let restored: SnapshotRestored = app.post(&restore, json!({})).await.read(200);
    assert_eq!(restored.restored, list[0].id);
    assert_eq!(task.file("a.txt"), "two\r\n");
    assert_eq!(task.file("kept.txt"), "mine\n");
    let copy = restored.thread.unwrap();
    let unknown = format!("/v1/snapshots/{}/restore", "0".repeat(40));
    assert_eq!(app.post(&unknown, json!({})).await.status, 404);

    task.scene.home.write("a.txt", "by hand\n");
    let retry = format!("/v1/threads/{}/retry", copy.id);
    let refused = app.post(&retry, json!({})).await;
    assert_eq!(refused.status, 409);
    assert_eq!(refused.json()["error"]["data"]["files"], json!(["a.txt"]));
    task.scene.model.push(Reply::says("Did nothing."));
    let body = json!({ "prompt": "do nothing", "force": true });
    let retried: Retried = app.post(&retry, body).await.read(201);
    let mut events = app.follow(&retried.thread.id, Seq::ZERO).await;
    events.until("turn.completed").await;
    assert_eq!(task.file("a.txt"), "one\r\n");
}

/// Files that a turn changes: enough that their way back can be cut off.
const FILES: usize = 150;

#[tokio::test]
async fn undo_that_is_killed_has_moved_all_files_and_the_conversation_or_neither() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let mut cut_off = 0;
    for seen in [1, FILES / 3, FILES - 5] {
        for index in 0..FILES {
            home.write(&format!("f{index}"), "old\n");
        }
        let app = program(&home).serve().await;
        let thread = change_all(&app, &model).await;
        let before = threads(&app).await;
        let undo = format!("/v1/threads/{}/undo", thread.id);
        let request = app.request("POST", &undo).json(&json!({}));
        tokio::select! {
            _ = app.try_send(request) => {}
            () = moved(&home, seen) => {}
        }
        app.kill().await;
        let app = program(&home).serve().await;
        let forked = threads(&app).await - before;
        let old = (0..FILES)
            .filter(|index| text(&home, *index) == "old\n")
            .count();
        let new = (0..FILES)
            .filter(|index| text(&home, *index) == "new\n")
            .count();
        match forked {
            0 => assert_eq!((old, new), (0, FILES), "cut off behind {seen}"),
            _ => assert_eq!((old, new), (FILES, 0), "whole behind {seen}"),
        }
        cut_off += 1 - forked;
        // The workspace is free for the next turn and the next undo.
        let undone = app.post(&undo, json!({})).await;
        assert_eq!(undone.status, 201, "{}", undone.text());
        assert!((0..FILES).all(|index| text(&home, index) == "old\n"));
        let left = home.files();
        let mut left = left.iter().map(|(path, _)| path.to_string_lossy());
        assert!(!left.any(|name| name.contains(".codewhale-")));
        app.terminate().await;
    }
    assert!(cut_off > 0, "no undo was cut off: it needs more files");
}

/// A turn that changes every file.
async fn change_all(app: &App, model: &ModelServer) -> ThreadRecord {
    let body = json!({ "allow_shell": true, "auto_approve": true });
    let thread = app.create_thread(body).await;
    let command = json!({ "command": "for f in f*; do echo new > $f; done" });
    model.push(Reply::calls("call_1", "exec_shell", &command.to_string()));
    model.push(Reply::says("Changed."));
    let mut events = app.follow(&thread.id, Seq::ZERO).await;
    app.start_turn(&thread.id, "change all").await;
    events.until("turn.completed").await;
    thread
}

async fn threads(app: &App) -> usize {
    let list: Vec<ThreadRecord> = app.get("/v1/threads?limit=500").await.read(200);
    list.len()
}

fn text(home: &Home, index: usize) -> String {
    home.read(&format!("f{index}")).unwrap_or_default()
}

/// Waits until so many files are back.
async fn moved(home: &Home, count: usize) {
    loop {
        let back = (0..FILES).filter(|index| text(home, *index) == "old\n");
        if back.count() >= count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
