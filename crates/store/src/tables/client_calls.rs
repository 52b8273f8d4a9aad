//! Calls of tools that wait for the client that runs them.

use codewhale_protocol::runtime::{ClientCallId, ThreadId, ToolCallRequested};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error};

#[derive(Debug)]
pub(crate) struct ClientCallRow {
    id: ClientCallId,
    thread_id: ThreadId,
    request: Sealed,
}

impl ClientCallRow {
    pub(crate) fn new(redactor: &Redactor, call: &ToolCallRequested) -> Self {
        Self {
            id: call.about.call_id.clone(),
            thread_id: call.about.thread_id.clone(),
            request: redactor.seal_json(call),
        }
    }
}

const PUT: &str = "INSERT INTO client_call (id, thread_id, status, request)
    VALUES (?1, ?2, 'pending', ?3)";

pub(crate) fn put(connection: &Connection, row: &ClientCallRow) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.thread_id.as_str().into(),
        (&row.request).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

const SETTLE: &str = "UPDATE client_call SET status = 'settled' WHERE id = ?1";

pub(crate) fn settle(connection: &Connection, id: &ClientCallId) -> Result<(), Error> {
    connection.execute(SETTLE, &[id.as_str().into()]).map(drop)
}

const PENDING: &str = "SELECT request FROM client_call
    WHERE status = 'pending' AND thread_id = ?1
    ORDER BY id";

/// Those that wait on a thread.
pub(crate) fn pending(
    connection: &Connection,
    thread: &ThreadId,
) -> Result<Vec<ToolCallRequested>, Error> {
    connection.query(PENDING, &[thread.as_str().into()], |row| row.record(0))
}
