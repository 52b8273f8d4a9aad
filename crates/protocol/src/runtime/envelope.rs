//! The envelope: an event with its place in the log, as it is stored and as it is streamed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Event, ItemId, Seq, ThreadId, Timestamp, TurnId};
use crate::{Actor, ActorId};

/// Version of the envelope, told in each of them.
pub const SCHEMA_VERSION: u32 = 1;

/// An event as a reader meets it. The store writes this text itself, byte by byte, because the
/// hash chain runs over it; this type is for reading it back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeEventEnvelope {
    /// Version of the envelope.
    #[serde(default = "schema_version")]
    pub schema_version: u32,
    /// The place in the log.
    pub seq: Seq,
    /// The place of the event before it in the same stream; zero for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_seq: Option<Seq>,
    /// The name of the event.
    pub event: String,
    /// The same, under its newer name.
    pub kind: String,
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn; null for events of the thread itself.
    #[serde(default)]
    pub turn_id: Option<TurnId>,
    /// The item; null for events of the turn or thread itself.
    #[serde(default)]
    pub item_id: Option<ItemId>,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The same, under another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Who did it, on all events but deltas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// Who did it, by id alone, on deltas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<ActorId>,
    /// What happened.
    pub payload: Value,
    /// Members this version does not know, kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

fn schema_version() -> u32 {
    SCHEMA_VERSION
}

impl RuntimeEventEnvelope {
    /// The payload as a typed event; `None` for a name this version does not know.
    pub fn decode(&self) -> Option<Result<Event, serde_json::Error>> {
        Event::decode(&self.event, &self.payload.to_string())
    }
}
