//! What turns used, one by one and added up by day. Written as soon as it is known, so that it
//! survives the process.

use std::ops::Range;

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
    /// When the work began: the day it counts for.
    pub began_at: Timestamp,
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
        cost_microusd, priced_by, began_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
    ON CONFLICT (turn_id, actor_id) DO UPDATE SET ended_at = excluded.ended_at,
        input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
        cached_tokens = excluded.cached_tokens, cache_write_tokens = excluded.cache_write_tokens,
        reasoning_tokens = excluded.reasoning_tokens, cost_microusd = excluded.cost_microusd,
        priced_by = excluded.priced_by, began_at = excluded.began_at";

// What was known before of the same turn and agent counts no more: the new row has all of it.
const TAKE_BACK: &str = "UPDATE usage_day SET records = usage_day.records - 1,
        priced_records = usage_day.priced_records
            - CASE WHEN known.priced_by IS NULL THEN 0 ELSE 1 END,
        input_tokens = usage_day.input_tokens - known.input_tokens,
        output_tokens = usage_day.output_tokens - known.output_tokens,
        cached_tokens = usage_day.cached_tokens - known.cached_tokens,
        cache_write_tokens = usage_day.cache_write_tokens - known.cache_write_tokens,
        reasoning_tokens = usage_day.reasoning_tokens - known.reasoning_tokens,
        cost_microusd = usage_day.cost_microusd - known.cost_microusd
    FROM usage_row AS known
    WHERE known.turn_id = ?1 AND known.actor_id = ?2 AND usage_day.room_id = known.room_id
        AND usage_day.day = known.began_at / 86400000
        AND usage_day.thread_id = known.thread_id AND usage_day.provider = known.provider
        AND usage_day.model = known.model";

const ADD: &str = "INSERT INTO usage_day (room_id, day, thread_id, provider, model, records,
        priced_records, input_tokens, output_tokens, cached_tokens, cache_write_tokens,
        reasoning_tokens, cost_microusd)
    VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
    ON CONFLICT (room_id, day, thread_id, provider, model) DO UPDATE SET
        records = usage_day.records + 1,
        priced_records = usage_day.priced_records + excluded.priced_records,
        input_tokens = usage_day.input_tokens + excluded.input_tokens,
        output_tokens = usage_day.output_tokens + excluded.output_tokens,
        cached_tokens = usage_day.cached_tokens + excluded.cached_tokens,
        cache_write_tokens = usage_day.cache_write_tokens + excluded.cache_write_tokens,
        reasoning_tokens = usage_day.reasoning_tokens + excluded.reasoning_tokens,
        cost_microusd = usage_day.cost_microusd + excluded.cost_microusd";

/// Writes all that an agent has used for a turn, in place of what was known before.
pub(crate) fn put(connection: &Connection, row: &UsageRow) -> Result<(), Error> {
    let known = [row.turn_id.as_str().into(), row.actor_id.as_str().into()];
    connection.execute(TAKE_BACK, &known)?;
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
        row.began_at.into(),
    ];
    connection.execute(PUT, &args)?;
    let [
        _,
        _,
        thread,
        room,
        provider,
        model,
        _,
        tokens @ ..,
        cost,
        _,
        _,
    ] = args;
    let [input, output, cached, written, reasoning] = tokens;
    let (day, priced) = (day_of(row.began_at).into(), row.priced_by.is_some().into());
    let args = [
        room, day, thread, provider, model, priced, input, output, cached, written, reasoning, cost,
    ];
    connection.execute(ADD, &args).map(drop)
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The day of a moment in UTC, counted from the epoch.
fn day_of(at: Timestamp) -> i64 {
    at.as_ms().div_euclid(DAY_MS)
}

const OF_TURN: &str =
    "SELECT actor_id, thread_id, room_id, provider, model, ended_at, input_tokens,
        output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost_microusd, priced_by,
        began_at
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
            began_at: Timestamp::from_ms(row.int(13)?),
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

/// What sums are kept apart by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UsageGroup {
    /// The day in UTC, as `YYYY-MM-DD`.
    Day,
    /// The model that served.
    Model,
    /// The provider that served.
    Provider,
    /// The thread.
    Thread,
}

/// A question for sums.
#[derive(Clone, Debug)]
pub struct UsageQuery<'a> {
    /// Who asks: only rooms this principal is a member of count.
    pub principal: &'a str,
    /// From this moment on.
    pub since: Timestamp,
    /// To this moment, itself included.
    pub until: Timestamp,
    /// What is kept apart.
    pub group: UsageGroup,
}

/// What several agents used together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct UsageSum {
    /// How many rows this is.
    pub records: u64,
    /// How many of them have a known price.
    pub priced_records: u64,
    /// Tokens sent, cached ones included.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Sent tokens that the provider had cached.
    pub cached_tokens: u64,
    /// Sent tokens that it put into its cache.
    pub cache_write_tokens: u64,
    /// The part of the output that was reasoning.
    pub reasoning_tokens: u64,
    /// What it cost, in millionths of a dollar.
    pub cost_microusd: u64,
}

// Whole days from the sums, what is left at both ends of the time from the rows themselves.
macro_rules! sums {
    ($of_days:literal, $of_rows:literal) => {
        concat!(
            "SELECT k, SUM(n), SUM(priced), SUM(i), SUM(o), SUM(c), SUM(w), SUM(r), SUM(cost) FROM (
                SELECT ",
            $of_days,
            " AS k, records AS n, priced_records AS priced, input_tokens AS i, output_tokens AS o,
                    cached_tokens AS c, cache_write_tokens AS w, reasoning_tokens AS r,
                    cost_microusd AS cost
                FROM room_member JOIN usage_day ON usage_day.room_id = room_member.room_id
                WHERE room_member.principal_id = ?1 AND day >= ?2 AND day < ?3
                UNION ALL SELECT ",
            $of_rows,
            ", 1, priced_by IS NOT NULL, input_tokens, output_tokens, cached_tokens,
                    cache_write_tokens, reasoning_tokens, cost_microusd
                FROM room_member JOIN usage_row ON usage_row.room_id = room_member.room_id
                WHERE room_member.principal_id = ?1 AND began_at >= ?4 AND began_at < ?5
                UNION ALL SELECT ",
            $of_rows,
            ", 1, priced_by IS NOT NULL, input_tokens, output_tokens, cached_tokens,
                    cache_write_tokens, reasoning_tokens, cost_microusd
                FROM room_member JOIN usage_row ON usage_row.room_id = room_member.room_id
                WHERE room_member.principal_id = ?1 AND began_at >= ?6 AND began_at < ?7
            ) GROUP BY k ORDER BY k"
        )
    };
}

const BY_DAY: &str = sums!("day", "began_at / 86400000");
const BY_MODEL: &str = sums!("model", "model");
const BY_PROVIDER: &str = sums!("provider", "provider");
const BY_THREAD: &str = sums!("thread_id", "thread_id");

/// The sums of a time, each with its key, in the order of the keys.
pub(crate) fn sums(
    connection: &Connection,
    query: &UsageQuery<'_>,
) -> Result<Vec<(String, UsageSum)>, Error> {
    let sql = match query.group {
        UsageGroup::Day => BY_DAY,
        UsageGroup::Model => BY_MODEL,
        UsageGroup::Provider => BY_PROVIDER,
        UsageGroup::Thread => BY_THREAD,
    };
    let span = Span::of(query.since, query.until);
    let args = [
        query.principal.into(),
        span.days.start.into(),
        span.days.end.into(),
        span.before.start.into(),
        span.before.end.into(),
        span.after.start.into(),
        span.after.end.into(),
    ];
    connection.query(sql, &args, |row| {
        let key = match query.group {
            UsageGroup::Day => {
                let moment = Timestamp::from_ms(row.int(0)?.saturating_mul(DAY_MS));
                moment.to_string().chars().take(10).collect()
            }
            UsageGroup::Model | UsageGroup::Provider | UsageGroup::Thread => {
                row.text(0)?.to_owned()
            }
        };
        let sum = UsageSum {
            records: row.unsigned(1)?,
            priced_records: row.unsigned(2)?,
            input_tokens: row.unsigned(3)?,
            output_tokens: row.unsigned(4)?,
            cached_tokens: row.unsigned(5)?,
            cache_write_tokens: row.unsigned(6)?,
            reasoning_tokens: row.unsigned(7)?,
            cost_microusd: row.unsigned(8)?,
        };
        Ok((key, sum))
    })
}

/// A time as whole days, and what is left before and after them in milliseconds.
#[derive(PartialEq, Eq, Debug)]
struct Span {
    before: Range<i64>,
    days: Range<i64>,
    after: Range<i64>,
}

impl Span {
    fn of(since: Timestamp, until: Timestamp) -> Self {
        let (since, end) = (since.as_ms(), until.as_ms().saturating_add(1));
        let first = since.div_euclid(DAY_MS) + i64::from(since.rem_euclid(DAY_MS) > 0);
        let last = end.div_euclid(DAY_MS);
        match first <= last {
            true => Self {
                before: since..first * DAY_MS,
                days: first..last,
                after: last * DAY_MS..end,
            },
            // Within one day.
            false => Self {
                before: since..end,
                days: 0..0,
                after: 0..0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_whole_days_and_what_is_left_of_the_others() {
        let check = |since: i64, until: i64, expected: [Range<i64>; 3]| {
            let span = Span::of(Timestamp::from_ms(since), Timestamp::from_ms(until));
            assert_eq!([span.before, span.days, span.after], expected);
        };
        let day = DAY_MS;
        check(0, day - 1, [0..0, 0..1, day..day]);
        check(0, day, [0..0, 0..1, day..day + 1]);
        check(1, 3 * day + 4, [1..day, 1..3, 3 * day..3 * day + 5]);
        check(day + 1, day + 7, [day + 1..day + 8, 0..0, 0..0]);
        check(5, 2 * day - 1, [5..day, 1..2, 2 * day..2 * day]);
    }
}
