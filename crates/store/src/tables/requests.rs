//! Requests that named themselves by a key, and what they were answered with.

use codewhale_protocol::runtime::{PrincipalId, Timestamp};
use codewhale_protocol::{Sealed, operations::Op};
use serde::de::DeserializeOwned;

use crate::db::{Connection, Error};

/// Names a request: two of the same name are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestId {
    /// Whose key it is. That of someone else is another one.
    pub principal: PrincipalId,
    /// What it asks for. The same key for something else is another one, too.
    pub op: Op,
    /// The key, or what stands for it.
    pub key: String,
    /// A part of what is asked for that is written down by itself; empty for the whole.
    pub part: &'static str,
}

/// A request with its answer.
#[derive(Debug)]
pub struct RequestRow {
    /// Its name.
    pub id: RequestId,
    /// Tells whether another one asks for the same.
    pub digest: String,
    /// The answer.
    pub answer: Sealed,
    /// When.
    pub at: Timestamp,
    /// Those of the same principal before that are not kept any more.
    pub since: Timestamp,
    /// So many of the same principal are kept, the newest ones.
    pub kept_max: u64,
}

/// What is known of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answered {
    /// Tells whether another one asks for the same.
    pub digest: String,
    /// The answer, as JSON.
    pub answer: String,
}

impl Answered {
    /// The answer, read back.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, crate::Error> {
        let read = serde_json::from_str(&self.answer);
        read.map_err(|error| Error::from(error).into())
    }
}

impl RequestId {
    fn operation(&self) -> String {
        match self.part {
            "" => self.op.row().name.to_owned(),
            part => format!("{} {part}", self.op.row().name),
        }
    }
}

const PUT: &str = "INSERT INTO request (principal_id, operation, key, digest, answer, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (principal_id, operation, key) DO UPDATE SET digest = excluded.digest,
        answer = excluded.answer, at = excluded.at";

const FORGET_OLD: &str = "DELETE FROM request WHERE principal_id = ?1 AND at < ?2";

// The oldest of those that are kept has so many behind it.
const FORGET_MANY: &str = "DELETE FROM request WHERE principal_id = ?1 AND at <
    (SELECT at FROM request WHERE principal_id = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2)";

pub(crate) fn put(connection: &Connection, row: &RequestRow) -> Result<(), Error> {
    let principal = row.id.principal.as_str();
    let operation = row.id.operation();
    let args = [
        principal.into(),
        operation.as_str().into(),
        row.id.key.as_str().into(),
        row.digest.as_str().into(),
        (&row.answer).into(),
        row.at.into(),
    ];
    connection.execute(PUT, &args)?;
    connection.execute(FORGET_OLD, &[principal.into(), row.since.into()])?;
    let last = row.kept_max.saturating_sub(1);
    connection
        .execute(FORGET_MANY, &[principal.into(), last.into()])
        .map(drop)
}

const GET: &str = "SELECT digest, answer FROM request
    WHERE principal_id = ?1 AND operation = ?2 AND key = ?3 AND at >= ?4";

pub(crate) fn get(
    connection: &Connection,
    id: &RequestId,
    since: Timestamp,
) -> Result<Option<Answered>, Error> {
    let operation = id.operation();
    let args = [
        id.principal.as_str().into(),
        operation.as_str().into(),
        id.key.as_str().into(),
        since.into(),
    ];
    connection.query_one(GET, &args, |row| {
        Ok(Answered {
            digest: row.text(0)?.to_owned(),
            answer: row.text(1)?.to_owned(),
        })
    })
}
