//! Fleets: made, started, done by scripted workers, judged, and told of.

use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::operations::{FleetReceipts, FleetReplay, FleetStart, FleetWorker};
use codewhale_protocol::runtime::{
    FleetDetail, FleetFailureKind, FleetLifecycle, FleetResult, FleetTaskStatus, FleetWorkerStatus,
    Seq,
};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{ErrorCode, Service, Source};
use codewhale_runtime::WorkEnd;
use futures_util::StreamExt;
use serde_json::json;
use tokio::sync::Notify;

use crate::fleet_kit::{Act, authority, body, calls, ended, scripted, statuses};

#[tokio::test(start_paused = true)]
async fn a_run_is_made_started_and_done_and_every_step_is_told() {
    let (world, script) = scripted().await;
    let thread = json!({ "type": "thread", "thread_id": "thr_1", "turn_id": "turn_1" });
    let called = json!({ "type": "tool_result", "id": "c", "name": "look" });
    let said = json!({ "type": "content", "content": "all done" });
    let acts = vec![
        Act::Say(thread),
        calls("look"),
        Act::Say(called),
        Act::Say(said),
        ended(0),
    ];
    script.then("a", acts);
    let run = world.fleet(body(&["a"])).await;
    let pending = world.run(&run).await;
    assert_eq!(pending.summary.lifecycle_status, FleetLifecycle::Pending);
    assert_eq!(
        (pending.summary.status.queued, pending.summary.worker_count),
        (1, 1)
    );
    assert!(script.orders().is_empty(), "nothing runs before the start");

    let started = world
        .call::<FleetStart>(json!({ "run_id": run }))
        .await
        .unwrap();
    assert_eq!((started.leased, started.queued), (0, 1));
    assert_eq!(started.worker_ids, [format!("{run}.w1")]);
    let detail = world.run_ended(&run).await;
    assert_eq!(detail.summary.lifecycle_status, FleetLifecycle::Completed);
    assert_eq!(detail.summary.tasks[0].thread_id, Some("thr_1".into()));
    assert!(detail.summary.completed_at.is_some());
    assert_eq!(detail.summary.updated_at, detail.summary.completed_at);
    let wanted = [
        "fleet.task.enqueued",
        "fleet.task.leased",
        "fleet.worker.leased",
        "fleet.worker.starting",
        "fleet.worker.running",
        "fleet.worker.model_wait",
        "fleet.worker.running_tool",
        "fleet.worker.model_wait",
        "fleet.worker.completed",
        "fleet.task.terminal",
        "fleet.task.receipt_recorded",
    ];
    assert_eq!(world.tale(&run, "a").await, wanted);
    let receipts = world
        .call::<FleetReceipts>(json!({ "run_id": run }))
        .await
        .unwrap();
    let receipt = &receipts.receipts[0];
    assert_eq!(
        (receipt.result, receipt.attempt),
        (FleetResult::Pass, Some(1))
    );
    assert_eq!(receipt.worker_id, format!("{run}.w1"));
    let order = &script.orders()[0];
    let authority = authority(order);
    assert_eq!(
        (&authority["run_id"], &authority["attempt"]),
        (&json!(run), &json!(1))
    );
    assert!(order.prompt.contains("do it"), "{}", order.prompt);
    assert!(order.arguments.iter().all(|word| !word.contains("do it")));
    let worker = json!({ "worker_id": format!("{run}.w1") });
    let worker = world.call::<FleetWorker>(worker).await.unwrap();
    assert_eq!(worker.status, FleetWorkerStatus::Online);
    assert_eq!(worker.objective.as_deref(), Some("task a"));
    assert_eq!(worker.runtime_state, None);
}

#[tokio::test(start_paused = true)]
async fn no_more_workers_are_busy_than_there_are_and_urgent_tasks_come_first() {
    let (world, script) = scripted().await;
    let mut body = body(&["a", "b", "c", "d", "e"]);
    body["max_workers"] = json!(2);
    body["workflow"]["tasks"][4]["metadata"] = json!({ "priority": -1 });
    let gate = Arc::new(Notify::new());
    for task in ["a", "b", "c", "d", "e"] {
        script.then(task, vec![Act::Gate(Arc::clone(&gate)), ended(0)]);
    }
    let run = world.set_off(body).await;
    for _ in 0..5 {
        let busy = |detail: &FleetDetail| detail.summary.status.running > 0;
        world.run_until(&run, busy).await;
        gate.notify_one();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let detail = world.run_ended(&run).await;
    assert_eq!(detail.summary.status.completed, 5);
    assert_eq!(script.most(), 2);
    let first = authority(&script.orders()[0]);
    assert_eq!(first["task_id"], "e");
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_fails_is_tried_again_and_work_that_fails_is_not() {
    let (world, script) = scripted().await;
    let errors = || "gone\n".to_owned();
    let killed = Act::End(WorkEnd::Signaled {
        signal: 9,
        errors: errors(),
    });
    script.then("a", vec![killed]);
    script.then("a", vec![ended(75)]);
    script.then("a", vec![ended(0)]);
    script.then(
        "b",
        vec![Act::End(WorkEnd::Exited {
            code: 1,
            errors: errors(),
        })],
    );
    for _ in 0..3 {
        script.then("c", vec![ended(75)]);
    }
    let began = tokio::time::Instant::now();
    let run = world.set_off(body(&["a", "b", "c"])).await;
    let detail = world.run_ended(&run).await;
    // Five seconds before the second attempt, ten before the third.
    assert!(
        began.elapsed() >= Duration::from_secs(15),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(statuses(&detail), ["completed", "failed", "failed"]);
    let attempts: Vec<u64> = detail.summary.tasks.iter().map(|it| it.attempts).collect();
    assert_eq!(attempts, [3, 1, 3]);
    assert_eq!(detail.summary.lifecycle_status, FleetLifecycle::Failed);
    let status = &detail.summary.status;
    assert_eq!((status.task_failed, status.transport_failed), (1, 1));
    let receipts = world
        .call::<FleetReceipts>(json!({ "run_id": run }))
        .await
        .unwrap()
        .receipts;
    assert_eq!(receipts.len(), 3, "one for each task");
    assert_eq!(receipts[1].failure_kind, Some(FleetFailureKind::Task));
    assert!(!receipts[1].retry_eligible && receipts[2].retry_eligible);
    let told = world.told(&run).await;
    let mut failed = told.iter().filter(|it| it.event == "fleet.worker.failed");
    let work = failed
        .find(|it| it.task_id.as_deref() == Some("b"))
        .unwrap();
    assert_eq!(work.payload["reason"], "it ended with 1: gone");
    assert_eq!(work.payload["recoverable"], false);
}

#[tokio::test(start_paused = true)]
async fn a_silent_worker_is_given_up_and_a_long_call_is_no_silence() {
    let (world, script) = scripted().await;
    let gate = Arc::new(Notify::new());
    script.then("a", vec![Act::Hang]);
    script.then(
        "b",
        vec![calls("build"), Act::Gate(Arc::clone(&gate)), ended(0)],
    );
    let mut body = body(&["a", "b"]);
    body["stale_after_seconds"] = json!(40);
    let run = world.set_off(body).await;
    let again = |detail: &FleetDetail| detail.summary.tasks[0].attempts == 2;
    let detail = world.run_until(&run, again).await;
    assert_eq!(detail.summary.tasks[1].status, FleetTaskStatus::Leased);
    tokio::time::sleep(Duration::from_secs(120)).await;
    gate.notify_one();
    let detail = world.run_ended(&run).await;
    assert_eq!(statuses(&detail), ["completed", "completed"]);
    assert_eq!(detail.summary.tasks[1].attempts, 1);
    let tale = world.tale(&run, "a").await;
    let silent = "fleet.worker.stale".to_owned();
    assert!(tale.contains(&silent), "{tale:?}");
    let tale = world.tale(&run, "b").await;
    assert!(
        tale.contains(&"fleet.worker.heartbeat".to_owned()),
        "{tale:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_the_attempt_and_nothing_else() {
    let (world, script) = scripted().await;
    script.then("a", vec![Act::Panic]);
    let run = world.set_off(body(&["a", "b"])).await;
    let detail = world.run_ended(&run).await;
    assert_eq!(statuses(&detail), ["completed", "completed"]);
    let attempts: Vec<u64> = detail.summary.tasks.iter().map(|it| it.attempts).collect();
    assert_eq!(attempts, [2, 1]);
}

#[tokio::test(start_paused = true)]
async fn budgets_and_time_end_an_attempt() {
    let (world, script) = scripted().await;
    let used = json!({ "type": "turn_usage", "turn": 1, "input_tokens": 90, "output_tokens": 20 });
    script.then("a", vec![Act::Say(used), Act::Hang]);
    script.then("b", vec![calls("x"), calls("y"), Act::Hang]);
    script.then("c", vec![Act::End(WorkEnd::TimedOut)]);
    let mut body = body(&["a", "b", "c"]);
    body["workflow"]["tasks"][0]["budget"] = json!({ "max_tokens": 100 });
    body["workflow"]["tasks"][1]["budget"] = json!({ "max_tool_calls": 1 });
    body["workflow"]["tasks"][2]["timeout_seconds"] = json!(7);
    let run = world.set_off(body).await;
    world.run_ended(&run).await;
    let receipts = world
        .call::<FleetReceipts>(json!({ "run_id": run }))
        .await
        .unwrap()
        .receipts;
    let classes: Vec<_> = receipts
        .iter()
        .map(|it| it.failure_class.as_deref().unwrap())
        .collect();
    assert_eq!(classes, ["budget_exhausted", "budget_exhausted", "timeout"]);
    assert_eq!(receipts[2].result, FleetResult::Timeout);
    let walls: Vec<u64> = script
        .orders()
        .iter()
        .map(|it| it.wall_time.as_secs())
        .collect();
    assert!(walls.contains(&7), "{walls:?}");
}

#[tokio::test(start_paused = true)]
async fn events_are_replayed_in_pages_and_followed_without_a_gap() {
    let (world, script) = scripted().await;
    let gate = Arc::new(Notify::new());
    script.then("a", vec![Act::Gate(Arc::clone(&gate)), ended(0)]);
    let run = world.set_off(body(&["a", "b"])).await;
    world
        .run_until(&run, |it| it.summary.status.completed == 1)
        .await;
    let source = Source::FleetRun(run.clone());
    let cursor = Cursor::after(Seq::ZERO);
    let mut stream = world
        .runtime
        .events(&world.operator, source, cursor)
        .await
        .unwrap();
    gate.notify_one();
    world.run_ended(&run).await;
    let all = world.told(&run).await;
    let (mut followed, last) = (String::new(), all.last().unwrap().cursor.clone());
    while !followed.contains(&format!("id: {last}\n")) {
        let frames = stream.next().await.unwrap().unwrap();
        followed.push_str(std::str::from_utf8(&frames.bytes).unwrap());
    }
    let ids: Vec<&str> = followed
        .lines()
        .filter_map(|it| it.strip_prefix("id: "))
        .collect();
    let told: Vec<&str> = all.iter().map(|it| it.cursor.as_str()).collect();
    assert_eq!(ids, told);

    let (mut paged, mut after) = (Vec::new(), "0".to_owned());
    loop {
        let params = json!({ "run_id": run, "after": after, "limit": 3 });
        let page = world.call::<FleetReplay>(params).await.unwrap();
        paged.extend(page.events);
        after = page.next_cursor.unwrap();
        if !page.has_more {
            break;
        }
    }
    assert_eq!(paged, all);
    let newest = json!({ "run_id": run, "limit": 2 });
    let newest = world.call::<FleetReplay>(newest).await.unwrap();
    assert!(newest.history_truncated && !newest.has_more);
    assert_eq!(newest.events, all[all.len() - 2..]);
    for bad in [
        json!({ "run_id": run, "limit": 0 }),
        json!({ "run_id": run, "after": "x" }),
    ] {
        let error = world.call::<FleetReplay>(bad).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidParams);
    }
}
