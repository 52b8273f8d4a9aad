//! Turns: one request to the agent and everything it led to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Bounds, DynamicTool, Effort, InputPart, ItemId, Mode, PendingApproval, PendingUserInput,
    PermissionPosture, RECORD_SCHEMA_VERSION, Seq, ThreadId, ThreadRecord, Timestamp, TurnId,
    TurnItemRecord, Usage,
};
use crate::{Actor, Origin};

/// Where a turn stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// Waits for its start.
    Queued,
    /// Is going on.
    InProgress,
    /// Ended with a final answer.
    Completed,
    /// Ended without one; `error` says why.
    Failed,
    /// Was stopped by a person or by the end of the process.
    Interrupted,
    /// Was called off before it began.
    Canceled,
}

impl TurnStatus {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnStatus::Queued => "queued",
            TurnStatus::InProgress => "in_progress",
            TurnStatus::Completed => "completed",
            TurnStatus::Failed => "failed",
            TurnStatus::Interrupted => "interrupted",
            TurnStatus::Canceled => "canceled",
        }
    }

    /// Whether the turn will not change any more.
    pub fn is_terminal(self) -> bool {
        match self {
            TurnStatus::Queued | TurnStatus::InProgress => false,
            TurnStatus::Completed
            | TurnStatus::Failed
            | TurnStatus::Interrupted
            | TurnStatus::Canceled => true,
        }
    }
}

/// Why a turn did not complete, in words a program can branch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The provider could not be reached, broke off or kept failing.
    Network,
    /// The provider sent nothing for too long.
    Timeout,
    /// The provider asked to slow down more often than we wait.
    RateLimit,
    /// The key was refused or is missing.
    Authentication,
    /// The provider refused the request itself.
    InvalidRequest,
    /// The answer stopped before its end, at a limit of its length.
    Truncated,
    /// The provider or the model held the answer back.
    Refused,
    /// The model ended without saying or doing anything.
    Empty,
    /// A bound of the turn was reached.
    Limit,
    /// An MCP server that is required did not come up.
    McpServer,
    /// The store could not take what happened.
    Storage,
    /// The process ended while the turn ran.
    Restart,
    /// A person stopped it.
    Interrupted,
    /// A fault of ours.
    Internal,
}

/// What the model is told about a turn behind each message of a person. Kept as it was told, so that
/// the conversation reads the same whenever it is told anew.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnMeta {
    /// The day it was accepted, where the program runs.
    pub local_date: String,
    /// The directory it began in.
    pub workspace: String,
    /// The mode it began in.
    pub mode: Mode,
    /// The provider and model it began with.
    pub route: String,
}

/// One request to the agent and what became of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnRecord {
    /// Version of this record's shape.
    pub schema_version: u32,
    /// The turn.
    pub id: TurnId,
    /// The thread it belongs to.
    pub thread_id: ThreadId,
    /// Where it stands.
    pub status: TurnStatus,
    /// The first characters of the prompt, or the caller's own words for it.
    pub input_summary: String,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When the engine began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// From `started_at` to `ended_at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Tokens used, set at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What they cost, as far as prices are known; by the prices of the time it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Who answered approvals while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_posture: Option<PermissionPosture>,
    /// What the model was told about it; none for turns from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<TurnMeta>,
    /// The approval policy it ran under, in configuration words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<String>,
    /// How its commands were confined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_mode: Option<String>,
    /// The kind of provider that served it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_provider: Option<String>,
    /// The configured provider that served it, where it has a name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_provider_id: Option<String>,
    /// The model that served it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_model: Option<String>,
    /// How hard the model was asked to think; left out where that was left to its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<Effort>,
    /// How many tokens the conversation had in its last request, as the provider counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// How many the model has room for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// When the first request went to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_dispatched_at: Option<Timestamp>,
    /// Why it did not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The same for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_class: Option<FailureClass>,
    /// Whether the same request may well succeed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// Calls whose effect is not known, after a crash in the middle of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outcome_unknown: u32,
    /// The last message of the agent, when the turn completed with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_item_id: Option<ItemId>,
    /// Its items in the order they began.
    pub item_ids: Vec<ItemId>,
    /// How often it was steered.
    pub steer_count: u32,
    /// Who asked for it.
    pub requested_by: Actor,
    /// Which agent answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<Actor>,
    /// Who or what ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<Actor>,
    /// Through which door it came.
    pub origin: Origin,
    /// Sources of its input that are not to be trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taint: Vec<String>,
}

impl TurnRecord {
    /// A turn that begins now.
    pub fn new(id: TurnId, thread_id: ThreadId, at: Timestamp, requested_by: Actor) -> Self {
        TurnRecord {
            schema_version: RECORD_SCHEMA_VERSION,
            id,
            thread_id,
            status: TurnStatus::InProgress,
            input_summary: String::new(),
            created_at: at,
            started_at: Some(at),
            ended_at: None,
            duration_ms: None,
            usage: None,
            cost_usd: None,
            permission_posture: None,
            meta: None,
            approval_policy: None,
            sandbox_mode: None,
            effective_provider: None,
            effective_provider_id: None,
            effective_model: None,
            reasoning_effort: None,
            context_tokens: None,
            context_window: None,
            effective_dispatched_at: None,
            error: None,
            failure_class: None,
            retryable: None,
            outcome_unknown: 0,
            final_item_id: None,
            item_ids: Vec::new(),
            steer_count: 0,
            origin: Origin::of(requested_by.surface),
            requested_by,
            answered_by: None,
            ended_by: None,
            taint: Vec::new(),
        }
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What a single turn may do differently from its thread.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TurnOverrides {
    /// Words to show instead of the start of the prompt.
    pub input_summary: Option<String>,
    /// Another model, for this turn only.
    pub model: Option<String>,
    /// Another provider, for this turn only; with its default model where none is named.
    pub model_provider: Option<String>,
    /// How hard the model is asked to think, for this turn only: off, low, medium, high, max or auto.
    #[schemars(example = &"high")]
    pub reasoning_effort: Option<String>,
    /// Another mode, for this turn only.
    pub mode: Option<String>,
    /// Another posture, for this turn only.
    pub permission_posture: Option<String>,
    /// Whether the shell is offered, for this turn only.
    pub allow_shell: Option<bool>,
    /// Whether the sandbox may be left, for this turn only.
    pub trust_mode: Option<bool>,
    /// Whether approvals are granted by themselves, for this turn only.
    pub auto_approve: Option<bool>,
    /// Tools that the client runs itself, for this turn only.
    pub dynamic_tools: Option<Vec<DynamicTool>>,
    /// How commands are confined, for this turn only: `read-only`, `workspace-write`,
    /// `danger-full-access` or `external-sandbox`. The configuration may hold it to less.
    pub sandbox_mode: Option<String>,
    /// Instructions behind those of the thread, for this turn only.
    pub append_system_prompt: Option<String>,
    /// What the turn may not exceed, beside what its thread may not.
    pub bounds: Option<Bounds>,
}

/// What `turns/start` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnsStartParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// What the agent is asked; may be blank only where `input` says something.
    pub prompt: String,
    /// What else it is given, behind the prompt: more text, or attachments of the thread.
    #[serde(default)]
    pub input: Option<Vec<InputPart>>,
    /// What differs from the thread, for this turn only.
    #[serde(flatten)]
    pub overrides: TurnOverrides,
}

impl TurnsStartParams {
    /// Everything the turn is given, the prompt first; `None` when that is nothing at all.
    pub fn parts(&self) -> Option<Vec<InputPart>> {
        let prompt = self.prompt.trim();
        let prompt = (!prompt.is_empty()).then(|| InputPart::text(prompt));
        let given = self.input.iter().flatten().cloned();
        let parts: Vec<InputPart> = prompt.into_iter().chain(given).collect();
        (!InputPart::text_of(&parts).trim().is_empty()).then_some(parts)
    }
}

/// What `turns/steer` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnsSteerParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// Its running turn.
    pub turn_id: TurnId,
    /// What to add; must not be blank.
    pub prompt: String,
}

/// What `turns/interrupt` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnsInterruptParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// Its running turn.
    pub turn_id: TurnId,
}

/// What `turns/get` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnParams {
    /// The turn.
    pub turn_id: TurnId,
}

/// A turn at one moment of the log, for who knows nothing but its id.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnDetail {
    /// The turn.
    pub turn: TurnRecord,
    /// The thread it belongs to.
    pub thread: ThreadRecord,
    /// Its items, in the order they began.
    pub items: Vec<TurnItemRecord>,
    /// What the turn led to stands behind this place of the log, in the stream of the thread.
    pub since_seq: Seq,
    /// The last event of the thread that the answer shows; a stream continues behind it.
    pub latest_seq: Seq,
    /// Questions that keep it waiting for a person, its own and those of agents below it.
    pub pending_approvals: Vec<PendingApproval>,
    /// Questions of the agent that keep it waiting for an answer.
    pub pending_user_inputs: Vec<PendingUserInput>,
}

/// A turn together with the thread it changed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnWithThread {
    /// The thread.
    pub thread: ThreadRecord,
    /// The turn.
    pub turn: TurnRecord,
}
