//! Background tasks: queued, worked off, watched over, called off; one after the other and in
//! several processes.

#[path = "tasks/telling.rs"]
mod telling;

use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::operations::{
    TasksCancel, TasksCreate, TasksGet, TasksList, ThreadsCreate,
};
use codewhale_protocol::runtime::{
    StreamId, TaskCallStatus, TaskEntryKind, TaskId, TaskRecord, TaskStatus, TerminalReason,
    TurnStatus,
};
use codewhale_protocol::{ActorKind, Caller, ErrorCode, Scope, Scopes};
use codewhale_store::{Place, Writing};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::model::{Piece, says, wants};
use crate::processes::Process;
use crate::world::{World, open};

/// Looks at a task before giving up.
const LOOKS_MAX: u32 = 20_000;

impl World {
    async fn task(&self, params: Value) -> TaskId {
        self.call::<TasksCreate>(params).await.unwrap().task.id
    }

    async fn look(&self, task: &TaskId) -> TaskRecord {
        let params = json!({ "task_id": task });
        self.call::<TasksGet>(params).await.unwrap()
    }

    async fn task_until(&self, task: &TaskId, wanted: impl Fn(&TaskRecord) -> bool) -> TaskRecord {
        for _ in 0..LOOKS_MAX {
            let record = self.look(task).await;
            if wanted(&record) {
                return record;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        panic!("waited in vain: {:#?}", self.look(task).await);
    }

    async fn task_ended(&self, task: &TaskId) -> TaskRecord {
        let ended = |record: &TaskRecord| record.task.status.is_terminal();
        self.task_until(task, ended).await
    }
}

fn kinds(record: &TaskRecord) -> Vec<TaskEntryKind> {
    record.task.timeline.iter().map(|it| it.kind).collect()
}

#[tokio::test(start_paused = true)]
async fn a_task_runs_as_a_turn_of_its_own_thread_and_tells_what_it_did() {
    use TaskEntryKind as Kind;
    let world = World::new().await;
    world.model.then(wants("call_1", "look", &json!({})));
    world.model.then(says("all is well"));
    let made = json!({ "prompt": " look around ", "owner_session_id": "mine" });
    let made = world.call::<TasksCreate>(made).await.unwrap();
    assert_eq!(made.task.status, TaskStatus::Queued);
    assert_eq!(
        (made.task.lifecycle_seq, made.task.prompt.as_str()),
        (1, "look around")
    );
    assert_eq!(made.task.created_by.kind, ActorKind::Human);
    let record = world.task_ended(&made.task.id).await;
    let task = &record.task;
    assert_eq!(task.status, TaskStatus::Completed, "{record:#?}");
    assert_eq!(task.terminal_reason, Some(TerminalReason::Completed));
    assert_eq!(record.result_summary.as_deref(), Some("all is well"));
    assert_eq!(record.tool_calls.len(), 1);
    assert_eq!(record.tool_calls[0].status, TaskCallStatus::Success);
    assert_eq!(record.tool_calls[0].name, "look");
    let wanted = [
        Kind::Queued,
        Kind::Running,
        Kind::RuntimeLink,
        Kind::ToolStarted,
        Kind::ToolCompleted,
        Kind::Message,
        Kind::Finished,
    ];
    assert_eq!(kinds(&record), wanted);
    let thread = task.thread_id.clone().unwrap();
    let detail = world.detail(&thread).await;
    assert_eq!(detail.thread.task_id.as_deref(), Some(task.id.as_str()));
    assert_eq!(detail.turns.len(), 1);
    assert_eq!(Some(&detail.turns[0].id), task.turn_id.as_ref());
    assert_eq!(detail.turns[0].requested_by, task.created_by);
    let stream = StreamId::Task(task.id.clone());
    let texts = world.store.read(|it| it.log_text(&stream)).unwrap();
    let told: Vec<TaskStatus> = texts
        .iter()
        .map(|text| {
            let event: Value = serde_json::from_str(text).unwrap();
            serde_json::from_value(event["payload"]["task"]["status"].clone()).unwrap()
        })
        .collect();
    let told: Vec<_> = told.into_iter().map(TaskStatus::as_str).collect();
    assert_eq!(told, ["queued", "running", "running", "completed"]);
    let listed = world.call::<TasksList>(json!({})).await.unwrap();
    assert_eq!((listed.tasks.len(), listed.counts.completed), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn no_more_tasks_run_at_once_than_there_are_workers_and_the_first_come_first() {
    let store = open(Place::Memory, Writing::Inline);
    let world = World::fitted(store, |options| options.workers = 2).await;
    let gate = Arc::new(Notify::new());
    let mut tasks = Vec::new();
    for number in 0..5 {
        world
            .model
            .then(vec![Piece::Gate(Arc::clone(&gate)), Piece::Text("done")]);
        tasks.push(
            world
                .task(json!({ "prompt": format!("task {number}") }))
                .await,
        );
    }
    for number in 0..5 {
        let begun = (number + 2).min(5);
        for task in &tasks[..begun] {
            world.task_until(task, |it| it.task.turn_id.is_some()).await;
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
        let counts = world.call::<TasksList>(json!({})).await.unwrap().counts;
        assert_eq!(counts.running, u64::try_from(begun - number).unwrap());
        assert_eq!(counts.queued, u64::try_from(5 - begun).unwrap());
        gate.notify_one();
        world.task_until(&tasks[begun - 1], |_| true).await;
        let ended = u64::try_from(number + 1).unwrap();
        let mut looks = 0;
        while world
            .call::<TasksList>(json!({}))
            .await
            .unwrap()
            .counts
            .completed
            < ended
        {
            looks += 1;
            assert!(looks < LOOKS_MAX, "task {number} did not end");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_waits_for_a_person_says_so_and_is_not_timed_out() {
    let world = World::new().await;
    world.model.then(wants("call_1", "note", &json!({})));
    world.model.then(says("noted"));
    let task = world.task(json!({ "prompt": "write" })).await;
    let record = world.task_until(&task, |record| record.waiting).await;
    assert!(
        kinds(&record).contains(&TaskEntryKind::Status),
        "{record:#?}"
    );
    let listed = world.call::<TasksList>(json!({})).await.unwrap();
    assert!(listed.tasks[0].waiting);
    tokio::time::sleep(Duration::from_secs(2 * 60 * 60)).await;
    let record = world.look(&task).await;
    assert_eq!(
        (record.task.status, record.waiting),
        (TaskStatus::Running, true)
    );
    let approval = world.asked(&record.task.thread_id.unwrap()).await.id;
    world.decide(&approval, "allow").await.unwrap();
    let record = world.task_ended(&task).await;
    assert_eq!(record.task.status, TaskStatus::Completed);
    assert_eq!(world.ran().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_in_which_nothing_happens_fails_and_so_does_one_that_never_ends() {
    let world = World::new().await;
    let hour = Duration::from_secs(60 * 60);
    world
        .model
        .then(vec![Piece::Wait(hour), Piece::Text("late")]);
    let idle = world.task(json!({ "prompt": "sleep" })).await;
    let record = world.task_ended(&idle).await;
    assert_eq!(record.task.status, TaskStatus::Failed);
    assert_eq!(
        record.task.terminal_reason,
        Some(TerminalReason::IdleTimeout)
    );
    assert_eq!(record.task.duration_ms.unwrap() / 10_000, 12);
    let mut babble = Vec::new();
    for _ in 0..60 {
        babble.extend([Piece::Text("and "), Piece::Wait(Duration::from_secs(60))]);
    }
    world.model.then(babble);
    let busy = world.task(json!({ "prompt": "talk" })).await;
    let record = world.task_ended(&busy).await;
    assert_eq!(record.task.status, TaskStatus::Failed);
    assert_eq!(
        record.task.terminal_reason,
        Some(TerminalReason::WallTimeout)
    );
    assert!(record.task.error.unwrap().contains("30 minutes"));
}

#[tokio::test(start_paused = true)]
async fn a_task_can_be_called_off_while_it_waits_while_it_runs_and_in_vain_afterwards() {
    let store = open(Place::Memory, Writing::Inline);
    let world = World::fitted(store, |options| options.workers = 1).await;
    world.model.then(vec![Piece::Gate(Arc::new(Notify::new()))]);
    let runs = world.task(json!({ "prompt": "one" })).await;
    let waits = world.task(json!({ "prompt": "two" })).await;
    world
        .task_until(&runs, |it| it.task.turn_id.is_some())
        .await;
    let cancel = async |task: &TaskId| {
        let params = json!({ "task_id": task });
        world.call::<TasksCancel>(params).await.unwrap()
    };
    let record = cancel(&waits).await;
    assert_eq!(record.task.status, TaskStatus::Canceled);
    assert_eq!(
        (record.task.duration_ms, record.task.thread_id),
        (Some(0), None)
    );
    let record = cancel(&runs).await;
    assert_eq!(record.task.status, TaskStatus::Running);
    assert!(kinds(&record).contains(&TaskEntryKind::CancelRequested));
    let record = world.task_ended(&runs).await;
    assert_eq!(record.task.status, TaskStatus::Canceled);
    assert_eq!(record.task.terminal_reason, Some(TerminalReason::Canceled));
    assert_eq!(cancel(&runs).await.task, record.task);
    let turn = world.ended(&record.task.thread_id.unwrap()).await;
    assert_eq!(turn.status, TurnStatus::Interrupted);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_found_by_the_start_of_its_id_and_a_stranger_finds_none() {
    let world = World::new().await;
    let (one, _) = (
        world.task(json!({ "prompt": "one" })).await,
        world.task(json!({ "prompt": "two" })).await,
    );
    let get = async |caller: &Caller, id: &str| {
        let params = json!({ "task_id": id });
        let answer = world.call_as::<TasksGet>(caller, params).await;
        answer.map(|it| it.task.id).map_err(|it| it.code)
    };
    let start = &one.as_str()[..one.as_str().len() - 1];
    assert_eq!(get(&world.operator, start).await, Ok(one.clone()));
    assert_eq!(
        get(&world.operator, "task_").await,
        Err(ErrorCode::InvalidParams)
    );
    for unknown in ["", "task_z", "thr_", "task_%"] {
        assert_eq!(
            get(&world.operator, unknown).await,
            Err(ErrorCode::NotFound)
        );
    }
    let stranger = Caller {
        principal: "prn_stranger".into(),
        ..world.operator.clone()
    };
    assert_eq!(get(&stranger, one.as_str()).await, Err(ErrorCode::NotFound));
    let params = json!({ "task_id": one });
    let error = world.call_as::<TasksCancel>(&stranger, params).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::NotFound);
    let listed = world
        .call_as::<TasksList>(&stranger, json!({}))
        .await
        .unwrap();
    assert_eq!((listed.tasks.len(), listed.counts), (0, Default::default()));
}

#[tokio::test(start_paused = true)]
async fn what_a_task_may_not_do_is_told_to_whoever_makes_it() {
    let world = World::new().await;
    let runs = Caller {
        scopes: Scopes::of(&[Scope::Read, Scope::Run]),
        ..world.operator.clone()
    };
    let cases = [
        (json!({ "prompt": "  " }), ErrorCode::InvalidParams),
        (
            json!({ "prompt": "go", "mode": "dance" }),
            ErrorCode::InvalidParams,
        ),
        (
            json!({ "prompt": "go", "workspace": "/nowhere" }),
            ErrorCode::InvalidParams,
        ),
        (
            json!({ "prompt": "go", "auto_approve": true }),
            ErrorCode::Forbidden,
        ),
        (
            json!({ "prompt": "go", "trust_mode": true }),
            ErrorCode::Forbidden,
        ),
        (
            json!({ "prompt": "go", "allow_shell": true }),
            ErrorCode::Forbidden,
        ),
    ];
    for (params, code) in cases {
        let error = world.call_as::<TasksCreate>(&runs, params.clone()).await;
        assert_eq!(error.unwrap_err().code, code, "{params}");
    }
    world.model.then(wants("call_1", "note", &json!({})));
    let bold = world
        .task(json!({ "prompt": "go", "auto_approve": true }))
        .await;
    let record = world.task_ended(&bold).await;
    assert_eq!(record.task.status, TaskStatus::Completed);
    assert_eq!(world.ran().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_only_says_it_is_a_tasks_does_not_end_that_task() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world
        .model
        .then(vec![Piece::Gate(Arc::clone(&gate)), Piece::Text("done")]);
    let task = world.task(json!({ "prompt": "go" })).await;
    world
        .task_until(&task, |it| it.task.turn_id.is_some())
        .await;
    let params = json!({ "task_id": task });
    let liar = world.call::<ThreadsCreate>(params).await.unwrap().id;
    assert_eq!(
        world.turn(&liar, "hello").await.status,
        TurnStatus::Completed
    );
    assert_eq!(world.look(&task).await.task.status, TaskStatus::Running);
    gate.notify_one();
    assert_eq!(
        world.task_ended(&task).await.task.status,
        TaskStatus::Completed
    );
}

#[test]
fn a_task_whose_process_died_fails_with_a_word_about_it_and_the_next_in_line_runs() {
    let home = tempfile::tempdir().unwrap();
    let process = Process::start(home.path());
    let world = &process.world;
    let (ran, waits) = process.tokio.block_on(async {
        for _ in 0..2 {
            world.model.then(vec![Piece::Gate(Arc::new(Notify::new()))]);
        }
        let ran = world.task(json!({ "prompt": "one" })).await;
        let other = world.task(json!({ "prompt": "two" })).await;
        let waits = world.task(json!({ "prompt": "three" })).await;
        world.task_until(&ran, |it| it.task.turn_id.is_some()).await;
        world
            .task_until(&other, |it| it.task.turn_id.is_some())
            .await;
        (ran, waits)
    });
    process.kill(home.path());
    let process = Process::start(home.path());
    let world = &process.world;
    process.tokio.block_on(async {
        let record = world.look(&ran).await;
        assert_eq!(record.task.status, TaskStatus::Failed);
        assert_eq!(record.task.terminal_reason, Some(TerminalReason::Failed));
        let error = record.task.error.clone().unwrap();
        assert!(error.contains("process restart"), "{error}");
        assert!(kinds(&record).contains(&TaskEntryKind::Recovered));
        let record = world.task_ended(&waits).await;
        assert_eq!(record.task.status, TaskStatus::Completed);
        let threads = world.detail(&record.task.thread_id.unwrap()).await;
        assert_eq!(threads.turns.len(), 1);
    });
}

#[test]
fn two_processes_share_one_queue_and_each_task_runs_once() {
    let home = tempfile::tempdir().unwrap();
    let processes = [Process::start(home.path()), Process::start(home.path())];
    let mut tasks = Vec::new();
    for number in 0..12 {
        let world = &processes[number % 2].world;
        let params = json!({ "prompt": format!("task {number}") });
        tasks.push(processes[number % 2].tokio.block_on(world.task(params)));
    }
    let mut rounds = 0;
    loop {
        let mut left = 0;
        for process in &processes {
            left = process.tokio.block_on(async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                let counts = process
                    .world
                    .call::<TasksList>(json!({}))
                    .await
                    .unwrap()
                    .counts;
                counts.queued + counts.running
            });
        }
        if left == 0 {
            break;
        }
        rounds += 1;
        assert!(rounds < 1_000, "{left} tasks are left");
    }
    let mut worked = [0, 0];
    for task in &tasks {
        let record = processes[0].tokio.block_on(processes[0].world.look(task));
        assert_eq!(record.task.status, TaskStatus::Completed);
        let thread = record.task.thread_id.unwrap();
        let detail = processes[0]
            .tokio
            .block_on(processes[0].world.detail(&thread));
        assert_eq!(detail.turns.len(), 1);
    }
    for (place, process) in processes.iter().enumerate() {
        worked[place] = process.world.model.requests().len();
    }
    assert_eq!(worked.iter().sum::<usize>(), tasks.len(), "{worked:?}");
}
