//! The items of a thread told as the messages of a session.

use codewhale_protocol::runtime::{
    ItemKind, ItemStatus, Mode, PeekEntry, Session, SessionBlock, SessionMessage, SessionPeek,
    ThreadRecord, TurnItemRecord,
};
use codewhale_store::SessionFigures;
use serde_json::Value;

use crate::limits;

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

/// Everything that was said and done, also what was later shortened.
pub(super) fn of_items<'a>(
    items: impl IntoIterator<Item = &'a TurnItemRecord>,
) -> Vec<SessionMessage> {
    let mut messages: Vec<SessionMessage> = Vec::new();
    for item in items {
        match item.kind {
            ItemKind::UserMessage => {
                // What a person says is a message of its own.
                messages.push(SessionMessage {
                    role: USER.to_owned(),
                    content: Vec::new(),
                });
                add(&mut messages, USER, text(item));
            }
            ItemKind::AgentMessage => add(&mut messages, ASSISTANT, text(item)),
            ItemKind::AgentReasoning => {
                let text = words(item).to_owned();
                add(&mut messages, ASSISTANT, SessionBlock::Thinking { text });
            }
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                let (call, result) = call(item);
                add(&mut messages, ASSISTANT, call);
                add(&mut messages, USER, result);
            }
            ItemKind::ContextCompaction | ItemKind::Status | ItemKind::Error => {}
        }
    }
    messages
}

/// Adds to the last message, or begins the next.
fn add(messages: &mut Vec<SessionMessage>, role: &str, block: SessionBlock) {
    match messages.last_mut().filter(|last| last.role == role) {
        Some(last) => last.content.push(block),
        None => messages.push(SessionMessage {
            role: role.to_owned(),
            content: vec![block],
        }),
    }
}

fn words(item: &TurnItemRecord) -> &str {
    item.detail.as_deref().unwrap_or_default()
}

fn text(item: &TurnItemRecord) -> SessionBlock {
    let text = words(item).to_owned();
    SessionBlock::Text { text }
}

fn call(item: &TurnItemRecord) -> (SessionBlock, SessionBlock) {
    let tool = item.metadata.as_ref().map(|it| &it["tool"]);
    let member = |name: &str| tool.and_then(|tool| tool[name].as_str());
    let id = member("id").unwrap_or(item.id.as_str()).to_owned();
    let call = SessionBlock::ToolUse {
        id: id.clone(),
        name: member("name").unwrap_or_default().to_owned(),
        input: tool.map_or(Value::Null, |tool| tool["input"].clone()),
    };
    let result = SessionBlock::ToolResult {
        tool_use_id: id,
        content: words(item).to_owned(),
        is_error: item.status != ItemStatus::Completed,
    };
    (call, result)
}

/// The last entries, in short.
pub(super) fn peek<'a>(
    items: impl DoubleEndedIterator<Item = &'a TurnItemRecord>,
    entries: u64,
    thread: &ThreadRecord,
    title: String,
    figures: SessionFigures,
) -> SessionPeek {
    let all: Vec<PeekEntry> = items.filter_map(entry).collect();
    let omitted = all
        .len()
        .saturating_sub(usize::try_from(entries).unwrap_or(usize::MAX));
    SessionPeek {
        session_id: thread.id.clone(),
        title,
        workspace: thread.workspace.clone(),
        model: thread.model.clone(),
        mode: thread.mode,
        archived: thread.archived,
        message_count: figures.messages,
        updated_at: thread.updated_at,
        entries: all.into_iter().skip(omitted).collect(),
        omitted_before: omitted as u64,
        live: false,
    }
}

/// The last entries of a recording, in short.
pub(super) fn peek_at(session: Session, entries: u64) -> SessionPeek {
    let Session {
        metadata, messages, ..
    } = session;
    let told = |message: &SessionMessage| -> Vec<PeekEntry> {
        let is_user = message.role == USER;
        let blocks = message.content.iter();
        blocks.filter_map(|block| glance(block, is_user)).collect()
    };
    let all: Vec<PeekEntry> = messages.iter().flat_map(told).collect();
    let kept = usize::try_from(entries).unwrap_or(usize::MAX);
    let omitted = all.len().saturating_sub(kept);
    SessionPeek {
        session_id: metadata.id,
        title: metadata.title,
        workspace: metadata.workspace,
        model: metadata.model,
        mode: metadata.mode.unwrap_or(Mode::Agent),
        archived: false,
        message_count: metadata.message_count,
        updated_at: metadata.updated_at,
        entries: all.into_iter().skip(omitted).collect(),
        omitted_before: omitted as u64,
        live: false,
    }
}

fn glance(block: &SessionBlock, is_user: bool) -> Option<PeekEntry> {
    let (kind, words) = match block {
        SessionBlock::Text { text } if is_user => ("user", text),
        SessionBlock::Text { text } => ("assistant", text),
        SessionBlock::Thinking { text } => ("reasoning", text),
        SessionBlock::ToolUse { name, input, .. } => {
            return Some(PeekEntry {
                kind: "tool".to_owned(),
                text: format!("{name}: {} bytes", input.to_string().len()),
                truncated: true,
                redacted: true,
            });
        }
        SessionBlock::ToolResult { .. } => return None,
    };
    Some(shortened(kind, words))
}

fn shortened(kind: &str, words: &str) -> PeekEntry {
    let mut shown = words.chars();
    let text: String = shown.by_ref().take(limits::PEEK_CHARS_MAX).collect();
    PeekEntry {
        kind: kind.to_owned(),
        text,
        truncated: shown.next().is_some(),
        redacted: false,
    }
}

fn entry(item: &TurnItemRecord) -> Option<PeekEntry> {
    let kind = match item.kind {
        ItemKind::UserMessage => "user",
        ItemKind::AgentMessage => "assistant",
        ItemKind::AgentReasoning => "reasoning",
        ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => "tool",
        ItemKind::ContextCompaction | ItemKind::Status | ItemKind::Error => return None,
    };
    let words = words(item);
    if item.kind.is_tool() {
        let tool = item
            .metadata
            .as_ref()
            .and_then(|it| it["tool"]["name"].as_str());
        return Some(PeekEntry {
            kind: kind.to_owned(),
            text: format!("{}: {} bytes", tool.unwrap_or("tool"), words.len()),
            truncated: !words.is_empty(),
            redacted: true,
        });
    }
    Some(shortened(kind, words))
}
