//! A run as people and programs see it.

use codewhale_protocol::runtime::{
    FleetDetail, FleetFailureKind, FleetInspection, FleetResult, FleetStatus, FleetSummary,
    FleetTaskEntry, FleetTaskStatus, FleetWorkerStatus, Timestamp,
};
use codewhale_store::{FleetTask, StoredFleet};

/// Counts the tasks of runs, and tells how their workers are.
pub(super) fn status<'a>(
    fleets: impl Iterator<Item = &'a StoredFleet>,
    now: Timestamp,
) -> FleetStatus {
    let mut status = FleetStatus::default();
    for fleet in fleets {
        status.runs += 1;
        for task in &fleet.tasks {
            count(&mut status, fleet, task, now);
        }
        for place in 0..fleet.seats.len() {
            let seen = inspection(fleet, place, now);
            status.workers.insert(seen.worker_id, seen.status);
        }
    }
    status
}

fn count(status: &mut FleetStatus, fleet: &StoredFleet, task: &FleetTask, now: Timestamp) {
    status.restarted += u64::from(task.restarts > 0);
    match task.status {
        FleetTaskStatus::Enqueued => status.queued += 1,
        FleetTaskStatus::Leased => match is_stale(fleet, task, now) {
            true => status.stale += 1,
            false => status.running += 1,
        },
        FleetTaskStatus::Completed => status.completed += 1,
        FleetTaskStatus::Failed => status.failed += 1,
        FleetTaskStatus::Cancelled => status.cancelled += 1,
    }
    let Some(receipt) = &task.receipt else { return };
    status.partial += u64::from(receipt.result == FleetResult::Partial);
    match receipt.failure_kind {
        Some(FleetFailureKind::Transport) => status.transport_failed += 1,
        Some(FleetFailureKind::Task) => status.task_failed += 1,
        Some(FleetFailureKind::Verifier) => status.verifier_failed += 1,
        None => {}
    }
}

/// Whether the worker of a task has been silent for too long.
fn is_stale(fleet: &StoredFleet, task: &FleetTask, now: Timestamp) -> bool {
    let worker = task.leased_to.as_ref();
    let seat = fleet
        .seats
        .iter()
        .find(|seat| Some(&seat.spec.id) == worker);
    let last = seat.and_then(|seat| seat.view.latest_heartbeat_at);
    let patience_ms = fleet.stored.run.stale_after_seconds.saturating_mul(1_000);
    last.is_none_or(|last| now.ms_since(last) > patience_ms)
}

pub(super) fn summary(fleet: &StoredFleet, now: Timestamp) -> FleetSummary {
    let run = &fleet.stored.run;
    FleetSummary {
        id: run.id.clone(),
        name: run.name.clone(),
        lifecycle_status: run.lifecycle,
        status: status(std::iter::once(fleet), now),
        target: Some(run.target.clone()),
        workflow: Some(run.workflow.clone()),
        roles: run.roles.iter().map(|role| role.name.clone()).collect(),
        task_count: fleet.tasks.len() as u64,
        worker_count: fleet.seats.len() as u64,
        tasks: fleet.tasks.iter().map(entry).collect(),
        labels: run.labels.clone(),
        workspace: run.workspace.clone(),
        created_at: run.created_at,
        updated_at: Some(run.updated_at),
        completed_at: run.completed_at,
    }
}

fn entry(task: &FleetTask) -> FleetTaskEntry {
    FleetTaskEntry {
        task_id: task.spec.id.clone(),
        status: task.status,
        leased_to: task.leased_to.clone(),
        attempts: task.attempt,
        thread_id: task.thread_id.clone(),
    }
}

pub(super) fn detail(fleet: &StoredFleet, now: Timestamp) -> FleetDetail {
    FleetDetail {
        summary: summary(fleet, now),
        task_specs: fleet.tasks.iter().map(|it| it.spec.clone()).collect(),
        worker_specs: fleet.seats.iter().map(|it| it.spec.clone()).collect(),
    }
}

/// A worker, seen from outside.
pub(super) fn inspection(fleet: &StoredFleet, place: usize, now: Timestamp) -> FleetInspection {
    let seat = &fleet.seats[place];
    let view = &seat.view;
    let latest = view.task_id.as_ref();
    let task = fleet.tasks.iter().find(|it| Some(&it.spec.id) == latest);
    let has_it = task.is_some_and(|it| it.leased_to.as_ref() == Some(&view.worker_id));
    let known = FleetWorkerStatus::of(view.latest_event.as_ref().map(|it| &it.payload));
    let status = match task.is_some_and(|task| has_it && is_stale(fleet, task, now)) {
        true => FleetWorkerStatus::Unhealthy,
        false => known,
    };
    let objective = task.map(|task| {
        let objective = task.spec.objective.as_ref();
        objective.unwrap_or(&task.spec.name).clone()
    });
    FleetInspection {
        worker_id: view.worker_id.clone(),
        status,
        run_id: Some(fleet.stored.run.id.clone()),
        task_id: view.task_id.clone(),
        objective,
        role: task.and_then(|task| task.spec.role()).map(str::to_owned),
        host: Some(seat.spec.host.as_str().to_owned()),
        latest_heartbeat_at: view.latest_heartbeat_at,
        latest_event: view.latest_event.clone(),
        artifacts: view.artifacts.clone(),
        last_error: view.last_error.clone(),
        alert_state: None,
        runtime_state: view.runtime_state.clone().filter(|_| has_it),
    }
}
