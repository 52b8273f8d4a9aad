//! A worker, seen from outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FleetWorkerState;
use crate::runtime::{FleetRunId, Seq, Timestamp};

/// How a worker is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FleetWorkerStatus {
    /// It never had a task.
    Unknown,
    /// It waits for one.
    Online,
    /// It has one.
    Busy,
    /// It cannot be reached.
    Offline,
    /// It gives no sign of life.
    Unhealthy,
    /// It is being stopped.
    Draining,
    /// It gets no more tasks.
    Retired,
}

impl FleetWorkerStatus {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            FleetWorkerStatus::Unknown => "unknown",
            FleetWorkerStatus::Online => "online",
            FleetWorkerStatus::Busy => "busy",
            FleetWorkerStatus::Offline => "offline",
            FleetWorkerStatus::Unhealthy => "unhealthy",
            FleetWorkerStatus::Draining => "draining",
            FleetWorkerStatus::Retired => "retired",
        }
    }

    /// What the latest that is known of a worker says.
    pub fn of(state: Option<&FleetWorkerState>) -> Self {
        use FleetWorkerState as State;
        match state {
            None => FleetWorkerStatus::Unknown,
            Some(state) => match state {
                State::Leased { .. }
                | State::Starting
                | State::Running
                | State::ModelWait { .. }
                | State::RunningTool { .. }
                | State::Heartbeat
                | State::Artifact(_)
                | State::Restarted { .. } => FleetWorkerStatus::Busy,
                State::Interrupted { .. } => FleetWorkerStatus::Draining,
                State::Stale { .. } => FleetWorkerStatus::Unhealthy,
                State::Completed { .. } | State::Failed { .. } | State::Cancelled { .. } => {
                    FleetWorkerStatus::Online
                }
            },
        }
    }
}

/// A file that an attempt left.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetArtifact {
    /// What it is: `log`, `patch`, `report`, `test_result`, `worktree` or another word.
    pub kind: String,
    /// Where it is.
    pub path: String,
    /// `sha256:` and its digest.
    pub checksum: Option<String>,
    /// What is in it.
    pub mime_type: Option<String>,
    /// How long it is.
    pub size_bytes: Option<u64>,
}

/// The latest that is known of a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetLatestEvent {
    /// Its number among the events of the worker.
    pub seq: u64,
    /// The run.
    pub run_id: FleetRunId,
    /// The worker.
    pub worker_id: String,
    /// The task.
    pub task_id: String,
    /// When.
    pub timestamp: Timestamp,
    /// A line for people.
    pub label: String,
    /// What, tagged by `state`.
    pub payload: FleetWorkerState,
}

/// How the agent of a worker does, while it has a task.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetRuntimeState {
    /// A word: `starting`, `running`, `model_wait`, `running_tool`.
    pub agent_status: String,
    /// Calls of tools so far.
    pub steps_taken: u64,
    /// The end of what it last said.
    pub latest_message: Option<String>,
    /// What went wrong last.
    pub error: Option<String>,
    /// How it ended.
    pub result_summary: Option<String>,
    /// Whether it has a thread.
    pub has_session: bool,
}

/// A worker as it is kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FleetWorkerView {
    /// The worker.
    pub worker_id: String,
    /// The task it has or had last.
    pub task_id: Option<String>,
    /// Events of it so far.
    pub events: u64,
    /// The last sign of life.
    pub latest_heartbeat_at: Option<Timestamp>,
    /// The latest that is known.
    pub latest_event: Option<FleetLatestEvent>,
    /// What its latest attempt left.
    pub artifacts: Vec<FleetArtifact>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// How its agent does.
    pub runtime_state: Option<FleetRuntimeState>,
}

/// A worker, seen from outside.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetInspection {
    /// The worker.
    pub worker_id: String,
    /// How it is.
    pub status: FleetWorkerStatus,
    /// The run.
    pub run_id: Option<FleetRunId>,
    /// The task it has or had last.
    pub task_id: Option<String>,
    /// What that is for.
    pub objective: Option<String>,
    /// As whom it works.
    pub role: Option<String>,
    /// Where it is.
    pub host: Option<String>,
    /// The last sign of life.
    pub latest_heartbeat_at: Option<Timestamp>,
    /// The latest that is known.
    pub latest_event: Option<FleetLatestEvent>,
    /// What its latest attempt left.
    pub artifacts: Vec<FleetArtifact>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// Whether someone was alerted; nobody is yet.
    pub alert_state: Option<String>,
    /// How its agent does, while it has a task.
    pub runtime_state: Option<FleetRuntimeState>,
}

/// What `fleet/workers` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetWorkers {
    /// The run.
    pub run_id: FleetRunId,
    /// Its workers, in their order.
    pub workers: Vec<FleetInspection>,
}

/// Names a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetWorkerParams {
    /// The worker.
    pub worker_id: String,
}

/// What `fleet/interrupt-worker` and `fleet/stop-worker` answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetWorkerActed {
    /// `interrupt` or `stop`.
    pub action: String,
    /// The worker.
    pub worker: FleetInspection,
}

/// What `fleet/restart-worker` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetRestarted {
    /// Always `restart`.
    pub action: String,
    /// Always `scheduled`: the worker begins behind the answer.
    pub execution: String,
    /// The run.
    pub run_id: FleetRunId,
    /// The worker.
    pub worker: FleetInspection,
}

/// A place of an event in the log, as fleets tell it.
pub(super) fn cursor(seq: Seq) -> String {
    seq.to_string()
}
