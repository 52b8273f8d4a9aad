//! What a record tells of a task, and of one that could not begin.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codewhale_protocol::runtime::{TaskEntryKind, TaskStatus, TerminalReason};
use codewhale_protocol::service::BoxFuture;
use codewhale_store::{Place, Writing};
use codewhale_tools::{Context, Output, Prepared, Registry, Spec, Tool};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::kinds;
use crate::model::{Piece, says, wants};
use crate::tools::{Ran, registry};
use crate::world::{World, open};

#[tokio::test(start_paused = true)]
async fn a_record_tells_of_questions_changes_and_lists_and_leads_to_a_long_answer() {
    use TaskEntryKind as Kind;
    let store = open(Place::Memory, Writing::Inline);
    let world = World::fitted(store, |options| {
        let real = Registry::builtin().get("todo_write").cloned();
        options.tools = registry(&Ran::default()).with(real).0;
    })
    .await;
    let todos = json!({ "todos": [
        { "content": "look", "status": "completed" },
        { "content": "write", "status": "in_progress" },
        { "content": "rest", "status": "pending" },
        { "content": "sing", "status": "cancelled" },
    ] });
    world.model.then(wants("call_1", "todo_write", &todos));
    world.model.then(wants("call_2", "note", &json!({})));
    let long: &'static str = "word ".repeat(300).leak();
    world.model.then(says(long));
    let task = world.task(json!({ "prompt": "write" })).await;
    let waits = world.task_until(&task, |record| record.waiting).await;
    assert_eq!(waits.result_detail_path, None);
    let thread = waits.task.thread_id.unwrap();
    let approval = world.asked(&thread).await.id;
    world.decide(&approval, "allow").await.unwrap();
    let record = world.task_ended(&task).await;
    let told = kinds(&record);
    for kind in [
        Kind::Status,
        Kind::RuntimeEvent,
        Kind::PatchRef,
        Kind::Checklist,
        Kind::ResultRef,
    ] {
        assert!(
            told.contains(&kind),
            "no {kind:?}: {:#?}",
            record.task.timeline
        );
    }
    let list = &record.checklist;
    assert_eq!((list.items.len(), list.completion_pct), (4, 33));
    assert_eq!((list.items[1].id, list.in_progress_id), (2, Some(2)));
    assert!(list.updated_at.is_some());
    let [result] = &record.artifacts[..] else {
        panic!("{:?}", record.artifacts);
    };
    assert_eq!(record.result_detail_path.as_ref(), Some(&result.path));
    assert_eq!((result.label.as_str(), result.bytes), ("result", 1_500));
    assert!(result.digest.starts_with("sha256:") && result.digest.len() == 71);
    let items = world.detail(&thread).await.items;
    let item = items
        .iter()
        .find(|item| result.path.ends_with(item.id.as_str()));
    assert_eq!(item.unwrap().detail.as_deref(), Some(long));
    let changed = &record.tool_calls[1];
    assert_eq!(changed.name, "note");
    assert_eq!(
        changed.patch_ref,
        Some(format!("threads/{thread}/items/{}", changed.id))
    );
    assert!(changed.output_summary.as_ref().unwrap().starts_with("did"));
}

#[tokio::test(start_paused = true)]
async fn a_task_that_cannot_begin_fails_and_the_next_one_has_its_place() {
    let workspace = tempfile::tempdir().unwrap();
    let store = open(Place::Memory, Writing::Inline);
    let world = World::fitted(store, |options| options.workers = 1).await;
    let gate = Arc::new(Notify::new());
    world
        .model
        .then(vec![Piece::Gate(Arc::clone(&gate)), Piece::Text("done")]);
    let first = world.task(json!({ "prompt": "one" })).await;
    let lost = json!({ "prompt": "two", "workspace": workspace.path() });
    let lost = world.task(lost).await;
    let last = world.task(json!({ "prompt": "three" })).await;
    workspace.close().unwrap();
    gate.notify_one();
    let record = world.task_ended(&last).await;
    assert_eq!(record.task.status, TaskStatus::Completed);
    assert_eq!(world.look(&first).await.task.status, TaskStatus::Completed);
    let record = world.look(&lost).await;
    assert_eq!(record.task.status, TaskStatus::Failed);
    assert_eq!(record.task.terminal_reason, Some(TerminalReason::Failed));
    assert!(kinds(&record).contains(&TaskEntryKind::Error));
    assert!(record.task.error.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_panic_at_the_start_of_its_turn_fails_the_task_and_frees_its_place() {
    let trap = Arc::new(Trap::default());
    let store = open(Place::Memory, Writing::Inline);
    let world = World::fitted(store, |options| {
        options.workers = 1;
        options.tools = Registry::new([Arc::clone(&trap) as Arc<dyn Tool>]);
    })
    .await;
    trap.armed.store(true, Ordering::SeqCst);
    let task = world.task(json!({ "prompt": "one" })).await;
    let record = world.task_ended(&task).await;
    assert_eq!(record.task.status, TaskStatus::Failed, "{record:#?}");
    trap.armed.store(false, Ordering::SeqCst);
    let task = world.task(json!({ "prompt": "two" })).await;
    let record = world.task_ended(&task).await;
    assert_eq!(record.task.status, TaskStatus::Completed, "{record:#?}");
}

/// A tool that breaks whoever asks what it is, while it is armed.
struct Trap {
    spec: Spec,
    armed: AtomicBool,
}

impl Default for Trap {
    fn default() -> Self {
        let look = Registry::builtin().get("todo_write").cloned().unwrap();
        Self {
            spec: look.spec().clone(),
            armed: AtomicBool::new(false),
        }
    }
}

impl Tool for Trap {
    fn spec(&self) -> &Spec {
        if self.armed.load(Ordering::SeqCst) {
            resume_unwind(Box::new("told to break"));
        }
        &self.spec
    }

    fn prepare<'a>(&'a self, _: Value, _: &'a Context) -> BoxFuture<'a, Result<Prepared, Output>> {
        Box::pin(async { Err(Output::failure("it is a trap")) })
    }
}
