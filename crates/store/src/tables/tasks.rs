//! Background tasks.

use codewhale_protocol::runtime::{
    OwnerId, PrincipalId, RoomId, Task, TaskCounts, TaskId, TaskSummary, TurnId,
};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error, Value};

/// A task with what is known of it besides its record.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredTask {
    /// The task.
    pub task: Task,
    /// The room whose members may see it.
    pub room: RoomId,
    /// In whose name it runs.
    pub principal: PrincipalId,
    /// The process that runs it.
    pub owner: Option<OwnerId>,
}

#[derive(Debug)]
pub(crate) struct TaskRow {
    stored: StoredTask,
    record: Sealed,
}

impl TaskRow {
    pub(crate) fn new(redactor: &Redactor, stored: &StoredTask) -> Self {
        Self {
            record: redactor.seal_json(&stored.task),
            stored: stored.clone(),
        }
    }
}

const PUT: &str = "INSERT INTO task (id, place, room_id, principal_id, status, workspace, owner_id,
        thread_id, turn_id, lifecycle_seq, record)
    VALUES (?1, (SELECT coalesce(max(place), 0) + 1 FROM task), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, owner_id = excluded.owner_id,
        thread_id = excluded.thread_id, turn_id = excluded.turn_id,
        lifecycle_seq = excluded.lifecycle_seq, record = excluded.record";

// A task counts for the status it has: first it leaves the old one, if it has one.
const UNCOUNT: &str = "UPDATE task_count SET tasks = tasks - 1
    WHERE room_id = ?2 AND status = (SELECT status FROM task WHERE id = ?1)";
const RECOUNT: &str = "INSERT INTO task_count (room_id, status, tasks) VALUES (?1, ?2, 1)
    ON CONFLICT (room_id, status) DO UPDATE SET tasks = task_count.tasks + 1";

pub(crate) fn put(connection: &Connection, row: &TaskRow) -> Result<(), Error> {
    let (stored, task) = (&row.stored, &row.stored.task);
    let (room, status) = (stored.room.as_str(), task.status.as_str());
    connection.execute(UNCOUNT, &[task.id.as_str().into(), room.into()])?;
    connection.execute(RECOUNT, &[room.into(), status.into()])?;
    let args = [
        task.id.as_str().into(),
        room.into(),
        stored.principal.as_str().into(),
        status.into(),
        task.workspace.as_str().into(),
        stored.owner.as_ref().map(OwnerId::as_str).into(),
        task.thread_id.as_ref().map(|id| id.as_str()).into(),
        task.turn_id.as_ref().map(TurnId::as_str).into(),
        task.lifecycle_seq.into(),
        (&row.record).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

const SEQ: &str = "SELECT lifecycle_seq FROM task WHERE id = ?1";

/// How often the task has changed; zero when there is none.
pub(crate) fn lifecycle_seq(connection: &Connection, id: &TaskId) -> Result<u64, Error> {
    let seq = connection.query_one(SEQ, &[id.as_str().into()], |row| row.unsigned(0))?;
    Ok(seq.unwrap_or(0))
}

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT task.record, task.room_id, task.principal_id, task.owner_id FROM task ",
            $condition
        )
    };
}

fn query(
    connection: &Connection,
    sql: &'static str,
    args: &[Value<'_>],
) -> Result<Vec<StoredTask>, Error> {
    connection.query(sql, args, |row| {
        Ok(StoredTask {
            task: row.record(0)?,
            room: RoomId::from(row.text(1)?),
            principal: PrincipalId::from(row.text(2)?),
            owner: row.optional_text(3)?.map(OwnerId::from),
        })
    })
}

const ONE: &str = select!("WHERE id = ?1");

pub(crate) fn get(connection: &Connection, id: &TaskId) -> Result<Option<StoredTask>, Error> {
    Ok(query(connection, ONE, &[id.as_str().into()])?.pop())
}

const OF_TURN: &str = select!("WHERE turn_id = ?1");

/// The task that a turn is for.
pub(crate) fn of_turn(connection: &Connection, turn: &TurnId) -> Result<Option<StoredTask>, Error> {
    Ok(query(connection, OF_TURN, &[turn.as_str().into()])?.pop())
}

const NEXT: &str = select!("WHERE status = 'queued' ORDER BY place LIMIT 1");

/// The one that has waited longest.
pub(crate) fn next(connection: &Connection) -> Result<Option<StoredTask>, Error> {
    Ok(query(connection, NEXT, &[])?.pop())
}

const RUNNING: &str = select!("WHERE status = 'running' ORDER BY place");

/// All that run, wherever.
pub(crate) fn running(connection: &Connection) -> Result<Vec<StoredTask>, Error> {
    query(connection, RUNNING, &[])
}

const NAMED: &str = select!(
    "JOIN room_member ON room_member.principal_id = ?1 AND room_member.room_id = task.room_id
        WHERE task.id >= ?2 AND task.id < ?3 ORDER BY task.id LIMIT 2"
);

/// Up to two that a principal may know of and whose ids start like this.
pub(crate) fn named(
    connection: &Connection,
    principal: &PrincipalId,
    start: &str,
) -> Result<Vec<StoredTask>, Error> {
    // Behind every id that starts like this, because ids are plain letters and digits.
    let end = format!("{start}~");
    let args = [principal.as_str().into(), start.into(), end.as_str().into()];
    query(connection, NAMED, &args)
}

/// Which tasks a list shows.
#[derive(Clone, Copy, Debug)]
pub struct TaskQuery<'a> {
    /// For whom.
    pub principal: &'a PrincipalId,
    /// Only those that work in this directory.
    pub workspace: Option<&'a str>,
    /// At most so many.
    pub limit: u64,
}

// The walk goes down an index by place; the member row is looked up for each line.
macro_rules! lines {
    ($condition:literal) => {
        concat!(
            "SELECT task.record, coalesce(work_subject.n_waiting, 0) FROM task
                JOIN room_member ON room_member.principal_id = ?1
                    AND room_member.room_id = task.room_id
                LEFT JOIN work_subject ON work_subject.subject_id = task.thread_id ",
            $condition,
            " ORDER BY task.place DESC LIMIT ?2"
        )
    };
}

const LIST: &str = lines!("");
const LIST_OF_WORKSPACE: &str = lines!("WHERE task.workspace = ?3");

/// Tasks in lines, newest first.
pub(crate) fn list(
    connection: &Connection,
    query: &TaskQuery<'_>,
) -> Result<Vec<TaskSummary>, Error> {
    let mut args = vec![query.principal.as_str().into(), query.limit.into()];
    args.extend(query.workspace.map(Value::from));
    let sql = query.workspace.map_or(LIST, |_| LIST_OF_WORKSPACE);
    connection.query(sql, &args, |row| {
        let task: Task = row.record(0)?;
        Ok(TaskSummary {
            waiting: row.int(1)? > 0,
            ..TaskSummary::from(&task)
        })
    })
}

const COUNT: &str = "SELECT task_count.status, sum(task_count.tasks) FROM task_count
    JOIN room_member ON room_member.principal_id = ?1 AND room_member.room_id = task_count.room_id
    GROUP BY task_count.status";

/// How many of each status a principal may know of.
pub(crate) fn count(connection: &Connection, principal: &PrincipalId) -> Result<TaskCounts, Error> {
    let rows = connection.query(COUNT, &[principal.as_str().into()], |row| {
        Ok((row.text(0)?.to_owned(), row.unsigned(1)?))
    })?;
    let of = |status: &str| {
        let row = rows.iter().find(|(word, _)| word == status);
        row.map_or(0, |(_, count)| *count)
    };
    Ok(TaskCounts {
        queued: of("queued"),
        running: of("running"),
        completed: of("completed"),
        failed: of("failed"),
        canceled: of("canceled"),
    })
}
