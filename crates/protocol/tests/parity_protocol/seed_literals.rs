//! A program written against the published types: literals that spell out every field with a value
//! of its exact type, so that one that is renamed, retyped, added or dropped stops the build.
//!
//! There is no `into()` here on purpose: it would forgive a change of type.

use std::fmt::Debug;
use std::path::PathBuf;

use codewhale_protocol::{
    AppRequest, AppResponse, ApprovalDecisionRequest, AskForApproval, Envelope, EventFrame,
    ExecApprovalRequestEvent, LocalShellParams, McpStartupCompleteEvent, McpStartupFailure,
    McpStartupStatus, McpStartupUpdateEvent, NetworkApprovalContext, NetworkPolicyAmendment,
    NetworkPolicyRuleAction, PromptRequest, PromptResponse, ResponseChannel, ReviewDecision,
    SessionSource, Thread, ThreadForkParams, ThreadGoal, ThreadGoalClearParams,
    ThreadGoalGetParams, ThreadGoalSetParams, ThreadGoalStatus, ThreadListParams, ThreadReadParams,
    ThreadRequest, ThreadResponse, ThreadResumeParams, ThreadSetNameParams, ThreadStartParams,
    ThreadStatus, ToolKind, ToolOutput, ToolPayload,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn text() -> String {
    String::new()
}

/// What every published type can do. Taking the literal proves it can be built as well.
fn published<T: Debug + Clone + Serialize + DeserializeOwned>(_: T) {}

/// What the plain ones can do besides.
fn comparable<T: Debug + Clone + Serialize + DeserializeOwned + PartialEq + Eq>(_: T) {}

fn thread() -> Thread {
    Thread {
        id: text(),
        preview: text(),
        ephemeral: false,
        model_provider: text(),
        created_at: 0_i64,
        updated_at: 0_i64,
        status: ThreadStatus::Idle,
        path: None::<PathBuf>,
        cwd: PathBuf::new(),
        cli_version: text(),
        source: SessionSource::Unknown,
        name: None::<String>,
    }
}

fn goal() -> ThreadGoal {
    ThreadGoal {
        thread_id: text(),
        goal_id: text(),
        objective: text(),
        status: ThreadGoalStatus::Complete,
        token_budget: None::<i64>,
        tokens_used: 0_i64,
        time_used_seconds: 0_i64,
        created_at: 0_i64,
        updated_at: 0_i64,
    }
}

#[test]
fn threads_and_their_answers() {
    published(Envelope {
        request_id: text(),
        thread_id: None::<String>,
        body: thread(),
    });
    comparable(ThreadStatus::Running);
    comparable(SessionSource::Interactive);
    comparable(ThreadGoalStatus::Active);
    published(thread());
    comparable(goal());
    published(ThreadResponse {
        thread_id: text(),
        status: text(),
        thread: Some(thread()),
        threads: Vec::<Thread>::new(),
        goal: Some(goal()),
        model: None::<String>,
        model_provider: None::<String>,
        cwd: None::<PathBuf>,
        approval_policy: None::<String>,
        sandbox: None::<String>,
        events: Vec::<EventFrame>::new(),
        data: Value::Null,
    });
}

#[test]
fn thread_requests() {
    published(ThreadRequest::Create {
        metadata: Value::Null,
    });
    published(ThreadRequest::Start(ThreadStartParams {
        model: None::<String>,
        model_provider: None::<String>,
        cwd: None::<PathBuf>,
        persist_extended_history: false,
    }));
    published(ThreadRequest::Resume(ThreadResumeParams {
        thread_id: text(),
        history: None::<Vec<Value>>,
        path: None::<PathBuf>,
        model: None::<String>,
        model_provider: None::<String>,
        cwd: None::<PathBuf>,
        approval_policy: None::<String>,
        sandbox: None::<String>,
        config: None::<Value>,
        base_instructions: None::<String>,
        developer_instructions: None::<String>,
        personality: None::<String>,
        persist_extended_history: false,
    }));
    published(ThreadRequest::Fork(ThreadForkParams {
        thread_id: text(),
        path: None::<PathBuf>,
        model: None::<String>,
        model_provider: None::<String>,
        cwd: None::<PathBuf>,
        approval_policy: None::<String>,
        sandbox: None::<String>,
        config: None::<Value>,
        base_instructions: None::<String>,
        developer_instructions: None::<String>,
        persist_extended_history: false,
    }));
    published(ThreadRequest::List(ThreadListParams {
        include_archived: false,
        limit: None::<usize>,
    }));
    published(ThreadRequest::Read(ThreadReadParams { thread_id: text() }));
    published(ThreadRequest::SetName(ThreadSetNameParams {
        thread_id: text(),
        name: text(),
    }));
    published(ThreadRequest::GoalSet(ThreadGoalSetParams {
        thread_id: text(),
        objective: text(),
        token_budget: None::<i64>,
    }));
    published(ThreadRequest::GoalGet(ThreadGoalGetParams {
        thread_id: text(),
    }));
    published(ThreadRequest::GoalClear(ThreadGoalClearParams {
        thread_id: text(),
    }));
    published(ThreadRequest::Archive { thread_id: text() });
    published(ThreadRequest::Unarchive { thread_id: text() });
    published(ThreadRequest::Message {
        thread_id: text(),
        input: text(),
    });
}

#[test]
fn app_requests_and_prompts() {
    published(AppRequest::ConfigGet { key: text() });
    published(AppRequest::ConfigSet {
        key: text(),
        value: text(),
    });
    published(AppRequest::ConfigUnset { key: text() });
    let events = Vec::<EventFrame>::new;
    published(AppResponse {
        ok: true,
        data: Value::Null,
        events: events(),
    });
    published(PromptRequest {
        thread_id: None::<String>,
        prompt: text(),
        model: None::<String>,
    });
    published(PromptResponse {
        output: text(),
        model: text(),
        events: events(),
    });
}

#[test]
fn tools() {
    fn copyable<T: Copy>(_: T) {}
    comparable(ToolKind::Function);
    copyable(ToolKind::Mcp);
    let params = LocalShellParams {
        command: text(),
        cwd: None::<String>,
        timeout_ms: None::<u64>,
    };
    published(params.clone());
    published(ToolPayload::Function { arguments: text() });
    published(ToolPayload::Custom { input: text() });
    published(ToolPayload::LocalShell { params });
    published(ToolPayload::Mcp {
        server: text(),
        tool: text(),
        raw_arguments: Value::Null,
        raw_tool_call_id: None::<String>,
    });
    published(ToolOutput::Function {
        body: None::<Value>,
        success: true,
    });
    published(ToolOutput::Mcp {
        result: Value::Null,
    });

    copyable(ResponseChannel::default());
    comparable(ResponseChannel::Reasoning);
    const IS_TEXT: fn(&ResponseChannel) -> bool = ResponseChannel::is_text;
    const { assert!(ResponseChannel::Text.is_text()) };
    assert!(IS_TEXT(&ResponseChannel::Text));
}

fn question() -> ExecApprovalRequestEvent {
    ExecApprovalRequestEvent {
        call_id: text(),
        approval_id: text(),
        turn_id: text(),
        command: text(),
        cwd: text(),
        reason: text(),
        matched_rule: None::<Box<str>>,
        network_approval_context: None::<NetworkApprovalContext>,
        proposed_execpolicy_amendment: Vec::<String>::new(),
        proposed_network_policy_amendments: Vec::<NetworkPolicyAmendment>::new(),
        additional_permissions: Vec::<String>::new(),
        available_decisions: Vec::<ReviewDecision>::new(),
    }
}

#[test]
fn approvals() {
    comparable(AskForApproval::Reject {
        sandbox_approval: true,
        rules: true,
        mcp_elicitations: true,
    });
    let action = NetworkPolicyRuleAction::Allow;
    comparable(action.clone());
    comparable(NetworkPolicyAmendment {
        host: text(),
        action: action.clone(),
    });
    comparable(ReviewDecision::NetworkPolicyAmendment {
        host: text(),
        action,
    });
    published(NetworkApprovalContext {
        host: text(),
        protocol: text(),
    });
    published(question());
    published(ApprovalDecisionRequest {
        decision: text(),
        remember: false,
    });
}

#[test]
fn events() {
    let update = McpStartupUpdateEvent {
        server_name: text(),
        status: McpStartupStatus::Failed { error: text() },
    };
    let summary = McpStartupCompleteEvent {
        ready: Vec::<String>::new(),
        failed: vec![McpStartupFailure {
            server_name: text(),
            error: text(),
        }],
        cancelled: Vec::<String>::new(),
    };
    let (arguments, output) = (Value::Null, Value::Null);
    let channel = ResponseChannel::Text;
    let frames = vec![
        EventFrame::ResponseStart {
            response_id: text(),
        },
        EventFrame::ResponseDelta {
            response_id: text(),
            delta: text(),
            channel,
        },
        EventFrame::ResponseEnd {
            response_id: text(),
        },
        EventFrame::ToolCallStart {
            response_id: text(),
            tool_name: text(),
            arguments,
        },
        EventFrame::ToolCallResult {
            response_id: text(),
            tool_name: text(),
            output,
        },
        EventFrame::McpStartupUpdate { update },
        EventFrame::McpStartupComplete { summary },
        EventFrame::McpToolCallBegin {
            server_name: text(),
            tool_name: text(),
        },
        EventFrame::McpToolCallEnd {
            server_name: text(),
            tool_name: text(),
            ok: true,
        },
        EventFrame::ExecApprovalRequest {
            request: question(),
        },
        EventFrame::ApplyPatchApprovalRequest {
            request: question(),
        },
        EventFrame::ElicitationRequest {
            server_name: text(),
            request_id: text(),
            prompt: text(),
        },
        EventFrame::ExecCommandBegin {
            command: text(),
            cwd: text(),
        },
        EventFrame::ExecCommandOutputDelta {
            command: text(),
            delta: text(),
        },
        EventFrame::ExecCommandEnd {
            command: text(),
            exit_code: 0_i32,
        },
        EventFrame::PatchApplyBegin { path: text() },
        EventFrame::PatchApplyEnd {
            path: text(),
            ok: true,
        },
        EventFrame::TurnStarted { turn_id: text() },
        EventFrame::TurnComplete { turn_id: text() },
        EventFrame::TurnAborted {
            turn_id: text(),
            reason: text(),
        },
        EventFrame::ThreadGoalUpdated { goal: goal() },
        EventFrame::ThreadGoalCleared { thread_id: text() },
        EventFrame::Error {
            response_id: text(),
            message: text(),
        },
    ];
    assert_eq!(frames.len(), 23);
    published(frames);
}
