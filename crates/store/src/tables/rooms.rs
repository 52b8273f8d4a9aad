//! Rooms, their members, and the principals behind them.

use codewhale_protocol::Sealed;
use codewhale_protocol::operations::Role;
use codewhale_protocol::runtime::{ApprovalId, PrincipalId, RoomId, ThreadId, Timestamp};

use crate::db::{Connection, Error};

/// Someone who can ask.
#[derive(Clone, Debug)]
pub struct PrincipalRow {
    /// Who.
    pub id: PrincipalId,
    /// The name.
    pub name: Sealed,
    /// Whether this is the operator of the store.
    pub is_operator: bool,
    /// Since when.
    pub created_at: Timestamp,
}

/// A room.
#[derive(Clone, Debug)]
pub struct RoomRow {
    /// The room.
    pub id: RoomId,
    /// Its title.
    pub title: Sealed,
    /// Who made it.
    pub owner: PrincipalId,
    /// When.
    pub created_at: Timestamp,
}

/// A member of a room.
#[derive(Clone, Debug)]
pub struct MemberRow {
    /// The room.
    pub room: RoomId,
    /// The member.
    pub principal: PrincipalId,
    /// What they are there.
    pub role: Role,
    /// Who added them.
    pub added_by: PrincipalId,
    /// When.
    pub added_at: Timestamp,
}

const PUT_PRINCIPAL: &str = "INSERT INTO principal (id, kind, name, is_operator, created_at)
    VALUES (?1, 'human', ?2, ?3, ?4)";

pub(crate) fn put_principal(connection: &Connection, row: &PrincipalRow) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        (&row.name).into(),
        row.is_operator.into(),
        row.created_at.into(),
    ];
    connection.execute(PUT_PRINCIPAL, &args).map(drop)
}

const OPERATOR: &str = "SELECT id FROM principal WHERE is_operator = 1";

/// The operator of the store.
pub(crate) fn operator(connection: &Connection) -> Result<Option<PrincipalId>, Error> {
    connection.query_one(OPERATOR, &[], |row| Ok(PrincipalId::from(row.text(0)?)))
}

const PUT_ROOM: &str = "INSERT INTO room
        (id, title, owner_id, acl_version, version, created_at, updated_at)
    VALUES (?1, ?2, ?3, 1, 1, ?4, ?4)";

pub(crate) fn put_room(connection: &Connection, row: &RoomRow) -> Result<(), Error> {
    let args = [
        row.id.as_str().into(),
        (&row.title).into(),
        row.owner.as_str().into(),
        row.created_at.into(),
    ];
    connection.execute(PUT_ROOM, &args).map(drop)
}

const PUT_MEMBER: &str = "INSERT INTO room_member (room_id, principal_id, role, added_by, added_at)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (principal_id, room_id) DO UPDATE SET role = excluded.role";

pub(crate) fn put_member(connection: &Connection, row: &MemberRow) -> Result<(), Error> {
    let args = [
        row.room.as_str().into(),
        row.principal.as_str().into(),
        row.role.as_str().into(),
        row.added_by.as_str().into(),
        row.added_at.into(),
    ];
    connection.execute(PUT_MEMBER, &args).map(drop)
}

const PUT_WORKSPACE: &str = "INSERT INTO room_workspace (path, room_id) VALUES (?1, ?2)";

pub(crate) fn put_workspace(
    connection: &Connection,
    path: &str,
    room_id: &str,
) -> Result<(), Error> {
    connection
        .execute(PUT_WORKSPACE, &[path.into(), room_id.into()])
        .map(drop)
}

const OF_WORKSPACE: &str = "SELECT room_id FROM room_workspace WHERE path = ?1";

/// The room that new threads of a workspace go to.
pub(crate) fn of_workspace(connection: &Connection, path: &str) -> Result<Option<RoomId>, Error> {
    connection.query_one(OF_WORKSPACE, &[path.into()], |row| {
        Ok(RoomId::from(row.text(0)?))
    })
}

/// What leads to the room whose members decide.
#[derive(Clone, Copy, Debug)]
pub enum Located<'a> {
    /// The room itself.
    Room(&'a RoomId),
    /// The room of a thread.
    Thread(&'a ThreadId),
    /// The room of the thread of an approval.
    Approval(&'a ApprovalId),
}

const ROLE_IN_ROOM: &str = "SELECT role FROM room_member WHERE principal_id = ?1 AND room_id = ?2";
const ROLE_BY_THREAD: &str = "SELECT role FROM room_member
    JOIN thread ON thread.room_id = room_member.room_id
    WHERE room_member.principal_id = ?1 AND thread.id = ?2 AND thread.hidden = 0
        AND NOT EXISTS (SELECT 1 FROM thread AS top WHERE top.id = thread.root_id AND top.hidden = 1)";
const ROLE_BY_APPROVAL: &str = "SELECT role FROM room_member
    JOIN thread ON thread.room_id = room_member.room_id
    JOIN approval ON approval.thread_id = thread.id
    WHERE room_member.principal_id = ?1 AND approval.id = ?2 AND thread.hidden = 0
        AND NOT EXISTS (SELECT 1 FROM thread AS top WHERE top.id = thread.root_id AND top.hidden = 1)";

/// What a principal is in the room something belongs to; `None` when there is no such thing or the
/// principal is not a member, which nobody can tell apart.
pub(crate) fn role(
    connection: &Connection,
    principal: &PrincipalId,
    located: Located<'_>,
) -> Result<Option<Role>, Error> {
    let (sql, id) = match located {
        Located::Room(id) => (ROLE_IN_ROOM, id.as_str()),
        Located::Thread(id) => (ROLE_BY_THREAD, id.as_str()),
        Located::Approval(id) => (ROLE_BY_APPROVAL, id.as_str()),
    };
    let role = connection.query_one(sql, &[principal.as_str().into(), id.into()], |row| {
        Ok(Role::parse(row.text(0)?))
    })?;
    Ok(role.flatten())
}
