//! What the client is told while a session is open.

use serde::Serialize;
use serde_json::Value;

use super::{ConfigOption, ContentBlock};

/// One thing that is told of a session.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "sessionUpdate", rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "these are the protocol's words")]
pub(crate) enum Update {
    UserMessageChunk(Chunk),
    AgentMessageChunk(Chunk),
    AgentThoughtChunk(Chunk),
    ToolCall(Box<ToolCall>),
    ToolCallUpdate(Box<ToolCall>),
    Plan {
        entries: Vec<PlanEntry>,
    },
    #[serde(rename_all = "camelCase")]
    AvailableCommandsUpdate {
        available_commands: Vec<Command>,
    },
    #[serde(rename_all = "camelCase")]
    CurrentModeUpdate {
        current_mode_id: &'static str,
    },
    #[serde(rename_all = "camelCase")]
    ConfigOptionUpdate {
        config_options: Vec<ConfigOption>,
    },
    #[serde(rename_all = "camelCase")]
    SessionInfoUpdate {
        title: Option<String>,
        updated_at: String,
    },
    UsageUpdate {
        used: u64,
        size: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
    },
    Notice {
        severity: Severity,
        title: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    CompactionUpdate {
        compaction_id: String,
        status: CompactionStatus,
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<Vec<ContentBlock>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

/// A piece of a message.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Chunk {
    pub(crate) content: ContentBlock,
    pub(crate) message_id: String,
}

/// A call of a tool, or what is new about it.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolCall {
    pub(crate) tool_call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<ToolKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<ToolStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Vec<ToolContent>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) locations: Option<Vec<Location>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw_input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw_output: Option<Value>,
}

/// What sort of tool it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolKind {
    Read,
    Edit,
    Search,
    Execute,
    Think,
    Fetch,
    Other,
}

/// Where a call stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

/// What a call shows.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ToolContent {
    Content {
        content: ContentBlock,
    },
    #[serde(rename_all = "camelCase")]
    Diff {
        path: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        old_text: Option<String>,
        new_text: String,
    },
    #[serde(rename_all = "camelCase")]
    Terminal {
        terminal_id: String,
    },
}

/// A file that a call is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Location {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}

/// A step of what the agent plans.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct PlanEntry {
    pub(crate) content: String,
    pub(crate) priority: Priority,
    pub(crate) status: PlanStatus,
}

/// How much a step matters. Our agents do not say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Priority {
    Medium,
}

/// How far a step is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlanStatus {
    Pending,
    InProgress,
    Completed,
}

/// A command that a prompt may begin with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Command {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<CommandInput>,
}

/// What may stand behind it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct CommandInput {
    pub(crate) hint: &'static str,
}

/// What a session has cost.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Cost {
    pub(crate) amount: f64,
    pub(crate) currency: &'static str,
}

/// How grave a line of information is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Severity {
    Info,
    Warning,
    Error,
}

/// How far the shortening of a conversation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CompactionStatus {
    InProgress,
    Completed,
    Failed,
    Cancelled,
}
