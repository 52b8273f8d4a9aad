//! Threads: conversations with an agent, and what is asked of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::cut_with_dots;
use super::{
    AgentRole, Bounds, Effort, ItemId, Mode, PendingApproval, PendingUserInput, Permission,
    PermissionPosture, RoomId, Seq, ThreadId, Timestamp, ToolCallRequested, TurnId, TurnItemRecord,
    TurnRecord, TurnStatus,
};
use crate::Origin;

/// Longest title in a summary, in characters.
const TITLE_CHARS_MAX: usize = 72;
/// Longest preview in a summary, in characters.
const PREVIEW_CHARS_MAX: usize = 140;

/// What a thread is in its room.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadKind {
    /// Work that an agent does.
    #[default]
    AgentTask,
    /// A place where several talk.
    Channel,
    /// A talk between few.
    DirectMessage,
}

impl ThreadKind {
    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            ThreadKind::AgentTask => "agent_task",
            ThreadKind::Channel => "channel",
            ThreadKind::DirectMessage => "direct_message",
        }
    }
}

/// Who of a room may meet a thread.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Every member.
    #[default]
    Room,
    /// Only those who take part.
    Participants,
}

impl Audience {
    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Audience::Room => "room",
            Audience::Participants => "participants",
        }
    }
}

/// How well the conversation still fits the model.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoherenceState {
    /// There is room.
    #[default]
    Healthy,
    /// More than 60 % of the model's window is in use.
    GettingCrowded,
    /// The conversation is being shortened.
    RefreshingContext,
}

/// A conversation with an agent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadRecord {
    /// Version of this record's shape.
    pub schema_version: u32,
    /// The thread.
    pub id: ThreadId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed; lists are ordered by it.
    pub updated_at: Timestamp,
    /// The model its turns use.
    pub model: String,
    /// The kind of provider that serves the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The configured provider, where it has a name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_provider_id: Option<String>,
    /// How hard the model is asked to think; as the configuration says when it is not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<Effort>,
    /// The directory the agent works in.
    pub workspace: String,
    /// Directories that it works in as well. Instructions, trust and restore points are those of the
    /// workspace alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_directories: Vec<String>,
    /// What kind of work.
    pub mode: Mode,
    /// Who answers approvals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_posture: Option<PermissionPosture>,
    /// The approval policy that follows from the posture, in configuration words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<String>,
    /// How commands are confined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_mode: Option<String>,
    /// Whether the shell is offered.
    pub allow_shell: bool,
    /// Whether a call may leave the sandbox.
    pub trust_mode: bool,
    /// Whether approvals are granted by themselves.
    pub auto_approve: bool,
    /// The newest turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_turn_id: Option<TurnId>,
    /// The last final message of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_response_bookmark: Option<ItemId>,
    /// Whether lists leave it out.
    pub archived: bool,
    /// Standing instructions beside the built-in ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The background task that owns the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// A title that a person gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A saved session that is linked to the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// How well the conversation still fits the model.
    #[serde(default)]
    pub coherence_state: CoherenceState,
    /// The room it lives in.
    pub workroom_id: RoomId,
    /// What it is there.
    #[serde(default)]
    pub kind: ThreadKind,
    /// Who may meet it there.
    #[serde(default)]
    pub audience: Audience,
    /// Through which door it came.
    pub origin: Origin,
    /// The thread that spawned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<ThreadId>,
    /// The thread at the top of its tree, when another spawned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_id: Option<ThreadId>,
    /// When it was deleted: no door shows it any more, and its log stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// What its agent is for, when another spawned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_role: Option<AgentRole>,
    /// What its turns may not exceed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
}

impl ThreadRecord {
    /// Mode and posture. A record without a posture answers by its `auto_approve`.
    pub fn permission(&self) -> Permission {
        let posture = self.permission_posture.unwrap_or(if self.auto_approve {
            PermissionPosture::FullAccess
        } else {
            PermissionPosture::Ask
        });
        Permission {
            mode: self.mode,
            posture,
        }
    }

    /// Sets mode and posture, and the members that follow from them.
    pub fn set_permission(&mut self, permission: Permission) {
        self.mode = permission.mode;
        self.permission_posture = Some(permission.posture);
        self.auto_approve = permission.posture == PermissionPosture::FullAccess;
        self.approval_policy = Some(permission.posture.approval_policy().to_owned());
    }
}

/// A whole thread at one moment of the log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadDetail {
    /// The thread.
    pub thread: ThreadRecord,
    /// Its turns, oldest first.
    pub turns: Vec<TurnRecord>,
    /// Their items, by turn, in the order they began.
    pub items: Vec<TurnItemRecord>,
    /// The last event of this thread that the answer shows; a stream continues behind it.
    pub latest_seq: Seq,
    /// Questions that wait for a person.
    pub pending_approvals: Vec<PendingApproval>,
    /// Questions of the agent that wait for an answer.
    pub pending_user_inputs: Vec<PendingUserInput>,
    /// Tool calls that wait for a client to execute them.
    pub pending_dynamic_tool_calls: Vec<ToolCallRequested>,
}

/// One line of a thread list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadSummary {
    /// The thread.
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
    /// The branch that directory is on.
    pub branch: Option<String>,
    /// The commit it is at, shortened.
    pub head: Option<String>,
    /// Whether files there differ from that commit.
    pub dirty: bool,
    /// Whether lists leave it out.
    pub archived: bool,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The newest turn.
    pub latest_turn_id: Option<TurnId>,
    /// Where that turn stands.
    pub latest_turn_status: Option<TurnStatus>,
}

impl ThreadSummary {
    /// The words a list shows for a thread: title and preview, each cut to its length.
    pub fn words(
        title: Option<&str>,
        latest_input: Option<&str>,
        latest_message: Option<&str>,
    ) -> (String, String) {
        let first_of = |texts: [Option<&str>; 2]| {
            texts
                .into_iter()
                .flatten()
                .map(str::trim)
                .find(|text| !text.is_empty())
                .map(str::to_owned)
        };
        let title = first_of([title, latest_input]).unwrap_or_else(|| "New Thread".to_owned());
        let preview = first_of([latest_message, None]).unwrap_or_else(|| title.clone());
        (
            cut_with_dots(&title, TITLE_CHARS_MAX),
            cut_with_dots(&preview, PREVIEW_CHARS_MAX),
        )
    }
}

/// What `threads/create` takes; everything has a default.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ThreadsCreateParams {
    /// The id to give it, `thr_` and 32 hexadecimal digits, for who names things elsewhere too; one
    /// is drawn when left out.
    pub id: Option<ThreadId>,
    /// The model; blank means the default, `auto` lets each turn choose.
    pub model: Option<String>,
    /// The kind of provider.
    pub model_provider: Option<String>,
    /// The configured provider, by its own name.
    pub model_provider_id: Option<String>,
    /// How hard the model is asked to think: off, low, medium, high, max or auto; as the
    /// configuration says when left out or blank.
    #[schemars(example = &"high")]
    pub reasoning_effort: Option<String>,
    /// The directory to work in; the server's own when left out.
    pub workspace: Option<String>,
    /// Directories to work in as well: absolute paths.
    pub additional_directories: Option<Vec<String>>,
    /// The mode; `agent` when left out.
    pub mode: Option<String>,
    /// Who answers approvals.
    pub permission_posture: Option<String>,
    /// Whether the shell is offered.
    pub allow_shell: Option<bool>,
    /// Whether a call may leave the sandbox.
    pub trust_mode: Option<bool>,
    /// Whether approvals are granted by themselves.
    pub auto_approve: Option<bool>,
    /// Whether lists leave the thread out from the start.
    pub archived: Option<bool>,
    /// Standing instructions beside the built-in ones.
    pub system_prompt: Option<String>,
    /// The background task that owns the thread.
    pub task_id: Option<String>,
    /// A title.
    pub title: Option<String>,
    /// The room to put it in; that of the workspace when left out.
    pub workroom_id: Option<RoomId>,
    /// What its turns may not exceed. It stays so: whoever makes a thread binds all who work on it.
    pub bounds: Option<Bounds>,
    /// Names the piece of work it is for, where someone counts them.
    pub dedupe_key: Option<String>,
    /// Who does that work.
    pub worker_id: Option<String>,
    /// The thread that the work was given out from.
    pub parent_thread_id: Option<ThreadId>,
}

/// What `threads/compact` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsCompactParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// Why, in the words that lists show for the turn.
    #[serde(default)]
    pub reason: Option<String>,
}

/// What `threads/list` takes.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ThreadsListParams {
    /// How many, brought into 1 to 500; 50 when left out.
    #[schemars(extend("default" = 50))]
    pub limit: Option<u64>,
    /// Whether archived threads are shown too.
    pub include_archived: Option<bool>,
    /// Whether only archived threads are shown.
    pub archived_only: Option<bool>,
}

/// What `threads/summary` takes.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ThreadsSummaryParams {
    /// How many, brought into 1 to 500; 50 when left out.
    #[schemars(extend("default" = 50))]
    pub limit: Option<u64>,
    /// Text that must occur in id, title, preview or model.
    pub search: Option<String>,
    /// Whether archived threads are shown too.
    pub include_archived: Option<bool>,
    /// Whether only archived threads are shown.
    pub archived_only: Option<bool>,
}

/// A thread named by the path.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadParams {
    /// The thread.
    pub thread_id: ThreadId,
}

/// What `threads/patch` takes: at least one member; an empty title, system prompt or reasoning effort
/// clears it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsPatchParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// Whether lists leave it out.
    pub archived: Option<bool>,
    /// Whether the shell is offered.
    pub allow_shell: Option<bool>,
    /// Whether a call may leave the sandbox.
    pub trust_mode: Option<bool>,
    /// Whether approvals are granted by themselves.
    pub auto_approve: Option<bool>,
    /// The model.
    pub model: Option<String>,
    /// How hard the model is asked to think from the next turn on: off, low, medium, high, max or
    /// auto.
    #[schemars(example = &"high")]
    pub reasoning_effort: Option<String>,
    /// The mode.
    pub mode: Option<String>,
    /// Who answers approvals.
    pub permission_posture: Option<String>,
    /// A title.
    pub title: Option<String>,
    /// Standing instructions.
    pub system_prompt: Option<String>,
    /// The directory to work in.
    pub workspace: Option<String>,
    /// Directories to work in as well, in place of those there are.
    #[serde(default)]
    pub additional_directories: Option<Vec<String>>,
}

impl ThreadsPatchParams {
    /// A change that changes nothing yet.
    pub fn nothing(thread_id: ThreadId) -> Self {
        Self {
            thread_id,
            archived: None,
            allow_shell: None,
            trust_mode: None,
            auto_approve: None,
            model: None,
            reasoning_effort: None,
            mode: None,
            permission_posture: None,
            title: None,
            system_prompt: None,
            workspace: None,
            additional_directories: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_line_falls_back_from_title_to_prompt_to_a_fixed_word() {
        let words = ThreadSummary::words;
        assert_eq!(
            words(None, None, None),
            ("New Thread".into(), "New Thread".into())
        );
        assert_eq!(
            words(Some(" "), Some("fix it"), None),
            ("fix it".into(), "fix it".into())
        );
        assert_eq!(
            words(Some("T"), Some("p"), Some("done")),
            ("T".into(), "done".into())
        );
        let (title, preview) = words(Some(&"x".repeat(100)), None, Some(&"y".repeat(200)));
        assert_eq!((title.len(), preview.len()), (72, 140));
    }
}
