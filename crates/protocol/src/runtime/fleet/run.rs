//! A run and how it stands.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FleetTaskSpec, FleetWorkerSpec, FleetWorkerStatus};
use crate::runtime::{FleetRunId, ThreadId, Timestamp};

/// Where a run stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FleetLifecycle {
    /// Made, not started.
    Pending,
    /// Started, and no worker has a task yet.
    Queued,
    /// Worked on.
    Running,
    /// There is work left, and nobody drives it: its process ended. Starting it again goes on.
    Paused,
    /// Every task completed.
    Completed,
    /// A task failed.
    Failed,
    /// None failed, and some were called off.
    Cancelled,
}

impl FleetLifecycle {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            FleetLifecycle::Pending => "pending",
            FleetLifecycle::Queued => "queued",
            FleetLifecycle::Running => "running",
            FleetLifecycle::Paused => "paused",
            FleetLifecycle::Completed => "completed",
            FleetLifecycle::Failed => "failed",
            FleetLifecycle::Cancelled => "cancelled",
        }
    }

    /// Whether no task is left.
    pub fn is_terminal(self) -> bool {
        match self {
            FleetLifecycle::Completed | FleetLifecycle::Failed | FleetLifecycle::Cancelled => true,
            FleetLifecycle::Pending
            | FleetLifecycle::Queued
            | FleetLifecycle::Running
            | FleetLifecycle::Paused => false,
        }
    }
}

/// Where a task of a run stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FleetTaskStatus {
    /// It waits for a worker.
    Enqueued,
    /// A worker has it.
    Leased,
    /// It is done.
    Completed,
    /// It could not be done.
    Failed,
    /// It was called off.
    Cancelled,
}

impl FleetTaskStatus {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            FleetTaskStatus::Enqueued => "enqueued",
            FleetTaskStatus::Leased => "leased",
            FleetTaskStatus::Completed => "completed",
            FleetTaskStatus::Failed => "failed",
            FleetTaskStatus::Cancelled => "cancelled",
        }
    }

    /// Whether nothing happens to it by itself any more.
    pub fn is_terminal(self) -> bool {
        match self {
            FleetTaskStatus::Completed | FleetTaskStatus::Failed | FleetTaskStatus::Cancelled => {
                true
            }
            FleetTaskStatus::Enqueued | FleetTaskStatus::Leased => false,
        }
    }
}

/// Counts of tasks, and how the workers are.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetStatus {
    /// Runs that are counted.
    pub runs: u64,
    /// Tasks that wait.
    pub queued: u64,
    /// Tasks whose worker gives signs of life.
    pub running: u64,
    /// Tasks that are done.
    pub completed: u64,
    /// Tasks that are done, and a person has to judge.
    pub partial: u64,
    /// Tasks that failed.
    pub failed: u64,
    /// Tasks that were begun again by someone.
    pub restarted: u64,
    /// Tasks that someone was alerted of.
    pub escalated: u64,
    /// Tasks whose worker failed.
    pub transport_failed: u64,
    /// Tasks whose work failed.
    pub task_failed: u64,
    /// Tasks whose work was judged bad.
    pub verifier_failed: u64,
    /// Tasks that were called off.
    pub cancelled: u64,
    /// Tasks whose worker has been silent for too long.
    pub stale: u64,
    /// How each worker is.
    pub workers: BTreeMap<String, FleetWorkerStatus>,
}

/// The workflow of a run, in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetWorkflow {
    /// Its id.
    pub id: String,
    /// How the tasks follow each other: `parallel`.
    pub kind: String,
}

/// A task of a run, in a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetTaskEntry {
    /// The task.
    pub task_id: String,
    /// Where it stands.
    pub status: FleetTaskStatus,
    /// The worker that has it.
    pub leased_to: Option<String>,
    /// Attempts so far.
    pub attempts: u64,
    /// The thread of the latest attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
}

/// A run, in short.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetSummary {
    /// The run.
    pub id: FleetRunId,
    /// One line for people.
    pub name: String,
    /// Where it stands.
    pub lifecycle_status: FleetLifecycle,
    /// Its tasks, counted.
    pub status: FleetStatus,
    /// Where its workers are.
    pub target: Option<String>,
    /// Its workflow.
    pub workflow: Option<FleetWorkflow>,
    /// Who works.
    pub roles: Vec<String>,
    /// How many tasks it has.
    pub task_count: u64,
    /// How many workers.
    pub worker_count: u64,
    /// Its tasks.
    pub tasks: Vec<FleetTaskEntry>,
    /// Words of one's own.
    pub labels: BTreeMap<String, String>,
    /// The directory it works in.
    pub workspace: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When something about it last changed.
    pub updated_at: Option<Timestamp>,
    /// When its last task ended.
    pub completed_at: Option<Timestamp>,
}

/// A run with what it was asked to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetDetail {
    /// The run.
    #[serde(flatten)]
    pub summary: FleetSummary,
    /// What was asked.
    pub task_specs: Vec<FleetTaskSpec>,
    /// Who is to do it.
    pub worker_specs: Vec<FleetWorkerSpec>,
}

/// What `fleet/list` takes: nothing.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetListParams {}

/// Names a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetRunParams {
    /// The run.
    pub run_id: FleetRunId,
}

/// What `fleet/start` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetStartParams {
    /// The run.
    pub run_id: FleetRunId,
    /// Another patience with silent workers.
    #[serde(default)]
    pub stale_after_seconds: Option<u64>,
}

/// What `fleet/list` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetRuns {
    /// All of them, counted.
    pub status: FleetStatus,
    /// The runs, by their ids.
    pub runs: Vec<FleetSummary>,
}

/// What `fleet/create` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetCreated {
    /// Always `awaiting_start`.
    pub execution: String,
    /// The run.
    pub run: FleetDetail,
    /// What of the request counts less than it may seem.
    pub warnings: Vec<String>,
}

/// What `fleet/start` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetStarted {
    /// Always `start`.
    pub action: String,
    /// Always `scheduled`: workers begin behind the answer.
    pub execution: String,
    /// The run.
    pub run_id: FleetRunId,
    /// Where its workers are.
    pub target: String,
    /// Tasks that workers have.
    pub leased: u64,
    /// Tasks that wait.
    pub queued: u64,
    /// The workers.
    pub worker_ids: Vec<String>,
}

/// What `fleet/stop` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetStopped {
    /// Always `stop`.
    pub action: String,
    /// The run.
    pub run_id: FleetRunId,
    /// How many tasks were called off.
    pub stopped: u64,
    /// The tasks of the run, counted.
    pub status: FleetStatus,
}
