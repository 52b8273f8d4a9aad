//! A service with one turn per thread, whose events the test makes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use codewhale_protocol::frame::{Frames, write_event};
use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{
    Audience, CoherenceState, Event, ItemDelta, ItemKind, Mode, RoomId, Seq, ThreadDetail,
    ThreadId, ThreadKind, ThreadRecord, Timestamp, TurnCompleted, TurnId, TurnRecord, TurnStarted,
    TurnStatus,
};
use codewhale_protocol::service::{BoxFuture, Cursor};
use codewhale_protocol::{
    Actor, Call, Caller, ErrorBody, ErrorCode, EventStream, Reply, Service, Source,
};
use futures_util::stream;
use serde::Serialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

/// What a test holds.
#[derive(Clone, Default)]
pub(super) struct Fake(Arc<Inner>);

#[derive(Default)]
struct Inner {
    calls: watch::Sender<Vec<(Op, Value)>>,
    /// Those who follow a thread.
    followers: Mutex<HashMap<String, mpsc::UnboundedSender<Frames>>>,
    turns: Mutex<HashMap<String, TurnRecord>>,
    /// Whether a turn does not stop when it is told to.
    is_deaf: Mutex<bool>,
    seq: Mutex<u64>,
}

struct Served(Fake);

impl Fake {
    pub(super) fn service(&self) -> Arc<dyn Service> {
        Arc::new(Served(self.clone()))
    }

    /// From now on turns do not stop.
    pub(super) fn be_deaf(&self) {
        *self.0.is_deaf.lock().unwrap() = true;
    }

    /// Waits until an operation was asked for so often, and tells what with.
    pub(super) async fn asked(&self, op: Op, times: usize) -> Value {
        let mut calls = self.0.calls.subscribe();
        let of = |calls: &[(Op, Value)]| -> Vec<Value> {
            let of = calls.iter().filter(|(asked, _)| *asked == op);
            of.map(|(_, params)| params.clone()).collect()
        };
        let waited = calls.wait_for(|calls| of(calls).len() >= times);
        let waited = tokio::time::timeout(super::WAIT, waited).await;
        let calls = waited.expect("it is asked for").unwrap();
        of(&calls).pop().unwrap_or_default()
    }

    pub(super) fn count(&self, op: Op) -> usize {
        let calls = self.0.calls.borrow();
        calls.iter().filter(|(asked, _)| *asked == op).count()
    }

    /// Lets something happen on a thread.
    pub(super) fn happen(&self, thread: &str, event: &Event) {
        let payload: Value = serde_json::from_str(&event.payload()).unwrap();
        self.happen_to(thread, &payload["item"]["id"], event);
    }

    /// The same for an event that does not name its item itself.
    pub(super) fn happen_to(&self, thread: &str, item: &Value, event: &Event) {
        let mut seq = self.0.seq.lock().unwrap();
        *seq += 1;
        let turn = self
            .0
            .turns
            .lock()
            .unwrap()
            .get(thread)
            .map(|it| it.id.clone());
        let payload: Value = serde_json::from_str(&event.payload()).unwrap();
        let envelope = json!({
            "schema_version": 1, "seq": *seq, "event": event.name(), "kind": event.name(),
            "thread_id": thread, "turn_id": turn, "item_id": item,
            "timestamp": Timestamp::from_ms(0), "payload": payload,
        });
        let mut text = String::new();
        write_event(&mut text, Seq(*seq), event.name(), &envelope.to_string());
        let frames = Frames {
            bytes: Bytes::from(text),
            last: Seq(*seq),
        };
        if let Some(follower) = self.0.followers.lock().unwrap().get(thread) {
            let _ = follower.send(frames);
        }
    }

    /// Lets the agent say something.
    pub(super) fn says(&self, thread: &str, text: &str) {
        let delta = ItemDelta {
            delta: text.to_owned(),
            kind: ItemKind::AgentMessage,
        };
        self.happen(thread, &Event::ItemDelta(delta));
    }

    /// Ends the turn of a thread.
    pub(super) fn end(&self, thread: &str, status: TurnStatus) {
        let turn = self.0.turns.lock().unwrap().get(thread).cloned();
        let Some(mut turn) = turn else { return };
        turn.status = status;
        let recovered = false;
        self.happen(
            thread,
            &Event::TurnCompleted(TurnCompleted { turn, recovered }),
        );
        self.0.turns.lock().unwrap().remove(thread);
    }

    fn answer(&self, op: Op, params: &Value) -> Result<Value, ErrorBody> {
        let thread = params["thread_id"].as_str().unwrap_or_default().to_owned();
        match op {
            Op::ThreadsCreate => Ok(value(&record("thr_new"))),
            Op::ThreadsGet if thread == "panic" => panic!("a fault of the test"),
            Op::ThreadsGet if !thread.is_empty() && thread != "none" => {
                let turns = self.0.turns.lock().unwrap();
                Ok(value(&ThreadDetail {
                    thread: record(&thread),
                    turns: turns.get(&thread).cloned().into_iter().collect(),
                    items: Vec::new(),
                    latest_seq: Seq::ZERO,
                    pending_approvals: Vec::new(),
                    pending_user_inputs: Vec::new(),
                    pending_dynamic_tool_calls: Vec::new(),
                }))
            }
            // Its turn has ended before anyone follows it.
            Op::TurnsStart if thread == "over" => {
                let mut turn = turn(&thread);
                turn.status = TurnStatus::Completed;
                self.0
                    .turns
                    .lock()
                    .unwrap()
                    .insert(thread.clone(), turn.clone());
                Ok(json!({ "thread": record(&thread), "turn": turn }))
            }
            Op::TurnsStart if thread != "none" => {
                let turn = turn(&thread);
                let started = TurnStarted {
                    turn: turn.clone(),
                    manual_compaction: false,
                };
                self.0
                    .turns
                    .lock()
                    .unwrap()
                    .insert(thread.clone(), turn.clone());
                self.happen(&thread, &Event::TurnStarted(started));
                Ok(json!({ "thread": record(&thread), "turn": turn }))
            }
            Op::TurnsInterrupt => {
                if !*self.0.is_deaf.lock().unwrap() {
                    self.end(&thread, TurnStatus::Interrupted);
                }
                Ok(value(&turn(&thread)))
            }
            Op::TurnsSteer => Ok(value(&turn(&thread))),
            Op::ApprovalsDecide => Ok(json!({
                "ok": true, "approval_id": "appr_1", "decision": "allow", "delivered": true,
            })),
            Op::McpTools => Ok(json!({ "tools": [{
                "server": "files", "name": "read", "prefixed_name": "mcp_files_read",
                "description": null, "input_schema": {},
            }] })),
            Op::ThreadsList | Op::ThreadsSummary => Ok(json!([])),
            _ => Err(ErrorBody::new(ErrorCode::NotFound, "not here")),
        }
    }
}

impl Service for Served {
    fn call<'a>(&'a self, _: &'a Caller, call: Call) -> BoxFuture<'a, Result<Reply, ErrorBody>> {
        Box::pin(async move {
            let told = (call.op, call.params.clone());
            self.0.0.calls.send_modify(|calls| calls.push(told));
            let answer = self.0.answer(call.op, &call.params)?;
            Ok(Reply::from(to_raw_value(&answer).unwrap()))
        })
    }

    fn events<'a>(
        &'a self,
        _: &'a Caller,
        source: Source,
        _: Cursor,
    ) -> BoxFuture<'a, Result<EventStream, ErrorBody>> {
        Box::pin(async move {
            let Source::Thread(thread) = source else {
                return Err(ErrorBody::new(ErrorCode::NotFound, "no such run"));
            };
            if thread.as_str() == "none" {
                return Err(ErrorBody::new(ErrorCode::NotFound, "no such thread"));
            }
            let (follower, followed) = mpsc::unbounded_channel();
            let mut followers = self.0.0.followers.lock().unwrap();
            followers.insert(thread.to_string(), follower);
            let stream: EventStream = Box::pin(stream::unfold(followed, |mut followed| async {
                let frames = followed.recv().await?;
                Some((Ok(frames), followed))
            }));
            Ok(stream)
        })
    }
}

fn value(output: &impl Serialize) -> Value {
    serde_json::to_value(output).unwrap()
}

pub(super) fn turn(thread: &str) -> TurnRecord {
    let by = Actor::system("test");
    let id = TurnId::from("turn_1");
    TurnRecord::new(id, ThreadId::from(thread), Timestamp::from_ms(0), by)
}

fn record(id: &str) -> ThreadRecord {
    let mut record: ThreadRecord = serde_json::from_value(json!({
        "schema_version": 2, "id": id, "created_at": Timestamp::from_ms(1_000),
        "updated_at": Timestamp::from_ms(2_000), "model": "m", "workspace": "/w",
        "mode": Mode::Agent, "allow_shell": false, "trust_mode": false, "auto_approve": false,
        "archived": false, "coherence_state": CoherenceState::Healthy,
        "workroom_id": RoomId::from("wr_1"), "kind": ThreadKind::AgentTask,
        "audience": Audience::Room, "origin": { "surface": "stdio" },
    }))
    .unwrap();
    record.approval_policy = Some("on-request".to_owned());
    record
}
