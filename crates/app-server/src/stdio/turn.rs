//! A turn that a client waits for, from its message to its last word.

use std::collections::VecDeque;

use codewhale_protocol::ext::ThreadResponse;
use codewhale_protocol::frame::{Decoder, Frames};
use codewhale_protocol::operations::{Operation, ThreadsGet, TurnsInterrupt, TurnsStart};
use codewhale_protocol::runtime::{
    Event, ItemKind, RuntimeEventEnvelope, TurnRecord, TurnStatus, TurnWithThread,
};
use codewhale_protocol::{Call, ErrorBody, ErrorCode, EventStream};
use futures_util::StreamExt;
use serde::Deserialize;
use serde::Serialize;
use serde_json::json;

use super::desk::Desk;
use super::event_map::EventMap;
use super::rpc::{FAILED, Fault, to_line};
use super::threads;

/// What `thread/message` takes.
#[derive(Deserialize, Debug)]
pub(super) struct Message {
    pub(super) thread_id: String,
    /// What to say.
    pub(super) input: String,
    #[serde(default)]
    pub(super) stream: Stream,
    /// Another model, for this turn only.
    #[serde(default)]
    pub(super) model: Option<String>,
}

/// What the client hears of a turn while it runs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stream {
    /// The answer, piece by piece, on bare lines.
    #[default]
    Lines,
    /// That, and everything that happens, in frames of the control protocol.
    Events,
    /// That, and everything that happens, in envelopes of the Runtime API.
    Runtime,
    /// Nothing.
    #[serde(skip)]
    Silent,
}

/// A turn that has ended.
pub(super) struct Ended {
    pub(super) turn: TurnRecord,
    /// What the agent said, its messages one after the other.
    pub(super) pieces: Vec<String>,
}

/// A bare line: it belongs to no request by its id, and is told apart by its `type`.
#[derive(Serialize)]
#[serde(tag = "type")]
enum Bare<'a> {
    #[serde(rename = "response_start")]
    Start { response_id: &'a str },
    #[serde(rename = "response_delta")]
    Delta {
        response_id: &'a str,
        delta: &'a str,
    },
    #[serde(rename = "response_end")]
    End { response_id: &'a str },
}

/// What an answer is called: the thread and the turn.
pub(super) fn response_id(turn: &TurnRecord) -> String {
    format!("{}:{}", turn.thread_id, turn.id)
}

/// Runs a turn to its end. Followed from before it begins, so that nothing of it is missed.
pub(super) async fn run(
    desk: &Desk,
    message: &Message,
    stream: Stream,
    key: Option<String>,
) -> Result<Ended, Fault> {
    let thread = &message.thread_id;
    if desk.closing.is_cancelled() {
        let why = "the server is stopping; the message was not sent";
        return Err(Fault::new(FAILED, why));
    }
    let missing = |error: ErrorBody| match error.code {
        ErrorCode::NotFound => Fault::no_thread(thread),
        _ => Fault::from(error),
    };
    let events = desk.follow(thread).await.map_err(missing)?;
    let mut params = json!({ "thread_id": thread, "prompt": message.input });
    if let Some(model) = &message.model {
        params["model"] = json!(model);
    }
    let (op, is_keyed) = (TurnsStart::OP, key.is_some());
    let reply = desk
        .reply(Call { op, params, key })
        .await
        .map_err(missing)?;
    let begun: TurnWithThread = serde_json::from_str(reply.get())
        .map_err(|error| Fault::new(FAILED, format!("the turn does not read as such: {error}")))?;
    let turn = begun.turn;
    if is_keyed && let Some(ended) = ended_before(desk, &turn).await? {
        return Ok(ended);
    }
    if desk.live.accepted(thread, &turn.id) || desk.closing.is_cancelled() {
        let params = json!({ "thread_id": thread, "turn_id": turn.id });
        // One that has ended by itself in the meantime needs no stop.
        let _ = desk.call::<TurnsInterrupt>(params).await;
    }
    Telling {
        desk,
        stream,
        response: response_id(&turn),
        map: EventMap::new(&turn, &begun.thread.workspace),
        turn,
        pieces: Vec::new(),
    }
    .until_its_end(events)
    .await
}

/// A turn that is over although it was just asked for: it was asked for once before, with this key.
async fn ended_before(desk: &Desk, turn: &TurnRecord) -> Result<Option<Ended>, Fault> {
    let params = json!({ "thread_id": turn.thread_id });
    let detail = desk.call::<ThreadsGet>(params).await?;
    let mut turns = detail.turns.into_iter();
    let known = turns.find(|known| known.id == turn.id && known.status.is_terminal());
    let said = detail
        .items
        .into_iter()
        .filter(|item| item.turn_id == turn.id && item.kind == ItemKind::AgentMessage);
    let pieces = said.filter_map(|item| item.detail).collect();
    Ok(known.map(|turn| Ended { turn, pieces }))
}

/// A turn as it is told.
struct Telling<'a> {
    desk: &'a Desk,
    stream: Stream,
    response: String,
    map: EventMap,
    turn: TurnRecord,
    pieces: Vec<String>,
}

impl Telling<'_> {
    async fn until_its_end(mut self, events: EventStream) -> Result<Ended, Fault> {
        let response = self.response.clone();
        let response_id = &*response;
        self.bare(&Bare::Start { response_id }).await;
        let ended = self.follow(events).await;
        self.bare(&Bare::End { response_id }).await;
        ended?;
        Ok(Ended {
            turn: self.turn,
            pieces: self.pieces,
        })
    }

    async fn follow(&mut self, events: EventStream) -> Result<(), Fault> {
        let mut events = Events::new(events);
        loop {
            let (envelope, event) = match events.next().await {
                Some(Ok(happened)) => happened,
                Some(Err(error)) => return Err(self.lost(&error.message)),
                None => return Err(self.lost("the service has ended")),
            };
            self.tell(&envelope, &event).await;
            if let Event::TurnCompleted(completed) = event
                && completed.turn.id == self.turn.id
            {
                self.turn = completed.turn;
                return Ok(());
            }
        }
    }

    fn lost(&self, why: &str) -> Fault {
        let (thread, turn) = (&self.turn.thread_id, &self.turn.id);
        let message = format!("turn {turn} is not followed any more: {why}; read thread {thread}");
        Fault::new(FAILED, message)
    }

    async fn tell(&mut self, envelope: &RuntimeEventEnvelope, event: &Event) {
        match self.stream {
            Stream::Silent | Stream::Lines => {}
            Stream::Runtime => {
                let thread = self.turn.thread_id.as_str();
                self.desk.tell_event(thread, envelope).await;
            }
            Stream::Events => {
                self.map.learn_servers(self.desk, event).await;
                for frame in self.map.frames(envelope, event) {
                    let thread = self.turn.thread_id.as_str();
                    self.desk.tell_event(thread, &frame).await;
                }
            }
        }
        if let Event::ItemDelta(delta) = event
            && delta.kind == ItemKind::AgentMessage
            && envelope.turn_id.as_ref() == Some(&self.turn.id)
        {
            let (response_id, delta) = (&*self.response, &*delta.delta);
            self.bare(&Bare::Delta { response_id, delta }).await;
            self.pieces.push(delta.to_owned());
        }
    }

    async fn bare(&self, line: &Bare<'_>) {
        match self.stream {
            Stream::Silent => {}
            Stream::Lines | Stream::Events | Stream::Runtime => {
                self.desk.out.say(to_line(line)).await;
            }
        }
    }
}

impl Ended {
    /// The answer to the message: what came of it, or why nothing did.
    pub(super) fn response(self) -> Result<ThreadResponse, Fault> {
        self.check()?;
        let mut response = threads::response(self.turn.thread_id.as_str(), "accepted");
        response.data = self.data();
        Ok(response)
    }

    /// A turn that did not complete is an error.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let words = match self.turn.status {
            TurnStatus::Completed | TurnStatus::Queued | TurnStatus::InProgress => return Ok(()),
            TurnStatus::Failed => "turn failed",
            TurnStatus::Interrupted => "turn interrupted",
            TurnStatus::Canceled => "turn canceled",
        };
        let error = self.turn.error.as_deref();
        Err(Fault {
            code: FAILED,
            message: error.unwrap_or(words).to_owned(),
            data: self.data(),
        })
    }

    fn data(&self) -> serde_json::Value {
        let turn = &self.turn;
        json!({
            "turn_id": turn.id,
            "status": turn.status,
            "usage": turn.usage,
            "cost_usd": turn.cost_usd,
            "model": turn.effective_model,
            "model_provider": turn.effective_provider,
            "failure_class": turn.failure_class,
        })
    }
}

/// A followed thread, as decoded events. Those this version does not know are passed over.
struct Events {
    frames: EventStream,
    decoded: VecDeque<(RuntimeEventEnvelope, Event)>,
}

impl Events {
    fn new(frames: EventStream) -> Self {
        Self {
            frames,
            decoded: VecDeque::new(),
        }
    }

    async fn next(&mut self) -> Option<Result<(RuntimeEventEnvelope, Event), ErrorBody>> {
        loop {
            if let Some(happened) = self.decoded.pop_front() {
                return Some(Ok(happened));
            }
            match self.frames.next().await? {
                Ok(frames) => match decode(&frames) {
                    Ok(decoded) => self.decoded = decoded,
                    Err(message) => {
                        return Some(Err(ErrorBody::new(ErrorCode::Internal, message)));
                    }
                },
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn decode(frames: &Frames) -> Result<VecDeque<(RuntimeEventEnvelope, Event)>, String> {
    let mut decoder = Decoder::new();
    decoder.push(&frames.bytes);
    let mut all = VecDeque::new();
    while let Some(frame) = decoder.next_frame().map_err(|error| error.to_string())? {
        let envelope: RuntimeEventEnvelope =
            serde_json::from_str(&frame.data).map_err(|error| error.to_string())?;
        if let Some(event) = envelope.decode() {
            all.push_back((envelope, event.map_err(|error| error.to_string())?));
        }
    }
    Ok(all)
}
