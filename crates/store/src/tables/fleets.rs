//! Fleet runs, their tasks and their workers.

use std::collections::BTreeMap;

use codewhale_protocol::runtime::{
    FleetLifecycle, FleetReceipt, FleetRole, FleetRunId, FleetTaskSpec, FleetTaskStatus,
    FleetWorkerSpec, FleetWorkerView, FleetWorkflow, OwnerId, PrincipalId, RoomId, ThreadId,
    Timestamp,
};
use codewhale_protocol::{Actor, Redactor, Sealed};
use serde::{Deserialize, Serialize};

use crate::db::{Connection, Error, Value};

/// A run as it is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FleetRun {
    /// The run.
    pub id: FleetRunId,
    /// One line for people.
    pub name: String,
    /// Where it stands.
    pub lifecycle: FleetLifecycle,
    /// Where its workers are.
    pub target: String,
    /// Its workflow.
    pub workflow: FleetWorkflow,
    /// Who works.
    pub roles: Vec<FleetRole>,
    /// Words of whoever made it.
    pub labels: BTreeMap<String, String>,
    /// The directory it works in.
    pub workspace: String,
    /// Seconds without a sign of life after which a worker is given up.
    pub stale_after_seconds: u64,
    /// Who made it.
    pub created_by: Actor,
    /// When.
    pub created_at: Timestamp,
    /// When something about it last changed.
    pub updated_at: Timestamp,
    /// When its last task ended.
    pub completed_at: Option<Timestamp>,
}

/// A run with what is known of it besides its record.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredFleetRun {
    /// The run.
    pub run: FleetRun,
    /// The room whose members may see it.
    pub room: RoomId,
    /// In whose name it runs.
    pub principal: PrincipalId,
    /// The process that drives it.
    pub owner: Option<OwnerId>,
    /// How often it was written; one from the start.
    pub version: u64,
}

/// A task of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FleetTask {
    /// What was asked.
    pub spec: FleetTaskSpec,
    /// Where it stands.
    pub status: FleetTaskStatus,
    /// The worker that has it.
    pub leased_to: Option<String>,
    /// Attempts so far: the number of the latest.
    pub attempt: u64,
    /// Attempts since it was last asked for: what the retry policy counts.
    pub tries: u64,
    /// Not before this moment.
    pub not_before: Option<Timestamp>,
    /// The one worker that may take it.
    pub wanted_by: Option<String>,
    /// How often someone wanted it again.
    pub restarts: u64,
    /// The thread of the latest attempt.
    pub thread_id: Option<ThreadId>,
    /// What became of it.
    pub receipt: Option<FleetReceipt>,
}

/// A worker of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FleetSeat {
    /// What it is.
    pub spec: FleetWorkerSpec,
    /// How it is.
    pub view: FleetWorkerView,
}

/// A run with everything that belongs to it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredFleet {
    /// The run.
    pub stored: StoredFleetRun,
    /// Its tasks, in their order.
    pub tasks: Vec<FleetTask>,
    /// Its workers, in their order.
    pub seats: Vec<FleetSeat>,
}

#[derive(Debug)]
pub(crate) struct FleetRunRow {
    stored: StoredFleetRun,
    record: Sealed,
}

impl FleetRunRow {
    pub(crate) fn new(redactor: &Redactor, stored: &StoredFleetRun) -> Self {
        Self {
            record: redactor.seal_json(&stored.run),
            stored: stored.clone(),
        }
    }
}

/// A task or a worker, at its place.
#[derive(Debug)]
pub(crate) struct FleetPartRow {
    run: FleetRunId,
    place: u64,
    id: String,
    /// Of tasks.
    stand: Option<(FleetTaskStatus, u64)>,
    record: Sealed,
}

impl FleetPartRow {
    pub(crate) fn task(redactor: &Redactor, run: &FleetRunId, at: u64, task: &FleetTask) -> Self {
        Self {
            run: run.clone(),
            place: at,
            id: task.spec.id.clone(),
            stand: Some((task.status, task.attempt)),
            record: redactor.seal_json(task),
        }
    }

    pub(crate) fn seat(redactor: &Redactor, run: &FleetRunId, at: u64, seat: &FleetSeat) -> Self {
        Self {
            run: run.clone(),
            place: at,
            id: seat.spec.id.clone(),
            stand: None,
            record: redactor.seal_json(seat),
        }
    }
}

const PUT_RUN: &str = "INSERT INTO fleet_run (id, room_id, principal_id, owner_id, version, record)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, version = excluded.version,
        record = excluded.record";

pub(crate) fn put_run(connection: &Connection, row: &FleetRunRow) -> Result<(), Error> {
    let stored = &row.stored;
    let args = [
        stored.run.id.as_str().into(),
        stored.room.as_str().into(),
        stored.principal.as_str().into(),
        stored.owner.as_ref().map(OwnerId::as_str).into(),
        stored.version.into(),
        (&row.record).into(),
    ];
    connection.execute(PUT_RUN, &args).map(drop)
}

const PUT_TASK: &str = "INSERT INTO fleet_task (run_id, place, task_id, status, attempt, record)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (run_id, place) DO UPDATE SET status = excluded.status,
        attempt = excluded.attempt, record = excluded.record";
const PUT_WORKER: &str = "INSERT INTO fleet_worker (run_id, place, worker_id, record)
    VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (run_id, place) DO UPDATE SET record = excluded.record";

pub(crate) fn put_part(connection: &Connection, row: &FleetPartRow) -> Result<(), Error> {
    let (run, id) = (row.run.as_str(), row.id.as_str());
    let done = match row.stand {
        Some((status, attempt)) => {
            let args = [
                run.into(),
                row.place.into(),
                id.into(),
                status.as_str().into(),
                attempt.into(),
                (&row.record).into(),
            ];
            connection.execute(PUT_TASK, &args)
        }
        None => {
            let args = [
                run.into(),
                row.place.into(),
                id.into(),
                (&row.record).into(),
            ];
            connection.execute(PUT_WORKER, &args)
        }
    };
    done.map(drop)
}

const VERSION: &str = "SELECT version FROM fleet_run WHERE id = ?1";

/// How often the run was written; zero when there is none.
pub(crate) fn version(connection: &Connection, id: &FleetRunId) -> Result<u64, Error> {
    let version = connection.query_one(VERSION, &[id.as_str().into()], |row| row.unsigned(0))?;
    Ok(version.unwrap_or(0))
}

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT fleet_run.record, fleet_run.room_id, fleet_run.principal_id,
                fleet_run.owner_id, fleet_run.version FROM fleet_run ",
            $condition
        )
    };
}

fn query(
    connection: &Connection,
    sql: &'static str,
    args: &[Value<'_>],
) -> Result<Vec<StoredFleetRun>, Error> {
    connection.query(sql, args, |row| {
        Ok(StoredFleetRun {
            run: row.record(0)?,
            room: RoomId::from(row.text(1)?),
            principal: PrincipalId::from(row.text(2)?),
            owner: row.optional_text(3)?.map(OwnerId::from),
            version: row.unsigned(4)?,
        })
    })
}

const ONE: &str = select!("WHERE id = ?1");

pub(crate) fn get(
    connection: &Connection,
    id: &FleetRunId,
) -> Result<Option<StoredFleetRun>, Error> {
    Ok(query(connection, ONE, &[id.as_str().into()])?.pop())
}

const TASKS: &str = "SELECT record FROM fleet_task WHERE run_id = ?1 ORDER BY place";
const WORKERS: &str = "SELECT record FROM fleet_worker WHERE run_id = ?1 ORDER BY place";

/// A run with everything that belongs to it.
pub(crate) fn whole(connection: &Connection, stored: StoredFleetRun) -> Result<StoredFleet, Error> {
    let id = stored.run.id.clone();
    Ok(StoredFleet {
        stored,
        tasks: connection.query(TASKS, &[id.as_str().into()], |row| row.record(0))?,
        seats: connection.query(WORKERS, &[id.as_str().into()], |row| row.record(0))?,
    })
}

const OF_WORKER: &str = "SELECT run_id FROM fleet_worker WHERE worker_id = ?1";

/// The run of a worker.
pub(crate) fn of_worker(
    connection: &Connection,
    worker: &str,
) -> Result<Option<FleetRunId>, Error> {
    connection.query_one(OF_WORKER, &[worker.into()], |row| {
        Ok(FleetRunId::from(row.text(0)?))
    })
}

const VISIBLE: &str = select!(
    "JOIN room_member ON room_member.principal_id = ?1 AND room_member.room_id = fleet_run.room_id
        ORDER BY fleet_run.id LIMIT ?2"
);

/// The runs that a principal may know of, by their ids.
pub(crate) fn visible(
    connection: &Connection,
    principal: &PrincipalId,
    limit: u64,
) -> Result<Vec<StoredFleetRun>, Error> {
    query(
        connection,
        VISIBLE,
        &[principal.as_str().into(), limit.into()],
    )
}

const DRIVEN: &str = select!("WHERE owner_id IS NOT NULL ORDER BY id");

/// All that a process drives, wherever.
pub(crate) fn driven(connection: &Connection) -> Result<Vec<StoredFleetRun>, Error> {
    query(connection, DRIVEN, &[])
}
