//! Sessions: threads seen as recordings, for clients that list and read them as such.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Mode, ThreadId, Timestamp};

/// What there is to know of a session without reading it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionMetadata {
    /// The session, which is a thread of the same id.
    pub id: ThreadId,
    /// Its title, or the start of its latest prompt.
    pub title: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// What people and agents said in it.
    pub message_count: u64,
    /// Tokens sent and received.
    pub total_tokens: u64,
    /// The model.
    pub model: String,
    /// The kind of provider that serves it.
    pub model_provider: String,
    /// The configured provider, where it has a name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_provider_id: Option<String>,
    /// The directory.
    pub workspace: String,
    /// The mode.
    pub mode: Option<Mode>,
    /// What it cost.
    pub cost: SessionCost,
    /// The session that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<ThreadId>,
    /// How long its turns took together.
    pub cumulative_turn_secs: u64,
    /// How far below a session of a person it is.
    pub spawn_depth: u64,
    /// Whether lists leave it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

/// What a session cost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionCost {
    /// Dollars, as far as prices are known.
    pub usd: f64,
    /// Model calls, by turn and model, whose price is not known.
    pub unpriced: u64,
}

/// What `sessions/list` and `sessions/summary` take.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionsListParams {
    /// How many, brought into 1 to 500; 50 when left out.
    #[schemars(extend("default" = 50))]
    pub limit: Option<u64>,
    /// Text that must occur in title, id, workspace, preview or model.
    pub search: Option<String>,
    /// Whether archived ones are shown too.
    pub include_archived: Option<bool>,
    /// Whether only archived ones are shown.
    pub archived_only: Option<bool>,
    /// Only those of this directory.
    pub workspace: Option<String>,
    /// `recent`, `name` or `size`; anything else means `recent`.
    pub sort: Option<String>,
}

/// A list of sessions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<SessionMetadata>,
}

/// One line of a list of sessions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionSummary {
    /// The session.
    pub id: ThreadId,
    /// Its title, or the start of its latest prompt.
    pub title: String,
    /// The newest message.
    pub preview: String,
    /// The model.
    pub model: String,
    /// The mode.
    pub mode: Mode,
    /// The directory.
    pub workspace: String,
    /// Directories that its agent works in as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_directories: Vec<String>,
    /// Whether lists leave it out.
    pub archived: bool,
    /// What people and agents said in it.
    pub message_count: u64,
    /// Tokens sent and received.
    pub total_tokens: u64,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it began.
    pub created_at: Timestamp,
    /// The session that started it.
    pub parent_session_id: Option<ThreadId>,
    /// Whether a turn of it runs.
    pub is_current: bool,
}

/// What `sessions/get` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionsGetParams {
    /// The session.
    #[serde(default = "by_the_path")]
    pub session_id: ThreadId,
    /// Whether the last entries are enough.
    #[serde(default)]
    pub peek: Option<bool>,
    /// How many of them, brought into 1 to 12; 6 when left out.
    #[serde(default)]
    #[schemars(extend("default" = 6))]
    pub entries: Option<u64>,
}

/// A query does not name what the path does.
fn by_the_path() -> ThreadId {
    ThreadId::from("")
}

/// A session, whole or its end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SessionView {
    /// All of it.
    Whole(Session),
    /// Its last entries.
    Peek(SessionPeek),
}

/// A session with everything said in it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// What there is to know of it.
    pub metadata: SessionMetadata,
    /// What was said and done, in order.
    pub messages: Vec<SessionMessage>,
    /// Standing instructions beside the built-in ones.
    pub system_prompt: Option<String>,
}

/// One message of a session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionMessage {
    /// `user` or `assistant`; results of tools are the user's.
    pub role: String,
    /// Its parts.
    pub content: Vec<SessionBlock>,
}

/// A part of a message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionBlock {
    /// What was said.
    Text {
        /// The words.
        text: String,
    },
    /// What the model thought.
    Thinking {
        /// The words.
        text: String,
    },
    /// A call of a tool.
    ToolUse {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// What it was given.
        input: Value,
    },
    /// What a call gave.
    ToolResult {
        /// The call.
        tool_use_id: String,
        /// The result.
        content: String,
        /// Whether it failed.
        is_error: bool,
    },
}

/// The end of a session, in short.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionPeek {
    /// The session.
    pub session_id: ThreadId,
    /// Its title.
    pub title: String,
    /// The directory.
    pub workspace: String,
    /// The model.
    pub model: String,
    /// The mode.
    pub mode: Mode,
    /// Whether lists leave it out.
    pub archived: bool,
    /// What people and agents said in it.
    pub message_count: u64,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The last entries, oldest first.
    pub entries: Vec<PeekEntry>,
    /// How many there are before them.
    pub omitted_before: u64,
    /// Whether it changes while one looks.
    pub live: bool,
}

/// One entry of the end of a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PeekEntry {
    /// `user`, `assistant`, `reasoning` or `tool`.
    pub kind: String,
    /// The words; of a tool only how much there is.
    pub text: String,
    /// Whether there is more of it.
    pub truncated: bool,
    /// Whether something in it is not shown.
    pub redacted: bool,
}

/// A session named by the path.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionParams {
    /// The session.
    pub session_id: ThreadId,
}

/// What `sessions/patch` takes: at least one member.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionsPatchParams {
    /// The session.
    pub session_id: ThreadId,
    /// A title, of 1 to 100 characters.
    pub title: Option<String>,
    /// Whether lists leave it out.
    pub archived: Option<bool>,
}

/// What `sessions/patch` did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionPatched {
    /// The session.
    pub session: SessionMetadata,
    /// What was asked for.
    pub changes: Map<String, Value>,
}

/// What `sessions/save` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionsSaveParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// A title, of 1 to 100 characters.
    pub title: Option<String>,
}

/// A thread that is a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionSaved {
    /// The session.
    pub session_id: ThreadId,
    /// The thread it is.
    pub thread_id: ThreadId,
    /// What people and agents said in it.
    pub message_count: u64,
    /// Its title.
    pub title: String,
}

/// What `sessions/export` takes; without any, the last changed one.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionsExportParams {
    /// The thread.
    pub thread_id: Option<ThreadId>,
    /// The session.
    pub session_id: Option<ThreadId>,
}

/// A whole session under its id.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionExport {
    /// The session.
    pub session_id: ThreadId,
    /// All of it.
    pub session: Session,
}

/// What `sessions/resume-thread` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionsResumeParams {
    /// The session.
    pub session_id: ThreadId,
    /// The model to go on with.
    #[serde(default)]
    pub model: Option<String>,
    /// The mode to go on in.
    #[serde(default)]
    pub mode: Option<String>,
}

/// A session that can be gone on with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionResumed {
    /// The thread to go on in.
    pub thread_id: ThreadId,
    /// The session.
    pub session_id: ThreadId,
    /// What people and agents said in it.
    pub message_count: u64,
    /// That in a sentence.
    pub summary: String,
}
