//! Fleets: called off, begun again, in several processes and after some died.

use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::operations::{
    FleetCreate, FleetEvidence, FleetGet, FleetInterruptWorker, FleetList, FleetReceipt,
    FleetReceipts, FleetReplay, FleetRestartWorker, FleetStart, FleetStop, FleetWorker,
    FleetWorkers,
};
use codewhale_protocol::runtime::{
    FleetDetail, FleetFailureKind, FleetLifecycle, FleetResult, FleetWorkerStatus, Seq,
};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Caller, ErrorCode, Scope, Scopes, Service, Source};
use codewhale_store::Place;
use serde_json::json;
use tokio::sync::Notify;

use crate::fleet_kit::{Act, Script, body, ended, fitted, scripted, statuses};

#[tokio::test(start_paused = true)]
async fn a_worker_is_interrupted_and_the_others_go_on() {
    let (world, script) = scripted().await;
    let gate = Arc::new(Notify::new());
    script.then("a", vec![Act::Hang]);
    script.then("b", vec![Act::Gate(Arc::clone(&gate)), ended(0)]);
    let run = world.set_off(body(&["a", "b"])).await;
    let both = |detail: &FleetDetail| detail.summary.status.running == 2;
    let detail = world.run_until(&run, both).await;
    let worker = json!({ "worker_id": detail.summary.tasks[0].leased_to });
    let acted = world
        .call::<FleetInterruptWorker>(worker.clone())
        .await
        .unwrap();
    assert_eq!(acted.action, "interrupt");
    let again = world
        .call::<FleetInterruptWorker>(worker)
        .await
        .unwrap_err();
    assert_eq!(again.code, ErrorCode::InvalidParams);
    gate.notify_one();
    let detail = world.run_ended(&run).await;
    assert_eq!(statuses(&detail), ["cancelled", "completed"]);
    assert_eq!(detail.summary.lifecycle_status, FleetLifecycle::Cancelled);
    let receipt = json!({ "run_id": run, "task_id": "a" });
    let receipt = world.call::<FleetReceipt>(receipt).await.unwrap();
    assert_eq!(receipt.result, FleetResult::Skip);
    let told = world.told(&run).await;
    let cancelled = told
        .iter()
        .find(|it| it.event == "fleet.worker.cancelled")
        .unwrap();
    assert_eq!(
        cancelled.payload,
        json!({ "state": "cancelled" }),
        "not by whom"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_is_stopped_whatever_its_tasks_do_and_nothing_of_it_runs_on() {
    let (world, script) = scripted().await;
    script.then("a", vec![Act::Hang]);
    let mut body = body(&["a", "b", "c"]);
    body["max_workers"] = json!(1);
    let run = world.set_off(body).await;
    world
        .run_until(&run, |it| it.summary.status.running == 1)
        .await;
    let stopped = world
        .call::<FleetStop>(json!({ "run_id": run }))
        .await
        .unwrap();
    assert_eq!((stopped.stopped, stopped.status.cancelled), (3, 3));
    assert_eq!(
        world.run(&run).await.summary.lifecycle_status,
        FleetLifecycle::Cancelled
    );
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(script.busy(), 0);
    let again = world
        .call::<FleetStop>(json!({ "run_id": run }))
        .await
        .unwrap();
    assert_eq!(again.stopped, 0);
    let started = world.call::<FleetStart>(json!({ "run_id": run })).await;
    assert_eq!(started.unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(script.orders().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_worker_does_its_latest_task_again_also_when_the_run_is_over_or_it_is_busy() {
    let (world, script) = scripted().await;
    script.then("a", vec![ended(1)]);
    script.then("a", vec![Act::Hang]);
    let run = world.set_off(body(&["a"])).await;
    let detail = world.run_ended(&run).await;
    assert_eq!(statuses(&detail), ["failed"]);
    let worker = json!({ "worker_id": format!("{run}.w1") });
    let restarted = world
        .call::<FleetRestartWorker>(worker.clone())
        .await
        .unwrap();
    assert_eq!(restarted.execution, "scheduled");
    assert_eq!(restarted.worker.status, FleetWorkerStatus::Busy);
    let busy = |detail: &FleetDetail| detail.summary.status.running == 1;
    let detail = world.run_until(&run, busy).await;
    assert_eq!(detail.summary.lifecycle_status, FleetLifecycle::Running);
    assert_eq!(
        (detail.summary.completed_at, detail.summary.status.failed),
        (None, 0)
    );
    // It hangs: once more.
    world.call::<FleetRestartWorker>(worker).await.unwrap();
    let detail = world.run_ended(&run).await;
    assert_eq!(statuses(&detail), ["completed"]);
    assert_eq!(
        (
            detail.summary.tasks[0].attempts,
            detail.summary.status.restarted
        ),
        (3, 1)
    );
    let told = world.told(&run).await;
    let receipts = told
        .iter()
        .filter(|it| it.event == "fleet.task.receipt_recorded");
    assert_eq!(receipts.count(), 2, "the attempt that was cut off has none");
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_process_ends_in_order_is_paused_and_goes_on_when_started_again() {
    let home = tempfile::tempdir().unwrap();
    let place = || Place::Home(home.path().to_owned());
    let script = Arc::new(Script::default());
    let world = fitted(&script, place()).await;
    script.then("a", vec![Act::Hang]);
    let run = world.set_off(body(&["a", "b"])).await;
    let half = |detail: &FleetDetail| {
        detail.summary.status.running == 1 && detail.summary.status.completed == 1
    };
    world.run_until(&run, half).await;
    world.runtime.shutdown().await.unwrap();
    assert_eq!(script.busy(), 0);

    let world = fitted(&script, place()).await;
    let detail = world.run(&run).await;
    assert_eq!(detail.summary.lifecycle_status, FleetLifecycle::Paused);
    assert_eq!(statuses(&detail), ["enqueued", "completed"]);
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(script.orders().len(), 2, "nothing begins by itself");
    world
        .call::<FleetStart>(json!({ "run_id": run }))
        .await
        .unwrap();
    let detail = world.run_ended(&run).await;
    assert_eq!(statuses(&detail), ["completed", "completed"]);
    assert_eq!(
        detail.summary.tasks[1].attempts, 1,
        "what is done is not done again"
    );
}

#[test]
fn what_a_dead_process_drove_is_paused_and_attempts_that_are_used_up_end() {
    let home = tempfile::tempdir().unwrap();
    let script = Arc::new(Script::default());
    let mut body = body(&["a", "b", "c"]);
    body["workflow"]["tasks"][1]["retry_policy"] = json!({ "max_attempts": 1 });
    for task in ["a", "b"] {
        script.then(task, vec![Act::Hang]);
    }
    let place = || Place::Home(home.path().to_owned());
    let process = tokio();
    let (run, owner) = process.block_on(async {
        let world = fitted(&script, place()).await;
        let run = world.set_off(body).await;
        let late =
            |it: &FleetDetail| it.summary.status.running == 2 && it.summary.status.completed == 1;
        world.run_until(&run, late).await;
        (run, world.store.owner().clone())
    });
    // Everything of it ends at once, and its lock stays behind.
    drop(process);
    let lock = home.path().join("run").join(format!("{owner}.lock"));
    std::fs::write(lock, []).unwrap();
    tokio().block_on(async {
        let world = fitted(&script, place()).await;
        let detail = world.run(&run).await;
        assert_eq!(detail.summary.lifecycle_status, FleetLifecycle::Paused);
        assert_eq!(statuses(&detail), ["enqueued", "failed", "completed"]);
        let receipt = json!({ "run_id": run, "task_id": "b" });
        let receipt = world.call::<FleetReceipt>(receipt).await.unwrap();
        assert_eq!(receipt.failure_kind, Some(FleetFailureKind::Transport));
        let tale = world.tale(&run, "a").await;
        let end = [
            "fleet.worker.stale",
            "fleet.worker.failed",
            "fleet.task.enqueued",
        ];
        assert_eq!(tale[tale.len() - 3..], end);
        world
            .call::<FleetStart>(json!({ "run_id": run }))
            .await
            .unwrap();
        let detail = world.run_ended(&run).await;
        assert_eq!(statuses(&detail), ["completed", "failed", "completed"]);
        let attempts: Vec<u64> = detail.summary.tasks.iter().map(|it| it.attempts).collect();
        assert_eq!(attempts, [2, 1, 1]);
    });
}

fn tokio() -> tokio::runtime::Runtime {
    let builder = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    builder.unwrap()
}

#[tokio::test(start_paused = true)]
async fn one_process_drives_a_run_and_another_can_stop_it() {
    let home = tempfile::tempdir().unwrap();
    let place = || Place::Home(home.path().to_owned());
    let script = Arc::new(Script::default());
    let (one, other) = (
        fitted(&script, place()).await,
        fitted(&script, place()).await,
    );
    script.then("a", vec![Act::Hang]);
    let run = one.set_off(body(&["a"])).await;
    one.run_until(&run, |it| it.summary.status.running == 1)
        .await;
    // Starting it once more, here or there, begins nothing twice.
    other
        .call::<FleetStart>(json!({ "run_id": run }))
        .await
        .unwrap();
    one.call::<FleetStart>(json!({ "run_id": run }))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(script.orders().len(), 1);
    other
        .call::<FleetStop>(json!({ "run_id": run }))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(script.busy(), 0, "its driver has noticed");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_or_not_ones_own_is_unknown() {
    let (world, _) = scripted().await;
    let run = world.fleet(body(&["a"])).await;
    let stranger = Caller {
        principal: "prn_stranger".into(),
        ..world.operator.clone()
    };
    let known = json!({ "run_id": run, "task_id": "a", "worker_id": format!("{run}.w1") });
    let unknown = json!({ "run_id": "run_none", "task_id": "a", "worker_id": "run_none.w1" });
    macro_rules! same {
        ($($op:ident),*) => {$(
            let theirs = world.call_as::<$op>(&stranger, known.clone()).await.unwrap_err();
            let none = world.call::<$op>(unknown.clone()).await.unwrap_err();
            assert_eq!(theirs, none, stringify!($op));
            assert_eq!(none.code, ErrorCode::NotFound, stringify!($op));
        )*};
    }
    same!(
        FleetGet,
        FleetStart,
        FleetStop,
        FleetWorkers,
        FleetReplay,
        FleetReceipts,
        FleetReceipt,
        FleetEvidence,
        FleetWorker,
        FleetInterruptWorker,
        FleetRestartWorker
    );
    let listed = world
        .call_as::<FleetList>(&stranger, json!({}))
        .await
        .unwrap();
    assert_eq!((listed.runs.len(), listed.status.runs), (0, 0));
    let source = Source::FleetRun(run.clone());
    let stream = world
        .runtime
        .events(&stranger, source, Cursor::after(Seq::ZERO));
    assert_eq!(stream.await.err().unwrap().code, ErrorCode::NotFound);

    let runs = Caller {
        scopes: Scopes::of(&[Scope::Read, Scope::Run]),
        ..world.operator.clone()
    };
    let error = world
        .call_as::<FleetCreate>(&runs, body(&["a"]))
        .await
        .unwrap_err();
    assert_eq!(
        error.code,
        ErrorCode::Forbidden,
        "workers that write say yes to themselves"
    );
    let mut looks = body(&["a"]);
    looks["roles"] = json!([{ "name": "scout" }]);
    looks["workflow"]["tasks"][0]["worker"]["role"] = json!("scout");
    world.call_as::<FleetCreate>(&runs, looks).await.unwrap();
}
