//! Which restore point of a workspace belongs to which turn.

use codewhale_protocol::runtime::{ThreadId, Timestamp, TurnId};
use codewhale_protocol::{ActorId, Sealed};

use crate::db::{Connection, Error, Row};

/// What a snapshot was taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SnapshotKind {
    /// The first call of a turn that could change something.
    PreTurn,
    /// The end of such a turn.
    PostTurn,
    /// A move of files to another snapshot.
    PreRestore,
    /// None could be taken, although something may have changed. Its id is that of the turn.
    Missing,
}

impl SnapshotKind {
    /// The word in the store, and what labels begin with.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PreTurn => "pre-turn",
            Self::PostTurn => "post-turn",
            Self::PreRestore => "pre-restore",
            Self::Missing => "missing",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let all = [
            Self::PreTurn,
            Self::PostTurn,
            Self::PreRestore,
            Self::Missing,
        ];
        all.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A snapshot and what it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotRow {
    /// Its name in the side repository.
    pub id: String,
    /// The thread.
    pub thread: ThreadId,
    /// The turn, if it was taken for one.
    pub turn: Option<TurnId>,
    /// The directory.
    pub workspace: String,
    /// What it was taken for.
    pub kind: SnapshotKind,
    /// What people read.
    pub label: Sealed,
    /// When.
    pub at: Timestamp,
    /// Who acted.
    pub created_by: ActorId,
    /// Whether it came along with a copy of its thread.
    pub is_copy: bool,
}

const PUT: &str = "INSERT INTO snapshot
    (id, thread_id, turn_id, workspace, kind, label, at, created_by, is_copy)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (id, thread_id) DO NOTHING";

pub(crate) fn put(connection: &Connection, row: &SnapshotRow) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        row.thread.as_str().into(),
        row.turn.as_ref().map(TurnId::as_str).into(),
        row.workspace.as_str().into(),
        row.kind.as_str().into(),
        (&row.label).into(),
        row.at.into(),
        row.created_by.as_str().into(),
        row.is_copy.into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

/// A snapshot as it is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredSnapshot {
    /// Its name in the side repository.
    pub id: String,
    /// The thread.
    pub thread: ThreadId,
    /// The turn, if it was taken for one.
    pub turn: Option<TurnId>,
    /// The directory.
    pub workspace: String,
    /// What it was taken for.
    pub kind: SnapshotKind,
    /// What people read.
    pub label: String,
    /// When.
    pub at: Timestamp,
    /// Who acted.
    pub created_by: ActorId,
}

fn read(row: &Row<'_, '_>) -> Result<StoredSnapshot, Error> {
    Ok(StoredSnapshot {
        id: row.text(0)?.to_owned(),
        thread: ThreadId::from(row.text(1)?),
        turn: row.optional_text(2)?.map(TurnId::from),
        workspace: row.text(3)?.to_owned(),
        kind: SnapshotKind::parse(row.text(4)?).unwrap_or(SnapshotKind::Missing),
        label: row.text(5)?.to_owned(),
        at: Timestamp::from_ms(row.int(6)?),
        created_by: ActorId::from(row.text(7)?),
    })
}

const OF_THREAD: &str = "SELECT id, thread_id, turn_id, workspace, kind, label, at, created_by
    FROM snapshot WHERE thread_id = ?1 ORDER BY at, id";

pub(crate) fn of_thread(
    connection: &Connection,
    thread: &ThreadId,
) -> Result<Vec<StoredSnapshot>, Error> {
    connection.query(OF_THREAD, &[thread.as_str().into()], read)
}

const OF_WORKSPACE: &str = "SELECT id, thread_id, turn_id, workspace, kind, label, at, created_by
    FROM snapshot WHERE workspace = ?1 AND is_copy = 0 ORDER BY at DESC, id LIMIT ?2";

/// The newest snapshots of a workspace, each with the thread it was taken in.
pub(crate) fn of_workspace(
    connection: &Connection,
    workspace: &str,
    limit: u64,
) -> Result<Vec<StoredSnapshot>, Error> {
    connection.query(OF_WORKSPACE, &[workspace.into(), limit.into()], read)
}

const GET: &str = "SELECT id, thread_id, turn_id, workspace, kind, label, at, created_by
    FROM snapshot WHERE id = ?1 ORDER BY is_copy, thread_id LIMIT 1";

/// A snapshot, with the thread it was taken in.
pub(crate) fn get(connection: &Connection, id: &str) -> Result<Option<StoredSnapshot>, Error> {
    connection.query_one(GET, &[id.into()], read)
}
