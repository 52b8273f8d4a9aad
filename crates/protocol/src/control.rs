//! The control protocol: what programs say to CodeWhale over stdio, and what they hear back.
//!
//! Other people's code is compiled against these names and parses these bytes, so both are frozen:
//! `tests/parity_protocol.rs` holds them in place. What came later stands in [`ext`](crate::ext).

mod app;
mod approval;
mod envelope;
mod event_frame;
mod goal;
mod mcp;
mod prompt;
mod thread;
mod thread_request;
mod thread_response;
mod tool;

pub use app::{AppRequest, AppResponse};
pub use approval::{
    ApprovalDecisionRequest, AskForApproval, ExecApprovalRequestEvent, NetworkApprovalContext,
    NetworkPolicyAmendment, NetworkPolicyRuleAction, ReviewDecision,
};
pub use envelope::Envelope;
pub use event_frame::{EventFrame, ResponseChannel};
pub use goal::{
    ThreadGoal, ThreadGoalClearParams, ThreadGoalGetParams, ThreadGoalSetParams, ThreadGoalStatus,
};
pub use mcp::{
    McpStartupCompleteEvent, McpStartupFailure, McpStartupStatus, McpStartupUpdateEvent,
};
pub use prompt::{PromptRequest, PromptResponse};
pub use thread::{SessionSource, Thread, ThreadStatus};
pub use thread_request::{
    ThreadForkParams, ThreadListParams, ThreadReadParams, ThreadRequest, ThreadResumeParams,
    ThreadSetNameParams, ThreadStartParams,
};
pub use thread_response::ThreadResponse;
pub use tool::{LocalShellParams, ToolKind, ToolOutput, ToolPayload};
