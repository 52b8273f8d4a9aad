//! Approvals.

use codewhale_protocol::runtime::{
    ApprovalId, ApprovalRecord, ApprovalStatus, Seq, ThreadId, Timestamp, TurnId,
};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error, Row, Value};

#[derive(Debug)]
pub(crate) struct ApprovalRow {
    id: ApprovalId,
    thread_id: ThreadId,
    turn_id: TurnId,
    status: ApprovalStatus,
    expires_at: Timestamp,
    record: Sealed,
    /// Which event of the same batch settles it.
    pub(crate) settled_by: Option<usize>,
}

impl ApprovalRow {
    pub(crate) fn new(
        redactor: &Redactor,
        approval: &ApprovalRecord,
        settled_by: Option<usize>,
    ) -> Self {
        Self {
            id: approval.id.clone(),
            thread_id: approval.thread_id.clone(),
            turn_id: approval.turn_id.clone(),
            status: approval.status,
            expires_at: approval.expires_at,
            record: redactor.seal_json(approval),
            settled_by,
        }
    }
}

const PUT: &str = "INSERT INTO approval
        (id, thread_id, turn_id, status, expires_at, decided_seq, record)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status,
        decided_seq = excluded.decided_seq, record = excluded.record";

pub(crate) fn put(
    connection: &Connection,
    row: &ApprovalRow,
    decided_seq: Option<Seq>,
) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.thread_id.as_str().into(),
        row.turn_id.as_str().into(),
        row.status.as_str().into(),
        row.expires_at.into(),
        decided_seq.map_or(Value::Null, Value::from),
        (&row.record).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

fn read(row: &Row<'_, '_>) -> Result<ApprovalRecord, Error> {
    let mut record: ApprovalRecord = row.record(0)?;
    record.decided_seq = match row.unsigned(1)? {
        0 => None,
        seq => Some(Seq(seq)),
    };
    Ok(record)
}

const GET: &str = "SELECT record, coalesce(decided_seq, 0) FROM approval WHERE id = ?1";

pub(crate) fn get(
    connection: &Connection,
    id: &ApprovalId,
) -> Result<Option<ApprovalRecord>, Error> {
    connection.query_one(GET, &[id.as_str().into()], read)
}

const PENDING: &str = "SELECT record, 0 FROM approval
    WHERE thread_id = ?1 AND status = 'pending' ORDER BY turn_id, id";

pub(crate) fn pending(
    connection: &Connection,
    thread: &ThreadId,
) -> Result<Vec<ApprovalRecord>, Error> {
    connection.query(PENDING, &[thread.as_str().into()], read)
}

const SHOWN: &str = "SELECT record, 0 FROM approval
    WHERE status = 'pending' AND thread_id IN
        (SELECT ?1 UNION ALL SELECT id FROM thread WHERE root_id = ?1)
    ORDER BY id";

/// Those that wait on a thread, and on all sub-agents below it when it is the top.
pub(crate) fn shown(
    connection: &Connection,
    thread: &ThreadId,
) -> Result<Vec<ApprovalRecord>, Error> {
    connection.query(SHOWN, &[thread.as_str().into()], read)
}

const IS_PENDING: &str = "SELECT 1 FROM approval WHERE id = ?1 AND status = 'pending'";

pub(crate) fn is_pending(connection: &Connection, id: &ApprovalId) -> Result<bool, Error> {
    Ok(connection
        .query_one(IS_PENDING, &[id.as_str().into()], |row| row.int(0))?
        .is_some())
}
