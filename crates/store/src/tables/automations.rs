//! Automations and their runs.

use codewhale_protocol::runtime::{
    AUTOMATION_SCHEMA_VERSION, AutomationId, AutomationRecord, AutomationRunId,
    AutomationRunRecord, PrincipalId, RoomId, Task, TaskId, TaskStatus, Timestamp,
};
use codewhale_protocol::{Redactor, Sealed};

use crate::db::{Connection, Error, Value};

/// An automation with what is known of it besides its record.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredAutomation {
    /// The automation.
    pub record: AutomationRecord,
    /// The room whose members may see it.
    pub room: RoomId,
    /// In whose name it runs.
    pub principal: PrincipalId,
    /// How often it was written; one from the start.
    pub version: u64,
}

/// What began a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BegunBy {
    /// Its moment came.
    Clock,
    /// Someone asked for it.
    Person,
}

/// A run as it is written down.
#[derive(Clone, PartialEq, Debug)]
pub struct NewRun {
    /// The run.
    pub id: AutomationRunId,
    /// The automation.
    pub automation: AutomationId,
    /// The moment it was due.
    pub slot: Timestamp,
    /// What began it.
    pub by: BegunBy,
    /// Its task, or why there is none.
    pub task: Result<TaskId, String>,
    /// When.
    pub at: Timestamp,
}

impl NewRun {
    /// What is told of it at its beginning.
    pub fn record(&self) -> AutomationRunRecord {
        let failed = self.task.is_err();
        AutomationRunRecord {
            schema_version: AUTOMATION_SCHEMA_VERSION,
            id: self.id.clone(),
            automation_id: self.automation.clone(),
            scheduled_for: self.slot,
            status: match failed {
                true => TaskStatus::Failed,
                false => TaskStatus::Queued,
            },
            created_at: self.at,
            started_at: None,
            ended_at: failed.then_some(self.at),
            task_id: self.task.as_ref().ok().cloned(),
            thread_id: None,
            turn_id: None,
            error: self.task.as_ref().err().cloned(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct AutomationRow {
    stored: StoredAutomation,
    record: Sealed,
}

impl AutomationRow {
    pub(crate) fn new(redactor: &Redactor, stored: &StoredAutomation) -> Self {
        Self {
            record: redactor.seal_json(&stored.record),
            stored: stored.clone(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct RunRow {
    run: NewRun,
    error: Option<Sealed>,
}

impl RunRow {
    pub(crate) fn new(redactor: &Redactor, run: NewRun) -> Self {
        let error = run.task.as_ref().err().map(|error| redactor.seal(error));
        Self { run, error }
    }
}

const PUT: &str = "INSERT INTO automation
        (id, room_id, principal_id, version, next_run_at, updated_at, record)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (id) DO UPDATE SET room_id = excluded.room_id, version = excluded.version,
        next_run_at = excluded.next_run_at, updated_at = excluded.updated_at,
        record = excluded.record";

pub(crate) fn put(connection: &Connection, row: &AutomationRow) -> Result<(), Error> {
    let (stored, record) = (&row.stored, &row.stored.record);
    let args = [
        record.id.as_str().into(),
        stored.room.as_str().into(),
        stored.principal.as_str().into(),
        stored.version.into(),
        record.next_run_at.map_or(Value::Null, Value::from),
        record.updated_at.into(),
        (&row.record).into(),
    ];
    connection.execute(PUT, &args).map(drop)
}

const PUT_RUN: &str = "INSERT INTO automation_run
        (id, automation_id, slot, by_clock, task_id, error, created_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

pub(crate) fn put_run(connection: &Connection, row: &RunRow) -> Result<(), Error> {
    let run = &row.run;
    let args = [
        run.id.as_str().into(),
        run.automation.as_str().into(),
        run.slot.into(),
        (run.by == BegunBy::Clock).into(),
        run.task.as_ref().ok().map(TaskId::as_str).into(),
        row.error.as_ref().map(Sealed::as_str).into(),
        run.at.into(),
    ];
    connection.execute(PUT_RUN, &args).map(drop)
}

const DROP: &str = "DELETE FROM automation WHERE id = ?1";
const DROP_RUNS: &str = "DELETE FROM automation_run WHERE automation_id = ?1";

/// Takes an automation away, with its runs.
pub(crate) fn remove(connection: &Connection, id: &AutomationId) -> Result<(), Error> {
    connection.execute(DROP, &[id.as_str().into()])?;
    connection
        .execute(DROP_RUNS, &[id.as_str().into()])
        .map(drop)
}

const DROP_RUN: &str = "DELETE FROM automation_run WHERE task_id = ?1";

/// Takes the run of a task away.
pub(crate) fn remove_run(connection: &Connection, task: &TaskId) -> Result<(), Error> {
    connection
        .execute(DROP_RUN, &[task.as_str().into()])
        .map(drop)
}

const HAS_SLOT: &str = "SELECT 1 FROM automation_run
    WHERE automation_id = ?1 AND slot = ?2 AND by_clock = 1";

/// Whether the clock has begun a run for this moment.
pub(crate) fn has_slot(
    connection: &Connection,
    id: &AutomationId,
    slot: Timestamp,
) -> Result<bool, Error> {
    let found = connection.query_one(HAS_SLOT, &[id.as_str().into(), slot.into()], |_| Ok(()))?;
    Ok(found.is_some())
}

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT automation.record, automation.room_id, automation.principal_id, ",
            "automation.version FROM automation ",
            $condition
        )
    };
}

fn query(
    connection: &Connection,
    sql: &'static str,
    args: &[Value<'_>],
) -> Result<Vec<StoredAutomation>, Error> {
    connection.query(sql, args, |row| {
        Ok(StoredAutomation {
            record: row.record(0)?,
            room: RoomId::from(row.text(1)?),
            principal: PrincipalId::from(row.text(2)?),
            version: row.unsigned(3)?,
        })
    })
}

const ONE: &str = select!("WHERE id = ?1");

pub(crate) fn get(
    connection: &Connection,
    id: &AutomationId,
) -> Result<Option<StoredAutomation>, Error> {
    Ok(query(connection, ONE, &[id.as_str().into()])?.pop())
}

const VISIBLE: &str = select!(
    "JOIN room_member ON room_member.principal_id = ?1
        AND room_member.room_id = automation.room_id
        ORDER BY automation.updated_at DESC, automation.id DESC LIMIT ?2"
);

/// Those that a principal may see, the last changed first.
pub(crate) fn visible(
    connection: &Connection,
    principal: &PrincipalId,
    limit: u64,
) -> Result<Vec<StoredAutomation>, Error> {
    let args = [principal.as_str().into(), limit.into()];
    query(connection, VISIBLE, &args)
}

const DUE: &str = select!("WHERE next_run_at <= ?1 ORDER BY next_run_at LIMIT ?2");

/// Those whose moment has come, the longest due first.
pub(crate) fn due(
    connection: &Connection,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<StoredAutomation>, Error> {
    query(connection, DUE, &[now.into(), limit.into()])
}

const NEXT_DUE: &str = "SELECT next_run_at FROM automation WHERE next_run_at IS NOT NULL
    ORDER BY next_run_at LIMIT 1";

/// The first moment that is due for any of them.
pub(crate) fn next_due(connection: &Connection) -> Result<Option<Timestamp>, Error> {
    connection.query_one(NEXT_DUE, &[], |row| Ok(Timestamp::from_ms(row.int(0)?)))
}

const RUNS: &str = "SELECT run.id, run.slot, run.created_at, run.error, run.task_id, task.record
    FROM automation_run run LEFT JOIN task ON task.id = run.task_id
    WHERE run.automation_id = ?1 ORDER BY run.created_at DESC, run.id DESC LIMIT ?2";

/// The newest runs.
pub(crate) fn runs(
    connection: &Connection,
    id: &AutomationId,
    limit: u64,
) -> Result<Vec<AutomationRunRecord>, Error> {
    connection.query(RUNS, &[id.as_str().into(), limit.into()], |row| {
        let task: Option<Task> = match row.optional_text(5)? {
            Some(_) => Some(row.record(5)?),
            None => None,
        };
        let own_error = row.optional_text(3)?.unwrap_or_default().to_owned();
        let new = NewRun {
            id: AutomationRunId::from(row.text(0)?),
            automation: id.clone(),
            slot: Timestamp::from_ms(row.int(1)?),
            by: BegunBy::Clock,
            task: row.optional_text(4)?.map(TaskId::from).ok_or(own_error),
            at: Timestamp::from_ms(row.int(2)?),
        };
        let record = new.record();
        Ok(match task {
            None => record,
            Some(task) => AutomationRunRecord {
                status: task.status,
                started_at: task.started_at,
                ended_at: task.ended_at,
                thread_id: task.thread_id,
                turn_id: task.turn_id,
                error: task.error,
                ..record
            },
        })
    })
}
