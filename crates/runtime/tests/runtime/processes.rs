//! Several processes on one home, one behind the other or side by side.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::GoalsSet;
use codewhale_protocol::runtime::{
    ApprovalDecision, ApprovalStatus, Event, FailureClass, ItemStatus, ThreadDetail, ThreadId,
    TurnStatus,
};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

use crate::model::{Piece, call, says, wants};
use crate::world::World;

/// A process that can be killed: its tasks end with it, and its lock file stays behind.
pub(crate) struct Process {
    pub(crate) tokio: Runtime,
    pub(crate) world: World,
}

impl Process {
    pub(crate) fn start(home: &Path) -> Self {
        let tokio = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let world = tokio.block_on(World::at(home));
        Self { tokio, world }
    }

    pub(crate) fn kill(self, home: &Path) {
        let owner = self.world.store.owner().clone();
        drop(self.tokio);
        drop(self.world);
        std::fs::write(home.join("run").join(format!("{owner}.lock")), []).unwrap();
    }
}

/// A process that dies while one thread speaks and another asks.
fn leave_unfinished(home: &Path) -> (ThreadId, ThreadId) {
    let process = Process::start(home);
    let world = &process.world;
    let threads = process.tokio.block_on(async {
        let (talks, asks) = (world.thread(json!({})).await, world.thread(json!({})).await);
        let wait = Piece::Wait(Duration::from_secs(60));
        world.model.then(vec![Piece::Text("I was about"), wait]);
        world.start(&talks, "talk").await.unwrap();
        let speaks = |detail: &ThreadDetail| detail.items.len() == 2;
        world.until(&talks, speaks).await;
        world.model.then(wants("call_1", "note", &json!({})));
        world.start(&asks, "write").await.unwrap();
        world.asked(&asks).await;
        (talks, asks)
    });
    process.kill(home);
    threads
}

#[test]
fn what_a_turn_had_cost_when_its_process_died_is_counted_once() {
    let home = tempfile::tempdir().unwrap();
    let process = Process::start(home.path());
    let world = &process.world;
    let thread = process.tokio.block_on(async {
        let thread = world.thread(json!({})).await;
        let goal = json!({ "thread_id": thread, "objective": "get there" });
        world.call::<GoalsSet>(goal).await.unwrap();
        for tokens in [30, 40] {
            let look = call("call_1", "look", &json!({}));
            world.model.then(vec![look, Piece::Usage(tokens)]);
        }
        world.model.then(wants("call_2", "note", &json!({})));
        world.start(&thread, "write").await.unwrap();
        world.asked(&thread).await;
        thread
    });
    process.kill(home.path());
    // The second process finds nothing more to end.
    for _ in 0..2 {
        let process = Process::start(home.path());
        let world = &process.world;
        process.tokio.block_on(async {
            let turn = world.detail(&thread).await.turns.pop().unwrap();
            assert_eq!(turn.status, TurnStatus::Interrupted);
            let used = turn.usage.unwrap();
            assert_eq!((used.input_tokens, used.output_tokens), (70, 2));
            assert_eq!(turn.cost_usd, Some(0.0));
            let rows = world.store.read(|reader| reader.usage(&turn.id)).unwrap();
            let rows: Vec<u64> = rows.iter().map(|row| row.usage.input_tokens).collect();
            assert_eq!(rows, [70]);
            let goal = world.store.read(|reader| reader.goal(&thread)).unwrap();
            assert_eq!(goal.unwrap().tokens_used, 72);
        });
        process.kill(home.path());
    }
}

#[test]
fn the_next_process_ends_what_a_dead_one_left() {
    let home = tempfile::tempdir().unwrap();
    let (talks, asks) = leave_unfinished(home.path());
    let process = Process::start(home.path());
    let world = &process.world;
    process.tokio.block_on(async {
        for thread in [&talks, &asks] {
            let detail = world.detail(thread).await;
            let turn = detail.turns.last().unwrap();
            assert_eq!(turn.status, TurnStatus::Interrupted);
            assert_eq!(
                turn.error.as_deref(),
                Some("Interrupted by process restart")
            );
            assert_eq!(turn.failure_class, Some(FailureClass::Restart));
            let item = detail.items.last().unwrap();
            assert_eq!(item.status, ItemStatus::Interrupted);
            let metadata = item.metadata.as_ref().unwrap();
            assert_eq!(metadata["error"], "Interrupted by process restart");
            assert!(detail.pending_approvals.is_empty());
            let ended = |event: &Event| matches!(event, Event::TurnCompleted(it) if it.recovered);
            world.moment(thread, ended);
            assert_eq!(
                world.turn(thread, "go on").await.status,
                TurnStatus::Completed
            );
        }
        let item = &world.detail(&talks).await.items[1];
        assert_eq!(item.detail.as_deref(), Some("I was about"));
        let decided =
            world
                .envelopes(&asks)
                .into_iter()
                .find_map(|it| match it.decode().unwrap().unwrap() {
                    Event::ApprovalDecided(decided) => Some(decided),
                    _ => None,
                });
        let decided = decided.unwrap();
        assert_eq!(decided.decision, ApprovalDecision::Deny);
        assert!(decided.expired && decided.auto && !decided.timeout);
        let record = world
            .store
            .read(|reader| reader.approval(&decided.approval_id));
        assert_eq!(record.unwrap().unwrap().status, ApprovalStatus::Expired);
        let error = world
            .decide(&decided.approval_id, "allow")
            .await
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::Conflict);
    });
}

#[test]
fn a_living_process_ends_what_a_dead_one_left_within_moments() {
    let home = tempfile::tempdir().unwrap();
    let process = Process::start(home.path());
    let (talks, asks) = leave_unfinished(home.path());
    process.tokio.block_on(async {
        for thread in [&talks, &asks] {
            assert!(process.world.detail(thread).await.turns[0].status == TurnStatus::InProgress);
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        for thread in [&talks, &asks] {
            let turn = process.world.detail(thread).await.turns.pop().unwrap();
            assert_eq!(turn.status, TurnStatus::Interrupted);
        }
    });
}

#[test]
fn a_thread_that_is_asked_first_is_freed_from_its_dead_owner_at_once() {
    let home = tempfile::tempdir().unwrap();
    let process = Process::start(home.path());
    let (talks, _) = leave_unfinished(home.path());
    process.tokio.block_on(async {
        let world = &process.world;
        world.start(&talks, "go on").await.unwrap();
        let turns = world.detail(&talks).await.turns;
        assert_eq!(turns[0].status, TurnStatus::Interrupted);
        assert_eq!(world.ended(&talks).await.status, TurnStatus::Completed);
    });
}

#[tokio::test(start_paused = true)]
async fn whichever_process_is_asked_the_one_that_runs_the_turn_does_it() {
    let home = tempfile::tempdir().unwrap();
    let (a, b) = (World::at(home.path()).await, World::at(home.path()).await);
    let thread = a.thread(json!({})).await;
    a.model.then(wants("call_1", "note", &json!({})));
    let turn = a.start(&thread, "write").await.unwrap();
    let asked = a.asked(&thread).await;
    // A second process that lives changes nothing of the first, however long it takes.
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(b.detail(&thread).await, a.detail(&thread).await);
    assert_eq!(b.detail(&thread).await.pending_approvals.len(), 1);

    let busy = b.start(&thread, "mine").await.unwrap_err();
    assert_eq!(busy, a.start(&thread, "mine").await.unwrap_err());
    b.patch(&thread, json!({ "title": "mine" })).await.unwrap();
    let title = a.detail(&thread).await.thread.title;
    assert_eq!(title.as_deref(), Some("mine"));
    b.steer(&thread, &turn, "be quick").await.unwrap();
    b.decide(&asked.id, "allow").await.unwrap();
    let settled = b.decide(&asked.id, "allow").await.unwrap_err();
    assert_eq!(settled, a.decide(&asked.id, "allow").await.unwrap_err());
    assert_eq!(a.ended(&thread).await.status, TurnStatus::Completed);
    b.model.then(says("My turn."));
    assert_eq!(b.turn(&thread, "mine").await.status, TurnStatus::Completed);
    assert_eq!(
        b.model.last_request().len(),
        6,
        "it knows what the other one did"
    );
    assert_eq!(a.turn(&thread, "yours").await.status, TurnStatus::Completed);
    assert_eq!(a.model.last_request().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_stopped_from_another_process() {
    let home = tempfile::tempdir().unwrap();
    let (a, b) = (World::at(home.path()).await, World::at(home.path()).await);
    let thread = a.thread(json!({})).await;
    a.model.then(wants("call_1", "note", &json!({})));
    let turn = a.start(&thread, "write").await.unwrap();
    a.asked(&thread).await;
    b.interrupt(&thread, &turn).await.unwrap();
    assert_eq!(a.ended(&thread).await.status, TurnStatus::Interrupted);
    assert!(b.detail(&thread).await.pending_approvals.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_change_that_another_process_has_undone_is_made_again() {
    let home = tempfile::tempdir().unwrap();
    let (a, b) = (World::at(home.path()).await, World::at(home.path()).await);
    let thread = a.thread(json!({})).await;
    a.patch(&thread, json!({ "title": "a" })).await.unwrap();
    b.patch(&thread, json!({ "title": "b" })).await.unwrap();
    let patched = a.patch(&thread, json!({ "title": "a" })).await.unwrap();
    assert_eq!(patched.title.as_deref(), Some("a"));
    assert_eq!(b.detail(&thread).await.thread, patched);
}

#[tokio::test(start_paused = true)]
async fn two_processes_that_start_a_turn_at_once_get_one() {
    let home = tempfile::tempdir().unwrap();
    let (a, b) = (World::at(home.path()).await, World::at(home.path()).await);
    let thread = a.thread(json!({})).await;
    let gate = Arc::new(Notify::new());
    for world in [&a, &b] {
        // Both know the thread as one that nobody works on.
        world
            .patch(&thread, json!({ "archived": true }))
            .await
            .unwrap();
        world
            .patch(&thread, json!({ "archived": false }))
            .await
            .unwrap();
        world
            .model
            .then(vec![Piece::Gate(Arc::clone(&gate)), Piece::Text("Ready.")]);
    }
    let (one, other) = tokio::join!(a.start(&thread, "a"), b.start(&thread, "b"));
    assert!(one.is_ok(), "{one:?}");
    assert_eq!(other.unwrap_err().code, ErrorCode::Conflict);
    gate.notify_one();
    a.ended(&thread).await;
    assert_eq!(a.detail(&thread).await.turns.len(), 1);
}
