//! The state of threads as counters.

use codewhale_protocol::runtime::{RoomId, Seq, Standing, SubjectChange, ThreadId, ThreadRecord};

use crate::db::{Connection, Error, Value};

#[derive(Debug)]
pub(crate) struct SubjectRow {
    subject_id: ThreadId,
    room_id: RoomId,
    parent_id: Option<ThreadId>,
}

impl SubjectRow {
    pub(crate) fn of(thread: &ThreadRecord) -> Self {
        Self {
            subject_id: thread.id.clone(),
            room_id: thread.workroom_id.clone(),
            parent_id: thread.parent_id.clone(),
        }
    }
}

const PUT: &str = "INSERT INTO work_subject (subject_id, room_id, parent_id, n_active, n_waiting,
        n_failed, completed, last_seq)
    VALUES (?1, ?2, ?3, 0, 0, 0, 0, 0)";

pub(crate) fn put(connection: &Connection, row: &SubjectRow) -> Result<(), Error> {
    let args = [
        row.subject_id.as_str().into(),
        row.room_id.as_str().into(),
        row.parent_id.as_ref().map(ThreadId::as_str).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

const COUNT: &str = "UPDATE work_subject SET n_active = n_active + ?2, n_waiting = n_waiting + ?3,
        n_failed = coalesce(?4, n_failed), completed = coalesce(?5, completed), last_seq = ?6
    WHERE subject_id = ?1";

pub(crate) fn count(
    connection: &Connection,
    thread: &ThreadId,
    change: &SubjectChange,
    last_seq: Seq,
) -> Result<(), Error> {
    let (failed, completed) = match change.standing {
        None => (Value::Null, Value::Null),
        Some(Standing::Open) => (Value::Int(0), Value::Int(0)),
        Some(Standing::Failed) => (Value::Int(1), Value::Int(0)),
        Some(Standing::Completed) => (Value::Int(0), Value::Int(1)),
    };
    let args = [
        thread.as_str().into(),
        change.active.into(),
        change.waiting.into(),
        failed,
        completed,
        last_seq.into(),
    ];
    connection.execute(COUNT, &args).map(drop)
}

/// The counters of a thread.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SubjectState {
    /// Turns that run.
    pub active: i64,
    /// Questions that wait.
    pub waiting: i64,
    /// Whether the newest turn failed.
    pub failed: i64,
    /// Whether it completed.
    pub completed: i64,
    /// The last event that counted.
    pub last_seq: Seq,
}

const GET: &str = "SELECT n_active, n_waiting, n_failed, completed, last_seq FROM work_subject
    WHERE subject_id = ?1";

pub(crate) fn get(connection: &Connection, id: &ThreadId) -> Result<Option<SubjectState>, Error> {
    connection.query_one(GET, &[id.as_str().into()], |row| {
        Ok(SubjectState {
            active: row.int(0)?,
            waiting: row.int(1)?,
            failed: row.int(2)?,
            completed: row.int(3)?,
            last_seq: Seq(row.unsigned(4)?),
        })
    })
}
