//! Event frames: what a turn shows of itself while it runs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ExecApprovalRequestEvent, McpStartupCompleteEvent, McpStartupUpdateEvent, ThreadGoal};

/// Which of the model's two voices a piece of text belongs to.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ResponseChannel {
    /// The answer. Left out on the wire, because nearly all pieces belong to it.
    #[default]
    Text,
    /// The thinking before it.
    Reasoning,
}

impl ResponseChannel {
    /// Whether this is the answer's own channel.
    pub const fn is_text(&self) -> bool {
        matches!(self, ResponseChannel::Text)
    }
}

/// One thing that happened, named by its `event` member.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventFrame {
    /// The model begins to answer.
    ResponseStart {
        /// The answer.
        response_id: String,
    },
    /// The next piece of the answer; a reader joins them.
    ResponseDelta {
        /// The answer.
        response_id: String,
        /// The piece.
        delta: String,
        /// Which voice it belongs to.
        #[serde(default, skip_serializing_if = "ResponseChannel::is_text")]
        channel: ResponseChannel,
    },
    /// The answer is over, for better or worse.
    ResponseEnd {
        /// The answer.
        response_id: String,
    },
    /// A tool is called.
    ToolCallStart {
        /// The answer that calls it.
        response_id: String,
        /// The tool.
        tool_name: String,
        /// What it is called with.
        arguments: Value,
    },
    /// The tool is done.
    ToolCallResult {
        /// The answer that called it.
        response_id: String,
        /// The tool.
        tool_name: String,
        /// What it gave back.
        output: Value,
    },
    /// An MCP server moved a step towards being ready.
    McpStartupUpdate {
        /// The step.
        update: McpStartupUpdateEvent,
    },
    /// No MCP server is starting any more.
    McpStartupComplete {
        /// What became of each.
        summary: McpStartupCompleteEvent,
    },
    /// A tool on an MCP server is called.
    McpToolCallBegin {
        /// The server.
        server_name: String,
        /// The tool on it.
        tool_name: String,
    },
    /// That tool is done.
    McpToolCallEnd {
        /// The server.
        server_name: String,
        /// The tool on it.
        tool_name: String,
        /// Whether it did what was asked.
        ok: bool,
    },
    /// May this command run?
    ExecApprovalRequest {
        /// The question.
        request: ExecApprovalRequestEvent,
    },
    /// May this patch land?
    ApplyPatchApprovalRequest {
        /// The question.
        request: ExecApprovalRequestEvent,
    },
    /// An MCP server asks the person something.
    ElicitationRequest {
        /// The server.
        server_name: String,
        /// The id to answer to.
        request_id: String,
        /// The question.
        prompt: String,
    },
    /// A command begins to run.
    ExecCommandBegin {
        /// The command.
        command: String,
        /// Where it runs.
        cwd: String,
    },
    /// The command printed something.
    ExecCommandOutputDelta {
        /// The command.
        command: String,
        /// What it printed since the last such event.
        delta: String,
    },
    /// The command is done.
    ExecCommandEnd {
        /// The command.
        command: String,
        /// What it exited with.
        exit_code: i32,
    },
    /// A file is about to be patched.
    PatchApplyBegin {
        /// The file.
        path: String,
    },
    /// The patch has landed, or has not.
    PatchApplyEnd {
        /// The file.
        path: String,
        /// Whether it landed.
        ok: bool,
    },
    /// A turn begins.
    TurnStarted {
        /// The turn.
        turn_id: String,
    },
    /// It reached its end.
    TurnComplete {
        /// The turn.
        turn_id: String,
    },
    /// It was cut short.
    TurnAborted {
        /// The turn.
        turn_id: String,
        /// By what.
        reason: String,
    },
    /// A goal is new or has changed.
    ThreadGoalUpdated {
        /// The goal as it is now.
        goal: ThreadGoal,
    },
    /// The thread has no goal any more.
    ThreadGoalCleared {
        /// The thread.
        thread_id: String,
    },
    /// Something went wrong.
    Error {
        /// The answer it went wrong in.
        response_id: String,
        /// What went wrong, for people.
        message: String,
    },
}
