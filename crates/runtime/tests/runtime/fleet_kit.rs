//! Scripted workers for fleets, and words to watch a run.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codewhale_protocol::operations::{FleetCreate, FleetGet, FleetReplay, FleetStart};
use codewhale_protocol::runtime::{FleetDetail, FleetEvent, FleetRunId};
use codewhale_protocol::service::BoxFuture;
use codewhale_runtime::{FleetSettings, FleetWorkers, WorkEnd, WorkOrder};
use codewhale_store::{Place, Writing};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::world::{World, open};

/// Looks at a run before giving up.
pub(crate) const LOOKS_MAX: u32 = 20_000;

/// What a scripted worker does.
#[derive(Clone)]
pub(crate) enum Act {
    Say(Value),
    /// Waits until someone opens.
    Gate(Arc<Notify>),
    End(WorkEnd),
    /// Says nothing more, and does not end.
    Hang,
    /// Does what nobody thought of.
    Panic,
}

/// Workers that do what was written for their task, attempt after attempt.
#[derive(Default)]
pub(crate) struct Script {
    acts: Mutex<BTreeMap<String, VecDeque<Vec<Act>>>>,
    orders: Mutex<Vec<WorkOrder>>,
    /// Workers at work, and the most there ever were.
    busy: Mutex<(usize, usize)>,
}

impl Script {
    pub(crate) fn then(&self, task: &str, acts: Vec<Act>) {
        let mut all = self.acts.lock().unwrap();
        all.entry(task.to_owned()).or_default().push_back(acts);
    }

    pub(crate) fn orders(&self) -> Vec<WorkOrder> {
        self.orders.lock().unwrap().clone()
    }

    pub(crate) fn most(&self) -> usize {
        self.busy.lock().unwrap().1
    }

    /// How many work now.
    pub(crate) fn busy(&self) -> usize {
        self.busy.lock().unwrap().0
    }
}

/// What the order says of the task.
pub(crate) fn authority(order: &WorkOrder) -> Value {
    let mut words = order.arguments.iter();
    words.find(|word| *word == "--tool-authority-json").unwrap();
    serde_json::from_str(words.next().unwrap()).unwrap()
}

struct Busy(Arc<Script>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.lock().unwrap().0 -= 1;
    }
}

pub(crate) struct Scripted(Arc<Script>);

impl FleetWorkers for Scripted {
    fn work(
        &self,
        order: WorkOrder,
        said: mpsc::Sender<String>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, WorkEnd> {
        let task = authority(&order)["task_id"].as_str().unwrap().to_owned();
        let acts = {
            let mut all = self.0.acts.lock().unwrap();
            all.get_mut(&task).and_then(VecDeque::pop_front)
        };
        let acts = acts.unwrap_or_else(|| vec![ended(0)]);
        self.0.orders.lock().unwrap().push(order);
        {
            let mut busy = self.0.busy.lock().unwrap();
            busy.0 += 1;
            busy.1 = busy.1.max(busy.0);
        }
        let busy = Busy(Arc::clone(&self.0));
        Box::pin(async move {
            let _busy = busy;
            let play = async {
                for act in acts {
                    match act {
                        Act::Say(line) => said.send(line.to_string()).await.unwrap(),
                        Act::Gate(gate) => gate.notified().await,
                        Act::End(end) => return end,
                        Act::Hang => std::future::pending().await,
                        Act::Panic => panic!("a worker of the script panics"),
                    }
                }
                unreachable!("a script ends")
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => WorkEnd::Stopped,
                end = play => end,
            }
        })
    }
}

pub(crate) fn ended(code: i32) -> Act {
    let errors = String::new();
    Act::End(WorkEnd::Exited { code, errors })
}

pub(crate) fn calls(tool: &str) -> Act {
    Act::Say(json!({ "type": "tool_use", "name": tool, "id": "c", "input": {} }))
}

pub(crate) fn body(tasks: &[&str]) -> Value {
    let tasks = tasks.iter().map(|id| {
        json!({ "id": id, "name": format!("task {id}"), "instructions": "do it",
            "worker": { "role": "builder" } })
    });
    json!({
        "target": "this_computer", "roles": [{ "name": "builder" }], "max_workers": 8,
        "workflow": { "id": "flow", "kind": "parallel", "tasks": tasks.collect::<Vec<_>>() },
    })
}

pub(crate) async fn fitted(script: &Arc<Script>, place: Place) -> World {
    let settings = FleetSettings {
        workers: Arc::new(Scripted(Arc::clone(script))),
        directory: None,
    };
    let store = open(place, Writing::Inline);
    World::fitted(store, |options| options.fleet = Some(settings)).await
}

pub(crate) async fn scripted() -> (World, Arc<Script>) {
    let script = Arc::new(Script::default());
    (fitted(&script, Place::Memory).await, script)
}

impl World {
    pub(crate) async fn fleet(&self, body: Value) -> FleetRunId {
        let created = self.call::<FleetCreate>(body).await.unwrap();
        assert_eq!(created.execution, "awaiting_start");
        created.run.summary.id
    }

    pub(crate) async fn set_off(&self, body: Value) -> FleetRunId {
        let run = self.fleet(body).await;
        let started = self.call::<FleetStart>(json!({ "run_id": run })).await;
        assert_eq!(started.unwrap().leased, 0);
        run
    }

    pub(crate) async fn run(&self, run: &FleetRunId) -> FleetDetail {
        let params = json!({ "run_id": run });
        self.call::<FleetGet>(params).await.unwrap()
    }

    pub(crate) async fn run_until(
        &self,
        run: &FleetRunId,
        wanted: impl Fn(&FleetDetail) -> bool,
    ) -> FleetDetail {
        for _ in 0..LOOKS_MAX {
            let detail = self.run(run).await;
            if wanted(&detail) {
                return detail;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("waited in vain: {:#?}", self.run(run).await);
    }

    pub(crate) async fn run_ended(&self, run: &FleetRunId) -> FleetDetail {
        let ended = |detail: &FleetDetail| detail.summary.lifecycle_status.is_terminal();
        self.run_until(run, ended).await
    }

    pub(crate) async fn told(&self, run: &FleetRunId) -> Vec<FleetEvent> {
        let params = json!({ "run_id": run, "limit": 1000 });
        self.call::<FleetReplay>(params).await.unwrap().events
    }

    /// The names of a run's events about one task, in order.
    pub(crate) async fn tale(&self, run: &FleetRunId, task: &str) -> Vec<String> {
        let events = self.told(run).await.into_iter();
        let about = events.filter(|event| event.task_id.as_deref() == Some(task));
        about.map(|event| event.event).collect()
    }
}

pub(crate) fn statuses(detail: &FleetDetail) -> Vec<&'static str> {
    let tasks = detail.summary.tasks.iter();
    tasks.map(|task| task.status.as_str()).collect()
}
