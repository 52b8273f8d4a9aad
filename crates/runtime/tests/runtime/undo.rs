//! Undo, retry, restore: files and conversation go back together, or neither does.

use std::sync::Arc;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::{SnapshotsList, ThreadsFork};
use codewhale_protocol::runtime::{Event, TurnStatus};
use codewhale_runtime::SnapshotSettings;
use serde_json::json;
use tokio::sync::Notify;

use crate::model::{Piece, call, says};
use crate::workspace::Lab;

fn at_once() -> codewhale_runtime::BeforeStep {
    SnapshotSettings::at_once()
}

#[tokio::test]
async fn undo_brings_files_and_conversation_back_and_leaves_the_thread_as_it_was() {
    let lab = Lab::new();
    lab.write("kept", "mine");
    lab.write("a", "1");
    let process = lab.process(at_once()).await;
    let thread = process.thread().await;
    process.turn(&thread, "first", &[("a", Some("2"))]).await;
    let second = [("a", Some("3")), ("new/b", Some("3")), ("kept", None)];
    let turn = process.turn(&thread, "second", &second).await;
    let undone = process.undo(&thread, json!({})).await.unwrap();
    assert_eq!(lab.read("a").as_deref(), Some("2"));
    assert_eq!(lab.read("kept").as_deref(), Some("mine"));
    assert!(!lab.root.join("new").exists());
    assert_eq!(undone.original_user_text.as_deref(), Some("second"));
    assert_eq!(undone.patch_result.files, ["new/b", "a", "kept"]);
    assert!(undone.patch_result.files_restored);
    let label = undone.patch_result.snapshot_label.unwrap();
    assert_eq!(label, "pre-turn:2: second");
    assert_eq!(process.asked(&undone.thread.id).await, ["first"]);
    assert_eq!(process.asked(&thread).await, ["first", "second"]);
    let first = process.world.envelopes(&undone.thread.id).remove(0);
    let Some(Ok(Event::ThreadForked(forked))) = first.decode() else {
        panic!("{first:?}")
    };
    assert_eq!(forked.backtrack_depth_from_tail, Some(0));
    assert_eq!(forked.dropped_turn_id, Some(turn.id));
    // And once more, on the copy.
    let undone = process.undo(&undone.thread.id, json!({})).await.unwrap();
    assert_eq!(lab.read("a").as_deref(), Some("1"));
    assert!(process.asked(&undone.thread.id).await.is_empty());
    let error = process
        .undo(&undone.thread.id, json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
}

#[tokio::test]
async fn undo_of_several_turns_goes_to_before_the_first_of_them() {
    let lab = Lab::new();
    let process = lab.process(at_once()).await;
    let thread = process.thread().await;
    process.turn(&thread, "one", &[("a", Some("1"))]).await;
    process
        .turn(&thread, "two", &[("a", Some("2")), ("b", Some("2"))])
        .await;
    lab.write("mine", "untouched by any turn");
    process.turn(&thread, "three", &[("a", None)]).await;
    let undone = process.undo(&thread, json!({ "depth": 1 })).await.unwrap();
    assert_eq!(lab.read("a").as_deref(), Some("1"));
    assert_eq!(lab.read("b"), None);
    assert_eq!(lab.read("mine").as_deref(), Some("untouched by any turn"));
    assert_eq!(process.asked(&undone.thread.id).await, ["one"]);
    let error = process.undo(&thread, json!({ "depth": 3 })).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::InvalidParams);
}

#[tokio::test]
async fn what_a_person_changed_since_is_named_and_nothing_moves_unless_forced() {
    let lab = Lab::new();
    let process = lab.process(at_once()).await;
    let thread = process.thread().await;
    process
        .turn(&thread, "go", &[("a", Some("1")), ("b", Some("1"))])
        .await;
    lab.write("b", "by hand");
    let before = (lab.files(), process.list().await);
    let error = process.undo(&thread, json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(error.data, Some(json!({ "files": ["b"] })));
    assert_eq!((lab.files(), process.list().await), before);
    let undone = process
        .undo(&thread, json!({ "force": true }))
        .await
        .unwrap();
    assert!(lab.files().is_empty());
    // What the person wrote is one restore away.
    let previous = undone.patch_result.previous.unwrap();
    let restored = process.restore(&previous).await.unwrap();
    assert_eq!(lab.files(), before.0);
    assert_eq!(restored.thread, None);
}

#[tokio::test]
async fn what_a_person_changed_between_two_undone_turns_is_named() {
    let lab = Lab::new();
    let process = lab.process(at_once()).await;
    let thread = process.thread().await;
    process.turn(&thread, "one", &[("a", Some("1"))]).await;
    lab.write("a", "by hand");
    lab.write("b", "by hand, before an agent touched it");
    process
        .turn(&thread, "two", &[("a", Some("2")), ("b", Some("2"))])
        .await;
    let error = process
        .undo(&thread, json!({ "depth": 1 }))
        .await
        .unwrap_err();
    assert_eq!(error.data, Some(json!({ "files": ["a"] })));
    process.undo(&thread, json!({})).await.unwrap();
    assert_eq!(lab.read("a").as_deref(), Some("by hand"));
    let b = lab.read("b").unwrap();
    assert_eq!(b, "by hand, before an agent touched it");
}

#[tokio::test]
async fn a_turn_that_only_talks_costs_no_snapshot_and_its_undo_touches_nothing() {
    let lab = Lab::new();
    lab.write("a", "1");
    let process = lab.process(at_once()).await;
    let thread = process.thread().await;
    process.turn(&thread, "talk", &[]).await;
    assert!(process.list().await.is_empty());
    lab.write("a", "2");
    let undone = process.undo(&thread, json!({})).await.unwrap();
    assert!(!undone.patch_result.files_restored);
    assert_eq!(lab.read("a").as_deref(), Some("2"));
}

#[tokio::test]
async fn without_snapshots_the_conversation_moves_and_the_answer_says_why_files_do_not() {
    let lab = Lab::new();
    let mut settings = lab.snapshots(at_once());
    settings.enabled = false;
    let process = lab.process_with(Some(settings)).await;
    let thread = process.thread().await;
    process.turn(&thread, "go", &[("a", Some("1"))]).await;
    let undone = process.undo(&thread, json!({})).await.unwrap();
    assert!(!undone.patch_result.files_restored);
    let summary = undone.patch_result.summary.unwrap();
    assert!(summary.contains("Turn 1"), "{summary}");
    assert_eq!(lab.read("a").as_deref(), Some("1"));
    assert!(process.asked(&undone.thread.id).await.is_empty());
}

#[tokio::test]
async fn a_snapshot_that_fails_is_a_status_line_and_the_turn_goes_on() {
    let lab = Lab::new();
    let mut settings = lab.snapshots(at_once());
    settings.sides.environment = vec![("PATH".to_owned(), "/nowhere".to_owned())];
    let process = lab.process_with(Some(settings)).await;
    let thread = process.thread().await;
    let turn = process.turn(&thread, "go", &[("a", Some("1"))]).await;
    assert_eq!(turn.status, TurnStatus::Completed);
    let detail = process.world.detail(&thread).await;
    let told = detail
        .items
        .iter()
        .any(|item| item.summary.contains("no snapshot"));
    assert!(told, "{detail:#?}");
    assert_eq!(lab.read("a").as_deref(), Some("1"));
}

#[tokio::test]
async fn retry_asks_the_same_again_or_something_else_with_the_files_as_before() {
    let lab = Lab::new();
    let process = lab.process(at_once()).await;
    let thread = process.thread().await;
    process
        .turn(&thread, "write it", &[("a", Some("wrong"))])
        .await;
    let blank = process.retry(&thread, json!({ "prompt": " " })).await;
    assert_eq!(blank.unwrap_err().code, ErrorCode::InvalidParams);
    assert_eq!(lab.read("a").as_deref(), Some("wrong"));
    process.world.model.then(says("Again."));
    let retried = process.retry(&thread, json!({})).await.unwrap();
    process.world.ended(&retried.thread.id).await;
    assert_eq!(lab.read("a"), None);
    assert_eq!(process.asked(&retried.thread.id).await, ["write it"]);
    let retried = process
        .retry(&retried.thread.id, json!({ "prompt": "better" }))
        .await;
    let retried = retried.unwrap();
    process.world.ended(&retried.thread.id).await;
    assert_eq!(process.asked(&retried.thread.id).await, ["better"]);
}

#[tokio::test]
async fn restore_goes_to_any_point_with_the_conversation_that_belongs_there() {
    let lab = Lab::new();
    let process = lab.process(at_once()).await;
    let thread = process.thread().await;
    process.turn(&thread, "one", &[("a", Some("1"))]).await;
    process.turn(&thread, "two", &[("a", Some("2"))]).await;
    lab.write("mine", "x");
    let list = process.list().await;
    let labels: Vec<_> = list.iter().map(|it| it.label.as_str()).collect();
    let expected = [
        "post-turn:2: two",
        "pre-turn:2: two",
        "post-turn:1: one",
        "pre-turn:1: one",
    ];
    assert_eq!(labels, expected);
    let restored = process.restore(&list[2].id).await.unwrap();
    assert_eq!(
        lab.files().into_iter().collect::<Vec<_>>(),
        [("a".into(), "1".into())]
    );
    let copy = restored.thread.unwrap();
    assert_eq!(process.asked(&copy.id).await, ["one"]);
    let restored = process.restore(&restored.previous).await.unwrap();
    assert_eq!(restored.files, ["a", "mine"]);
    assert_eq!(lab.read("mine").as_deref(), Some("x"));
    let unknown = process.restore(&"0".repeat(40)).await.unwrap_err();
    assert_eq!(unknown.code, ErrorCode::NotFound);
    for limit in [0, 101] {
        let list = process
            .world
            .call::<SnapshotsList>(json!({ "limit": limit }));
        assert_eq!(list.await.unwrap_err().code, ErrorCode::InvalidParams);
    }
}

#[tokio::test]
async fn nothing_is_undone_while_any_turn_works_in_the_workspace() {
    let lab = Lab::new();
    let process = lab.process(at_once()).await;
    let thread = process.thread().await;
    process.turn(&thread, "one", &[("a", Some("1"))]).await;
    let params = json!({ "thread_id": thread });
    let other = process.world.call::<ThreadsFork>(params).await.unwrap().id;
    let gate = Arc::new(Notify::new());
    process
        .world
        .model
        .then(vec![Piece::Gate(Arc::clone(&gate))]);
    process.world.start(&other, "wait").await.unwrap();
    let error = process.undo(&thread, json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    let error = process.undo(&other, json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    let snapshot = process.list().await.remove(0);
    let error = process.restore(&snapshot.id).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(lab.read("a").as_deref(), Some("1"));
    gate.notify_one();
    process.world.ended(&other).await;
    process.undo(&thread, json!({})).await.unwrap();
    assert_eq!(lab.read("a"), None);
}

#[tokio::test]
async fn what_another_thread_changed_meanwhile_is_named_too() {
    let lab = Lab::new();
    let process = lab.process(at_once()).await;
    let (one, other) = (process.thread().await, process.thread().await);
    process
        .turn(&other, "long before", &[("c", Some("0"))])
        .await;
    // The first thread has changed a file and thinks on.
    let gate = Arc::new(Notify::new());
    let model = &process.world.model;
    model.then(vec![call(
        "call_1",
        "put",
        &json!({ "path": "a", "text": "1" }),
    )]);
    model.then(vec![Piece::Gate(Arc::clone(&gate))]);
    process.world.start(&one, "slow").await.unwrap();
    process.world.until(&one, |_| lab.read("a").is_some()).await;
    process.turn(&other, "quick", &[("b", Some("1"))]).await;
    gate.notify_one();
    process.world.ended(&one).await;
    let error = process.undo(&one, json!({})).await.unwrap_err();
    assert_eq!(error.data, Some(json!({ "files": ["b"] })));
    // Nobody can tell which of the two it was.
    let error = process.undo(&other, json!({})).await.unwrap_err();
    assert_eq!(error.data, Some(json!({ "files": ["b"] })));
    let forced = json!({ "force": true });
    process.undo(&other, forced).await.unwrap();
    let undone = process.undo(&one, json!({})).await.unwrap();
    assert_eq!(undone.patch_result.files, ["a"]);
    assert_eq!(lab.read("c").as_deref(), Some("0"));
}
