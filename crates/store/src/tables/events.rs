//! The log itself.

use codewhale_protocol::runtime::{RuntimeEventEnvelope, Seq};

use crate::db::{Connection, Error, Row};

/// An event on its way into the log.
pub(crate) struct EventRow<'a> {
    pub(crate) seq: Seq,
    pub(crate) stream: i64,
    pub(crate) previous_seq: Seq,
    pub(crate) name: &'a str,
    pub(crate) body: &'a str,
    pub(crate) hash: &'a str,
}

const APPEND: &str = "INSERT INTO event (seq, stream, previous_seq, name, body, hash)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

pub(crate) fn append(connection: &Connection, row: &EventRow<'_>) -> Result<(), Error> {
    let args = [
        row.seq.into(),
        row.stream.into(),
        row.previous_seq.into(),
        row.name.into(),
        row.body.into(),
        row.hash.into(),
    ];
    connection.execute(APPEND, &args).map(drop)
}

const LAST_SEQ: &str = "SELECT coalesce(max(seq), 0) FROM event";

/// The last place used in the whole log.
pub(crate) fn last_seq(connection: &Connection) -> Result<Seq, Error> {
    let last = connection.query_one(LAST_SEQ, &[], |row| row.unsigned(0))?;
    Ok(Seq(last.unwrap_or(0)))
}

// A stream is read along its chain: the event behind a place is the one whose predecessor is the
// last at or before it.
const BEHIND: &str = "SELECT seq, previous_seq, name, body, hash FROM event
    WHERE stream = ?1 AND seq > ?2 AND previous_seq >= coalesce(
        (SELECT max(previous_seq) FROM event WHERE stream = ?1 AND previous_seq <= ?2), 0)
    ORDER BY previous_seq";

/// An event as it lies in the log.
pub(crate) struct Stored<'a> {
    pub(crate) seq: Seq,
    pub(crate) previous_seq: Seq,
    pub(crate) name: &'a str,
    pub(crate) body: &'a str,
    pub(crate) hash: &'a str,
}

/// Hands the events of a stream behind a place to `each`, in order, until it says stop.
pub(crate) fn for_each_behind<E: From<Error>>(
    connection: &Connection,
    stream: i64,
    after: Seq,
    mut each: impl FnMut(Stored<'_>) -> Result<bool, E>,
) -> Result<(), E> {
    connection.for_each(BEHIND, &[stream.into(), after.into()], |row| {
        each(stored(row)?)
    })
}

fn stored<'a>(row: &'a Row<'_, '_>) -> Result<Stored<'a>, Error> {
    Ok(Stored {
        seq: Seq(row.unsigned(0)?),
        previous_seq: Seq(row.unsigned(1)?),
        name: row.text(2)?,
        body: row.text(3)?,
        hash: row.text(4)?,
    })
}

const ASIDES: &str = "SELECT body FROM event WHERE stream = ?1
    AND name NOT IN ('item.delta', 'item.started', 'item.completed', 'item.failed',
        'item.interrupted', 'item.canceled')
    ORDER BY previous_seq DESC LIMIT ?2";

/// The newest events of a stream that are about no item, oldest first.
pub(crate) fn asides(
    connection: &Connection,
    stream: i64,
    limit: u64,
) -> Result<Vec<RuntimeEventEnvelope>, Error> {
    let mut found =
        connection.query(ASIDES, &[stream.into(), limit.into()], |row| row.record(0))?;
    found.reverse();
    Ok(found)
}

const COUNT: &str = "SELECT count(*) FROM event WHERE stream = ?1";

/// How many events a stream has.
pub(crate) fn count(connection: &Connection, stream: i64) -> Result<u64, Error> {
    let count = connection.query_one(COUNT, &[stream.into()], |row| row.unsigned(0))?;
    Ok(count.unwrap_or(0))
}

const NEWEST: &str = "SELECT previous_seq FROM event WHERE stream = ?1 AND seq > ?2
    ORDER BY previous_seq DESC LIMIT 1 OFFSET ?3";

/// The place in front of the newest `count` events behind `after`.
pub(crate) fn before_newest(
    connection: &Connection,
    stream: i64,
    after: Seq,
    count: u64,
) -> Result<Seq, Error> {
    let offset = count.saturating_sub(1);
    let args = [stream.into(), after.into(), offset.into()];
    let place = connection.query_one(NEWEST, &args, |row| row.unsigned(0))?;
    Ok(place.map_or(after, |seq| Seq(seq).max(after)))
}
