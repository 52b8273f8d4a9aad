//! Receipts of sub-agents.

use codewhale_protocol::runtime::{AgentRun, RoomId, ThreadId, Timestamp};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error, Value};

/// Where a sub-agent stands in its tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kin {
    /// Its own thread.
    pub thread: ThreadId,
    /// The room of the tree.
    pub room: RoomId,
    /// The thread at the top.
    pub root: ThreadId,
    /// The thread that started it.
    pub parent: ThreadId,
}

#[derive(Debug)]
pub(crate) struct AgentRunRow {
    kin: Kin,
    workspace: String,
    is_live: bool,
    updated_at: Timestamp,
    record: Sealed,
    /// What it cost since the last writing.
    tokens: u64,
}

impl AgentRunRow {
    pub(crate) fn new(
        redactor: &Redactor,
        kin: &Kin,
        run: &AgentRun,
        tokens: u64,
        updated_at: Timestamp,
    ) -> Self {
        Self {
            kin: kin.clone(),
            workspace: run.spec.workspace.clone(),
            is_live: !run.status.is_terminal(),
            updated_at,
            record: redactor.seal_json(run),
            tokens,
        }
    }
}

const PUT: &str = "INSERT INTO agent_run
        (thread_id, room_id, root_id, parent_id, is_live, tokens, updated_at, record, workspace)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (thread_id) DO UPDATE SET is_live = excluded.is_live,
        tokens = agent_run.tokens + excluded.tokens, updated_at = excluded.updated_at,
        record = excluded.record";

pub(crate) fn put(connection: &Connection, row: &AgentRunRow) -> Result<(), Error> {
    let args = [
        row.kin.thread.as_str().into(),
        row.kin.room.as_str().into(),
        row.kin.root.as_str().into(),
        row.kin.parent.as_str().into(),
        row.is_live.into(),
        row.tokens.into(),
        row.updated_at.into(),
        (&row.record).into(),
        row.workspace.as_str().into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

/// A receipt with its place in the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredRun {
    /// Where it stands.
    pub kin: Kin,
    /// The receipt.
    pub run: AgentRun,
}

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT agent_run.thread_id, agent_run.room_id, agent_run.root_id, ",
            "agent_run.parent_id, agent_run.record FROM agent_run ",
            $condition
        )
    };
}

fn query(
    connection: &Connection,
    sql: &'static str,
    args: &[Value<'_>],
) -> Result<Vec<StoredRun>, Error> {
    connection.query(sql, args, |row| {
        Ok(StoredRun {
            kin: Kin {
                thread: ThreadId::from(row.text(0)?),
                room: RoomId::from(row.text(1)?),
                root: ThreadId::from(row.text(2)?),
                parent: ThreadId::from(row.text(3)?),
            },
            run: row.record(4)?,
        })
    })
}

const ONE: &str = select!("WHERE thread_id = ?1");

pub(crate) fn get(connection: &Connection, thread: &ThreadId) -> Result<Option<StoredRun>, Error> {
    Ok(query(connection, ONE, &[thread.as_str().into()])?.pop())
}

const OF_PARENT: &str = select!("WHERE parent_id = ?1 ORDER BY thread_id");

pub(crate) fn of_parent(
    connection: &Connection,
    parent: &ThreadId,
) -> Result<Vec<StoredRun>, Error> {
    query(connection, OF_PARENT, &[parent.as_str().into()])
}

const OF_ROOT: &str = select!("WHERE root_id = ?1 ORDER BY thread_id LIMIT ?2");

pub(crate) fn of_root(
    connection: &Connection,
    root: &ThreadId,
    limit: u64,
) -> Result<Vec<StoredRun>, Error> {
    query(connection, OF_ROOT, &[root.as_str().into(), limit.into()])
}

const VISIBLE: &str = select!(
    "JOIN room_member ON room_member.principal_id = ?1
        AND room_member.room_id = agent_run.room_id
        ORDER BY agent_run.updated_at DESC, agent_run.thread_id DESC LIMIT ?2"
);

/// The newest that a principal may see.
pub(crate) fn visible(
    connection: &Connection,
    principal: &str,
    limit: u64,
) -> Result<Vec<StoredRun>, Error> {
    query(connection, VISIBLE, &[principal.into(), limit.into()])
}

const OF_WORKSPACE: &str =
    select!("WHERE workspace = ?1 ORDER BY updated_at DESC, thread_id DESC LIMIT ?2");

/// The newest of a workspace.
pub(crate) fn of_workspace(
    connection: &Connection,
    workspace: &str,
    limit: u64,
) -> Result<Vec<StoredRun>, Error> {
    query(connection, OF_WORKSPACE, &[workspace.into(), limit.into()])
}

const STRANDED: &str = select!(
    "WHERE is_live = 1 AND NOT EXISTS (SELECT 1 FROM turn
        WHERE turn.thread_id = agent_run.thread_id AND status IN ('queued', 'in_progress'))"
);

/// Those that count as at work although no turn of theirs is going on.
pub(crate) fn stranded(connection: &Connection) -> Result<Vec<StoredRun>, Error> {
    query(connection, STRANDED, &[])
}

const SUMS: &str = "SELECT count(*), coalesce(sum(is_live), 0), coalesce(sum(tokens), 0)
    FROM agent_run WHERE root_id = ?1";

/// How many agents a tree has and what they cost.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// All that ever were.
    pub admitted: u64,
    /// Those at work.
    pub live: u64,
    /// What they cost together.
    pub tokens: u64,
}

pub(crate) fn tally(connection: &Connection, root: &ThreadId) -> Result<Tally, Error> {
    let sums = connection.query_one(SUMS, &[root.as_str().into()], |row| {
        Ok(Tally {
            admitted: row.unsigned(0)?,
            live: row.unsigned(1)?,
            tokens: row.unsigned(2)?,
        })
    })?;
    Ok(sums.unwrap_or_default())
}
