//! The heads of streams.

use codewhale_protocol::runtime::Seq;

use crate::chain::Hash;
use crate::db::{Connection, Error};

/// Where a stream ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// The stream's number.
    pub(crate) stream: i64,
    /// Its last event.
    pub(crate) seq: Seq,
    /// The hash of that event.
    pub(crate) hash: Hash,
    /// Whether the stream has a row yet.
    pub(crate) stored: bool,
}

const GET: &str = "SELECT id, last_seq, last_hash FROM stream WHERE name = ?1";

pub(crate) fn get(connection: &Connection, name: &str) -> Result<Option<Head>, Error> {
    connection.query_one(GET, &[name.into()], |row| {
        Ok(Head {
            stream: row.int(0)?,
            seq: Seq(row.unsigned(1)?),
            hash: Hash::from_hex(row.text(2)?).unwrap_or(Hash::genesis(name)),
            stored: true,
        })
    })
}

const INSERT: &str = "INSERT INTO stream (id, name, last_seq, last_hash) VALUES (?1, ?2, ?3, ?4)";
const UPDATE: &str = "UPDATE stream SET last_seq = ?2, last_hash = ?3 WHERE id = ?1";

pub(crate) fn put(connection: &Connection, name: &str, head: &Head) -> Result<(), Error> {
    let hash = head.hash.to_hex();
    let (stream, seq) = (head.stream.into(), head.seq.into());
    match head.stored {
        true => connection.execute(UPDATE, &[stream, seq, hash.as_str().into()]),
        false => connection.execute(INSERT, &[stream, name.into(), seq, hash.as_str().into()]),
    }
    .map(drop)
}

const LAST_ID: &str = "SELECT coalesce(max(id), 0) FROM stream";

pub(crate) fn last_id(connection: &Connection) -> Result<i64, Error> {
    Ok(connection
        .query_one(LAST_ID, &[], |row| row.int(0))?
        .unwrap_or(0))
}
