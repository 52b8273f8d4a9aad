//! Background tasks: a prompt that waits in a queue until a worker has time for it.
//!
//! A task that begins gets a thread of its own and one turn there. What it did stands in that
//! thread; the record shows it along a timeline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::item::cut_with_dots;
use super::{AutomationId, Mode, TaskId, ThreadId, Timestamp, TurnId};
use crate::Actor;

/// Version of the shape of a task's record.
pub const TASK_SCHEMA_VERSION: u32 = 2;

/// Characters of a prompt or an answer that stand for the whole.
const SUMMARY_CHARS_MAX: usize = 240;

/// Where a task stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Waits for a worker.
    Queued,
    /// A worker has it.
    Running,
    /// Ended with an answer.
    Completed,
    /// Ended without one; `error` says why.
    Failed,
    /// Was called off.
    Canceled,
}

impl TaskStatus {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskStatus::Queued => "queued",
            TaskStatus::Running => "running",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
            TaskStatus::Canceled => "canceled",
        }
    }

    /// Whether the task will not change any more.
    pub fn is_terminal(self) -> bool {
        match self {
            TaskStatus::Queued | TaskStatus::Running => false,
            TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Canceled => true,
        }
    }
}

/// Why a task ended, in words a program can branch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TerminalReason {
    /// It was done.
    Completed,
    /// Someone called it off.
    Canceled,
    /// Someone called it off, and it had to be dropped.
    CancelTimeout,
    /// The program ended.
    Shutdown,
    /// It worked for too long.
    WallTimeout,
    /// Nothing happened for too long.
    IdleTimeout,
    /// It could not go on.
    Failed,
}

/// What a line of the timeline is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskEntryKind {
    /// It was accepted.
    Queued,
    /// A worker took it.
    Running,
    /// It has its thread and turn.
    RuntimeLink,
    /// How things stand, such as a question that waits for a person.
    Status,
    /// The agent said something.
    Message,
    /// A call began.
    ToolStarted,
    /// A call ended.
    ToolCompleted,
    /// A call changed files; `detail_path` leads to what it did.
    PatchRef,
    /// Something else happened in the thread.
    RuntimeEvent,
    /// The agent wrote down what it wants to do and has done.
    Checklist,
    /// The answer is long; `detail_path` leads to all of it.
    ResultRef,
    /// Something went wrong.
    Error,
    /// It was told to stop.
    CancelRequested,
    /// It was called off.
    Canceled,
    /// It ended.
    Finished,
    /// A process died under it.
    Recovered,
    /// Lines that are left out here.
    Omitted,
}

/// A line of the timeline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskEntry {
    /// When.
    pub timestamp: Timestamp,
    /// What about.
    pub kind: TaskEntryKind,
    /// What happened, in a sentence.
    pub summary: String,
    /// Where all of it stands: an item of the thread, as `threads/{id}/items/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_path: Option<String>,
}

impl TaskEntry {
    /// A line that says everything itself.
    pub fn new(timestamp: Timestamp, kind: TaskEntryKind, summary: impl Into<String>) -> Self {
        TaskEntry {
            timestamp,
            kind,
            summary: summary.into(),
            detail_path: None,
        }
    }
}

/// That a running task is to stop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskStopping {
    /// Why.
    pub reason: TerminalReason,
    /// Since when.
    pub at: Timestamp,
}

/// A task by itself, without what its thread tells about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// Version of this record's shape.
    pub schema_version: u32,
    /// The task.
    pub id: TaskId,
    /// What the agent is asked.
    pub prompt: String,
    /// The model.
    pub model: String,
    /// What kind of work.
    pub mode: Mode,
    /// The directory the agent works in.
    pub workspace: String,
    /// Whether the shell is offered.
    pub allow_shell: bool,
    /// Whether a call may leave the sandbox.
    pub trust_mode: bool,
    /// Whether approvals are granted by themselves.
    pub auto_approve: bool,
    /// Where it stands.
    pub status: TaskStatus,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When a worker took it.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// From `started_at` to `ended_at`; zero for one that never began.
    pub duration_ms: Option<u64>,
    /// Why it did not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal_reason: Option<TerminalReason>,
    /// That it is to stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<TaskStopping>,
    /// Its thread, once it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// Its turn, once it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The session it was made in, in the words of whoever made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_session_id: Option<String>,
    /// The automation that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automation_id: Option<AutomationId>,
    /// How often its state changed; one from the start.
    pub lifecycle_seq: u64,
    /// Who made it.
    pub created_by: Actor,
    /// What happened to it.
    pub timeline: Vec<TaskEntry>,
}

/// A task with everything its thread tells about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskRecord {
    /// The task.
    #[serde(flatten)]
    pub task: Task,
    /// Whether it waits for a person: an approval, or questions.
    #[serde(default, skip_serializing_if = "is_false")]
    pub waiting: bool,
    /// The start of the answer; a fixed phrase when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_summary: Option<String>,
    /// Where the whole answer stands, when it is long: an item of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_detail_path: Option<String>,
    /// How many events its thread has.
    pub runtime_event_count: u64,
    /// What the agent wants to do and has done.
    pub checklist: TaskChecklist,
    /// Checks that were run over it.
    pub gates: Vec<Value>,
    /// Attempts at a change that were kept.
    pub attempts: Vec<Value>,
    /// What it made that is long.
    pub artifacts: Vec<TaskArtifact>,
    /// What it did elsewhere.
    pub github_events: Vec<Value>,
    /// The calls it made.
    pub tool_calls: Vec<TaskCall>,
}

/// What an agent wants to do and has done.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskChecklist {
    /// The lines.
    pub items: Vec<TaskTodo>,
    /// How much is done, in percent.
    pub completion_pct: u64,
    /// Which line is under way.
    pub in_progress_id: Option<u64>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
}

/// One thing that an agent wants to do or has done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskTodo {
    /// Its number, from one on.
    pub id: u64,
    /// What is to be done.
    pub content: String,
    /// How far it is: `pending`, `in_progress`, `completed` or `cancelled`.
    pub status: String,
}

/// Something a task made that is too long for its record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskArtifact {
    /// What it is.
    pub label: String,
    /// Where it is: an item of the thread, as `threads/{id}/items/{id}`.
    pub path: String,
    /// What its text hashes to: `sha256:` and 64 hex digits.
    pub digest: String,
    /// How long it is, in bytes.
    pub bytes: u64,
    /// What is in it.
    pub summary: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// How a call stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskCallStatus {
    /// It is going on.
    Running,
    /// It ended well.
    Success,
    /// It ended badly.
    Failed,
    /// It was cut off or called off.
    Canceled,
}

/// A call of a tool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskCall {
    /// The item that shows it in the thread.
    pub id: String,
    /// The tool.
    pub name: String,
    /// How it stands.
    pub status: TaskCallStatus,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// What it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_summary: Option<String>,
    /// What it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_summary: Option<String>,
    /// Where all it gave stands, when that is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_path: Option<String>,
    /// Where the change stands that it made to files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_ref: Option<String>,
}

/// A task in a line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskSummary {
    /// The task.
    pub id: TaskId,
    /// Where it stands.
    pub status: TaskStatus,
    /// The start of what the agent is asked.
    pub prompt_summary: String,
    /// The model.
    pub model: String,
    /// What kind of work.
    pub mode: Mode,
    /// The directory the agent works in.
    pub workspace: String,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When a worker took it.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How long it worked.
    pub duration_ms: Option<u64>,
    /// How often its state changed.
    pub lifecycle_seq: u64,
    /// Why it did not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal_reason: Option<TerminalReason>,
    /// Its thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// Its turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The session it was made in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_session_id: Option<String>,
    /// The automation that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automation_id: Option<AutomationId>,
    /// Whether it waits for a person.
    #[serde(default, skip_serializing_if = "is_false")]
    pub waiting: bool,
    /// Who made it.
    pub created_by: Actor,
}

impl From<&Task> for TaskSummary {
    fn from(task: &Task) -> Self {
        TaskSummary {
            id: task.id.clone(),
            status: task.status,
            prompt_summary: task_words(&task.prompt),
            model: task.model.clone(),
            mode: task.mode,
            workspace: task.workspace.clone(),
            created_at: task.created_at,
            started_at: task.started_at,
            ended_at: task.ended_at,
            duration_ms: task.duration_ms,
            lifecycle_seq: task.lifecycle_seq,
            error: task.error.clone(),
            terminal_reason: task.terminal_reason,
            thread_id: task.thread_id.clone(),
            turn_id: task.turn_id.clone(),
            owner_session_id: task.owner_session_id.clone(),
            automation_id: task.automation_id.clone(),
            waiting: false,
            created_by: task.created_by.clone(),
        }
    }
}

/// The start of a prompt or an answer.
pub fn task_words(text: &str) -> String {
    cut_with_dots(text.trim(), SUMMARY_CHARS_MAX)
}

/// Payload of `task.created` and `task.updated`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskNews {
    /// The task as it stands now.
    pub task: TaskSummary,
}

/// What `tasks/create` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TasksCreateParams {
    /// What the agent is asked; must not be blank.
    pub prompt: String,
    /// The model; the default when left out.
    #[serde(default)]
    pub model: Option<String>,
    /// The directory to work in; the server's own when left out.
    #[serde(default)]
    pub workspace: Option<String>,
    /// The mode; `agent` when left out.
    #[serde(default)]
    pub mode: Option<String>,
    /// Whether the shell is offered.
    #[serde(default)]
    pub allow_shell: Option<bool>,
    /// Whether a call may leave the sandbox.
    #[serde(default)]
    pub trust_mode: Option<bool>,
    /// Whether approvals are granted by themselves; they are not when left out.
    #[serde(default)]
    pub auto_approve: Option<bool>,
    /// The session it belongs to.
    #[serde(default)]
    pub owner_session_id: Option<String>,
}

/// What `tasks/list` takes.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TasksListParams {
    /// How many, brought into 1 to 5000; as many as that when left out.
    #[schemars(extend("default" = 5_000))]
    pub limit: Option<u64>,
    /// Only those that work in this directory.
    pub workspace: Option<String>,
}

/// What `tasks/list` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskList {
    /// The tasks, newest first.
    pub tasks: Vec<TaskSummary>,
    /// How many there are of each status, whatever the request leaves out.
    pub counts: TaskCounts,
}

/// How many tasks there are.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskCounts {
    /// Those that wait.
    pub queued: u64,
    /// Those that run.
    pub running: u64,
    /// Those that completed.
    pub completed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that were called off.
    pub canceled: u64,
}

/// Names a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskParams {
    /// The task, or the start of its id if no other has the same.
    pub task_id: String,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
