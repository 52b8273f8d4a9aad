//! Goals of threads. Their status is written by the thread's actor alone; what they cost is added
//! by every turn of the tree, so it is a sum and never a value that someone read before.

use codewhale_protocol::runtime::{Goal, GoalId, ThreadId, Timestamp};
use codewhale_protocol::{ActorId, Sealed, ThreadGoalStatus};

use crate::db::{Connection, Error, Value};

/// A goal as it is set: nothing has been spent on it.
#[derive(Debug)]
pub(crate) struct GoalRow {
    pub(crate) thread_id: ThreadId,
    pub(crate) goal_id: GoalId,
    pub(crate) objective: Sealed,
    pub(crate) token_budget: Option<u64>,
    pub(crate) created_by: ActorId,
    pub(crate) at: Timestamp,
}

/// What was spent on a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spending {
    /// The thread that has the goal.
    pub thread: ThreadId,
    /// The goal; another one that came in its place is not charged.
    pub goal: GoalId,
    /// Tokens.
    pub tokens: u64,
    /// Milliseconds of work.
    pub time_ms: u64,
}

const SET: &str = "INSERT INTO goal (thread_id, goal_id, objective, status, token_budget,
        tokens_used, time_used_ms, continuations, created_by, created_at, updated_at)
    VALUES (?1, ?2, ?3, 'active', ?4, 0, 0, 0, ?5, ?6, ?6)
    ON CONFLICT (thread_id) DO UPDATE SET goal_id = excluded.goal_id,
        objective = excluded.objective, status = excluded.status,
        token_budget = excluded.token_budget, tokens_used = 0, time_used_ms = 0,
        continuations = 0, created_by = excluded.created_by, created_at = excluded.created_at,
        updated_at = excluded.updated_at";

pub(crate) fn set(connection: &Connection, row: &GoalRow) -> Result<(), Error> {
    let args = [
        row.thread_id.as_str().into(),
        row.goal_id.as_str().into(),
        (&row.objective).into(),
        row.token_budget.map_or(Value::Null, Value::from),
        row.created_by.as_str().into(),
        row.at.into(),
    ];
    connection.execute(SET, &args).map(drop)
}

const MOVE: &str = "UPDATE goal SET status = ?2, updated_at = ?3 WHERE thread_id = ?1";

/// Changes where a goal stands.
pub(crate) fn move_to(
    connection: &Connection,
    thread: &ThreadId,
    status: ThreadGoalStatus,
    at: Timestamp,
) -> Result<(), Error> {
    let args = [thread.as_str().into(), word(status).into(), at.into()];
    connection.execute(MOVE, &args).map(drop)
}

const CONTINUE: &str = "UPDATE goal SET continuations = continuations + 1, updated_at = ?2
    WHERE thread_id = ?1";

/// Counts a turn that the agent started by itself.
pub(crate) fn count(
    connection: &Connection,
    thread: &ThreadId,
    at: Timestamp,
) -> Result<(), Error> {
    let args = [thread.as_str().into(), at.into()];
    connection.execute(CONTINUE, &args).map(drop)
}

const SPEND: &str = "UPDATE goal SET tokens_used = tokens_used + ?3,
        time_used_ms = time_used_ms + ?4
    WHERE thread_id = ?1 AND goal_id = ?2";

pub(crate) fn spend(connection: &Connection, spending: &Spending) -> Result<(), Error> {
    let args = [
        spending.thread.as_str().into(),
        spending.goal.as_str().into(),
        spending.tokens.into(),
        spending.time_ms.into(),
    ];
    connection.execute(SPEND, &args).map(drop)
}

const CLEAR: &str = "DELETE FROM goal WHERE thread_id = ?1";

pub(crate) fn clear(connection: &Connection, thread: &ThreadId) -> Result<(), Error> {
    connection
        .execute(CLEAR, &[thread.as_str().into()])
        .map(drop)
}

const GET: &str = "SELECT goal_id, objective, status, coalesce(token_budget, -1), tokens_used,
        time_used_ms, continuations, created_at, updated_at
    FROM goal WHERE thread_id = ?1";

pub(crate) fn get(connection: &Connection, thread: &ThreadId) -> Result<Option<Goal>, Error> {
    connection.query_one(GET, &[thread.as_str().into()], |row| {
        Ok(Goal {
            thread_id: thread.clone(),
            goal_id: GoalId::from(row.text(0)?),
            objective: row.text(1)?.to_owned(),
            // A word that only a newer program knows: nothing goes on by itself.
            status: parse(row.text(2)?).unwrap_or(ThreadGoalStatus::Paused),
            token_budget: u64::try_from(row.int(3)?).ok(),
            tokens_used: row.unsigned(4)?,
            time_used_seconds: row.unsigned(5)? / 1000,
            continuation_count: row.unsigned(6)?,
            created_at: row.unsigned(7)? / 1000,
            updated_at: row.unsigned(8)? / 1000,
        })
    })
}

const STATUSES: [(ThreadGoalStatus, &str); 6] = [
    (ThreadGoalStatus::Active, "active"),
    (ThreadGoalStatus::Paused, "paused"),
    (ThreadGoalStatus::Blocked, "blocked"),
    (ThreadGoalStatus::UsageLimited, "usage_limited"),
    (ThreadGoalStatus::BudgetLimited, "budget_limited"),
    (ThreadGoalStatus::Complete, "complete"),
];

fn word(status: ThreadGoalStatus) -> &'static str {
    let known = STATUSES.iter().find(|(known, _)| *known == status);
    known.expect("every status is listed").1
}

fn parse(text: &str) -> Option<ThreadGoalStatus> {
    let known = STATUSES.iter().find(|(_, word)| *word == text)?;
    Some(known.0)
}
