//! Writing envelopes: the text of an event as it is stored, hashed and streamed.
//!
//! Written by hand, part by part, because deltas come by the hundred thousand and everything but
//! the place in the log and the moment is the same for all deltas of an item.

use std::fmt::Write as _;

use codewhale_protocol::ActorId;
use codewhale_protocol::runtime::{ItemId, ItemKind, Seq, StreamId, ThreadId, Timestamp, TurnId};

use crate::batch::NewEvent;

/// Appends the envelope of an event that has its place.
pub(crate) fn write_event(out: &mut String, seq: Seq, previous: Seq, event: &NewEvent) {
    write_place(out, seq, previous);
    write_name(out, event.name);
    match &event.stream {
        StreamId::Thread(thread) => write_member(out, "thread_id", Some(thread.as_str())),
        StreamId::Room(_)
        | StreamId::Task(_)
        | StreamId::Automation(_)
        | StreamId::Run(_)
        | StreamId::Store => {
            write_member(out, "stream_id", Some(event.stream.as_str()));
        }
    }
    write_member(out, "turn_id", event.turn_id.as_ref().map(TurnId::as_str));
    write_member(out, "item_id", event.item_id.as_ref().map(ItemId::as_str));
    write_moment(out, event.at);
    out.push_str(",\"actor\":");
    out.push_str(event.stamp.wire.as_str());
    out.push_str(",\"payload\":");
    out.push_str(event.payload.as_str());
    out.push('}');
}

/// The parts of a delta's envelope that are the same for all deltas of an item.
#[derive(Debug)]
pub(crate) struct DeltaTemplate {
    pub(crate) stream: StreamId,
    middle: String,
    tail: String,
    end: String,
}

impl DeltaTemplate {
    pub(crate) fn new(
        thread: &ThreadId,
        turn: &TurnId,
        item: &ItemId,
        kind: ItemKind,
        actor: &ActorId,
    ) -> Self {
        let mut middle = String::new();
        write_name(&mut middle, DELTA);
        write_member(&mut middle, "thread_id", Some(thread.as_str()));
        write_member(&mut middle, "turn_id", Some(turn.as_str()));
        write_member(&mut middle, "item_id", Some(item.as_str()));
        Self {
            stream: StreamId::Thread(thread.clone()),
            middle,
            tail: format!(
                ",\"actor_id\":\"{}\",\"payload\":{{\"delta\":\"",
                actor.as_str()
            ),
            end: format!("\",\"kind\":\"{}\"}}}}", kind.as_str()),
        }
    }

    /// Appends the envelope of a delta; `escaped` is its text as it stands inside JSON quotes.
    pub(crate) fn write(
        &self,
        out: &mut String,
        seq: Seq,
        previous: Seq,
        at: Timestamp,
        escaped: &str,
    ) {
        write_place(out, seq, previous);
        out.push_str(&self.middle);
        write_moment(out, at);
        out.push_str(&self.tail);
        out.push_str(escaped);
        out.push_str(&self.end);
    }
}

/// The name of the one event that has a writer of its own.
pub(crate) const DELTA: &str = "item.delta";

fn write_place(out: &mut String, seq: Seq, previous: Seq) {
    write!(
        out,
        "{{\"schema_version\":1,\"seq\":{seq},\"previous_seq\":{previous}"
    )
    .expect("writing to a string cannot fail");
}

fn write_name(out: &mut String, name: &str) {
    for member in ["event", "kind"] {
        write_member(out, member, Some(name));
    }
}

fn write_moment(out: &mut String, at: Timestamp) {
    let start = out.len();
    write!(out, ",\"timestamp\":\"{at}\"").expect("writing to a string cannot fail");
    let quoted = start + ",\"timestamp\":".len();
    out.push_str(",\"created_at\":");
    out.extend_from_within(quoted..quoted + "\"1970-01-01T00:00:00.000Z\"".len());
}

/// Appends a member whose value needs no escaping: our own ids and names.
fn write_member(out: &mut String, name: &str, value: Option<&str>) {
    out.push_str(",\"");
    out.push_str(name);
    match value {
        Some(value) => {
            out.push_str("\":\"");
            out.push_str(value);
            out.push('"');
        }
        None => out.push_str("\":null"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use codewhale_protocol::runtime::{
        ENVELOPE_SCHEMA_VERSION, Event, RuntimeEventEnvelope, TurnInterruptRequested,
    };
    use codewhale_protocol::{Actor, Redactor};

    use super::*;
    use crate::Stamp;

    #[test]
    fn an_envelope_reads_back_as_what_was_written() {
        let redactor = Redactor::new([]);
        let (thread, turn) = (ThreadId::from("thr_1"), TurnId::from("turn_2"));
        let event = Event::TurnInterruptRequested(TurnInterruptRequested {
            thread_id: thread.clone(),
            turn_id: turn.clone(),
        });
        let new = NewEvent {
            stream: StreamId::Thread(thread.clone()),
            name: event.name(),
            turn_id: Some(turn.clone()),
            item_id: None,
            at: Timestamp::from_ms(1_780_730_580_120),
            stamp: Arc::new(Stamp::new(&redactor, Actor::system("test").into())),
            payload: redactor.seal_payload(&event),
        };
        let mut text = String::new();
        write_event(&mut text, Seq(9), Seq(4), &new);
        let read: RuntimeEventEnvelope = serde_json::from_str(&text).unwrap();
        assert_eq!(read.schema_version, ENVELOPE_SCHEMA_VERSION);
        assert_eq!((read.seq, read.previous_seq), (Seq(9), Some(Seq(4))));
        assert_eq!(
            (read.event.as_str(), read.kind.as_str()),
            (event.name(), event.name())
        );
        assert_eq!(
            (read.thread_id, read.turn_id, read.item_id),
            (thread, Some(turn), None)
        );
        assert_eq!(read.created_at, Some(read.timestamp));
        assert_eq!(read.actor, Some(Actor::system("test")));
        assert!(text.contains("\"item_id\":null"), "{text}");
        assert!(read.extra.is_empty(), "{:?}", read.extra);
    }

    #[test]
    fn a_delta_reads_back_with_its_text_and_actor() {
        let template = DeltaTemplate::new(
            &"thr_1".into(),
            &"turn_2".into(),
            &"item_3".into(),
            ItemKind::AgentMessage,
            &"act_4".into(),
        );
        let mut text = String::new();
        template.write(
            &mut text,
            Seq(2),
            Seq(1),
            Timestamp::from_ms(0),
            "a\\n\\\"é",
        );
        let read: RuntimeEventEnvelope = serde_json::from_str(&text).unwrap();
        assert_eq!(read.payload["delta"], "a\n\"é");
        assert_eq!(read.payload["kind"], "agent_message");
        assert_eq!(read.actor_id, Some("act_4".into()));
        assert_eq!(read.created_at, Some(read.timestamp));
    }
}
