//! Items.

use std::ops::Range;

use codewhale_protocol::runtime::{
    ItemId, ItemKind, ItemStatus, Seq, ThreadId, TurnId, TurnItemRecord,
};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error, Row};

#[derive(Debug)]
pub(crate) struct ItemRow {
    id: ItemId,
    pub(crate) thread_id: ThreadId,
    turn_id: TurnId,
    ordinal: u64,
    status: ItemStatus,
    is_message: bool,
    record: Sealed,
}

impl ItemRow {
    pub(crate) fn new(
        redactor: &Redactor,
        thread: &ThreadId,
        ordinal: u64,
        item: &TurnItemRecord,
    ) -> Self {
        Self {
            id: item.id.clone(),
            thread_id: thread.clone(),
            turn_id: item.turn_id.clone(),
            ordinal,
            status: item.status,
            is_message: matches!(item.kind, ItemKind::UserMessage | ItemKind::AgentMessage),
            record: redactor.seal_json(item),
        }
    }
}

const PUT: &str = "INSERT INTO item (id, thread_id, turn_id, ordinal, status, since_seq, record,
        is_message)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, record = excluded.record";

/// Writes an item. `since_seq` is a place in the log before its first delta.
pub(crate) fn put(connection: &Connection, row: &ItemRow, since_seq: Seq) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.thread_id.as_str().into(),
        row.turn_id.as_str().into(),
        row.ordinal.into(),
        row.status.as_str().into(),
        since_seq.into(),
        (&row.record).into(),
        row.is_message.into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

const IS_KNOWN: &str = "SELECT 1 FROM item WHERE id = ?1";

pub(crate) fn is_known(connection: &Connection, id: &ItemId) -> Result<bool, Error> {
    Ok(connection
        .query_one(IS_KNOWN, &[id.as_str().into()], |row| row.int(0))?
        .is_some())
}

/// An item with what the store knows beside it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredItem {
    /// Sorts it among all items of the thread.
    pub ordinal: u64,
    /// A place in the log before its first delta.
    pub since_seq: Seq,
    /// The record; while it runs, without its text.
    pub record: TurnItemRecord,
}

const GET: &str = "SELECT ordinal, since_seq, record FROM item WHERE id = ?1 AND thread_id = ?2";

/// An item of a thread.
pub(crate) fn get(
    connection: &Connection,
    thread: &ThreadId,
    id: &ItemId,
) -> Result<Option<StoredItem>, Error> {
    let args = [id.as_str().into(), thread.as_str().into()];
    connection.query_one(GET, &args, stored)
}

const OF_THREAD: &str =
    "SELECT ordinal, since_seq, record FROM item WHERE thread_id = ?1 AND ordinal >= ?2
    AND ordinal < ?3 ORDER BY ordinal";

/// The items of a thread with these ordinals, in order.
pub(crate) fn of_thread(
    connection: &Connection,
    thread: &ThreadId,
    ordinals: Range<u64>,
) -> Result<Vec<StoredItem>, Error> {
    let (from, to) = (ordinals.start, ordinals.end);
    let args = [thread.as_str().into(), from.into(), to.into()];
    connection.query(OF_THREAD, &args, stored)
}

fn stored(row: &Row<'_, '_>) -> Result<StoredItem, Error> {
    Ok(StoredItem {
        ordinal: row.unsigned(0)?,
        since_seq: Seq(row.unsigned(1)?),
        record: row.record(2)?,
    })
}
