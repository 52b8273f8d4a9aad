//! Every frame that the protocol has comes from something that happens.

use std::collections::BTreeSet;

use codewhale_protocol::ActorId;
use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{
    Event, ItemDelta, ItemId, ItemKind, ItemStarted, ItemStatus, Timestamp, ToolInvocation, TurnId,
    TurnItemRecord, TurnStatus,
};
use serde_json::{Value, json};

use super::connect;
use super::service::{Fake, turn};

/// The names of the frames, as the protocol has them.
const FRAMES: [&str; 23] = [
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

/// The frames of one turn in which all this happens.
async fn frames(events: &[Event], status: TurnStatus) -> Vec<Value> {
    let fake = Fake::default();
    let mut client = connect(&fake);
    let message = json!({ "thread_id": "thr_1", "input": "x", "stream": "events" });
    client.ask(1, "thread/message", message).await;
    fake.asked(Op::TurnsStart, 1).await;
    for event in events {
        fake.happen("thr_1", event);
    }
    fake.end("thr_1", status);
    let mut frames = Vec::new();
    loop {
        let line = client.line().await;
        if line["id"] == 1 {
            return frames;
        }
        if line["method"] == "thread/event" {
            assert_eq!(line["params"]["thread_id"], "thr_1");
            frames.push(line["params"]["event"].clone());
        }
    }
}

fn names(frames: &[Value]) -> Vec<&str> {
    let names = frames.iter().map(|frame| frame["event"].as_str().unwrap());
    names.collect()
}

fn item(id: &str, kind: ItemKind) -> TurnItemRecord {
    let by: ActorId = serde_json::from_value(json!("0".repeat(32))).unwrap();
    let turn = TurnId::from("turn_1");
    TurnItemRecord::new(ItemId::from(id), turn, kind, by, Timestamp::from_ms(0))
}

/// A call from its beginning to its end, and what happens in between.
fn call(
    (tool, kind): (&str, ItemKind),
    input: Value,
    between: Vec<Event>,
    (status, result): (ItemStatus, Value),
) -> Vec<Event> {
    let id = format!("item_{tool}");
    let begun = item(&id, kind);
    let mut ended = begun.clone();
    ended.status = status;
    ended.detail = Some("output".to_owned());
    ended.metadata = Some(json!({ "result": result }));
    let invocation = ToolInvocation {
        id: "call_1".to_owned(),
        name: tool.to_owned(),
        input,
    };
    let started = Event::ItemStarted(ItemStarted::new(begun, Some(invocation)));
    [started]
        .into_iter()
        .chain(between)
        .chain([Event::item_ended(ended)])
        .collect()
}

fn read(name: &str, payload: Value) -> Event {
    Event::decode(name, &payload.to_string()).unwrap().unwrap()
}

fn approval(more: Value) -> Event {
    let mut payload = json!({
        "id": "appr_1", "approval_id": "appr_1", "tool_name": "t", "call_id": "call_1",
        "description": "does it", "intent_summary": null, "reason": "it may harm",
        "digest": "d", "available_decisions": [{ "type": "approved" }],
        "expires_at": Timestamp::from_ms(0),
    });
    let members = payload.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    read("approval.required", payload)
}

fn status(metadata: Value) -> Event {
    let mut line = item("item_s", ItemKind::Status);
    line.status = ItemStatus::Completed;
    line.metadata = Some(metadata);
    Event::item_ended(line)
}

fn command() -> Vec<Event> {
    let asked = approval(json!({ "command": "make", "cwd": "/w" }));
    call(
        ("exec_shell", ItemKind::CommandExecution),
        json!({ "command": "make" }),
        vec![asked],
        (ItemStatus::Failed, json!({ "exit_code": 2 })),
    )
}

fn patch() -> Vec<Event> {
    let asked = approval(json!({ "path": "a.rs", "diff": "+x" }));
    call(
        ("write_file", ItemKind::FileChange),
        json!({ "path": "a.rs", "content": "x" }),
        vec![asked],
        (ItemStatus::Completed, json!({ "path": "a.rs" })),
    )
}

fn of_a_server() -> Vec<Event> {
    let asks = read(
        "user_input.required",
        json!({ "id": "uinp_1", "request": { "questions": [{
            "header": "files", "id": "q", "question": "Really?",
            "options": [{ "label": "Yes", "description": "do" }],
        }] } }),
    );
    call(
        ("mcp_files_read", ItemKind::ToolCall),
        json!({ "path": "a" }),
        vec![asks],
        (ItemStatus::Completed, json!({})),
    )
}

fn goals() -> Vec<Event> {
    let goal = json!({
        "thread_id": "thr_1", "goal_id": "goal-1", "objective": "green", "status": "active",
        "tokens_used": 1, "time_used_seconds": 2, "continuation_count": 3,
        "created_at": 4, "updated_at": 5,
    });
    vec![
        read(
            "thread_goal_updated",
            json!({ "kind": "thread_goal_updated", "goal": goal }),
        ),
        read(
            "thread_goal_cleared",
            json!({ "kind": "thread_goal_cleared", "thread_id": "thr_1" }),
        ),
    ]
}

#[tokio::test]
async fn each_of_the_twenty_three_frames_arises() {
    let mut all = vec![
        status(json!({ "mcp_startup_update": { "server_name": "files", "status": "ready" } })),
        status(json!({ "mcp_startup_complete": {
            "ready": ["files"], "failed": [], "cancelled": [],
        } })),
    ];
    all.extend([command(), patch(), of_a_server(), goals()].concat());
    for kind in [ItemKind::AgentReasoning, ItemKind::AgentMessage] {
        let delta = "x".to_owned();
        all.push(Event::ItemDelta(ItemDelta { delta, kind }));
    }
    let completed = frames(&all, TurnStatus::Completed).await;
    let failed = frames(&[], TurnStatus::Failed).await;
    let seen: BTreeSet<&str> = names(&completed)
        .into_iter()
        .chain(names(&failed))
        .collect();
    let mut expect: BTreeSet<&str> = FRAMES.into_iter().collect();
    // The newer protocol has one more.
    expect.insert("user_input_request");
    assert_eq!(seen, expect);
}

#[tokio::test]
async fn a_command_is_told_as_a_call_and_as_a_command() {
    let told = frames(&command(), TurnStatus::Completed).await;
    assert_eq!(
        names(&told),
        [
            "turn_started",
            "response_start",
            "tool_call_start",
            "exec_command_begin",
            "exec_approval_request",
            "exec_command_output_delta",
            "exec_command_end",
            "tool_call_result",
            "response_end",
            "turn_complete"
        ]
    );
    assert_eq!(
        told[3],
        json!({ "event": "exec_command_begin", "command": "make", "cwd": "/w" })
    );
    assert_eq!(told[4]["request"]["approval_id"], "appr_1");
    assert_eq!(told[4]["request"]["turn_id"], "turn_1");
    assert_eq!(
        told[6],
        json!({ "event": "exec_command_end", "command": "make", "exit_code": 2 })
    );
    let output = json!({ "type": "function", "body": "output", "success": false });
    assert_eq!(told[7]["output"], output);
}

#[tokio::test]
async fn a_patch_and_a_call_of_a_server_are_told_as_what_they_are() {
    let told = frames(&patch(), TurnStatus::Completed).await;
    assert_eq!(
        names(&told)[2..7],
        [
            "tool_call_start",
            "patch_apply_begin",
            "apply_patch_approval_request",
            "patch_apply_end",
            "tool_call_result"
        ]
    );
    assert_eq!(
        told[5],
        json!({ "event": "patch_apply_end", "path": "a.rs", "ok": true })
    );

    let told = frames(&of_a_server(), TurnStatus::Completed).await;
    assert_eq!(
        names(&told)[2..8],
        [
            "tool_call_start",
            "mcp_tool_call_begin",
            "elicitation_request",
            "user_input_request",
            "mcp_tool_call_end",
            "tool_call_result"
        ]
    );
    let asked = json!({
        "event": "elicitation_request", "server_name": "files", "request_id": "uinp_1",
        "prompt": "Really?",
    });
    assert_eq!(told[4], asked);
    assert_eq!(told[5]["request"]["request_id"], "uinp_1");
}

#[tokio::test]
async fn what_a_command_prints_is_told_as_it_comes_and_not_again_at_its_end() {
    let fake = Fake::default();
    let mut client = connect(&fake);
    let message = json!({ "thread_id": "thr_1", "input": "x", "stream": "events" });
    client.ask(1, "thread/message", message).await;
    fake.asked(Op::TurnsStart, 1).await;
    let tool = ("exec_shell", ItemKind::CommandExecution);
    let result = (ItemStatus::Completed, json!({ "exit_code": 0 }));
    let events = call(tool, json!({ "command": "make" }), Vec::new(), result);
    let [started, Event::ItemCompleted(mut ended)] = <[Event; 2]>::try_from(events).unwrap() else {
        panic!("a call begins and ends well");
    };
    ended.item.detail = Some("one\ntwo\n[exit code 0]".to_owned());
    fake.happen("thr_1", &started);
    for delta in ["one\n", "two\n"] {
        let (delta, kind) = (delta.to_owned(), ItemKind::ToolCall);
        let event = Event::ItemDelta(ItemDelta { delta, kind });
        fake.happen_to("thr_1", &json!("item_exec_shell"), &event);
    }
    let mut printed = async || loop {
        let line = client.line().await;
        let frame = &line["params"]["event"];
        if frame["event"] == "exec_command_output_delta" {
            return frame["delta"].as_str().unwrap().to_owned();
        }
    };
    assert_eq!([printed().await, printed().await], ["one\n", "two\n"]);
    fake.happen("thr_1", &Event::ItemCompleted(ended));
    fake.end("thr_1", TurnStatus::Completed);
    assert_eq!(printed().await, "[exit code 0]");
}

#[tokio::test]
async fn thinking_has_a_channel_of_its_own_and_a_failed_turn_says_why() {
    let delta = Event::ItemDelta(ItemDelta {
        delta: "hm".to_owned(),
        kind: ItemKind::AgentReasoning,
    });
    let told = frames(&[delta], TurnStatus::Failed).await;
    assert_eq!(told[2]["channel"], "reasoning");
    assert_eq!(names(&told)[3..], ["error", "response_end", "turn_aborted"]);
    assert_eq!(told[5]["reason"], "failed");
}

#[tokio::test]
async fn envelopes_of_the_runtime_can_be_had_instead() {
    let fake = Fake::default();
    let mut client = connect(&fake);
    let message = json!({ "thread_id": "thr_1", "input": "x", "stream": "runtime" });
    client.ask(1, "thread/message", message).await;
    fake.asked(Op::TurnsStart, 1).await;
    fake.end("thr_1", TurnStatus::Completed);
    let mut seen = Vec::new();
    loop {
        let line = client.line().await;
        if line["id"] == 1 {
            break;
        }
        let envelope = &line["params"]["event"];
        seen.extend(envelope["kind"].as_str().map(str::to_owned));
        if envelope["kind"] == "turn.completed" {
            assert_eq!(envelope["payload"]["turn"]["id"], turn("thr_1").id.as_str());
        }
    }
    assert_eq!(seen, ["turn.started", "turn.completed"]);
}
