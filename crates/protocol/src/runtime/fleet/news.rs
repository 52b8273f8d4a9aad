//! What happens to a run, as the log keeps it. What clients are told of it is less, see
//! [`super::FleetEvent`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FleetArtifact, FleetLifecycle, FleetReceipt, FleetTaskStatus, FleetWorkflow};
use crate::runtime::Timestamp;

/// Something that happened to a fleet run.
#[derive(Clone, PartialEq, Debug)]
pub enum FleetNews {
    /// It was made.
    RunCreated(FleetRunCreated),
    /// It stands elsewhere than before.
    RunStatusChanged(FleetRunStatusChanged),
    /// A task waits for a worker.
    TaskEnqueued(FleetTaskEnqueued),
    /// A worker has a task.
    TaskLeased(FleetTaskLeased),
    /// A task has ended, in whatever way.
    TaskTerminal(FleetTaskTerminal),
    /// What became of a task is written down.
    ReceiptRecorded(FleetReceiptRecorded),
    /// Something happened to a worker.
    Worker(FleetWorkerNews),
}

impl FleetNews {
    /// The name of every event of fleets.
    pub const NAMES: &'static [&'static str] = &[
        "fleet.run.created",
        "fleet.run.status_changed",
        "fleet.task.enqueued",
        "fleet.task.leased",
        "fleet.task.terminal",
        "fleet.task.receipt_recorded",
        "fleet.worker.leased",
        "fleet.worker.starting",
        "fleet.worker.running",
        "fleet.worker.model_wait",
        "fleet.worker.running_tool",
        "fleet.worker.heartbeat",
        "fleet.worker.artifact",
        "fleet.worker.completed",
        "fleet.worker.failed",
        "fleet.worker.cancelled",
        "fleet.worker.interrupted",
        "fleet.worker.stale",
        "fleet.worker.restarted",
    ];

    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            FleetNews::RunCreated(_) => "fleet.run.created",
            FleetNews::RunStatusChanged(_) => "fleet.run.status_changed",
            FleetNews::TaskEnqueued(_) => "fleet.task.enqueued",
            FleetNews::TaskLeased(_) => "fleet.task.leased",
            FleetNews::TaskTerminal(_) => "fleet.task.terminal",
            FleetNews::ReceiptRecorded(_) => "fleet.task.receipt_recorded",
            FleetNews::Worker(news) => news.state.event_name(),
        }
    }

    /// The payload as JSON text.
    pub(crate) fn payload(&self) -> Result<String, serde_json::Error> {
        match self {
            FleetNews::RunCreated(payload) => serde_json::to_string(payload),
            FleetNews::RunStatusChanged(payload) => serde_json::to_string(payload),
            FleetNews::TaskEnqueued(payload) => serde_json::to_string(payload),
            FleetNews::TaskLeased(payload) => serde_json::to_string(payload),
            FleetNews::TaskTerminal(payload) => serde_json::to_string(payload),
            FleetNews::ReceiptRecorded(payload) => serde_json::to_string(payload),
            FleetNews::Worker(payload) => serde_json::to_string(payload),
        }
    }

    /// Reads an event back; `None` for a name this version does not know.
    pub(crate) fn decode(name: &str, payload: &str) -> Option<Result<Self, serde_json::Error>> {
        Some(match name {
            "fleet.run.created" => serde_json::from_str(payload).map(Self::RunCreated),
            "fleet.run.status_changed" => serde_json::from_str(payload).map(Self::RunStatusChanged),
            "fleet.task.enqueued" => serde_json::from_str(payload).map(Self::TaskEnqueued),
            "fleet.task.leased" => serde_json::from_str(payload).map(Self::TaskLeased),
            "fleet.task.terminal" => serde_json::from_str(payload).map(Self::TaskTerminal),
            "fleet.task.receipt_recorded" => {
                serde_json::from_str(payload).map(Self::ReceiptRecorded)
            }
            worker if worker.starts_with("fleet.worker.") && Self::NAMES.contains(&worker) => {
                serde_json::from_str(payload).map(Self::Worker)
            }
            _ => return None,
        })
    }
}

/// Payload of `fleet.run.created`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetRunCreated {
    /// Where its workers are.
    pub target: String,
    /// Its workflow.
    pub workflow: FleetWorkflow,
    /// Who works.
    pub roles: Vec<String>,
    /// How many tasks it has.
    pub task_count: u64,
    /// How many workers.
    pub worker_count: u64,
}

/// Payload of `fleet.run.status_changed`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetRunStatusChanged {
    /// Where the run stands now.
    pub status: FleetLifecycle,
}

/// Payload of `fleet.task.enqueued`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetTaskEnqueued {
    /// The task.
    pub task_id: String,
    /// Which come first: the lower ones.
    pub priority: i64,
    /// Attempts so far.
    pub attempts: u64,
}

/// Payload of `fleet.task.leased`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetTaskLeased {
    /// The task.
    pub task_id: String,
    /// The worker.
    pub worker_id: String,
    /// Which attempt it is.
    pub attempt: u64,
    /// When it is given up without a sign of life.
    pub lease_expires_at: Timestamp,
}

/// Payload of `fleet.task.terminal`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetTaskTerminal {
    /// The task.
    pub task_id: String,
    /// How it ended.
    pub status: FleetTaskStatus,
}

/// Payload of `fleet.task.receipt_recorded`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetReceiptRecorded {
    /// The receipt.
    pub receipt: FleetReceipt,
}

/// Payload of `fleet.worker.<state>`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetWorkerNews {
    /// The worker.
    pub worker_id: String,
    /// The task.
    pub task_id: String,
    /// Which attempt it is.
    pub attempt: u64,
    /// The number of the event among those of the worker.
    pub worker_seq: u64,
    /// What happened.
    #[serde(flatten)]
    pub state: FleetWorkerState,
}

/// What happens to a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum FleetWorkerState {
    /// It has a task.
    Leased {
        /// When it is given up without a sign of life.
        lease_expires_at: Option<Timestamp>,
    },
    /// Its process is being started.
    Starting,
    /// Its process runs.
    Running,
    /// It waits for a model.
    ModelWait {
        /// Which.
        model: Option<String>,
    },
    /// It calls a tool.
    RunningTool {
        /// Which.
        tool: String,
        /// The model's id of the call.
        call_id: Option<String>,
    },
    /// It lives.
    Heartbeat,
    /// It leaves something.
    Artifact(FleetArtifact),
    /// It is done.
    Completed {
        /// How its process ended.
        exit_code: Option<i32>,
        /// What it said last.
        summary: Option<String>,
    },
    /// It failed.
    Failed {
        /// Why.
        reason: String,
        /// Whether the task is tried again.
        recoverable: bool,
    },
    /// Its task was called off.
    Cancelled {
        /// By whom.
        cancelled_by: Option<String>,
    },
    /// It was told to stop.
    Interrupted {
        /// How.
        signal: Option<String>,
    },
    /// It gave no sign of life.
    Stale {
        /// Since then.
        last_heartbeat_at: Option<Timestamp>,
    },
    /// Someone wants its latest task done again.
    Restarted {
        /// The how-manieth time.
        restart_count: u64,
    },
}

impl FleetWorkerState {
    /// The word on the wire: the end of the name of its event.
    pub fn as_str(&self) -> &'static str {
        self.event_name().trim_start_matches("fleet.worker.")
    }

    /// The name of the event that tells it.
    pub fn event_name(&self) -> &'static str {
        match self {
            FleetWorkerState::Leased { .. } => "fleet.worker.leased",
            FleetWorkerState::Starting => "fleet.worker.starting",
            FleetWorkerState::Running => "fleet.worker.running",
            FleetWorkerState::ModelWait { .. } => "fleet.worker.model_wait",
            FleetWorkerState::RunningTool { .. } => "fleet.worker.running_tool",
            FleetWorkerState::Heartbeat => "fleet.worker.heartbeat",
            FleetWorkerState::Artifact(_) => "fleet.worker.artifact",
            FleetWorkerState::Completed { .. } => "fleet.worker.completed",
            FleetWorkerState::Failed { .. } => "fleet.worker.failed",
            FleetWorkerState::Cancelled { .. } => "fleet.worker.cancelled",
            FleetWorkerState::Interrupted { .. } => "fleet.worker.interrupted",
            FleetWorkerState::Stale { .. } => "fleet.worker.stale",
            FleetWorkerState::Restarted { .. } => "fleet.worker.restarted",
        }
    }

    /// A line for people.
    pub fn label(&self) -> String {
        match self {
            FleetWorkerState::RunningTool { tool, .. } => format!("runs {tool}"),
            FleetWorkerState::ModelWait { model: Some(model) } => format!("waits for {model}"),
            FleetWorkerState::Artifact(artifact) => format!("leaves a {}", artifact.kind),
            FleetWorkerState::Failed { reason, .. } => format!("failed: {reason}"),
            state => state.as_str().replace('_', " "),
        }
    }
}
