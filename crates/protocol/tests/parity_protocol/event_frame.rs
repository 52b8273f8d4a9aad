//! The twenty-three event frames.

use codewhale_protocol::{
    EventFrame, McpStartupCompleteEvent, McpStartupStatus, McpStartupUpdateEvent, ResponseChannel,
};
use serde_json::json;

use crate::approval::{QUESTION, question};
use crate::goal::{GOAL, goal};
use crate::{all_required, check, check_members, check_words, read, spellings, write};

const EVENTS: [&str; 23] = [
    "response_start",
    "response_delta",
    "response_end",
    "tool_call_start",
    "tool_call_result",
    "mcp_startup_update",
    "mcp_startup_complete",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "exec_approval_request",
    "apply_patch_approval_request",
    "elicitation_request",
    "exec_command_begin",
    "exec_command_output_delta",
    "exec_command_end",
    "patch_apply_begin",
    "patch_apply_end",
    "turn_started",
    "turn_complete",
    "turn_aborted",
    "thread_goal_updated",
    "thread_goal_cleared",
    "error",
];

/// One example per event, in the order of the enum.
pub(crate) fn examples() -> Vec<(EventFrame, String)> {
    let response_id = || "resp-1".to_owned();
    let server_name = || "notes".to_owned();
    let command = || "make".to_owned();
    let turn_id = || "t-1".to_owned();
    let path = || "src/a.rs".to_owned();
    let frames = vec![
        (
            EventFrame::ResponseStart {
                response_id: response_id(),
            },
            r#""response_id":"resp-1""#,
        ),
        (
            EventFrame::ResponseDelta {
                response_id: response_id(),
                delta: "hm".into(),
                channel: ResponseChannel::Reasoning,
            },
            r#""response_id":"resp-1","delta":"hm","channel":"reasoning""#,
        ),
        (
            EventFrame::ResponseEnd {
                response_id: response_id(),
            },
            r#""response_id":"resp-1""#,
        ),
        (
            EventFrame::ToolCallStart {
                response_id: response_id(),
                tool_name: "read".into(),
                arguments: json!({ "path": "a" }),
            },
            r#""response_id":"resp-1","tool_name":"read","arguments":{"path":"a"}"#,
        ),
        (
            EventFrame::ToolCallResult {
                response_id: response_id(),
                tool_name: "read".into(),
                output: json!("text"),
            },
            r#""response_id":"resp-1","tool_name":"read","output":"text""#,
        ),
        (
            EventFrame::McpStartupUpdate {
                update: McpStartupUpdateEvent {
                    server_name: server_name(),
                    status: McpStartupStatus::Starting,
                },
            },
            r#""update":{"server_name":"notes","status":"starting"}"#,
        ),
        (
            EventFrame::McpStartupComplete {
                summary: McpStartupCompleteEvent {
                    ready: vec![server_name()],
                    failed: vec![],
                    cancelled: vec![],
                },
            },
            r#""summary":{"ready":["notes"],"failed":[],"cancelled":[]}"#,
        ),
        (
            EventFrame::McpToolCallBegin {
                server_name: server_name(),
                tool_name: "find".into(),
            },
            r#""server_name":"notes","tool_name":"find""#,
        ),
        (
            EventFrame::McpToolCallEnd {
                server_name: server_name(),
                tool_name: "find".into(),
                ok: false,
            },
            r#""server_name":"notes","tool_name":"find","ok":false"#,
        ),
        (
            EventFrame::ExecApprovalRequest {
                request: question(),
            },
            r#""request":QUESTION"#,
        ),
        (
            EventFrame::ApplyPatchApprovalRequest {
                request: question(),
            },
            r#""request":QUESTION"#,
        ),
        (
            EventFrame::ElicitationRequest {
                server_name: server_name(),
                request_id: "ask-1".into(),
                prompt: "Which book?".into(),
            },
            r#""server_name":"notes","request_id":"ask-1","prompt":"Which book?""#,
        ),
        (
            EventFrame::ExecCommandBegin {
                command: command(),
                cwd: "/src".into(),
            },
            r#""command":"make","cwd":"/src""#,
        ),
        (
            EventFrame::ExecCommandOutputDelta {
                command: command(),
                delta: "cc\n".into(),
            },
            r#""command":"make","delta":"cc\n""#,
        ),
        (
            EventFrame::ExecCommandEnd {
                command: command(),
                exit_code: -9,
            },
            r#""command":"make","exit_code":-9"#,
        ),
        (
            EventFrame::PatchApplyBegin { path: path() },
            r#""path":"src/a.rs""#,
        ),
        (
            EventFrame::PatchApplyEnd {
                path: path(),
                ok: true,
            },
            r#""path":"src/a.rs","ok":true"#,
        ),
        (
            EventFrame::TurnStarted { turn_id: turn_id() },
            r#""turn_id":"t-1""#,
        ),
        (
            EventFrame::TurnComplete { turn_id: turn_id() },
            r#""turn_id":"t-1""#,
        ),
        (
            EventFrame::TurnAborted {
                turn_id: turn_id(),
                reason: "stopped".into(),
            },
            r#""turn_id":"t-1","reason":"stopped""#,
        ),
        (
            EventFrame::ThreadGoalUpdated { goal: goal() },
            r#""goal":GOAL"#,
        ),
        (
            EventFrame::ThreadGoalCleared {
                thread_id: "thread-a".into(),
            },
            r#""thread_id":"thread-a""#,
        ),
        (
            EventFrame::Error {
                response_id: response_id(),
                message: "no key".into(),
            },
            r#""response_id":"resp-1","message":"no key""#,
        ),
    ];
    assert_eq!(frames.len(), EVENTS.len());
    let full = |event: &str, rest: &str| {
        let rest = rest.replace("QUESTION", QUESTION).replace("GOAL", GOAL);
        format!(r#"{{"event":"{event}",{rest}}}"#)
    };
    let wire = |((frame, rest), event): (_, &str)| (frame, full(event, rest));
    frames.into_iter().zip(EVENTS).map(wire).collect()
}

#[test]
fn every_event_has_its_exact_form() {
    for (frame, json) in examples() {
        check(frame, &json);
    }
}

#[test]
fn there_are_twenty_three_events_under_their_names() {
    let events: Vec<&str> = examples()
        .iter()
        .map(|(f, _)| crate::seed_code::event(f))
        .collect();
    assert_eq!(events, EVENTS);
    assert_eq!(
        spellings::<EventFrame>(r#"{"event":"from_the_future"}"#),
        EVENTS
    );
}

#[test]
fn every_member_is_required_but_the_channel() {
    for (_, json) in examples() {
        let json = json.replace(r#","channel":"reasoning""#, "");
        check_members::<EventFrame>(&json, &all_required(&json));
    }
}

#[test]
fn the_channel_is_left_out_for_text() {
    check_words(&[
        (ResponseChannel::Text, "text"),
        (ResponseChannel::Reasoning, "reasoning"),
    ]);
    assert_eq!(ResponseChannel::default(), ResponseChannel::Text);
    assert!(ResponseChannel::Text.is_text() && !ResponseChannel::Reasoning.is_text());

    let text = EventFrame::ResponseDelta {
        response_id: "resp-1".into(),
        delta: "hi".into(),
        channel: ResponseChannel::Text,
    };
    let short = r#"{"event":"response_delta","response_id":"resp-1","delta":"hi"}"#;
    check(text.clone(), short);
    let spelled = short.replace('}', r#","channel":"text"}"#);
    assert_eq!(
        read::<EventFrame>(&spelled),
        text,
        "the spelled-out default reads too"
    );
    assert_eq!(write(&text), short);
}

#[test]
fn an_exit_code_has_thirty_two_bits() {
    let json = r#"{"event":"exec_command_end","command":"make","exit_code":2147483648}"#;
    assert!(serde_json::from_str::<EventFrame>(json).is_err());
}
