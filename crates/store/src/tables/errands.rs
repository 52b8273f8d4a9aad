//! Errands: requests for another process, and their answers.

use std::collections::BTreeSet;

use codewhale_protocol::runtime::{ErrandId, OwnerId};
use codewhale_protocol::{Redactor, Sealed};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::db::{Connection, Error};

#[derive(Debug)]
pub(crate) struct ErrandRow {
    id: ErrandId,
    to: OwnerId,
    from: OwnerId,
    request: Sealed,
}

impl ErrandRow {
    pub(crate) fn new(
        redactor: &Redactor,
        id: &ErrandId,
        (from, to): (&OwnerId, &OwnerId),
        request: &impl Serialize,
    ) -> Self {
        Self {
            id: id.clone(),
            to: to.clone(),
            from: from.clone(),
            request: redactor.seal_json(request),
        }
    }
}

const PUT: &str = "INSERT INTO errand (id, to_id, from_id, request) VALUES (?1, ?2, ?3, ?4)";

pub(crate) fn put(connection: &Connection, row: &ErrandRow) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.to.as_str().into(),
        row.from.as_str().into(),
        (&row.request).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

// Nobody may wait for it any more: then there is no row.
const ANSWER: &str = "UPDATE errand SET answer = ?2 WHERE id = ?1";

pub(crate) fn answer(connection: &Connection, id: &ErrandId, answer: &Sealed) -> Result<(), Error> {
    let args = [id.as_str().into(), answer.into()];
    connection.execute(ANSWER, &args).map(drop)
}

const DROP: &str = "DELETE FROM errand WHERE id = ?1";

pub(crate) fn remove(connection: &Connection, id: &ErrandId) -> Result<(), Error> {
    connection.execute(DROP, &[id.as_str().into()]).map(drop)
}

const DROP_OF: &str = "DELETE FROM errand WHERE to_id = ?1 OR from_id = ?1";

/// Drops those to and from a process that has died.
pub(crate) fn remove_of(connection: &Connection, owner: &OwnerId) -> Result<(), Error> {
    let args = [owner.as_str().into()];
    connection.execute(DROP_OF, &args).map(drop)
}

const DROP_ALL: &str = "DELETE FROM errand";

/// Drops all. Only when no other process lives.
pub(crate) fn remove_all(connection: &Connection) -> Result<(), Error> {
    connection.execute(DROP_ALL, &[]).map(drop)
}

const OPEN: &str = "SELECT id, request FROM errand
    WHERE to_id = ?1 AND answer IS NULL ORDER BY id LIMIT ?2";

/// Those that wait for a process, the oldest first.
pub(crate) fn open<T: DeserializeOwned>(
    connection: &Connection,
    to: &OwnerId,
    limit: u64,
) -> Result<Vec<(ErrandId, T)>, Error> {
    connection.query(OPEN, &[to.as_str().into(), limit.into()], |row| {
        Ok((ErrandId::from(row.text(0)?), row.record(1)?))
    })
}

const NEWS: &str = "SELECT id FROM errand
    WHERE (to_id = ?1 AND answer IS NULL) OR (from_id = ?1 AND answer IS NOT NULL)";

/// Those that a process should look at: they wait for it, or it waits for them and they are done.
pub(crate) fn news(connection: &Connection, owner: &OwnerId) -> Result<BTreeSet<ErrandId>, Error> {
    let ids = connection.query(NEWS, &[owner.as_str().into()], |row| {
        Ok(ErrandId::from(row.text(0)?))
    })?;
    Ok(ids.into_iter().collect())
}

const ANSWERED: &str = "SELECT answer FROM errand WHERE id = ?1 AND answer IS NOT NULL";

/// What came of one, once that is known.
pub(crate) fn answered<T: DeserializeOwned>(
    connection: &Connection,
    id: &ErrandId,
) -> Result<Option<T>, Error> {
    connection.query_one(ANSWERED, &[id.as_str().into()], |row| row.record(0))
}
