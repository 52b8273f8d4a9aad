//! A durable thread in the older, flatter picture of the control protocol.

use codewhale_protocol::runtime::{
    ItemKind, ThreadDetail, ThreadRecord, ThreadSummary, Timestamp, TurnItemRecord, TurnStatus,
};
use codewhale_protocol::{SessionSource, Surface, Thread, ThreadStatus};
use serde_json::{Value, json};

use super::desk::Desk;
use super::limits::{HISTORY_MAX, PREVIEW_CHARS_MAX};

/// What a thread nobody has said anything in shows.
const NEW: &str = "New conversation";

/// A thread and what its record does not say.
pub(super) struct View<'a> {
    record: &'a ThreadRecord,
    version: &'a str,
    pub(super) preview: Option<String>,
    pub(super) status: ThreadStatus,
    pub(super) source: SessionSource,
    pub(super) is_ephemeral: bool,
}

impl<'a> View<'a> {
    pub(super) fn new(desk: &'a Desk, record: &'a ThreadRecord) -> Self {
        Self {
            record,
            version: &desk.options.version,
            preview: None,
            status: status_of(record, None),
            source: source_of(record.origin.surface),
            is_ephemeral: false,
        }
    }

    /// With what a list knows of it.
    pub(super) fn with_line(mut self, line: &ThreadSummary) -> Self {
        self.status = status_of(self.record, line.latest_turn_status);
        // Without a title of its own, a line is headed by the latest prompt.
        let words = match self.record.title {
            Some(_) => &line.preview,
            None => &line.title,
        };
        self.preview = line.latest_turn_id.as_ref().map(|_| cut(words));
        self
    }

    pub(super) fn thread(self) -> Thread {
        let record = self.record;
        Thread {
            id: record.id.to_string(),
            preview: self.preview.unwrap_or_else(|| NEW.to_owned()),
            ephemeral: self.is_ephemeral,
            model_provider: record.model_provider.clone().unwrap_or_default(),
            created_at: seconds(record.created_at),
            updated_at: seconds(record.updated_at),
            status: self.status,
            path: None,
            cwd: record.workspace.clone().into(),
            cli_version: self.version.to_owned(),
            source: self.source,
            name: record.title.clone(),
        }
    }
}

/// What a thread is doing, by its newest turn.
pub(super) fn status_of(record: &ThreadRecord, newest: Option<TurnStatus>) -> ThreadStatus {
    if record.archived {
        return ThreadStatus::Archived;
    }
    match newest {
        None | Some(TurnStatus::Queued | TurnStatus::InProgress) => ThreadStatus::Running,
        Some(TurnStatus::Failed) => ThreadStatus::Failed,
        Some(TurnStatus::Completed | TurnStatus::Interrupted | TurnStatus::Canceled) => {
            ThreadStatus::Idle
        }
    }
}

fn source_of(surface: Surface) -> SessionSource {
    match surface {
        Surface::Stdio
        | Surface::Acp
        | Surface::Web
        | Surface::Mobile
        | Surface::Tui
        | Surface::Cli
        | Surface::Bridge => SessionSource::Interactive,
        Surface::Http
        | Surface::AcpRest
        | Surface::Mcp
        | Surface::Scheduler
        | Surface::Fleet
        | Surface::Runtime => SessionSource::Api,
    }
}

/// The start of the newest thing a person said.
pub(super) fn preview_of(detail: &ThreadDetail) -> Option<String> {
    let mut items = detail.items.iter().rev();
    let newest = items.find(|item| item.kind == ItemKind::UserMessage)?;
    Some(cut(newest.detail.as_ref().unwrap_or(&newest.summary)))
}

fn cut(text: &str) -> String {
    text.trim().chars().take(PREVIEW_CHARS_MAX).collect()
}

/// What was said and done, the newest entries.
pub(super) fn history(detail: &ThreadDetail) -> Vec<Value> {
    let skipped = detail.items.len().saturating_sub(HISTORY_MAX);
    let entry = |item: &TurnItemRecord| {
        json!({
            "id": item.id,
            "role": role_of(item.kind),
            "content": item.detail.as_ref().unwrap_or(&item.summary),
            "item": item,
            "created_at": item.started_at.map(seconds),
        })
    };
    detail.items[skipped..].iter().map(entry).collect()
}

fn role_of(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::UserMessage => "user",
        ItemKind::AgentMessage => "assistant",
        ItemKind::AgentReasoning => "reasoning",
        ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => "tool",
        ItemKind::ContextCompaction | ItemKind::Status | ItemKind::Error => "system",
    }
}

fn seconds(at: Timestamp) -> i64 {
    at.as_ms() / 1_000
}
