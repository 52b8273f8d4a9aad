//! A program written against the published types: matches that spell out every variant and field,
//! so that one more, one less or another name stops the build. `seed_literals` is its other half.

use codewhale_protocol::{
    AppRequest, EventFrame, ThreadForkParams, ThreadGoalClearParams, ThreadGoalGetParams,
    ThreadGoalSetParams, ThreadListParams, ThreadReadParams, ThreadRequest, ThreadResumeParams,
    ThreadSetNameParams, ThreadStartParams,
};

/// The kind of a thread request. No wildcard: a fourteenth variant stops here.
pub(crate) fn kind(request: &ThreadRequest) -> &'static str {
    match request {
        ThreadRequest::Create { metadata: _ } => "create",
        ThreadRequest::Start(ThreadStartParams { .. }) => "start",
        ThreadRequest::Resume(ThreadResumeParams { .. }) => "resume",
        ThreadRequest::Fork(ThreadForkParams { .. }) => "fork",
        ThreadRequest::List(ThreadListParams { .. }) => "list",
        ThreadRequest::Read(ThreadReadParams { .. }) => "read",
        ThreadRequest::SetName(ThreadSetNameParams { .. }) => "set_name",
        ThreadRequest::GoalSet(ThreadGoalSetParams { .. }) => "goal_set",
        ThreadRequest::GoalGet(ThreadGoalGetParams { .. }) => "goal_get",
        ThreadRequest::GoalClear(ThreadGoalClearParams { .. }) => "goal_clear",
        ThreadRequest::Archive { thread_id: _ } => "archive",
        ThreadRequest::Unarchive { thread_id: _ } => "unarchive",
        ThreadRequest::Message {
            thread_id: _,
            input: _,
        } => "message",
    }
}

/// The kind of an app request.
pub(crate) fn app_kind(request: &AppRequest) -> &'static str {
    match request {
        AppRequest::Capabilities => "capabilities",
        AppRequest::ConfigGet { key: _ } => "config_get",
        AppRequest::ConfigSet { key: _, value: _ } => "config_set",
        AppRequest::ConfigUnset { key: _ } => "config_unset",
        AppRequest::ConfigList => "config_list",
        AppRequest::Models => "models",
        AppRequest::ThreadLoadedList => "thread_loaded_list",
    }
}

/// The name of an event.
pub(crate) fn event(frame: &EventFrame) -> &'static str {
    match frame {
        EventFrame::ResponseStart { response_id: _ } => "response_start",
        EventFrame::ResponseDelta {
            response_id: _,
            delta: _,
            channel: _,
        } => "response_delta",
        EventFrame::ResponseEnd { response_id: _ } => "response_end",
        EventFrame::ToolCallStart {
            response_id: _,
            tool_name: _,
            arguments: _,
        } => "tool_call_start",
        EventFrame::ToolCallResult {
            response_id: _,
            tool_name: _,
            output: _,
        } => "tool_call_result",
        EventFrame::McpStartupUpdate { update: _ } => "mcp_startup_update",
        EventFrame::McpStartupComplete { summary: _ } => "mcp_startup_complete",
        EventFrame::McpToolCallBegin {
            server_name: _,
            tool_name: _,
        } => "mcp_tool_call_begin",
        EventFrame::McpToolCallEnd {
            server_name: _,
            tool_name: _,
            ok: _,
        } => "mcp_tool_call_end",
        EventFrame::ExecApprovalRequest { request: _ } => "exec_approval_request",
        EventFrame::ApplyPatchApprovalRequest { request: _ } => "apply_patch_approval_request",
        EventFrame::ElicitationRequest {
            server_name: _,
            request_id: _,
            prompt: _,
        } => "elicitation_request",
        EventFrame::ExecCommandBegin { command: _, cwd: _ } => "exec_command_begin",
        EventFrame::ExecCommandOutputDelta {
            command: _,
            delta: _,
        } => "exec_command_output_delta",
        EventFrame::ExecCommandEnd {
            command: _,
            exit_code: _,
        } => "exec_command_end",
        EventFrame::PatchApplyBegin { path: _ } => "patch_apply_begin",
        EventFrame::PatchApplyEnd { path: _, ok: _ } => "patch_apply_end",
        EventFrame::TurnStarted { turn_id: _ } => "turn_started",
        EventFrame::TurnComplete { turn_id: _ } => "turn_complete",
        EventFrame::TurnAborted {
            turn_id: _,
            reason: _,
        } => "turn_aborted",
        EventFrame::ThreadGoalUpdated { goal: _ } => "thread_goal_updated",
        EventFrame::ThreadGoalCleared { thread_id: _ } => "thread_goal_cleared",
        EventFrame::Error {
            response_id: _,
            message: _,
        } => "error",
    }
}
