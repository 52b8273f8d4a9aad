//! A call of a tool as what it is: a command, a patch, or a call of an MCP server.

use codewhale_protocol::EventFrame;
use codewhale_protocol::runtime::{ItemKind, ItemStatus, ToolInvocation, TurnItemRecord, untold};
use serde_json::Value;

/// What a command exits with that did not exit by itself, or did not run.
const NO_EXIT: i32 = -1;

/// A call that is going on.
pub(super) struct Call {
    /// The model's id of it.
    pub(super) id: String,
    /// The tool, as the model calls it.
    pub(super) tool: String,
    deed: Deed,
}

enum Deed {
    Command {
        command: String,
        cwd: String,
        /// What was told of its output.
        told: String,
    },
    /// The files, as far as the input names them.
    Patch {
        paths: Vec<String>,
    },
    Server {
        server: String,
        tool: String,
    },
    Other,
}

impl Call {
    pub(super) fn new(
        kind: ItemKind,
        tool: &ToolInvocation,
        server: Option<(String, String)>,
        workspace: &str,
    ) -> Self {
        let text = |name: &str| tool.input.get(name).and_then(Value::as_str);
        let deed = match (kind, server) {
            (_, Some((server, tool))) => Deed::Server { server, tool },
            // The tool of commands also looks after those in the background.
            (ItemKind::CommandExecution, None) => match text("command") {
                Some(command) => Deed::Command {
                    command: command.to_owned(),
                    cwd: text("cwd").unwrap_or(workspace).to_owned(),
                    told: String::new(),
                },
                None => Deed::Other,
            },
            (ItemKind::FileChange, None) => Deed::Patch {
                paths: paths(&tool.input),
            },
            (
                ItemKind::ToolCall
                | ItemKind::UserMessage
                | ItemKind::AgentMessage
                | ItemKind::AgentReasoning
                | ItemKind::ContextCompaction
                | ItemKind::Status
                | ItemKind::Error,
                None,
            ) => Deed::Other,
        };
        Self {
            id: tool.id.clone(),
            tool: tool.name.clone(),
            deed,
        }
    }

    pub(super) fn is_of_a_server(&self) -> bool {
        matches!(self.deed, Deed::Server { .. })
    }

    /// Whether questions under this header are those of the server that is called.
    pub(super) fn asks(&self, header: Option<&str>) -> bool {
        match &self.deed {
            Deed::Server { server, .. } => header == Some(server),
            Deed::Command { .. } | Deed::Patch { .. } | Deed::Other => false,
        }
    }

    pub(super) fn begun(&self) -> Vec<EventFrame> {
        match &self.deed {
            Deed::Command { command, cwd, .. } => vec![EventFrame::ExecCommandBegin {
                command: command.clone(),
                cwd: cwd.clone(),
            }],
            Deed::Patch { paths } => paths.iter().map(|path| patch_begin(path)).collect(),
            Deed::Server { server, tool } => vec![EventFrame::McpToolCallBegin {
                server_name: server.clone(),
                tool_name: tool.clone(),
            }],
            Deed::Other => Vec::new(),
        }
    }

    /// Something that a command printed.
    pub(super) fn printed(&mut self, delta: &str) -> Option<EventFrame> {
        match &mut self.deed {
            Deed::Command { command, told, .. } => {
                told.push_str(delta);
                Some(output_delta(command, delta))
            }
            Deed::Patch { .. } | Deed::Server { .. } | Deed::Other => None,
        }
    }

    pub(super) fn ended(&self, item: &TurnItemRecord) -> Vec<EventFrame> {
        let ok = item.status == ItemStatus::Completed;
        let facts = item.metadata.as_ref().and_then(|it| it.get("result"));
        match &self.deed {
            Deed::Command { command, told, .. } => {
                let exit_code = facts.and_then(|it| it["exit_code"].as_i64());
                let exit_code = exit_code.and_then(|code| i32::try_from(code).ok());
                let rest = untold(told, item.detail.as_deref().unwrap_or_default());
                let rest = (!rest.is_empty()).then(|| output_delta(command, rest));
                let end = EventFrame::ExecCommandEnd {
                    command: command.clone(),
                    exit_code: exit_code.unwrap_or(NO_EXIT),
                };
                rest.into_iter().chain([end]).collect()
            }
            Deed::Patch { paths } => {
                let changed = facts.map(changed_paths).unwrap_or_default();
                let late = changed.iter().filter(|path| !paths.contains(path));
                let mut frames: Vec<_> = late.clone().map(|path| patch_begin(path)).collect();
                frames.extend(paths.iter().chain(late).map(|path| {
                    let path = path.clone();
                    EventFrame::PatchApplyEnd { path, ok }
                }));
                frames
            }
            Deed::Server { server, tool } => vec![EventFrame::McpToolCallEnd {
                server_name: server.clone(),
                tool_name: tool.clone(),
                ok,
            }],
            Deed::Other => Vec::new(),
        }
    }
}

fn output_delta(command: &str, delta: &str) -> EventFrame {
    EventFrame::ExecCommandOutputDelta {
        command: command.to_owned(),
        delta: delta.to_owned(),
    }
}

fn patch_begin(path: &str) -> EventFrame {
    let path = path.to_owned();
    EventFrame::PatchApplyBegin { path }
}

/// The files that the input of a call names.
fn paths(input: &Value) -> Vec<String> {
    let listed = ["replace", "changes"].iter().filter_map(|it| input.get(it));
    let listed = listed.filter_map(Value::as_array).flatten();
    let all = [input].into_iter().chain(listed);
    all.filter_map(|it| it.get("path").and_then(Value::as_str))
        .map(str::to_owned)
        .collect()
}

/// The files that a patch has changed, as its result tells.
fn changed_paths(facts: &Value) -> Vec<String> {
    let files = facts.get("files").and_then(Value::as_array);
    let files = files.into_iter().flatten();
    files
        .filter_map(|file| file.as_str().or_else(|| file.get("path")?.as_str()))
        .map(str::to_owned)
        .collect()
}
