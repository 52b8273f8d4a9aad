//! Leases: which process runs the turn of a thread. And the processes themselves.

use codewhale_protocol::runtime::{OwnerId, ThreadId, Timestamp};

use crate::Lease;
use crate::db::{Connection, Error};

const TAKE: &str = "INSERT INTO lease (thread_id, owner_id, epoch) VALUES (?1, ?2, ?3)
    ON CONFLICT (thread_id) DO UPDATE SET owner_id = excluded.owner_id, epoch = excluded.epoch";

pub(crate) fn take(connection: &Connection, lease: &Lease) -> Result<(), Error> {
    let args = [
        lease.thread.as_str().into(),
        lease.owner.as_str().into(),
        lease.epoch.into(),
    ];
    connection.execute(TAKE, &args).map(drop)
}

const RELEASE: &str = "UPDATE lease SET owner_id = NULL WHERE thread_id = ?1";

pub(crate) fn release(connection: &Connection, thread: &ThreadId) -> Result<(), Error> {
    connection
        .execute(RELEASE, &[thread.as_str().into()])
        .map(drop)
}

/// What is known about the lease of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LeaseState {
    /// Who holds it, if anyone.
    pub owner: Option<OwnerId>,
    /// How often it was taken.
    pub epoch: u64,
}

const GET: &str = "SELECT owner_id, epoch FROM lease WHERE thread_id = ?1";

pub(crate) fn get(connection: &Connection, thread: &ThreadId) -> Result<LeaseState, Error> {
    let state = connection.query_one(GET, &[thread.as_str().into()], |row| {
        Ok(LeaseState {
            owner: row.optional_text(0)?.map(OwnerId::from),
            epoch: row.unsigned(1)?,
        })
    })?;
    Ok(state.unwrap_or_default())
}

const HOLDS_ANY: &str = "SELECT 1 FROM lease WHERE owner_id = ?1 LIMIT 1";

/// Whether a process holds some lease.
pub(crate) fn holds_any(connection: &Connection, owner: &OwnerId) -> Result<bool, Error> {
    let found = connection.query_one(HOLDS_ANY, &[owner.as_str().into()], |_| Ok(()))?;
    Ok(found.is_some())
}

/// A process that uses the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnerRow {
    /// The process.
    pub id: OwnerId,
    /// Its number.
    pub pid: u32,
    /// When it began.
    pub started_at: Timestamp,
}

const PUT_OWNER: &str = "INSERT INTO owner (id, pid, started_at) VALUES (?1, ?2, ?3)";

pub(crate) fn put_owner(connection: &Connection, owner: &OwnerRow) -> Result<(), Error> {
    let args = [
        owner.id.as_str().into(),
        i64::from(owner.pid).into(),
        owner.started_at.into(),
    ];
    connection.execute(PUT_OWNER, &args).map(drop)
}

const GET_OWNER: &str = "SELECT pid, started_at FROM owner WHERE id = ?1";

pub(crate) fn owner(connection: &Connection, id: &OwnerId) -> Result<Option<OwnerRow>, Error> {
    connection.query_one(GET_OWNER, &[id.as_str().into()], |row| {
        Ok(OwnerRow {
            id: id.clone(),
            pid: u32::try_from(row.int(0)?).unwrap_or(0),
            started_at: Timestamp::from_ms(row.int(1)?),
        })
    })
}

const FORGET_IDLE_OWNERS: &str = "DELETE FROM owner
    WHERE id NOT IN (SELECT owner_id FROM lease WHERE owner_id IS NOT NULL)";

/// Drops the processes that hold nothing. Only when no other process lives.
pub(crate) fn forget_idle_owners(connection: &Connection) -> Result<(), Error> {
    connection.execute(FORGET_IDLE_OWNERS, &[]).map(drop)
}
