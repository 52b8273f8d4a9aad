//! Stopping: whatever a turn is in the middle of, it ends once, and the thread goes on.

use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::runtime::{Event, FailureClass, ItemStatus, ThreadDetail, TurnStatus};
use codewhale_store::{Place, Writing};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::model::{Piece, says, wants};
use crate::world::{World, open};

/// How long a turn that was told to stop may take, and a little more for the test to notice.
const GRACE: Duration = Duration::from_secs(5);
const A_LITTLE: Duration = Duration::from_millis(20);

fn is_working(detail: &ThreadDetail) -> bool {
    let last = detail.items.last();
    last.is_some_and(|item| item.kind.is_tool() && item.status == ItemStatus::InProgress)
}

/// Interrupts a turn in the middle of a call and tells how long it took to end.
async fn interrupt_during(input: Value) -> (World, Duration) {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.model.then(wants("call_1", "look", &input));
    let turn = world.start(&thread, "look").await.unwrap();
    world.until(&thread, is_working).await;
    world.interrupt(&thread, &turn).await.unwrap();
    let asked = Instant::now();
    let turn = world.ended(&thread).await;
    assert_eq!(turn.status, TurnStatus::Interrupted);
    let took = asked.elapsed();
    let detail = world.detail(&thread).await;
    assert_eq!(detail.items.last().unwrap().status, ItemStatus::Failed);
    // Long enough for the call to come to its own end, were it still there.
    tokio::time::sleep(Duration::from_secs(120)).await;
    world.moment(&thread, |event| matches!(event, Event::TurnCompleted(_)));
    assert_eq!(
        world.turn(&thread, "again").await.status,
        TurnStatus::Completed
    );
    (world, took)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_listens_ends_its_turn_at_once() {
    let (_, took) = interrupt_during(json!({ "secs": 60 })).await;
    assert!(took < A_LITTLE, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_listen_is_dropped_after_the_grace() {
    let (_, took) = interrupt_during(json!({ "way": "deaf", "secs": 60 })).await;
    assert!(took >= GRACE && took < GRACE + A_LITTLE, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_second_interrupt_changes_nothing_and_steering_is_refused_meanwhile() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let deaf = json!({ "way": "deaf", "secs": 60 });
    world.model.then(wants("call_1", "look", &deaf));
    let turn = world.start(&thread, "look").await.unwrap();
    world.until(&thread, is_working).await;
    world.interrupt(&thread, &turn).await.unwrap();
    world.interrupt(&thread, &turn).await.unwrap();
    let error = world.steer(&thread, &turn, "wait").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    world.ended(&thread).await;
    let requests = world.story(&thread);
    let requests = requests
        .iter()
        .filter(|it| *it == "turn.interrupt_requested");
    assert_eq!(requests.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn text_that_was_being_said_is_kept_when_the_turn_is_interrupted() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let wait = Piece::Wait(Duration::from_secs(60));
    world.model.then(vec![Piece::Text("I was about"), wait]);
    let turn = world.start(&thread, "speak").await.unwrap();
    let speaks = |detail: &ThreadDetail| {
        let last = detail.items.last();
        last.is_some_and(|item| item.detail.as_deref() == Some("I was about"))
    };
    world.until(&thread, speaks).await;
    world.interrupt(&thread, &turn).await.unwrap();
    world.ended(&thread).await;
    let item = world.detail(&thread).await.items.pop().unwrap();
    assert_eq!(item.status, ItemStatus::Interrupted);
    assert_eq!(item.detail.as_deref(), Some("I was about"));
}

/// A fault of ours ends the turn, says so, and takes nothing else down.
async fn check_fault(world: World) {
    let thread = world.thread(json!({})).await;
    let turn = world.turn(&thread, "go").await;
    assert_eq!(turn.status, TurnStatus::Failed);
    assert_eq!(turn.failure_class, Some(FailureClass::Internal));
    assert_eq!(turn.retryable, Some(true));
    let story = world.story(&thread);
    assert_eq!(story.last().unwrap(), "turn.completed");
    let detail = world.detail(&thread).await;
    assert!(detail.items.iter().all(|item| item.status.is_terminal()));
    assert_eq!(
        world.turn(&thread, "again").await.status,
        TurnStatus::Completed
    );
}

#[tokio::test(start_paused = true)]
async fn a_model_that_breaks_down_when_asked_fails_the_turn_and_not_the_thread() {
    let world = World::new().await;
    world.model.breaks_when_asked();
    check_fault(world).await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_breaks_down_while_it_speaks_fails_the_turn_and_not_the_thread() {
    let world = World::new().await;
    world.model.then(vec![Piece::Text("I am"), Piece::Break]);
    check_fault(world).await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_breaks_down_fails_the_turn_and_not_the_thread() {
    for way in ["breaks", "breaks early"] {
        let world = World::new().await;
        world
            .model
            .then(wants("call_1", "look", &json!({ "way": way })));
        check_fault(world).await;
    }
}

#[tokio::test(start_paused = true)]
async fn shutting_down_interrupts_what_runs_and_writes_its_end() {
    let home = tempfile::tempdir().unwrap();
    let world = World::at(home.path()).await;
    let (talks, asks) = (world.thread(json!({})).await, world.thread(json!({})).await);
    let wait = Piece::Wait(Duration::from_secs(60));
    world.model.then(vec![Piece::Text("Well,"), wait]);
    world.start(&talks, "talk").await.unwrap();
    world.until(&talks, |detail| detail.items.len() == 2).await;
    world.model.then(wants("call_1", "note", &json!({})));
    world.start(&asks, "write").await.unwrap();
    world.asked(&asks).await;

    world.runtime.shutdown().await.unwrap();
    let error = world.start(&talks, "more").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable);
    drop(world);

    let world = World::at(home.path()).await;
    for thread in [&talks, &asks] {
        let turn = world.detail(thread).await.turns.pop().unwrap();
        assert_eq!(turn.status, TurnStatus::Interrupted);
        assert_eq!(turn.failure_class, Some(FailureClass::Interrupted));
        let ended_by = turn.ended_by.unwrap();
        assert_eq!(ended_by.id, "shutdown");
        let ended = |event: &Event| matches!(event, Event::TurnCompleted(it) if !it.recovered);
        world.moment(thread, ended);
    }
    assert!(world.detail(&asks).await.pending_approvals.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_start_that_comes_with_the_shutdown_is_refused_and_leaves_nothing_running() {
    let home = tempfile::tempdir().unwrap();
    let store = open(Place::Home(home.path().to_owned()), Writing::ByHand);
    let disk = write_at_once(&store);
    let world = World::on(store).await;
    let thread = world.thread(json!({})).await;
    // The thread is busy with a change that is being written; the start waits behind it.
    disk.abort();
    let _ = disk.await;
    let change = world.patch(&thread, json!({ "title": "busy" }));
    let start = world.start(&thread, "go");
    let shutdown = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let disk = write_at_once(&world.store);
        let ended = world.runtime.shutdown().await;
        disk.abort();
        ended
    };
    let (changed, started, ended) = tokio::join!(change, start, shutdown);
    changed.unwrap();
    ended.unwrap();
    assert_eq!(started.unwrap_err().code, ErrorCode::Unavailable);
    drop(world);
    let world = World::at(home.path()).await;
    assert!(world.detail(&thread).await.turns.is_empty());
}

/// Writes whatever is queued as soon as it is.
fn write_at_once(store: &codewhale_store::Store) -> tokio::task::JoinHandle<()> {
    let store = store.clone();
    tokio::runtime::Handle::current().spawn(async move {
        loop {
            store.queued().await;
            store.step();
        }
    })
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_is_answered_before_the_turn_ends_and_the_model_is_let_go() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let gate = Arc::new(Notify::new());
    world.model.then(vec![Piece::Gate(gate)]);
    let turn = world.start(&thread, "wait").await.unwrap();
    world.until(&thread, |detail| detail.items.len() == 1).await;
    let answer = world.interrupt(&thread, &turn).await.unwrap();
    assert_eq!(answer.status, TurnStatus::InProgress);
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Interrupted);
    world.model.then(says("Hello again."));
    assert_eq!(
        world.turn(&thread, "go on").await.status,
        TurnStatus::Completed
    );
}
