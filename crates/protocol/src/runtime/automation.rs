//! Automations: prompts that the clock puts into the queue of background tasks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AutomationId, AutomationRunId, TaskId, TaskStatus, ThreadId, Timestamp, TurnId};
use crate::Actor;

/// Version of the shape of an automation's records.
pub const AUTOMATION_SCHEMA_VERSION: u32 = 1;

/// Whether the clock counts for an automation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationStatus {
    /// It does.
    Active,
    /// It does not.
    Paused,
}

/// What becomes of the answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryMode {
    /// Every run is kept.
    Task,
    /// A run that has nothing to report leaves no trace in the list of runs.
    Watcher,
}

/// What becomes of moments at which nobody was there to begin the work.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissedRuns {
    /// One run makes up for all of them.
    #[default]
    RunOnce,
    /// They are let go.
    Skip,
}

/// Work that begins by the clock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomationRecord {
    /// Version of this record's shape.
    pub schema_version: u32,
    /// The automation.
    pub id: AutomationId,
    /// Its name.
    pub name: String,
    /// What the agent is asked.
    pub prompt: String,
    /// When: `FREQ=…` and what belongs to it.
    pub rrule: String,
    /// When it was given another `rrule`; moments are counted from there on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rrule_since: Option<Timestamp>,
    /// Directories; the first is worked in.
    pub cwds: Vec<String>,
    /// The mode; `agent` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Whether the shell is offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_shell: Option<bool>,
    /// Whether a call may leave the sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust_mode: Option<bool>,
    /// Whether approvals are granted by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_approve: Option<bool>,
    /// What becomes of the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery_mode: Option<DeliveryMode>,
    /// What becomes of missed moments.
    #[serde(default)]
    pub missed_runs: MissedRuns,
    /// Whether the clock counts.
    pub status: AutomationStatus,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed by someone.
    pub updated_at: Timestamp,
    /// The next moment; none while it is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
    /// The end of the last finished run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run_at: Option<Timestamp>,
    /// Who made it.
    pub created_by: Actor,
}

/// One beginning of an automation. It stands as its task does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomationRunRecord {
    /// Version of this record's shape.
    pub schema_version: u32,
    /// The run.
    pub id: AutomationRunId,
    /// The automation.
    pub automation_id: AutomationId,
    /// The moment it was due; when it was asked for, for one that a person started.
    pub scheduled_for: Timestamp,
    /// Where it stands.
    pub status: TaskStatus,
    /// When it was written down.
    pub created_at: Timestamp,
    /// When a worker took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The thread of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The turn of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What happened to an automation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationChange {
    /// It was made.
    Created,
    /// Someone changed it.
    Updated,
    /// Its moment came.
    Due,
    /// It was taken away.
    Deleted,
}

/// Payload of `automation.updated`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomationNews {
    /// The automation as it stands now.
    pub automation: AutomationRecord,
    /// What happened.
    pub change: AutomationChange,
}

/// What `automations/create` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomationsCreateParams {
    /// Its name.
    pub name: String,
    /// What the agent is asked.
    pub prompt: String,
    /// When.
    #[schemars(example = &"FREQ=HOURLY;INTERVAL=6")]
    pub rrule: String,
    /// Directories; the first is worked in, the server's own when there is none.
    #[serde(default)]
    pub cwds: Vec<String>,
    /// The mode.
    #[serde(default)]
    pub mode: Option<String>,
    /// Whether the shell is offered.
    #[serde(default)]
    pub allow_shell: Option<bool>,
    /// Whether a call may leave the sandbox.
    #[serde(default)]
    pub trust_mode: Option<bool>,
    /// Whether approvals are granted by themselves.
    #[serde(default)]
    pub auto_approve: Option<bool>,
    /// What becomes of the answers.
    #[serde(default)]
    pub delivery_mode: Option<DeliveryMode>,
    /// What becomes of missed moments.
    #[serde(default)]
    pub missed_runs: MissedRuns,
    /// Whether the clock counts from the start.
    #[serde(default)]
    pub status: Option<AutomationStatus>,
}

/// What `automations/patch` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomationsPatchParams {
    /// The automation.
    pub automation_id: AutomationId,
    /// Another name.
    #[serde(default)]
    pub name: Option<String>,
    /// Another prompt.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Other moments.
    #[serde(default)]
    pub rrule: Option<String>,
    /// Other directories.
    #[serde(default)]
    pub cwds: Option<Vec<String>>,
    /// Another mode.
    #[serde(default)]
    pub mode: Option<String>,
    /// Whether the shell is offered.
    #[serde(default)]
    pub allow_shell: Option<bool>,
    /// Whether a call may leave the sandbox.
    #[serde(default)]
    pub trust_mode: Option<bool>,
    /// Whether approvals are granted by themselves.
    #[serde(default)]
    pub auto_approve: Option<bool>,
    /// What becomes of the answers.
    #[serde(default)]
    pub delivery_mode: Option<DeliveryMode>,
    /// What becomes of missed moments.
    #[serde(default)]
    pub missed_runs: Option<MissedRuns>,
    /// Whether the clock counts.
    #[serde(default)]
    pub status: Option<AutomationStatus>,
}

/// Names an automation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomationParams {
    /// The automation.
    pub automation_id: AutomationId,
}

/// What `automations/list` takes: nothing.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomationsListParams {}

/// What `automations/runs` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomationRunsParams {
    /// The automation; where there is a path it stands there, and the query goes without.
    #[serde(default = "unnamed")]
    pub automation_id: AutomationId,
    /// How many, brought into 1 to 500; 20 when left out.
    #[serde(default)]
    #[schemars(extend("default" = 20))]
    pub limit: Option<u64>,
}

/// An id that nothing has.
fn unnamed() -> AutomationId {
    AutomationId::from("")
}
