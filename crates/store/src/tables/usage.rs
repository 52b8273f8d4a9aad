//! What turns used. Written as soon as it is known, so that it survives the process.

use codewhale_protocol::ActorId;
use codewhale_protocol::runtime::{RoomId, ThreadId, Timestamp, TurnId, Usage};

use crate::db::{Connection, Error};

/// What one agent has used for a turn, and for whom it counts.
#[derive(Clone, PartialEq, Debug)]
pub struct UsageRow {
    /// The turn.
    pub turn_id: TurnId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// The room of the thread.
    pub room_id: RoomId,
    /// The agent that worked.
    pub actor_id: ActorId,
    /// The provider that served it.
    pub provider: String,
    /// The model that served it.
    pub model: String,
    /// When the turn ended; while it runs, when this was known.
    pub ended_at: Timestamp,
    /// The tokens.
    pub usage: Usage,
    /// What they cost, as far as it is known, in millionths of a dollar.
    pub cost_microusd: u64,
    /// The table the prices are from; none when some tokens have no known price.
    pub priced_by: Option<String>,
}

const PUT: &str = "INSERT INTO usage_row (turn_id, actor_id, thread_id, room_id, provider, model,
        ended_at, input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens,
        cost_microusd, priced_by)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
    ON CONFLICT (turn_id, actor_id) DO UPDATE SET ended_at = excluded.ended_at,
        input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
        cached_tokens = excluded.cached_tokens, cache_write_tokens = excluded.cache_write_tokens,
        reasoning_tokens = excluded.reasoning_tokens, cost_microusd = excluded.cost_microusd,
        priced_by = excluded.priced_by";

/// Writes all that an agent has used for a turn, in place of what was known before.
pub(crate) fn put(connection: &Connection, row: &UsageRow) -> Result<(), Error> {
    let args = [
        row.turn_id.as_str().into(),
        row.actor_id.as_str().into(),
        row.thread_id.as_str().into(),
        row.room_id.as_str().into(),
        row.provider.as_str().into(),
        row.model.as_str().into(),
        row.ended_at.into(),
        row.usage.input_tokens.into(),
        row.usage.output_tokens.into(),
        row.usage.prompt_cache_hit_tokens.unwrap_or(0).into(),
        row.usage.prompt_cache_write_tokens.unwrap_or(0).into(),
        row.usage.reasoning_tokens.unwrap_or(0).into(),
        row.cost_microusd.into(),
        row.priced_by.as_deref().into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

const OF_TURN: &str =
    "SELECT actor_id, thread_id, room_id, provider, model, ended_at, input_tokens,
        output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_microusd, priced_by
    FROM usage_row WHERE turn_id = ?1 ORDER BY provider, model, actor_id";

/// What each agent used for a turn.
pub(crate) fn of_turn(connection: &Connection, turn: &TurnId) -> Result<Vec<UsageRow>, Error> {
    connection.query(OF_TURN, &[turn.as_str().into()], |row| {
        Ok(UsageRow {
            turn_id: turn.clone(),
            actor_id: row.text(0)?.into(),
            thread_id: row.text(1)?.into(),
            room_id: row.text(2)?.into(),
            provider: row.text(3)?.to_owned(),
            model: row.text(4)?.to_owned(),
            ended_at: Timestamp::from_ms(row.int(5)?),
            usage: Usage {
                input_tokens: row.unsigned(6)?,
                output_tokens: row.unsigned(7)?,
                prompt_cache_hit_tokens: Some(row.unsigned(8)?),
                prompt_cache_miss_tokens: None,
                prompt_cache_write_tokens: Some(row.unsigned(9)?),
                reasoning_tokens: Some(row.unsigned(10)?),
            },
            cost_microusd: row.unsigned(11)?,
            priced_by: row.optional_text(12)?.map(str::to_owned),
        })
    })
}
