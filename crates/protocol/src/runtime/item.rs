//! Items: the visible pieces of a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AttachmentId, InputPart, ItemId, Timestamp, TurnId};
use crate::ActorId;

/// Version of the thread, turn and item records, told in each of them.
pub const RECORD_SCHEMA_VERSION: u32 = 2;

/// Longest summary of an item or turn, in characters.
const SUMMARY_CHARS_MAX: usize = 280;

/// The member of the metadata that names attachments.
const ATTACHMENTS: &str = "attachments";

/// What an item shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A prompt or a steer.
    UserMessage,
    /// Text of the agent.
    AgentMessage,
    /// Thinking of the agent.
    AgentReasoning,
    /// A tool call in general.
    ToolCall,
    /// A shell command.
    CommandExecution,
    /// A tool call that changes files.
    FileChange,
    /// The conversation being shortened.
    ContextCompaction,
    /// A line of information.
    Status,
    /// A failure.
    Error,
}

impl ItemKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            ItemKind::UserMessage => "user_message",
            ItemKind::AgentMessage => "agent_message",
            ItemKind::AgentReasoning => "agent_reasoning",
            ItemKind::ToolCall => "tool_call",
            ItemKind::CommandExecution => "command_execution",
            ItemKind::FileChange => "file_change",
            ItemKind::ContextCompaction => "context_compaction",
            ItemKind::Status => "status",
            ItemKind::Error => "error",
        }
    }

    /// Whether the item is a call of a tool, of whatever sort.
    pub fn is_tool(self) -> bool {
        match self {
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => true,
            ItemKind::UserMessage
            | ItemKind::AgentMessage
            | ItemKind::AgentReasoning
            | ItemKind::ContextCompaction
            | ItemKind::Status
            | ItemKind::Error => false,
        }
    }
}

/// Where an item stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    /// Waits for its start.
    Queued,
    /// Is going on.
    InProgress,
    /// Ended well.
    Completed,
    /// Ended badly.
    Failed,
    /// Was cut off.
    Interrupted,
    /// Was called off.
    Canceled,
}

impl ItemStatus {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            ItemStatus::Queued => "queued",
            ItemStatus::InProgress => "in_progress",
            ItemStatus::Completed => "completed",
            ItemStatus::Failed => "failed",
            ItemStatus::Interrupted => "interrupted",
            ItemStatus::Canceled => "canceled",
        }
    }

    /// Whether the item will not change any more.
    pub fn is_terminal(self) -> bool {
        match self {
            ItemStatus::Queued | ItemStatus::InProgress => false,
            ItemStatus::Completed
            | ItemStatus::Failed
            | ItemStatus::Interrupted
            | ItemStatus::Canceled => true,
        }
    }
}

/// One visible piece of a turn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnItemRecord {
    /// Version of this record's shape.
    pub schema_version: u32,
    /// The item.
    pub id: ItemId,
    /// The turn it belongs to.
    pub turn_id: TurnId,
    /// What it shows.
    pub kind: ItemKind,
    /// Where it stands.
    pub status: ItemStatus,
    /// A short text, at most 280 characters.
    pub summary: String,
    /// The full text: what was said, or the input and later the output of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Facts that depend on the kind: `tool` for tool calls, `error` for failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// The parts of a user message that is more than its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<InputPart>>,
    /// Files that belong to the item.
    #[serde(default)]
    pub artifact_refs: Vec<String>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Who made it; the events of the item tell more.
    pub actor_id: ActorId,
}

impl TurnItemRecord {
    /// A fact about a shortened conversation; other items may have members of that name that mean
    /// something else.
    pub(crate) fn fact(&self, name: &str) -> Option<&Value> {
        let is_compaction = self.kind == ItemKind::ContextCompaction;
        self.metadata.as_ref().filter(|_| is_compaction)?.get(name)
    }

    /// An item that begins now.
    pub fn new(id: ItemId, turn_id: TurnId, kind: ItemKind, by: ActorId, at: Timestamp) -> Self {
        TurnItemRecord {
            schema_version: RECORD_SCHEMA_VERSION,
            id,
            turn_id,
            kind,
            status: ItemStatus::InProgress,
            summary: String::new(),
            detail: None,
            metadata: None,
            input: None,
            artifact_refs: Vec::new(),
            started_at: Some(at),
            ended_at: None,
            actor_id: by,
        }
    }

    /// Fills in what a person or program gave: its text, and its parts where there is more than
    /// one text.
    pub fn set_input(&mut self, parts: Vec<InputPart>) {
        let text = InputPart::text_of(&parts);
        self.summary = summarize(&text);
        self.detail = Some(text);
        let is_text = matches!(&*parts, [InputPart::Text { .. }]);
        self.input = (!is_text).then_some(parts);
    }

    /// The attachments of what was said, or of what came of a call or of shortening, in their order.
    pub fn attachments(&self) -> Vec<AttachmentId> {
        let parts = self.input.iter().flatten();
        let said = parts.filter_map(InputPart::attachment);
        let said = said.map(|(_, id)| id.clone());
        let facts = self.metadata.as_ref();
        let came = facts.and_then(|facts| facts.get(ATTACHMENTS)?.as_array());
        let came = came.into_iter().flatten().filter_map(Value::as_str);
        said.chain(came.map(AttachmentId::from)).collect()
    }

    /// Notes what is to be seen or heard of what came of it.
    pub fn set_attachments<'a>(&mut self, ids: impl Iterator<Item = &'a AttachmentId>) {
        let ids: Vec<Value> = ids.map(|id| id.as_str().into()).collect();
        if !ids.is_empty() {
            let facts = self
                .metadata
                .get_or_insert_with(|| Value::Object(Map::new()));
            facts[ATTACHMENTS] = ids.into();
        }
    }
}

/// The first characters of a text, cut with `...` where it is longer than a summary may be.
pub fn summarize(text: &str) -> String {
    cut_with_dots(text.trim(), SUMMARY_CHARS_MAX)
}

/// At most `chars_max` characters of `text`; the last three become dots when something was cut.
pub(crate) fn cut_with_dots(text: &str, chars_max: usize) -> String {
    if text.chars().nth(chars_max).is_none() {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(chars_max - 3).collect();
    cut.push_str("...");
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_counts_characters_and_shows_that_it_was_cut() {
        assert_eq!(summarize("  short  "), "short");
        let exact = "é".repeat(280);
        assert_eq!(summarize(&exact), exact);
        let cut = summarize(&"é".repeat(281));
        assert_eq!(cut.chars().count(), 280);
        assert!(cut.ends_with("é..."));
    }
}
