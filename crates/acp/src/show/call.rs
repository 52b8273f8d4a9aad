//! Calls of tools: their kind, the files they are about, and what they change.

use std::path::Path;

use codewhale_protocol::runtime::{ItemId, ItemKind, ItemStatus, PendingApproval, TurnItemRecord};
use serde_json::Value;

use super::{Show, plan};
use crate::limits::RESULT_BYTES_MAX;
use crate::wire::{ContentBlock, Location, ToolCall, ToolContent, ToolKind, ToolStatus, Update};

/// A call as its item keeps it.
struct Called<'a> {
    id: &'a str,
    name: &'a str,
    input: &'a Value,
}

impl<'a> Called<'a> {
    fn read(item: &'a TurnItemRecord) -> Option<Self> {
        let tool = item.metadata.as_ref()?.get("tool")?;
        Some(Self {
            id: tool.get("id")?.as_str()?,
            name: tool.get("name")?.as_str()?,
            input: tool.get("input")?,
        })
    }

    /// The list of steps is shown as a plan, not as a call.
    fn is_plan(&self) -> bool {
        self.name == "todo_write"
    }

    fn text(&self, member: &str) -> Option<&'a str> {
        self.input.get(member)?.as_str()
    }
}

impl Show {
    pub(super) fn call_begun(&mut self, item: &TurnItemRecord) -> Option<Update> {
        let called = Called::read(item)?;
        self.calls.insert(called.id.to_owned(), item.id.clone());
        if called.is_plan() {
            return None;
        }
        let call = self.described(item, &called);
        Some(Update::ToolCall(Box::new(ToolCall {
            status: Some(ToolStatus::InProgress),
            ..call
        })))
    }

    pub(super) fn call_over(&mut self, item: &TurnItemRecord) -> Option<Update> {
        let called = Called::read(item);
        if called.as_ref().is_some_and(Called::is_plan) {
            return plan::of(item);
        }
        let is_shown = called.is_some_and(|called| self.shows_change(&called));
        let succeeded = item.status == ItemStatus::Completed;
        Some(Update::ToolCallUpdate(Box::new(ToolCall {
            tool_call_id: item.id.to_string(),
            status: Some(status(item.status)),
            // What an edit changes is shown already, and says more than that it worked.
            content: match is_shown && succeeded {
                true => None,
                false => result(item),
            },
            raw_output: item
                .metadata
                .as_ref()
                .and_then(|it| it.get("result"))
                .cloned(),
            ..ToolCall::default()
        })))
    }

    pub(super) fn call_again(&mut self, item: &TurnItemRecord) -> Option<Update> {
        let called = Called::read(item)?;
        if called.is_plan() {
            return plan::of(item);
        }
        let call = self.described(item, &called);
        let succeeded = item.status == ItemStatus::Completed;
        let content = match call.content.is_some() && succeeded {
            true => call.content,
            false => result(item),
        };
        Some(Update::ToolCall(Box::new(ToolCall {
            status: Some(status(item.status)),
            content,
            raw_output: item
                .metadata
                .as_ref()
                .and_then(|it| it.get("result"))
                .cloned(),
            ..call
        })))
    }

    fn shows_change(&self, called: &Called<'_>) -> bool {
        self.change(called).is_some()
    }

    fn described(&self, item: &TurnItemRecord, called: &Called<'_>) -> ToolCall {
        ToolCall {
            tool_call_id: item.id.to_string(),
            title: Some(item.summary.clone()),
            kind: Some(kind(called.name, item.kind)),
            content: self.change(called),
            locations: self.locations(called),
            raw_input: Some(called.input.clone()),
            ..ToolCall::default()
        }
    }

    fn locations(&self, called: &Called<'_>) -> Option<Vec<Location>> {
        let path = self.absolute(called.text("path")?);
        let line = called.input.get("start_line").and_then(Value::as_u64);
        let line = line.and_then(|line| u32::try_from(line).ok());
        Some(vec![Location { path, line }])
    }

    /// What an edit changes: each old text with the new one, or the whole new file.
    fn change(&self, called: &Called<'_>) -> Option<Vec<ToolContent>> {
        let path = || Some(self.absolute(called.text("path")?));
        let diff = |old: Option<&str>, new: &str| {
            Some(ToolContent::Diff {
                path: path()?,
                old_text: old.map(str::to_owned),
                new_text: new.to_owned(),
            })
        };
        match called.name {
            "write_file" | "write" => Some(vec![diff(None, called.text("content")?)?]),
            "edit_file" | "edit" => match called.input.get("edits").and_then(Value::as_array) {
                Some(edits) => edits
                    .iter()
                    .map(|edit| {
                        let old = first_text(edit, &["oldText", "old_text", "search"])?;
                        let new = first_text(edit, &["newText", "new_text", "replace"])?;
                        diff(Some(old), new)
                    })
                    .collect(),
                None => Some(vec![diff(
                    Some(called.text("search")?),
                    called.text("replace")?,
                )?]),
            },
            _ => None,
        }
    }

    fn absolute(&self, path: &str) -> String {
        let path = Path::new(&self.workspace).join(path);
        path.to_string_lossy().into_owned()
    }
}

/// A call that waits for a person, with everything to decide by.
pub(crate) fn asked(approval: &PendingApproval, item: Option<&ItemId>) -> ToolCall {
    let detail = &approval.detail;
    let by = approval.asked_by.as_ref();
    let by = by.map(|by| format!("The sub-agent {} asks.", by.agent_id));
    let lines = [
        by,
        detail.intent_summary.clone(),
        Some(detail.reason.clone()),
        detail
            .command
            .as_ref()
            .map(|it| format!("```sh\n{it}\n```")),
        detail.cwd.as_ref().map(|it| format!("In {it}")),
        detail.diff.as_ref().map(|it| format!("```diff\n{it}\n```")),
    ];
    let text: Vec<String> = lines.into_iter().flatten().collect();
    let location = |path: &String| {
        vec![Location {
            path: path.clone(),
            line: None,
        }]
    };
    ToolCall {
        tool_call_id: item.map_or_else(|| approval.id.to_string(), ToString::to_string),
        title: Some(detail.description.clone()),
        status: Some(ToolStatus::Pending),
        kind: Some(kind(&detail.tool_name, kind_of_item(approval))),
        content: Some(vec![shown(&text.join("\n\n"))]),
        locations: detail.path.as_ref().map(location),
        ..ToolCall::default()
    }
}

/// What came of a call, with what is to be seen of it.
pub(super) fn showing(item: &TurnItemRecord, blocks: impl Iterator<Item = ContentBlock>) -> Update {
    let blocks = blocks.map(|content| ToolContent::Content { content });
    let content = result(item).into_iter().flatten().chain(blocks).collect();
    Update::ToolCallUpdate(Box::new(ToolCall {
        tool_call_id: item.id.to_string(),
        content: Some(content),
        ..ToolCall::default()
    }))
}

/// A call that waits no more.
pub(crate) fn running(item: &ItemId) -> Update {
    Update::ToolCallUpdate(Box::new(ToolCall {
        tool_call_id: item.to_string(),
        status: Some(ToolStatus::InProgress),
        ..ToolCall::default()
    }))
}

fn kind_of_item(approval: &PendingApproval) -> ItemKind {
    match (&approval.detail.command, &approval.detail.path) {
        (Some(_), _) => ItemKind::CommandExecution,
        (None, Some(_)) => ItemKind::FileChange,
        (None, None) => ItemKind::ToolCall,
    }
}

/// Tools that only look are told apart by name; the others by how their items are kept.
fn kind(name: &str, item: ItemKind) -> ToolKind {
    match (name, item) {
        ("read_file" | "read" | "retrieve_tool_result" | "load_skill" | "memory_get", _) => {
            ToolKind::Read
        }
        ("git_status" | "git_diff" | "git_log" | "git_show" | "git_blame", _) => ToolKind::Read,
        ("grep_files" | "file_search" | "list_dir" | "memory_search", _) => ToolKind::Search,
        ("fetch_url", _) => ToolKind::Fetch,
        ("create_goal" | "get_goal" | "update_goal" | "remember", _) => ToolKind::Think,
        (_, ItemKind::CommandExecution) => ToolKind::Execute,
        (_, ItemKind::FileChange) => ToolKind::Edit,
        _ => ToolKind::Other,
    }
}

fn status(status: ItemStatus) -> ToolStatus {
    match status {
        ItemStatus::Queued => ToolStatus::Pending,
        ItemStatus::InProgress => ToolStatus::InProgress,
        ItemStatus::Completed => ToolStatus::Completed,
        ItemStatus::Failed | ItemStatus::Interrupted | ItemStatus::Canceled => ToolStatus::Failed,
    }
}

fn result(item: &TurnItemRecord) -> Option<Vec<ToolContent>> {
    let text = item.detail.as_deref().filter(|text| !text.is_empty())?;
    Some(vec![shown(text)])
}

fn shown(text: &str) -> ToolContent {
    let end = text.floor_char_boundary(RESULT_BYTES_MAX);
    let text = match end < text.len() {
        true => format!("{}\n[cut here; the whole is in the thread]", &text[..end]),
        false => text.to_owned(),
    };
    let content = ContentBlock::text(text);
    ToolContent::Content { content }
}

fn first_text<'a>(value: &'a Value, members: &[&str]) -> Option<&'a str> {
    let mut members = members.iter();
    members.find_map(|member| value.get(member).and_then(Value::as_str))
}
