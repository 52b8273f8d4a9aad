//! Questions of the agent that wait for a person.

use codewhale_protocol::runtime::{PendingUserInput, ThreadId, TurnId, UserInputId};
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

const SETTLE: &str = "UPDATE user_input SET status = 'settled' WHERE id = ?1";

pub(crate) fn settle(connection: &Connection, id: &UserInputId) -> Result<(), Error> {
    connection.execute(SETTLE, &[id.as_str().into()]).map(drop)
}

const PENDING: &str = "SELECT id, turn_id, request FROM user_input
    WHERE thread_id = ?1 AND status = 'pending' ORDER BY turn_id, id";

pub(crate) fn pending(
    connection: &Connection,
    thread: &ThreadId,
) -> Result<Vec<PendingUserInput>, Error> {
    connection.query(PENDING, &[thread.as_str().into()], |row| {
        Ok(PendingUserInput {
            id: UserInputId::from(row.text(0)?),
            turn_id: TurnId::from(row.text(1)?),
            request: row.record(2)?,
        })
    })
}
