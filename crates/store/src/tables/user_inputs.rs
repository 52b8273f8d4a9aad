//! Questions of the agent that wait for a person.

use codewhale_protocol::runtime::{AskedBy, PendingUserInput, ThreadId, TurnId, UserInputId};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error};

#[derive(Debug)]
pub(crate) struct UserInputRow {
    id: UserInputId,
    thread_id: ThreadId,
    turn_id: TurnId,
    request: Sealed,
}

impl UserInputRow {
    pub(crate) fn new(redactor: &Redactor, thread: &ThreadId, pending: &PendingUserInput) -> Self {
        Self {
            id: pending.id.clone(),
            thread_id: thread.clone(),
            turn_id: pending.turn_id.clone(),
            request: redactor.seal_json(&pending.request),
        }
    }
}

const PUT: &str = "INSERT INTO user_input (id, thread_id, turn_id, status, request)
    VALUES (?1, ?2, ?3, 'pending', ?4)";

pub(crate) fn put(connection: &Connection, row: &UserInputRow) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.thread_id.as_str().into(),
        row.turn_id.as_str().into(),
        (&row.request).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

const THREAD: &str = "SELECT thread_id FROM user_input WHERE id = ?1";

/// The thread whose agent asks.
pub(crate) fn thread(connection: &Connection, id: &UserInputId) -> Result<Option<ThreadId>, Error> {
    connection.query_one(THREAD, &[id.as_str().into()], |row| {
        Ok(ThreadId::from(row.text(0)?))
    })
}

const SETTLE: &str = "UPDATE user_input SET status = 'settled' WHERE id = ?1";

pub(crate) fn settle(connection: &Connection, id: &UserInputId) -> Result<(), Error> {
    connection.execute(SETTLE, &[id.as_str().into()]).map(drop)
}

const PENDING: &str = "SELECT id, turn_id, request, thread_id FROM user_input
    WHERE status = 'pending' AND thread_id IN
        (SELECT ?1 UNION ALL SELECT id FROM thread WHERE root_id = ?1)
    ORDER BY id";

/// Those that wait on a thread, and on all sub-agents below it when it is the top.
pub(crate) fn pending(
    connection: &Connection,
    thread: &ThreadId,
) -> Result<Vec<PendingUserInput>, Error> {
    connection.query(PENDING, &[thread.as_str().into()], |row| {
        let asking = ThreadId::from(row.text(3)?);
        let turn_id = TurnId::from(row.text(1)?);
        let asked_by = AskedBy {
            agent_id: asking.agent_id(),
            turn_id: turn_id.clone(),
            thread_id: asking,
        };
        Ok(PendingUserInput {
            id: UserInputId::from(row.text(0)?),
            turn_id,
            request: row.record(2)?,
            asked_by: Some(asked_by).filter(|by| by.thread_id != *thread),
        })
    })
}
