//! Background tasks and `kill -9` at moments that nobody chose.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use codewhale_protocol::runtime::{TaskList, TaskRecord, TaskStatus};
use codewhale_testkit::app::{App, Home};
use codewhale_testkit::long;
use codewhale_testkit::model_server::{ModelServer, Reply, Request};
use serde_json::json;

use crate::dice::Dice;
use crate::scene::program;

/// Longest life of a program after its tasks were given, in microseconds: some of them run by then
/// and some have ended.
const LIFE_US_MAX: u64 = 150_000;

/// Tasks that each life is given: more than there are workers.
const TASKS: usize = 4;

/// Looks at the list before giving up.
const LOOKS_MAX: u32 = 1_200;

fn answer(_: &Request) -> Reply {
    Reply::paced(20, Duration::from_millis(1), Instant::now())
}

async fn list(app: &App) -> TaskList {
    app.get("/v1/tasks").await.read(200)
}

/// Waits until nothing is left to do.
pub(super) async fn all_done(app: &App) -> TaskList {
    for _ in 0..LOOKS_MAX {
        let list = list(app).await;
        if list.counts.queued + list.counts.running == 0 {
            return list;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("tasks are left: {:?}", list(app).await.counts);
}

#[tokio::test]
async fn whatever_the_moment_of_a_crash_no_task_is_lost_and_none_runs_twice() {
    let model = ModelServer::start().await;
    model.answer_with(answer);
    let home = Home::with_model(&model);
    let mut given = BTreeMap::new();
    for seed in 0..long::count(10, 100) as u64 {
        println!("seed {seed}");
        let app = program(&home).serve().await;
        // The second shares the queue, and sees the first one die.
        let other = match seed % 2 {
            0 => Some(program(&home).serve().await),
            _ => None,
        };
        for number in 0..TASKS {
            let prompt = format!("life {seed} task {number}");
            let answer = app.post("/v1/tasks", json!({ "prompt": prompt })).await;
            let record: TaskRecord = answer.read(201);
            given.insert(record.task.id, prompt);
        }
        let life = Duration::from_micros(Dice::new(seed).below(LIFE_US_MAX));
        tokio::time::sleep(life).await;
        app.kill().await;
        if let Some(other) = other {
            all_done(&other).await;
            other.kill().await;
        }
    }
    let app = program(&home).serve().await;
    let tasks = all_done(&app).await.tasks;
    assert_eq!(tasks.len(), given.len());
    let mut heard: BTreeMap<String, usize> = BTreeMap::new();
    for request in model.requests() {
        let text = request.last_user_text().unwrap_or_default().to_owned();
        *heard.entry(text).or_default() += 1;
    }
    let mut cut_off = 0;
    for task in &tasks {
        let times = heard.get(&given[&task.id]).copied().unwrap_or(0);
        match task.status {
            TaskStatus::Completed => assert_eq!(times, 1, "{task:?}"),
            TaskStatus::Failed => {
                cut_off += 1;
                assert!(times <= 1, "{task:?}");
                let error = task.error.as_deref().unwrap_or_default();
                assert!(error.contains("process restart"), "{task:?}");
            }
            TaskStatus::Queued | TaskStatus::Running | TaskStatus::Canceled => {
                panic!("nobody called it off: {task:?}");
            }
        }
    }
    assert!(cut_off > 0, "no task was cut off: the lives are too long");
    assert!(
        cut_off < tasks.len(),
        "no task ended: the lives are too short"
    );
}

#[tokio::test]
async fn a_task_is_given_over_http_and_its_thread_and_record_tell_what_became_of_it() {
    let model = ModelServer::start().await;
    model.push(Reply::says("It is done."));
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let body = json!({ "prompt": "Do it.", "mode": "agent" });
    let made: TaskRecord = app.post("/v1/tasks", body).await.read(201);
    assert_eq!(made.task.status, TaskStatus::Queued);
    all_done(&app).await;
    let path = format!("/v1/tasks/{}", made.task.id);
    let record: TaskRecord = app.get(&path).await.read(200);
    assert_eq!(record.task.status, TaskStatus::Completed);
    assert_eq!(record.result_summary.as_deref(), Some("It is done."));
    assert!(record.runtime_event_count > 0);
    let thread = record.task.thread_id.clone().unwrap();
    let history = app.history(&thread).await;
    let started = &history[0].payload["thread"];
    assert_eq!(started["task_id"], json!(made.task.id));
    let cancelled = app.post(&format!("{path}/cancel"), json!({})).await;
    assert_eq!(cancelled.read::<TaskRecord>(200).task, record.task);
    assert_eq!(app.get("/v1/tasks/task_none").await.status, 404);
    assert_eq!(
        app.post("/v1/tasks", json!({ "prompt": " " })).await.status,
        400
    );
}
