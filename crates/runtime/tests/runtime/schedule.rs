//! Automations: each slot has one run, whatever clocks and processes do.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use codewhale_protocol::operations::{
    AutomationsCreate, AutomationsDelete, AutomationsGet, AutomationsList, AutomationsPatch,
    AutomationsPause, AutomationsResume, AutomationsRun, AutomationsRuns, TasksGet,
};
use codewhale_protocol::runtime::{
    AutomationId, AutomationRecord, AutomationRunRecord, AutomationStatus, StreamId, TaskStatus,
    Timestamp,
};
use codewhale_protocol::{ActorKind, Caller, ErrorCode, Scope, Scopes};
use codewhale_runtime::{Env, TimeZone};
use codewhale_store::{Place, Verified, Writing};
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::sync::Notify;

use crate::model::{Piece, says};
use crate::processes::Process;
use crate::world::{World, open};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// Every quarter of an hour.
const QUARTERS: &str = "FREQ=CRON;EXPR=*/15 * * * *";

fn moment(text: &str) -> Timestamp {
    serde_json::from_value(json!(text)).unwrap()
}

/// A process whose clock shows this when it starts, somewhere in Central Europe.
fn start(home: &Path, now: Timestamp) -> Process {
    let tokio = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let store = open(Place::Home(home.to_owned()), Writing::Inline);
    let seed = u64::try_from(now.as_ms()).unwrap() + u64::from(std::process::id());
    let world = tokio.block_on(async {
        World::fitted(store, |options| {
            options.env = Env::simulated(seed, now);
            options.time_zone =
                LazyLock::new(|| TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap());
        })
        .await
    });
    Process { tokio, world }
}

impl Process {
    fn pass(&self, secs: u64) {
        let time = Duration::from_secs(secs);
        self.tokio
            .block_on(async { tokio::time::sleep(time).await });
    }

    fn runs(&self, id: &AutomationId) -> Vec<String> {
        let runs = self.tokio.block_on(self.world.runs(id));
        let mut slots: Vec<_> = runs.iter().map(|it| it.scheduled_for.to_string()).collect();
        let count = slots.len();
        slots.sort();
        slots.dedup();
        assert_eq!(slots.len(), count, "a slot has two runs: {slots:?}");
        slots
            .into_iter()
            .map(|slot| slot.replace(":00.000Z", "Z"))
            .collect()
    }

    fn automate(&self, rrule: &str, more: Value) -> AutomationId {
        self.tokio.block_on(self.world.automate(rrule, more)).id
    }
}

impl World {
    async fn automate(&self, rrule: &str, mut more: Value) -> AutomationRecord {
        more["name"] = json!("mine");
        more["prompt"] = json!("go");
        more["rrule"] = json!(rrule);
        self.call::<AutomationsCreate>(more).await.unwrap()
    }

    async fn automation(&self, id: &AutomationId) -> AutomationRecord {
        let params = json!({ "automation_id": id });
        self.call::<AutomationsGet>(params).await.unwrap()
    }

    /// What the log tells of an automation.
    async fn changes(&self, id: &AutomationId) -> Vec<Value> {
        let stream = StreamId::Automation(id.clone());
        let texts = self.store.read(|reader| reader.log_text(&stream)).unwrap();
        let events = texts.iter().map(|text| serde_json::from_str(text).unwrap());
        events
            .map(|event: Value| event["payload"].clone())
            .collect()
    }

    async fn runs(&self, id: &AutomationId) -> Vec<AutomationRunRecord> {
        let params = json!({ "automation_id": id, "limit": 500 });
        self.call::<AutomationsRuns>(params).await.unwrap()
    }
}

#[test]
fn two_schedulers_on_one_store_begin_each_slot_once_and_so_do_those_that_come_after_them() {
    let home = tempfile::tempdir().unwrap();
    let begin = moment("2026-06-01T08:00:30Z");
    let (one, other) = (start(home.path(), begin), start(home.path(), begin));
    let id = one.automate(QUARTERS, json!({}));
    for _ in 0..6 {
        other.pass(10 * MINUTE);
        one.pass(10 * MINUTE);
    }
    let first = ["08:15", "08:30", "08:45", "09:00"];
    let slots = |times: &[&str]| -> Vec<String> {
        times.iter().map(|it| format!("2026-06-01T{it}Z")).collect()
    };
    assert_eq!(one.runs(&id), slots(&first));
    one.kill(home.path());
    // The clock of the next one is behind: it begins nothing again.
    let late = start(home.path(), moment("2026-06-01T08:20:00Z"));
    late.pass(30 * MINUTE);
    assert_eq!(late.runs(&id), slots(&first));
    late.pass(30 * MINUTE);
    other.pass(20 * MINUTE);
    assert_eq!(
        other.runs(&id),
        slots(&["08:15", "08:30", "08:45", "09:00", "09:15"])
    );
}

#[test]
fn schedulers_that_race_for_the_same_slots_begin_each_once() {
    let home = tempfile::tempdir().unwrap();
    let begin = moment("2026-06-01T08:00:30Z");
    let first = start(home.path(), begin);
    let id = first.automate(QUARTERS, json!({}));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| start(home.path(), begin).pass(2 * HOUR));
        }
    });
    first.pass(2 * HOUR);
    assert_eq!(first.runs(&id).len(), 8);
    let events = first.tokio.block_on(first.world.changes(&id));
    let due = events.iter().filter(|event| event["change"] == "due");
    assert_eq!(due.count(), 8, "{events:#?}");
}

#[test]
fn a_moment_that_had_its_run_is_passed_by_when_a_clock_that_is_behind_names_it_again() {
    let home = tempfile::tempdir().unwrap();
    let ahead = start(home.path(), moment("2026-06-01T08:10:00Z"));
    let id = ahead.automate(QUARTERS, json!({}));
    ahead.pass(10 * MINUTE);
    assert_eq!(ahead.runs(&id), ["2026-06-01T08:15Z"]);
    ahead.kill(home.path());
    let behind = start(home.path(), moment("2026-06-01T08:05:00Z"));
    let resumed = behind.tokio.block_on(async {
        let named = json!({ "automation_id": id });
        behind
            .world
            .call::<AutomationsPause>(named.clone())
            .await
            .unwrap();
        behind.world.call::<AutomationsResume>(named).await.unwrap()
    });
    assert_eq!(resumed.next_run_at, Some(moment("2026-06-01T08:15:00Z")));
    behind.pass(30 * MINUTE);
    assert_eq!(behind.runs(&id), ["2026-06-01T08:15Z", "2026-06-01T08:30Z"]);
}

#[test]
fn a_rule_that_is_used_up_pauses_its_automation_and_another_one_starts_counting_anew() {
    let home = tempfile::tempdir().unwrap();
    let process = start(home.path(), moment("2026-06-01T08:00:30Z"));
    let id = process.automate("RRULE:FREQ=HOURLY;COUNT=2;BYMINUTE=0", json!({}));
    process.pass(5 * HOUR);
    assert_eq!(
        process.runs(&id),
        ["2026-06-01T09:00Z", "2026-06-01T10:00Z"]
    );
    let record = process.tokio.block_on(process.world.automation(&id));
    assert_eq!(
        (record.status, record.next_run_at),
        (AutomationStatus::Paused, None)
    );
    let change = |patch: Value| {
        let mut patch = patch;
        patch["automation_id"] = json!(id);
        process
            .tokio
            .block_on(process.world.call::<AutomationsPatch>(patch))
    };
    let error = change(json!({ "status": "active" })).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
    let patch =
        json!({ "status": "active", "rrule": "rrule:freq=daily;count=1;byhour=23;byminute=15" });
    let again = change(patch).unwrap();
    assert_eq!(
        again.rrule,
        "RRULE:FREQ=DAILY;COUNT=1;BYHOUR=23;BYMINUTE=15"
    );
    assert_eq!(again.next_run_at, Some(moment("2026-06-01T21:15:00Z")));
    process.pass(12 * HOUR);
    assert_eq!(process.runs(&id).len(), 3);
    let never = json!({ "rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "status": "active" });
    let error = change(never).unwrap_err();
    assert!(error.message.contains("no moment"), "{error}");
}

#[test]
fn what_was_missed_is_made_up_for_once_or_not_at_all() {
    let home = tempfile::tempdir().unwrap();
    let process = start(home.path(), moment("2026-06-01T08:00:00Z"));
    let made_up = process.automate(QUARTERS, json!({}));
    let let_go = process.automate(QUARTERS, json!({ "missed_runs": "skip" }));
    process.kill(home.path());
    let process = start(home.path(), moment("2026-06-01T13:07:00Z"));
    process.pass(MINUTE);
    assert_eq!(process.runs(&made_up), ["2026-06-01T08:15Z"]);
    assert!(process.runs(&let_go).is_empty());
    process.pass(10 * MINUTE);
    assert_eq!(
        process.runs(&made_up),
        ["2026-06-01T08:15Z", "2026-06-01T13:15Z"]
    );
    assert_eq!(process.runs(&let_go), ["2026-06-01T13:15Z"]);
}

#[test]
fn on_days_on_which_the_clocks_change_each_slot_has_one_run() {
    let hourly = "FREQ=CRON;EXPR=30 * * * *";
    let cases = [
        // At two the clocks show three.
        (
            "2026-03-29",
            "2026-03-28T23:45:00Z",
            ["00:30", "01:30", "02:30", "03:30"].as_slice(),
        ),
        // At three they show two again; the second time does not count.
        (
            "2026-10-25",
            "2026-10-24T23:45:00Z",
            ["00:30", "02:30", "03:30"].as_slice(),
        ),
    ];
    for (day, begin, times) in cases {
        let home = tempfile::tempdir().unwrap();
        let process = start(home.path(), moment(begin));
        let id = process.automate(hourly, json!({}));
        let nightly = process.automate("FREQ=CRON;EXPR=30 2 * * *", json!({}));
        process.pass(4 * HOUR);
        let wanted: Vec<_> = times.iter().map(|it| format!("{day}T{it}Z")).collect();
        assert_eq!(process.runs(&id), wanted, "{day}");
        // Half past two is left out in spring and counts once in autumn.
        let nights = usize::from(day == "2026-10-25");
        assert_eq!(process.runs(&nightly).len(), nights, "{day}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_a_task_and_one_that_a_person_begins_does_not_move_the_schedule() {
    let world = World::new().await;
    world.model.then(says("looked"));
    let made = world
        .automate(QUARTERS, json!({ "status": "paused" }))
        .await;
    assert_eq!(made.next_run_at, None);
    let named = json!({ "automation_id": made.id });
    let active = world
        .call::<AutomationsResume>(named.clone())
        .await
        .unwrap();
    let next = active.next_run_at.unwrap();
    let run = world.call::<AutomationsRun>(named.clone()).await.unwrap();
    let task = run.task_id.clone().unwrap();
    while world.runs(&made.id).await[0].status != TaskStatus::Completed {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let task = json!({ "task_id": task });
    let task = world.call::<TasksGet>(task).await.unwrap();
    assert_eq!(task.result_summary.as_deref(), Some("looked"));
    assert_eq!(task.task.automation_id.as_ref(), Some(&made.id));
    assert_eq!(task.task.created_by.kind, ActorKind::Automation);
    let record = world.automation(&made.id).await;
    assert_eq!(record.next_run_at, Some(next));
    assert_eq!(record.last_run_at, task.task.ended_at);
    let paused = world.call::<AutomationsPause>(named.clone()).await.unwrap();
    assert_eq!(
        (paused.status, paused.next_run_at),
        (AutomationStatus::Paused, None)
    );
    tokio::time::sleep(Duration::from_secs(HOUR)).await;
    assert_eq!(world.runs(&made.id).await.len(), 1);
    let gone = world
        .call::<AutomationsDelete>(named.clone())
        .await
        .unwrap();
    assert_eq!(gone.id, made.id);
    for error in [
        world
            .call::<AutomationsGet>(named.clone())
            .await
            .unwrap_err(),
        world.call::<AutomationsRuns>(named).await.unwrap_err(),
    ] {
        assert_eq!(error.code, ErrorCode::NotFound);
    }
    assert!(
        world
            .call::<AutomationsList>(json!({}))
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test(start_paused = true)]
async fn what_becomes_of_automations_and_tasks_is_in_the_log_with_who_did_it() {
    let world = World::new().await;
    let made = world.automate(QUARTERS, json!({})).await;
    let due = |runs: &[AutomationRunRecord]| {
        let first = runs
            .first()
            .filter(|run| run.status == TaskStatus::Completed);
        first.and_then(|run| run.task_id.clone())
    };
    let task = loop {
        if let Some(task) = due(&world.runs(&made.id).await) {
            break task;
        }
        tokio::time::sleep(Duration::from_secs(MINUTE)).await;
    };
    let told = |stream: &StreamId| -> Vec<(String, String, String)> {
        let verified = world.store.read(|reader| reader.verify(stream)).unwrap();
        assert!(matches!(verified, Verified::Intact { .. }), "{verified:?}");
        let texts = world.store.read(|reader| reader.log_text(stream)).unwrap();
        let events = texts.iter().map(|text| {
            let event: Value = serde_json::from_str(text).unwrap();
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let payload = &event["payload"];
            let what = [&payload["change"], &payload["task"]["status"]];
            let what = what.into_iter().find(|it| it.is_string()).unwrap();
            (
                word(&event["event"]),
                word(what),
                word(&event["actor"]["kind"]),
            )
        });
        events.collect()
    };
    let triple = |event: &str, what: &str, kind: &str| (event.into(), what.into(), kind.into());
    assert_eq!(
        told(&StreamId::Automation(made.id.clone()))[..2],
        [
            triple("automation.updated", "created", "human"),
            triple("automation.updated", "due", "system"),
        ]
    );
    let steps = told(&StreamId::Task(task));
    assert_eq!(steps[0], triple("task.created", "queued", "system"));
    assert_eq!(steps.last().unwrap().1, "completed");
    assert!(steps.iter().all(|(.., kind)| !kind.is_empty()), "{steps:?}");
}

#[test]
fn a_run_whose_process_died_stands_as_its_task_does_and_is_not_begun_again() {
    let home = tempfile::tempdir().unwrap();
    let process = start(home.path(), moment("2026-06-01T08:14:00Z"));
    let gate = Piece::Gate(Arc::new(Notify::new()));
    process.world.model.then(vec![gate]);
    let id = process.automate(QUARTERS, json!({}));
    process.pass(2 * MINUTE);
    let run = process.tokio.block_on(process.world.runs(&id)).remove(0);
    assert_eq!(run.status, TaskStatus::Running);
    process.kill(home.path());
    let process = start(home.path(), moment("2026-06-01T08:17:00Z"));
    let again = process.tokio.block_on(process.world.runs(&id)).remove(0);
    assert_eq!((again.id, again.status), (run.id, TaskStatus::Failed));
    assert!(again.error.unwrap().contains("process restart"));
    let record = process.tokio.block_on(process.world.automation(&id));
    assert_eq!(record.last_run_at, again.ended_at);
    process.pass(5 * MINUTE);
    assert_eq!(process.runs(&id), ["2026-06-01T08:15Z"]);
}

#[tokio::test(start_paused = true)]
async fn once_is_once_and_a_watcher_with_nothing_to_report_leaves_no_run() {
    let world = World::new().await;
    // The clock of the tests starts at 2026-05-28T20:26:40Z.
    let once = world
        .automate("FREQ=ONCE;AT=2026-05-28T21:00:00Z", json!({}))
        .await;
    tokio::time::sleep(Duration::from_secs(HOUR)).await;
    let record = world.automation(&once.id).await;
    assert_eq!(record.status, AutomationStatus::Paused);
    assert_eq!(world.runs(&once.id).await.len(), 1);
    let named = json!({ "automation_id": once.id });
    let error = world.call::<AutomationsResume>(named).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
    world.model.then(says("NOTHING_TO_REPORT"));
    world.model.then(says("the house burns"));
    let watcher = json!({ "delivery_mode": "watcher" });
    let watcher = world.automate("FREQ=HOURLY", watcher).await;
    tokio::time::sleep(Duration::from_secs(2 * HOUR + 5 * MINUTE)).await;
    assert_eq!(world.runs(&watcher.id).await.len(), 1);
    assert_eq!(world.model.requests().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_run_is_refused_when_it_is_made_or_changed() {
    let world = World::new().await;
    let made = world.automate(QUARTERS, json!({})).await;
    let cases = [
        json!({ "rrule": "FREQ=SOMETIMES" }),
        json!({ "rrule": "FREQ=ONCE;AT=2020-01-01T00:00:00Z" }),
        json!({ "name": " " }),
        json!({ "prompt": "" }),
        json!({ "mode": "dance" }),
        json!({ "cwds": ["/nowhere"] }),
    ];
    for mut patch in cases {
        patch["automation_id"] = json!(made.id);
        let error = world.call::<AutomationsPatch>(patch.clone()).await;
        assert_eq!(error.unwrap_err().code, ErrorCode::InvalidParams, "{patch}");
    }
    let runs = Caller {
        scopes: Scopes::of(&[Scope::Read, Scope::Run]),
        ..world.operator.clone()
    };
    let bold = json!({ "automation_id": made.id, "auto_approve": true });
    let error = world.call_as::<AutomationsPatch>(&runs, bold).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::Forbidden);
    let stranger = Caller {
        principal: "prn_stranger".into(),
        ..world.operator.clone()
    };
    let named = json!({ "automation_id": made.id });
    let error = world
        .call_as::<AutomationsGet>(&stranger, named.clone())
        .await;
    assert_eq!(error.unwrap_err().code, ErrorCode::NotFound);
    let error = world
        .call_as::<AutomationsRun>(&stranger, named.clone())
        .await;
    assert_eq!(error.unwrap_err().code, ErrorCode::NotFound);
    let listed = world.call_as::<AutomationsList>(&stranger, json!({})).await;
    assert!(listed.unwrap().is_empty());
    let untouched = world.call::<AutomationsPatch>(named).await.unwrap();
    assert_eq!(untouched.next_run_at, made.next_run_at);
}
