//! What became of a task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FleetArtifact;
use crate::runtime::{FleetRunId, ThreadId, Timestamp};

/// How work was judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FleetResult {
    /// Good.
    Pass,
    /// Done, and a person has to judge.
    Partial,
    /// Bad.
    Fail,
    /// Called off.
    Skip,
    /// It took too long.
    Timeout,
}

impl FleetResult {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            FleetResult::Pass => "pass",
            FleetResult::Partial => "partial",
            FleetResult::Fail => "fail",
            FleetResult::Skip => "skip",
            FleetResult::Timeout => "timeout",
        }
    }
}

/// What failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FleetFailureKind {
    /// The worker, not the work.
    Transport,
    /// The work.
    Task,
    /// The check of the work.
    Verifier,
}

/// How good the work is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetScore {
    /// So good.
    pub value: f64,
    /// Out of so much.
    pub max: f64,
    /// Why.
    pub notes: String,
}

/// What became of a task. Written in the commit that ends it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetReceipt {
    /// The run.
    pub run_id: FleetRunId,
    /// The task.
    pub task_id: String,
    /// The worker that had it.
    pub worker_id: String,
    /// Which attempt it was.
    pub attempt: Option<u64>,
    /// The number of the event that ended it, among those of the worker.
    pub terminal_seq: Option<u64>,
    /// When it ended.
    pub completed_at: Timestamp,
    /// How it was judged.
    pub result: FleetResult,
    /// What failed.
    pub failure_kind: Option<FleetFailureKind>,
    /// A word for how.
    pub failure_class: Option<String>,
    /// Whether trying again may help: it was the worker that failed.
    pub retry_eligible: bool,
    /// How good the work is.
    pub score: Option<FleetScore>,
    /// What was left.
    pub artifacts: Vec<FleetArtifact>,
    /// Whether there is something to look at.
    pub evidence_available: bool,
    /// The thread of the attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
}

/// What `fleet/receipts` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetReceipts {
    /// The run.
    pub run_id: FleetRunId,
    /// Those of the tasks that have ended, in the order of the tasks.
    pub receipts: Vec<FleetReceipt>,
}

/// Names the receipt of a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetReceiptParams {
    /// The run.
    pub run_id: FleetRunId,
    /// The task.
    pub task_id: String,
}

/// What `fleet/evidence` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetEvidence {
    /// The run.
    pub run_id: FleetRunId,
    /// The task.
    pub task_id: String,
    /// Which file.
    pub path: String,
    /// Its digest when it was kept.
    pub checksum: Option<String>,
    /// How long it is.
    pub size_bytes: u64,
    /// Whether the content is only its beginning.
    pub truncated: bool,
    /// What is in it: JSON, or else text.
    pub content: Value,
}
