//! What requests are answered, wherever the log is cut.

use std::sync::{Arc, Mutex};

use codewhale_protocol::Surface;
use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{Event, ItemKind, PendingApproval, TurnDetail, TurnStatus};
use serde_json::{Value, json};

use super::script::{RUN, Script, begins, completed, decided, detail, ends, item, required, send};

/// The turn while it waits for an approval.
fn waiting(id: &str, latest: u64) -> TurnDetail {
    let Event::ApprovalRequired(asked) = required(id) else {
        unreachable!("it is one");
    };
    let mut now = detail(TurnStatus::InProgress, latest);
    now.pending_approvals.push(PendingApproval {
        id: asked.id,
        turn_id: now.turn.id.clone(),
        detail: asked.detail,
        expires_at: asked.expires_at,
        asked_by: None,
    });
    now
}

fn allow(mode: &str) -> Value {
    let message = json!({ "role": "user", "parts": [{ "content": "allow" }] });
    json!({ "await_resume": { "type": "message", "message": message }, "mode": mode })
}

fn kinds(stream: &str) -> Vec<String> {
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| {
        let event: Value = serde_json::from_str(data).unwrap();
        event["type"].as_str().unwrap().to_owned()
    })
    .collect()
}

/// Resumes a run whose log is cut into these pieces.
async fn resumed(pieces: Vec<Vec<Event>>) -> Vec<String> {
    let script = Arc::new(Script {
        turns: Mutex::new(vec![waiting("appr_1", 1)]),
        pieces,
        ..Script::default()
    });
    let path = format!("/acp/runs/{RUN}");
    let (status, body) = send(&script, "POST", &path, &allow("stream")).await;
    assert_eq!(status, 200, "{body}");
    let asked = script.asked.lock().unwrap();
    let (_, params, surface) = asked
        .iter()
        .find(|(op, ..)| *op == Op::ApprovalsDecide)
        .unwrap();
    assert_eq!(params["approval_id"], "appr_1");
    assert_eq!(*surface, Surface::AcpRest);
    kinds(&body)
}

#[tokio::test]
async fn a_resumed_stream_begins_with_what_is_new_wherever_the_log_is_cut() {
    let log = [
        required("appr_1"),
        decided("appr_1", false),
        completed(TurnStatus::Completed),
    ];
    let expect = ["run.in-progress", "run.completed"];
    let piece = |range: std::ops::Range<usize>| log[range].to_vec();
    assert_eq!(resumed(vec![piece(0..3)]).await, expect);
    assert_eq!(resumed(vec![piece(0..1), piece(1..3)]).await, expect);
    assert_eq!(resumed(vec![piece(0..2), piece(2..3)]).await, expect);
}

#[tokio::test]
async fn what_happens_between_the_question_and_its_answer_does_not_end_the_stream() {
    let call = item(1, ItemKind::ToolCall, "noted");
    let pieces = vec![
        vec![required("appr_1")],
        vec![begins(&call), ends(&call)],
        vec![decided("appr_1", false), completed(TurnStatus::Completed)],
    ];
    assert_eq!(
        resumed(pieces).await,
        [
            "message.created",
            "message.part",
            "message.completed",
            "run.in-progress",
            "run.completed"
        ]
    );
}

#[tokio::test]
async fn a_log_that_breaks_off_is_told_as_an_error_at_the_end_of_the_stream() {
    let pieces = vec![vec![required("appr_1"), decided("appr_1", false)]];
    assert_eq!(resumed(pieces).await, ["run.in-progress", "error"]);
}

#[tokio::test]
async fn a_list_holds_what_has_happened_and_ends_there() {
    let said = item(1, ItemKind::AgentMessage, "Hello");
    let script = Arc::new(Script {
        turns: Mutex::new(vec![waiting("appr_1", 3)]),
        pieces: vec![vec![begins(&said), ends(&said)], vec![required("appr_1")]],
        ..Script::default()
    });
    let path = format!("/acp/runs/{RUN}/events");
    let (status, body) = send(&script, "GET", &path, &Value::Null).await;
    assert_eq!(status, 200);
    let body: Value = serde_json::from_str(&body).unwrap();
    let events = body["events"].as_array().unwrap().iter();
    let kinds: Vec<&str> = events
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "run.created",
            "run.in-progress",
            "message.created",
            "message.completed",
            "run.awaiting"
        ]
    );
}

#[tokio::test]
async fn an_answer_to_something_else_than_what_is_asked_is_refused() {
    let script = Arc::new(Script {
        turns: Mutex::new(vec![waiting("appr_1", 1)]),
        pieces: vec![vec![required("appr_1")]],
        ..Script::default()
    });
    let decision = json!({ "decision": "allow", "approval_id": "appr_2" }).to_string();
    let part = json!({ "content_type": "application/json", "content": decision });
    let message = json!({ "parts": [part] });
    let body =
        json!({ "await_resume": { "type": "message", "message": message }, "mode": "async" });
    let path = format!("/acp/runs/{RUN}");
    let (status, told) = send(&script, "POST", &path, &body).await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((status, &told["code"]), (422, &json!("invalid_input")));
    assert!(
        told["message"].as_str().unwrap().contains("appr_1"),
        "{told}"
    );
    let asked = script.asked.lock().unwrap();
    assert!(asked.iter().all(|(op, ..)| *op == Op::TurnsGet));
}

#[tokio::test]
async fn a_run_that_waits_for_nothing_cannot_be_resumed_and_one_that_ended_not_cancelled() {
    let script = |status, latest, pieces| {
        Arc::new(Script {
            turns: Mutex::new(vec![detail(status, latest)]),
            pieces,
            ..Script::default()
        })
    };
    let path = format!("/acp/runs/{RUN}");
    let busy = script(TurnStatus::InProgress, 0, Vec::new());
    assert_eq!(send(&busy, "POST", &path, &allow("sync")).await.0, 403);
    let over = script(
        TurnStatus::Completed,
        1,
        vec![vec![completed(TurnStatus::Completed)]],
    );
    assert_eq!(send(&over, "POST", &path, &allow("sync")).await.0, 403);
    let cancel = format!("{path}/cancel");
    assert_eq!(send(&over, "POST", &cancel, &Value::Null).await.0, 403);
    let nobody = Arc::new(Script::default());
    assert_eq!(send(&nobody, "GET", &path, &Value::Null).await.0, 404);
}
