//! Moves of files that are under way.

use std::path::Path;

use codewhale_protocol::runtime::{OwnerId, Timestamp};

use crate::db::{Connection, Error};
use crate::tables::{threads, turns};

/// Files of a workspace that are being moved from one snapshot to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restoration {
    /// The move.
    pub id: String,
    /// The process that moves them.
    pub owner: OwnerId,
    /// The directory.
    pub workspace: String,
    /// The snapshot they are moved from.
    pub from: String,
    /// The one they are moved to.
    pub to: String,
    /// Since when.
    pub begun_at: Timestamp,
}

const BEGIN: &str = "INSERT INTO restoration (id, owner_id, workspace, from_id, to_id, begun_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

pub(crate) fn begin(connection: &Connection, row: &Restoration) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.owner.as_str().into(),
        row.workspace.as_str().into(),
        row.from.as_str().into(),
        row.to.as_str().into(),
        row.begun_at.into(),
    ];
    connection.execute(BEGIN, &args).map(drop)
}

const END: &str = "DELETE FROM restoration WHERE id = ?1";

pub(crate) fn end(connection: &Connection, id: &str) -> Result<(), Error> {
    connection.execute(END, &[id.into()]).map(drop)
}

const OPEN: &str = "SELECT id, owner_id, workspace, from_id, to_id, begun_at FROM restoration ORDER BY begun_at, id";

/// All moves that are under way, whoever makes them.
pub(crate) fn open(connection: &Connection) -> Result<Vec<Restoration>, Error> {
    connection.query(OPEN, &[], |row| {
        Ok(Restoration {
            id: row.text(0)?.to_owned(),
            owner: OwnerId::from(row.text(1)?),
            workspace: row.text(2)?.to_owned(),
            from: row.text(3)?.to_owned(),
            to: row.text(4)?.to_owned(),
            begun_at: Timestamp::from_ms(row.int(5)?),
        })
    })
}

/// Whether no files of a directory are being moved.
pub(crate) fn is_settled(connection: &Connection, workspace: &str) -> Result<bool, Error> {
    let open = open(connection)?;
    Ok(open.iter().all(|it| !overlap(&it.workspace, workspace)))
}

/// Whether no turn works in a directory either.
pub(crate) fn is_still(connection: &Connection, workspace: &str) -> Result<bool, Error> {
    for turn in turns::unfinished(connection)? {
        let thread = threads::get(connection, &turn.record.thread_id)?;
        if thread.is_some_and(|thread| overlap(&thread.record.workspace, workspace)) {
            return Ok(false);
        }
    }
    is_settled(connection, workspace)
}

/// Whether one directory is, or lies in, the other.
fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (Path::new(one), Path::new(other));
    one.starts_with(other) || other.starts_with(one)
}
