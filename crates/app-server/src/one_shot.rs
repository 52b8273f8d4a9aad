//! `POST /v1/stream`: a prompt in, its events out, and the connection ends with the turn. For
//! clients that want no threads; the thread is there all the same, archived.

use std::collections::HashMap;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use codewhale_protocol::frame::Decoder;
use codewhale_protocol::operations::{Op, Operation, ThreadsCreate, TurnsStart};
use codewhale_protocol::runtime::{
    Event, ItemId, ItemKind, Mode, RuntimeEventEnvelope, Seq, ThreadRecord, TurnId, TurnWithThread,
};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Call, Caller, ErrorBody, ErrorCode, EventStream, Source};
use futures_util::StreamExt;
use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::error::Failure;
use crate::operation::{is_json, object, read_body};
use crate::routes::Door;
use crate::sse::{Pieces, event_stream};

/// Members of the request that belong to the thread.
const THREAD_MEMBERS: [&str; 9] = [
    "model",
    "reasoning_effort",
    "mode",
    "permission_posture",
    "workspace",
    "allow_shell",
    "trust_mode",
    "auto_approve",
    "model_provider",
];

/// The frames of the stream, by name.
pub(crate) const EVENTS: [&str; 15] = [
    "turn.started",
    "message.delta",
    "tool.started",
    "tool.completed",
    "status",
    "error",
    "approval.required",
    "approval.decided",
    "approval.timeout",
    "user_input.required",
    "user_input.answered",
    "user_input.canceled",
    "sandbox.denied",
    "turn.completed",
    "done",
];

pub(crate) async fn one_shot(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Failure> {
    let is_json = is_json(request.headers());
    let body = read_body(request).await?;
    if !is_json {
        return Err(Failure::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::Malformed,
            "the body must be JSON; send Content-Type: application/json",
        ));
    }
    let members = object(&body)?;
    let prompt = prompt(&members)?;
    let mut thread: Map<String, Value> = members
        .into_iter()
        .filter(|(name, _)| THREAD_MEMBERS.contains(&name.as_str()))
        .collect();
    thread.insert("archived".to_owned(), Value::Bool(true));
    let thread: ThreadRecord =
        call::<ThreadsCreate, _>(&door, &caller, &Value::Object(thread)).await?;
    let start = json!({ "thread_id": thread.id, "prompt": prompt });
    let started: TurnWithThread = call::<TurnsStart, _>(&door, &caller, &start).await?;
    let source = Source::Thread(thread.id.clone());
    let frames = door
        .service
        .events(&caller, source, Cursor::after(Seq::ZERO))
        .await?;
    let teller = Teller::new(frames, &thread, started.turn.id);
    Ok(event_stream(teller.into_pieces(), door.closing.clone()))
}

fn prompt(members: &Map<String, Value>) -> Result<String, Failure> {
    let text = members
        .get("prompt")
        .and_then(Value::as_str)
        .ok_or_else(|| {
            Failure::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                ErrorCode::InvalidShape,
                "the body needs a member prompt with text in it",
            )
        })?;
    match text.trim() {
        "" => Err(Failure::new(
            StatusCode::BAD_REQUEST,
            ErrorCode::InvalidParams,
            "the prompt is blank; say what the agent should do",
        )),
        text => Ok(text.to_owned()),
    }
}

async fn call<O: Operation, T: DeserializeOwned>(
    door: &Door,
    caller: &Caller,
    params: &Value,
) -> Result<T, ErrorBody> {
    let op: Op = O::OP;
    let reply = door
        .service
        .call(caller, Call::new(op, params.clone()))
        .await?;
    serde_json::from_str(reply.get())
        .map_err(|error| ErrorBody::new(ErrorCode::Internal, error.to_string()))
}

/// Tells the events of one turn in the words of this stream.
struct Teller {
    frames: EventStream,
    decoder: Decoder,
    turn: TurnId,
    /// The model's ids of the calls, by item.
    calls: HashMap<ItemId, String>,
    text: String,
    done: bool,
}

impl Teller {
    fn new(frames: EventStream, thread: &ThreadRecord, turn: TurnId) -> Self {
        let mut teller = Self {
            frames,
            decoder: Decoder::new(),
            turn: turn.clone(),
            calls: HashMap::new(),
            text: String::new(),
            done: false,
        };
        teller.say(
            "turn.started",
            &json!({
                "thread_id": thread.id,
                "turn_id": turn,
                "model": thread.model,
                "mode": Mode::as_str(thread.mode),
                "workspace": thread.workspace,
            }),
        );
        teller
    }

    fn into_pieces(self) -> Pieces {
        Box::pin(futures_util::stream::unfold(self, |mut teller| async {
            let piece = teller.next().await?;
            Some((piece, teller))
        }))
    }

    async fn next(&mut self) -> Option<Result<Bytes, ErrorBody>> {
        loop {
            if !self.text.is_empty() {
                return Some(Ok(Bytes::from(std::mem::take(&mut self.text))));
            }
            if self.done {
                return None;
            }
            match self.frames.next().await? {
                Ok(frames) => self.take(&frames.bytes),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.decoder.push(bytes);
        while let Ok(Some(frame)) = self.decoder.next_frame() {
            if self.done {
                return;
            }
            let envelope = serde_json::from_str::<RuntimeEventEnvelope>(&frame.data);
            if let Ok(envelope) = envelope
                && envelope.turn_id.as_ref() == Some(&self.turn)
                && let Some(Ok(event)) = envelope.decode()
            {
                self.tell(event, &envelope);
            }
        }
    }

    fn tell(&mut self, event: Event, envelope: &RuntimeEventEnvelope) {
        match event {
            Event::ItemDelta(delta) if delta.kind == ItemKind::AgentMessage => {
                self.say("message.delta", &json!({ "content": delta.delta }));
            }
            Event::ItemStarted(started) => {
                if let Some(tool) = started.tool {
                    self.calls.insert(started.item.id, tool.id.clone());
                    self.say("tool.started", &tool);
                }
            }
            Event::ItemCompleted(changed) | Event::ItemFailed(changed) => {
                self.item_ended(&changed.item);
            }
            Event::ApprovalRequired(_) | Event::ApprovalDecided(_) | Event::ApprovalTimeout(_) => {
                self.approval(envelope);
            }
            Event::UserInputRequired(_) => self.user_input(envelope, "required"),
            Event::UserInputAnswered(_) => self.user_input(envelope, "submitted"),
            Event::UserInputCanceled(_) => self.user_input(envelope, "canceled"),
            Event::SandboxDenied(denied) => self.say("sandbox.denied", &denied),
            Event::TurnCompleted(completed) => {
                self.say("turn.completed", &json!({ "usage": completed.turn.usage }));
                self.say("done", &json!({}));
                self.done = true;
            }
            Event::ItemDelta(_)
            | Event::ItemInterrupted(_)
            | Event::ToolCallRequested(_)
            | Event::ToolCallResolved(_)
            | Event::ToolCallTimeout(_)
            | Event::ToolCallCanceled(_)
            | Event::ItemCanceled(_)
            | Event::ThreadStarted(_)
            | Event::ThreadForked(_)
            | Event::ThreadUpdated(_)
            | Event::TurnStarted(_)
            | Event::TurnLifecycle(_)
            | Event::TurnSteered(_)
            | Event::TurnInterruptRequested(_)
            | Event::CoherenceChanged(_)
            | Event::AgentSpawned(_)
            | Event::AgentCompleted(_)
            | Event::GoalUpdated(_)
            | Event::GoalCleared(_)
            | Event::TaskCreated(_)
            | Event::TaskUpdated(_)
            | Event::AutomationUpdated(_)
            | Event::Fleet(_)
            | Event::WorkspaceTrustChanged(_)
            | Event::RoomCreated(_)
            | Event::StoreCreated(_) => {}
        }
    }

    fn item_ended(&mut self, item: &codewhale_protocol::runtime::TurnItemRecord) {
        let text = item.detail.clone().unwrap_or_default();
        match item.kind {
            ItemKind::Status => self.say("status", &json!({ "message": text })),
            ItemKind::Error => self.say("error", &json!({ "message": text })),
            kind if kind.is_tool() => {
                let id = self.calls.get(&item.id).cloned();
                let success = item.status == codewhale_protocol::runtime::ItemStatus::Completed;
                self.say(
                    "tool.completed",
                    &json!({ "id": id, "success": success, "output": text }),
                );
            }
            _ => {}
        }
    }

    /// The payload, with the ids that a bare payload would lack.
    fn approval(&mut self, envelope: &RuntimeEventEnvelope) {
        let mut payload = envelope.payload.clone();
        payload["id"] = payload["approval_id"].clone();
        payload["thread_id"] = json!(envelope.thread_id);
        payload["turn_id"] = json!(envelope.turn_id);
        if envelope.event == "approval.decided" {
            for member in ["auto", "timeout"] {
                payload[member] = payload.get(member).cloned().unwrap_or(Value::Null);
            }
        }
        self.say(&envelope.event, &payload);
    }

    /// The same for questions of the agent.
    fn user_input(&mut self, envelope: &RuntimeEventEnvelope, status: &str) {
        let mut payload = envelope.payload.clone();
        payload["input_id"] = payload["id"].clone();
        payload["thread_id"] = json!(envelope.thread_id);
        payload["turn_id"] = json!(envelope.turn_id);
        payload["status"] = json!(status);
        if status != "required" {
            payload["terminal"] = json!(payload["terminal"] == json!(true));
        }
        self.say(&envelope.event, &payload);
    }

    fn say(&mut self, name: &str, data: &impl Serialize) {
        debug_assert!(EVENTS.contains(&name), "{name} is not in the document");
        let data = serde_json::to_string(data).expect("frames are plain data");
        self.text
            .push_str(&format!("event: {name}\ndata: {data}\n\n"));
    }
}
