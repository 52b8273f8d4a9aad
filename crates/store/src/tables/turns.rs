//! Turns.

use codewhale_protocol::runtime::{ThreadId, TurnId, TurnRecord, TurnStatus};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error, Row};

#[derive(Debug)]
pub(crate) struct TurnRow {
    id: TurnId,
    thread_id: ThreadId,
    ordinal: u64,
    status: TurnStatus,
    worked_ms: u64,
    record: Sealed,
}

impl TurnRow {
    pub(crate) fn new(redactor: &Redactor, ordinal: u64, turn: &TurnRecord) -> Self {
        Self {
            id: turn.id.clone(),
            thread_id: turn.thread_id.clone(),
            ordinal,
            status: turn.status,
            worked_ms: turn.duration_ms.unwrap_or(0),
            record: redactor.seal_json(turn),
        }
    }
}

const PUT: &str = "INSERT INTO turn (id, thread_id, ordinal, status, record, worked_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, record = excluded.record,
        worked_ms = excluded.worked_ms";

pub(crate) fn put(connection: &Connection, row: &TurnRow) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.thread_id.as_str().into(),
        row.ordinal.into(),
        row.status.as_str().into(),
        (&row.record).into(),
        row.worked_ms.into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

/// A turn with its number in the thread.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredTurn {
    /// Its number, from zero.
    pub ordinal: u64,
    /// The record.
    pub record: TurnRecord,
}

fn read(row: &Row<'_, '_>) -> Result<StoredTurn, Error> {
    Ok(StoredTurn {
        ordinal: row.unsigned(0)?,
        record: row.record(1)?,
    })
}

const OF_THREAD: &str = "SELECT ordinal, record FROM turn WHERE thread_id = ?1 ORDER BY ordinal";

pub(crate) fn of_thread(connection: &Connection, id: &ThreadId) -> Result<Vec<StoredTurn>, Error> {
    connection.query(OF_THREAD, &[id.as_str().into()], read)
}

const GET: &str = "SELECT ordinal, record FROM turn WHERE id = ?1";

pub(crate) fn get(connection: &Connection, id: &TurnId) -> Result<Option<StoredTurn>, Error> {
    connection.query_one(GET, &[id.as_str().into()], read)
}

const LATEST: &str =
    "SELECT ordinal, record FROM turn WHERE thread_id = ?1 ORDER BY ordinal DESC LIMIT 1";

pub(crate) fn latest(connection: &Connection, id: &ThreadId) -> Result<Option<StoredTurn>, Error> {
    connection.query_one(LATEST, &[id.as_str().into()], read)
}

const UNFINISHED: &str =
    "SELECT ordinal, record FROM turn WHERE status IN ('queued', 'in_progress') ORDER BY thread_id";

/// All turns that have not ended, whoever runs them.
pub(crate) fn unfinished(connection: &Connection) -> Result<Vec<StoredTurn>, Error> {
    connection.query(UNFINISHED, &[], read)
}

pub(crate) fn parse_status(text: &str) -> Option<TurnStatus> {
    [
        TurnStatus::Queued,
        TurnStatus::InProgress,
        TurnStatus::Completed,
        TurnStatus::Failed,
        TurnStatus::Interrupted,
        TurnStatus::Canceled,
    ]
    .into_iter()
    .find(|status| status.as_str() == text)
}
