//! Items of a running turn: how they begin, grow and end.

use codewhale_engine::{Closing, Opening, Purpose, TextKind, compaction_metadata, tool_metadata};
use codewhale_protocol::ActorId;
use codewhale_protocol::runtime::{
    Attached, AttachmentRecord, Event, InputPart, ItemId, ItemKind, ItemStarted, ItemStatus,
    SandboxDenied, Timestamp, ToolInvocation, TurnId, TurnItemRecord, summarize,
};
use codewhale_store::{Durability, Guard, Intent};
use serde_json::{Map, Value, json};

use super::agents::purpose_of;
use super::desk::{Desk, OpenItem, State};
use crate::limits;

impl Desk {
    /// Begins an item and shows it.
    pub(crate) fn open(&self, opening: Opening) -> ItemId {
        let now = self.core.env.now();
        let id = ItemId::new(self.core.env.uuid());
        let mut state = self.state();
        let (mut record, tool) = self.opened(id.clone(), opening, state.input.unread, now);
        if record.kind.is_tool() {
            show_usage(&mut record, &mut state);
            self.tree.charge_call();
        }
        let agents = self.agents();
        let by = agents.at(purpose_of(record.kind));
        let writer = (!record.kind.is_tool()).then(|| {
            let ids = (&self.thread, &self.turn, &id);
            self.core.store.delta_writer(ids, record.kind, &by.id)
        });
        let ordinal = self.place(&mut state, &id);
        state.calls += u64::from(record.kind.is_tool());
        // What a call wants to do is settled with its approval; text settles with its end.
        let mut batch = self.batch(Durability::Fast);
        batch.put_item(&self.thread, ordinal, &record);
        let event = Event::ItemStarted(ItemStarted::new(record.clone(), tool));
        batch.event(self.about(Some(&id), now, by), &event);
        self.commit(&mut state, batch);
        state.open.push(OpenItem {
            record,
            ordinal,
            text: String::new(),
            writer,
            room_to_print: Some(limits::PRINTED_BYTES_MAX),
            begun: false,
            call: None,
        });
        id
    }

    fn opened(
        &self,
        id: ItemId,
        opening: Opening,
        unread: usize,
        now: Timestamp,
    ) -> (TurnItemRecord, Option<ToolInvocation>) {
        let agents = self.agents();
        let (talker, shortener) = (&agents.talker, agents.at(Purpose::Compaction));
        match opening {
            Opening::Text { kind, step } => {
                let kind = match kind {
                    TextKind::Message => ItemKind::AgentMessage,
                    TextKind::Reasoning => ItemKind::AgentReasoning,
                };
                let mut record = new_item(id, &self.turn, kind, &talker.id, now);
                record.metadata = Some(json!({ "step": step }));
                (record, None)
            }
            Opening::Compaction { auto, step } => {
                let kind = ItemKind::ContextCompaction;
                let mut record = new_item(id, &self.turn, kind, &shortener.id, now);
                record.summary = "The conversation is being shortened".to_owned();
                record.metadata = Some(compaction_metadata(step, auto, unread));
                (record, None)
            }
            Opening::Tool {
                call,
                input,
                kind,
                step,
            } => {
                let mut record = new_item(id, &self.turn, kind, &talker.id, now);
                record.summary = summarize(&in_short(&call.name, &input));
                record.detail = Some(input.to_string());
                record.metadata = Some(tool_metadata(&call, &input, step));
                (
                    record,
                    Some(ToolInvocation {
                        id: call.id,
                        name: call.name,
                        input,
                    }),
                )
            }
        }
    }

    /// Writes down that the call of an item is about to reach outside.
    pub(crate) fn intend(&self, item: &ItemId, digest: &str) {
        let mut batch = self.batch(Durability::Synced);
        batch.intend(Intent {
            item: item.clone(),
            turn: self.turn.clone(),
            digest: digest.to_owned(),
            at: self.core.env.now(),
        });
        let mut state = self.state();
        if let Some(open) = state.open.iter_mut().find(|open| open.record.id == *item) {
            open.begun = true;
        }
        self.commit(&mut state, batch);
    }

    /// Ends an item.
    pub(crate) fn close(&self, id: &ItemId, mut closing: Closing) {
        let now = self.core.env.now();
        let mut state = self.state();
        let Some(index) = state.open.iter().position(|item| item.record.id == *id) else {
            return;
        };
        let mut item = state.open.remove(index);
        item.flush(now);
        let denied = denied(&item.record, &closing);
        let attached = self.attachable(&mut closing);
        let mut record = item.closed(closing, now);
        if record.kind == ItemKind::AgentMessage {
            show_usage(&mut record, &mut state);
        }
        let agents = self.agents();
        let by = agents.at(purpose_of(record.kind));
        // Another model may have stood in since the item began.
        record.actor_id = by.id.clone();
        if record.kind == ItemKind::AgentMessage && record.status == ItemStatus::Completed {
            let text = record.detail.clone().unwrap_or_default();
            state.final_message = Some((record.id.clone(), text));
        }
        let mut batch = self.batch(Durability::Synced);
        // Its place in the log is where it began. One that could not begin has none.
        batch.guard(Guard::ItemBegun { id: id.clone() });
        batch.put_item(&self.thread, item.ordinal, &record);
        for attached in attached {
            let record = AttachmentRecord::new(&self.thread, &attached, now);
            batch.attach(record, attached.data);
        }
        if record.kind.is_tool() {
            batch.settle_effect(id, now);
        }
        if let Some(denied) = denied {
            self.agent_event(&mut batch, None, now, &Event::SandboxDenied(denied));
        }
        batch.event(self.about(Some(id), now, by), &Event::item_ended(record));
        self.commit(&mut state, batch);
        state.unsettled.extend(item.writer);
        drop(state);
        self.tree.stir();
    }

    /// What a result has to show, if the thread has room for it. What it has no room for, the text
    /// still tells of.
    fn attachable(&self, closing: &mut Closing) -> Vec<Attached> {
        let Closing::Tool(output) = closing else {
            return Vec::new();
        };
        let bytes: u64 = output.attached.iter().map(|it| it.bytes).sum();
        if bytes > 0 && !self.core.has_room(&self.thread, bytes) {
            output.attached.clear();
        }
        output.attached.clone()
    }

    /// Shows a line of information.
    pub(crate) fn status(&self, text: &str) {
        self.status_with(text, None);
    }

    /// The same, with values for programs.
    pub(crate) fn status_with(&self, text: &str, metadata: Option<Value>) {
        let record = TurnItemRecord {
            metadata,
            ..self.status_item(text)
        };
        let now = self.core.env.now();
        let mut state = self.state();
        self.show_ended(&mut state, &record, now);
    }

    /// A line of information, before it has its place.
    pub(crate) fn status_item(&self, text: &str) -> TurnItemRecord {
        let now = self.core.env.now();
        let id = ItemId::new(self.core.env.uuid());
        let mut record = new_item(
            id,
            &self.turn,
            ItemKind::Status,
            &self.agents().talker.id,
            now,
        );
        record.status = ItemStatus::Completed;
        record.summary = summarize(text);
        record.detail = Some(text.to_owned());
        record.ended_at = Some(now);
        record
    }

    fn show_ended(&self, state: &mut State, record: &TurnItemRecord, now: Timestamp) {
        let ordinal = self.place(state, &record.id);
        let mut batch = self.batch(Durability::Fast);
        batch.put_item(&self.thread, ordinal, record);
        self.agent_event(
            &mut batch,
            Some(&record.id),
            now,
            &Event::item_ended(record.clone()),
        );
        self.commit(state, batch);
    }
}

impl OpenItem {
    fn closed(&self, closing: Closing, now: Timestamp) -> TurnItemRecord {
        let mut record = self.record.clone();
        record.ended_at = Some(now);
        match closing {
            Closing::Complete => record.status = ItemStatus::Completed,
            Closing::Abandoned(reason) => {
                record.status = ItemStatus::Failed;
                with_error(&mut record, &reason);
            }
            Closing::Compacted(compacted) => {
                let (before, after) = (compacted.messages_before, compacted.messages_after);
                record.status = ItemStatus::Completed;
                record.summary =
                    format!("Shortened the conversation from {before} messages to {after}");
                record.detail = Some(compacted.text);
                let metadata = metadata_of(&mut record);
                metadata.insert("messages_before".to_owned(), before.into());
                metadata.insert("messages_after".to_owned(), after.into());
                record.set_attachments(compacted.attachments.iter());
                return record;
            }
            Closing::Tool(output) => {
                record.status = if output.success {
                    ItemStatus::Completed
                } else {
                    ItemStatus::Failed
                };
                record.detail = Some(output.for_the_log().to_owned());
                if let Some(facts) = output.metadata {
                    metadata_of(&mut record).insert("result".to_owned(), facts);
                }
                record.set_attachments(output.attached.iter().map(|it| &it.id));
                let call = self.call.as_ref();
                if let Some(by) = call.and_then(|call| call.stopped_by.as_ref()) {
                    let by = Value::from(by.id.as_str());
                    metadata_of(&mut record).insert("stopped_by".to_owned(), by);
                }
                return record;
            }
        }
        record.summary = summarize(&self.text);
        record.detail = Some(self.text.clone());
        record
    }
}

/// What the walls kept a call from, if its tool says so.
fn denied(record: &TurnItemRecord, closing: &Closing) -> Option<SandboxDenied> {
    let Closing::Tool(output) = closing else {
        return None;
    };
    let denial = output.metadata.as_ref()?.get("sandbox_denied")?;
    let tool = &record.metadata.as_ref()?["tool"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(SandboxDenied {
        tool_id: text(&tool["id"]),
        tool_name: text(&tool["name"]),
        reason: format!(
            "{}: {}",
            text(&denial["certainty"]),
            text(&denial["evidence"])
        ),
    })
}

/// How an item that is still open ends together with its turn.
pub(crate) fn end_of_open(
    item: &mut OpenItem,
    status: ItemStatus,
    reason: &str,
    now: Timestamp,
) -> TurnItemRecord {
    item.flush(now);
    let mut record = item.record.clone();
    record.status = status;
    record.ended_at = Some(now);
    if record.kind.is_tool() {
        let effect = match item.begun {
            true => "Whether it had an effect is not known",
            false => "It had not begun, so it had no effect",
        };
        record.detail = Some(format!("The call was cut off: {reason}. {effect}."));
    } else {
        record.summary = summarize(&item.text);
        record.detail = Some(item.text.clone());
    }
    with_error(&mut record, reason);
    record
}

/// What a person or program said: an item that is whole from the start.
pub(crate) fn said_item(
    id: ItemId,
    turn: &TurnId,
    by: &ActorId,
    parts: Vec<InputPart>,
    now: Timestamp,
) -> TurnItemRecord {
    let mut record = new_item(id, turn, ItemKind::UserMessage, by, now);
    record.set_input(parts);
    record.status = ItemStatus::Completed;
    record.ended_at = Some(now);
    record
}

/// An item that begins now.
pub(crate) fn new_item(
    id: ItemId,
    turn: &TurnId,
    kind: ItemKind,
    actor: &ActorId,
    now: Timestamp,
) -> TurnItemRecord {
    TurnItemRecord::new(id, turn.clone(), kind, actor.clone(), now)
}

/// Tells on the item that ends a call of the model what that call used.
fn show_usage(record: &mut TurnItemRecord, state: &mut State) {
    if let Some(usage) = state.take_usage() {
        metadata_of(record).insert("usage".to_owned(), usage);
    }
}

/// Notes on an item why it did not end well.
pub(crate) fn with_error(record: &mut TurnItemRecord, reason: &str) {
    metadata_of(record).insert("error".to_owned(), Value::from(reason));
}

fn metadata_of(record: &mut TurnItemRecord) -> &mut Map<String, Value> {
    let metadata = record.metadata.get_or_insert_with(|| json!({}));
    if !metadata.is_object() {
        *metadata = json!({});
    }
    metadata
        .as_object_mut()
        .expect("it was just made an object")
}

/// A call in a few words: the tool and what it is about.
fn in_short(name: &str, input: &Value) -> String {
    let about = ["command", "path", "pattern", "query", "url"]
        .iter()
        .find_map(|member| input.get(member).and_then(Value::as_str));
    match about {
        Some(about) => format!("{name}: {about}"),
        None => name.to_owned(),
    }
}
