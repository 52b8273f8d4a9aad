//! Automations and `kill -9`: at the moment at which they are due, and between two of them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use codewhale_protocol::runtime::{
    AutomationRecord, AutomationRunRecord, AutomationStatus, TaskStatus, Timestamp,
};
use codewhale_testkit::app::{App, Home};
use codewhale_testkit::long;
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::json;

use super::tasks::all_done;
use crate::dice::Dice;
use crate::scene::program;

/// How far ahead the moment is, in milliseconds: all automations are made by then.
const AHEAD_MS: i64 = 600;

/// Longest life of a program behind the moment, in microseconds: some runs have begun by then.
const LIFE_US_MAX: u64 = 60_000;

/// Automations that are due at the same moment.
const AUTOMATIONS: usize = 4;

/// Looks at an automation before giving up.
const LOOKS_MAX: u32 = 1_200;

#[expect(
    clippy::disallowed_methods,
    reason = "the program under test lives by the clock of the machine"
)]
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap().as_millis()).unwrap()
}

async fn runs(app: &App, automation: &AutomationRecord) -> Vec<AutomationRunRecord> {
    let path = format!("/v1/automations/{}/runs", automation.id);
    app.get(&path).await.read(200)
}

/// Makes an automation that is due once.
async fn automate(app: &App, prompt: &str, at: Timestamp) -> AutomationRecord {
    let rrule = format!("FREQ=ONCE;AT={at}");
    let body = json!({ "name": "once", "prompt": prompt, "rrule": rrule });
    app.post("/v1/automations", body).await.read(201)
}

/// The automation as soon as its moment is behind it.
async fn passed(app: &App, automation: &AutomationRecord) -> AutomationRecord {
    let path = format!("/v1/automations/{}", automation.id);
    for _ in 0..LOOKS_MAX {
        let found: AutomationRecord = app.get(&path).await.read(200);
        if found.status == AutomationStatus::Paused {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("its moment never came: {automation:?}");
}

#[tokio::test]
async fn whatever_the_moment_of_a_crash_a_slot_has_one_run() {
    let model = ModelServer::start().await;
    model.default_reply(Reply::says("It is done."));
    let home = Home::with_model(&model);
    let mut made = Vec::new();
    for seed in 0..long::count(6, 60) as u64 {
        println!("seed {seed}");
        let app = program(&home).serve().await;
        // The second shares the schedule, and goes on when the first one dies.
        let other = match seed % 2 {
            0 => Some(program(&home).serve().await),
            _ => None,
        };
        let slot = Timestamp::from_ms(now_ms() + AHEAD_MS);
        for number in 0..AUTOMATIONS {
            let prompt = format!("life {seed} automation {number}");
            made.push((automate(&app, &prompt, slot).await, prompt, slot));
        }
        let life_us = Dice::new(seed).below(LIFE_US_MAX).cast_signed();
        let left_us = (slot.as_ms() - now_ms()) * 1_000 + life_us;
        tokio::time::sleep(Duration::from_micros(left_us.max(0).unsigned_abs())).await;
        app.kill().await;
        if let Some(other) = other {
            all_done(&other).await;
            other.kill().await;
        }
    }
    let app = program(&home).serve().await;
    let mut heard: BTreeMap<String, usize> = BTreeMap::new();
    for (automation, ..) in &made {
        passed(&app, automation).await;
    }
    all_done(&app).await;
    for request in model.requests() {
        let text = request.last_user_text().unwrap_or_default().to_owned();
        *heard.entry(text).or_default() += 1;
    }
    for (automation, prompt, slot) in &made {
        let runs = runs(&app, automation).await;
        let [run] = &runs[..] else {
            panic!("{prompt} has {} runs: {runs:?}", runs.len());
        };
        assert_eq!(run.scheduled_for, *slot);
        let times = heard.get(prompt).copied().unwrap_or(0);
        match run.status {
            TaskStatus::Completed => assert_eq!(times, 1, "{run:?}"),
            // It had begun when the program died, and is not begun again.
            TaskStatus::Failed => {
                assert!(times <= 1, "{run:?}");
                let error = run.error.as_deref().unwrap_or_default();
                assert!(error.contains("process restart"), "{run:?}");
            }
            TaskStatus::Queued | TaskStatus::Running | TaskStatus::Canceled => {
                panic!("{run:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_run_by_hand_that_is_sent_again_is_one_run_after_kill_9_too() {
    let model = ModelServer::start().await;
    model.default_reply(Reply::says("It is done."));
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let rrule = "DTSTART:20300101T090000 RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3";
    let body = json!({ "name": "monthly", "prompt": "Do it.", "rrule": rrule });
    let made: AutomationRecord = app.post("/v1/automations", body).await.read(201);
    assert!(made.next_run_at.is_some());
    let run = async |app: &App| -> AutomationRunRecord {
        let request = app.request("POST", &format!("/v1/automations/{}/run", made.id));
        let request = request.header("idempotency-key", "k");
        app.send(request).await.read(200)
    };
    let first = run(&app).await;
    app.kill().await;
    let app = program(&home).serve().await;
    assert_eq!(run(&app).await, first);
    all_done(&app).await;
    let runs = runs(&app, &made).await;
    assert_eq!((runs.len(), &runs[0].id), (1, &first.id));
    assert_eq!(runs[0].task_id, first.task_id);
}

#[tokio::test]
async fn an_automation_keeps_its_schedule_through_a_crash_and_its_runs_are_tasks() {
    let model = ModelServer::start().await;
    model.default_reply(Reply::says("It is done."));
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let rrule = "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=30";
    let body = json!({ "name": "weekly", "prompt": "Do it.", "rrule": rrule });
    let made: AutomationRecord = app.post("/v1/automations", body).await.read(201);
    let path = format!("/v1/automations/{}", made.id);
    let run = app.post(&format!("{path}/run"), json!({})).await;
    let run: AutomationRunRecord = run.read(200);
    all_done(&app).await;
    app.kill().await;
    let app = program(&home).serve().await;
    let found: AutomationRecord = app.get(&path).await.read(200);
    assert_eq!(found.next_run_at, made.next_run_at);
    let runs: Vec<AutomationRunRecord> = app.get(&format!("{path}/runs")).await.read(200);
    assert_eq!((runs.len(), &runs[0].id), (1, &run.id));
    assert_eq!(runs[0].status, TaskStatus::Completed);
    assert_eq!(found.last_run_at, runs[0].ended_at);
    let paused: AutomationRecord = app
        .post(&format!("{path}/pause"), json!({}))
        .await
        .read(200);
    assert_eq!(paused.next_run_at, None);
    let gone = app.send(app.request("DELETE", &path)).await;
    assert_eq!(gone.read::<AutomationRecord>(200).id, made.id);
    assert_eq!(app.get(&path).await.status, 404);
    let wrong = json!({ "name": "never", "prompt": "Do it.", "rrule": "FREQ=SECONDLY" });
    assert_eq!(app.post("/v1/automations", wrong).await.status, 400);
}
