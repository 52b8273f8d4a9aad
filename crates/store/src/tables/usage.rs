//! What finished turns used.

use codewhale_protocol::ActorId;
use codewhale_protocol::runtime::{RoomId, ThreadId, Timestamp, TurnId, Usage};

use crate::db::{Connection, Error};

/// What one finished turn used, and for whom it counts.
#[derive(Clone, Debug)]
pub struct UsageRow {
    /// The turn.
    pub turn_id: TurnId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// The room of the thread.
    pub room_id: RoomId,
    /// The agent that answered.
    pub actor_id: ActorId,
    /// The provider that served it.
    pub provider: String,
    /// The model that served it.
    pub model: String,
    /// When it ended.
    pub ended_at: Timestamp,
    /// The tokens.
    pub usage: Usage,
}

const PUT: &str = "INSERT INTO usage_row (turn_id, thread_id, room_id, actor_id, provider, model,
        ended_at, input_tokens, output_tokens, cached_tokens, reasoning_tokens)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

pub(crate) fn put(connection: &Connection, row: &UsageRow) -> Result<(), Error> {
    let args = [
        row.turn_id.as_str().into(),
        row.thread_id.as_str().into(),
        row.room_id.as_str().into(),
        row.actor_id.as_str().into(),
        row.provider.as_str().into(),
        row.model.as_str().into(),
        row.ended_at.into(),
        row.usage.input_tokens.into(),
        row.usage.output_tokens.into(),
        row.usage.prompt_cache_hit_tokens.unwrap_or(0).into(),
        row.usage.reasoning_tokens.unwrap_or(0).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}
