//! A service that knows one turn.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use codewhale_protocol::frame::{Frames, write_event};
use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{
    Event, ItemChanged, ItemId, ItemKind, ItemStarted, ItemStatus, Seq, ThreadRecord, Timestamp,
    ToolInvocation, TurnCompleted, TurnDetail, TurnId, TurnItemRecord, TurnRecord, TurnStatus,
};
use codewhale_protocol::service::{BoxFuture, Cursor, Reply};
use codewhale_protocol::{
    Actor, ActorId, Call, Caller, ErrorBody, ErrorCode, EventStream, Scopes, Secret, Service,
    Source, Surface,
};
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use crate::routes::{Door, router};
use crate::{Access, Options};

pub(super) const RUN: &str = "019a86c4-f2b0-7d3e-8c5a-1b9d4e6f7082";
const TURN: &str = "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082";
const THREAD: &str = "thr_019a86c4f2b07d3e8c5a1b9d4e6f7081";

/// What the service says, and what it was asked.
#[derive(Default)]
pub(super) struct Script {
    /// The turn, each time it is read; the last one stays.
    pub(super) turns: Mutex<Vec<TurnDetail>>,
    /// The log, cut into pieces. Behind them the stream breaks off.
    pub(super) pieces: Vec<Vec<Event>>,
    pub(super) asked: Mutex<Vec<(Op, Value, Surface)>>,
}

impl Service for Script {
    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        call: Call,
    ) -> BoxFuture<'a, Result<Reply, ErrorBody>> {
        let asked = (call.op, call.params, caller.surface);
        self.asked.lock().unwrap().push(asked);
        let told = match call.op {
            Op::TurnsGet => {
                let mut turns = self.turns.lock().unwrap();
                let now = match turns.len() {
                    0 => return Box::pin(async { Err(unknown()) }),
                    1 => turns[0].clone(),
                    _ => turns.remove(0),
                };
                serde_json::to_string(&now).unwrap()
            }
            Op::ApprovalsDecide => json!({
                "ok": true, "approval_id": "appr_1", "decision": "allow", "delivered": true,
            })
            .to_string(),
            _ => return Box::pin(async { Err(unknown()) }),
        };
        let json = serde_json::value::RawValue::from_string(told).unwrap();
        Box::pin(async { Ok(json.into()) })
    }

    fn events<'a>(
        &'a self,
        _: &'a Caller,
        _: Source,
        _: Cursor,
    ) -> BoxFuture<'a, Result<EventStream, ErrorBody>> {
        let mut seq = 0;
        let mut frames = Vec::new();
        for piece in &self.pieces {
            let mut text = String::new();
            for event in piece {
                seq += 1;
                let envelope = envelope(seq, event).to_string();
                write_event(&mut text, Seq(seq), event.name(), &envelope);
            }
            frames.push(Ok(Frames {
                bytes: Bytes::from(text),
                last: Seq(seq),
            }));
        }
        frames.push(Err(ErrorBody::new(ErrorCode::Unavailable, "gone")));
        Box::pin(async { Ok(stream::iter(frames).boxed()) })
    }
}

fn unknown() -> ErrorBody {
    ErrorBody::new(ErrorCode::NotFound, "no such turn")
}

/// An event with its place in the log.
pub(super) fn envelope(seq: u64, event: &Event) -> Value {
    let payload: Value = serde_json::from_str(&event.payload()).unwrap();
    json!({
        "seq": seq, "event": event.name(), "kind": event.name(), "thread_id": THREAD,
        "turn_id": TURN, "item_id": payload["item"]["id"], "timestamp": at(), "payload": payload,
    })
}

fn caller() -> Caller {
    Caller {
        principal: "prn_1".into(),
        scopes: Scopes::ALL,
        token_id: None,
        device_id: None,
        surface: Surface::Http,
        on_behalf_of: None,
    }
}

fn at() -> Timestamp {
    Timestamp::from_ms(1_000)
}

pub(super) fn thread() -> ThreadRecord {
    serde_json::from_value(json!({
        "schema_version": 1, "id": THREAD, "created_at": at(), "updated_at": at(),
        "model": "m", "workspace": "/", "mode": "agent", "allow_shell": false, "trust_mode": false,
        "auto_approve": false, "archived": false, "workroom_id": "wr_1",
        "origin": { "surface": "acp_rest" },
    }))
    .unwrap()
}

pub(super) fn turn(status: TurnStatus) -> TurnRecord {
    let by = Actor::from(&caller());
    let mut turn = TurnRecord::new(TurnId::from(TURN), THREAD.into(), at(), by);
    turn.status = status;
    turn.ended_at = status.is_terminal().then(at);
    turn
}

/// The turn as it stands after so many events.
pub(super) fn detail(status: TurnStatus, latest: u64) -> TurnDetail {
    TurnDetail {
        turn: turn(status),
        thread: thread(),
        items: Vec::new(),
        since_seq: Seq::ZERO,
        latest_seq: Seq(latest),
        pending_approvals: Vec::new(),
        pending_user_inputs: Vec::new(),
    }
}

pub(super) fn item(number: u8, kind: ItemKind, text: &str) -> TurnItemRecord {
    let id = ItemId::from(&*format!("item_{number:032}"));
    let mut item = TurnItemRecord::new(id, TURN.into(), kind, ActorId::from("act_1"), at());
    item.detail = Some(text.to_owned());
    item.status = ItemStatus::Completed;
    item.metadata = kind
        .is_tool()
        .then(|| json!({ "tool": { "id": "call_1", "name": "note", "input": { "a": 1 } } }));
    item
}

pub(super) fn begins(item: &TurnItemRecord) -> Event {
    let mut item = item.clone();
    (item.detail, item.status) = (None, ItemStatus::InProgress);
    let tool: Option<ToolInvocation> = None;
    Event::ItemStarted(ItemStarted::new(item, tool))
}

pub(super) fn ends(item: &TurnItemRecord) -> Event {
    Event::ItemCompleted(ItemChanged::from(item.clone()))
}

pub(super) fn required(id: &str) -> Event {
    let payload = json!({
        "id": id, "approval_id": id, "tool_name": "note", "call_id": "call_1",
        "description": "writes a note", "intent_summary": null, "reason": "it asks",
        "digest": "d", "available_decisions": [], "expires_at": at(),
    });
    read("approval.required", &payload)
}

pub(super) fn decided(id: &str, auto: bool) -> Event {
    let payload =
        json!({ "approval_id": id, "decision": "allow", "remember": false, "auto": auto });
    read("approval.decided", &payload)
}

fn read(name: &str, payload: &Value) -> Event {
    let event = Event::decode(name, &payload.to_string());
    event.unwrap().unwrap()
}

pub(super) fn completed(status: TurnStatus) -> Event {
    Event::TurnCompleted(TurnCompleted {
        turn: turn(status),
        recovered: false,
    })
}

/// Sends a request to the door.
pub(super) async fn send(
    script: &Arc<Script>,
    method: &str,
    path: &str,
    body: &Value,
) -> (u16, String) {
    let options = Options {
        host: "127.0.0.1".into(),
        port: 0,
        access: Access::Token(Secret::new("t")),
        caller: caller(),
        cors_origins: Vec::new(),
        allowed_hosts: Vec::new(),
        page: false,
        mounts: Vec::new(),
        sandbox: || None,
        turned_off: Vec::new(),
        version: "1".into(),
        commit: "c".into(),
    };
    let door = Door::new(
        Arc::clone(script) as Arc<dyn Service>,
        &options,
        1,
        CancellationToken::new(),
    );
    let request = http::Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost")
        .header("authorization", "Bearer t")
        .body(Body::from(body.to_string()))
        .unwrap();
    let response: Response = router(door, false, Vec::new()).call(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}
