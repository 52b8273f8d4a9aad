//! How a run changes. Pure: an [`Edit`] is a run with what is about to become of it, and the events
//! that tell so.

mod write;

use std::collections::BTreeSet;

use codewhale_protocol::runtime::{
    FleetArtifact, FleetFailureKind, FleetLatestEvent, FleetNews, FleetReceipt,
    FleetReceiptRecorded, FleetResult, FleetRetryPolicy, FleetRunCreated, FleetRuntimeState,
    FleetScore, FleetTaskEnqueued, FleetTaskLeased, FleetTaskStatus, FleetTaskTerminal,
    FleetWorkerNews, FleetWorkerState, OwnerId, ThreadId, Timestamp,
};
use codewhale_store::{FleetSeat, FleetTask, StoredFleet};

/// A run that is being changed.
pub(super) struct Edit {
    pub(super) fleet: StoredFleet,
    pub(super) at: Timestamp,
    events: Vec<FleetNews>,
    tasks: BTreeSet<usize>,
    seats: BTreeSet<usize>,
    is_run_changed: bool,
}

/// How an attempt ended.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Finish {
    pub(super) result: FleetResult,
    pub(super) failure_kind: Option<FleetFailureKind>,
    pub(super) failure_class: Option<&'static str>,
    /// Why it failed, for people.
    pub(super) reason: Option<String>,
    pub(super) exit_code: Option<i32>,
    /// What the worker said last.
    pub(super) summary: Option<String>,
    pub(super) score: Option<FleetScore>,
    pub(super) artifacts: Vec<FleetArtifact>,
}

/// The class of workers that gave no sign of life.
pub(super) const SILENT: &str = "stale";

impl Edit {
    pub(super) fn new(fleet: StoredFleet, at: Timestamp) -> Self {
        Self {
            fleet,
            at,
            events: Vec::new(),
            tasks: BTreeSet::new(),
            seats: BTreeSet::new(),
            is_run_changed: false,
        }
    }

    /// Whether nothing is to be written.
    pub(super) fn is_empty(&self) -> bool {
        let parts = self.tasks.is_empty() && self.seats.is_empty();
        parts && self.events.is_empty() && !self.is_run_changed
    }

    fn task(&mut self, place: usize) -> &mut FleetTask {
        self.tasks.insert(place);
        &mut self.fleet.tasks[place]
    }

    pub(super) fn seat(&mut self, place: usize) -> &mut FleetSeat {
        self.seats.insert(place);
        &mut self.fleet.seats[place]
    }

    /// The worker that has a task.
    pub(super) fn seat_of(&self, task: usize) -> Option<usize> {
        let worker = self.fleet.tasks[task].leased_to.as_ref()?;
        let mut seats = self.fleet.seats.iter();
        seats.position(|seat| seat.spec.id == *worker)
    }

    /// The task, if this attempt of it is under way.
    pub(super) fn current(&self, task: usize, attempt: u64) -> Option<usize> {
        let known = self.fleet.tasks.get(task)?;
        let is_current = known.status == FleetTaskStatus::Leased && known.attempt == attempt;
        is_current.then(|| self.seat_of(task)).flatten()
    }

    /// Everything that is new about a run.
    pub(super) fn create(&mut self, created: FleetRunCreated) {
        self.events.push(FleetNews::RunCreated(created));
        self.seats.extend(0..self.fleet.seats.len());
        for place in 0..self.fleet.tasks.len() {
            self.enqueued(place);
        }
    }

    /// A process drives the run from now on.
    pub(super) fn take(&mut self, owner: &OwnerId) {
        self.fleet.stored.owner = Some(owner.clone());
        self.is_run_changed = true;
    }

    fn enqueued(&mut self, place: usize) {
        let task = self.task(place);
        let event = FleetTaskEnqueued {
            task_id: task.spec.id.clone(),
            priority: task.spec.priority(),
            attempts: task.attempt,
        };
        self.events.push(FleetNews::TaskEnqueued(event));
    }

    /// Tells something of a worker and the task it has.
    pub(super) fn tell(&mut self, seat: usize, task: usize, state: FleetWorkerState) {
        let (run_id, at) = (self.fleet.stored.run.id.clone(), self.at);
        let (task_id, attempt) = {
            let task = &self.fleet.tasks[task];
            (task.spec.id.clone(), task.attempt)
        };
        let seat = self.seat(seat);
        let view = &mut seat.view;
        view.events += 1;
        view.task_id = Some(task_id.clone());
        let news = FleetWorkerNews {
            worker_id: view.worker_id.clone(),
            task_id: task_id.clone(),
            attempt,
            worker_seq: view.events,
            state: state.clone(),
        };
        view.latest_event = Some(FleetLatestEvent {
            seq: view.events,
            run_id,
            worker_id: view.worker_id.clone(),
            task_id,
            timestamp: at,
            label: state.label(),
            payload: state,
        });
        self.events.push(FleetNews::Worker(news));
    }

    /// A worker gets a task.
    pub(super) fn lease(&mut self, seat: usize, place: usize) {
        let at = self.at;
        let patience_ms = self
            .fleet
            .stored
            .run
            .stale_after_seconds
            .saturating_mul(1_000);
        let expires = at.plus_ms(patience_ms);
        let worker = self.fleet.seats[seat].spec.id.clone();
        let task = self.task(place);
        task.status = FleetTaskStatus::Leased;
        task.leased_to = Some(worker.clone());
        task.attempt += 1;
        task.tries += 1;
        task.not_before = None;
        task.wanted_by = None;
        task.thread_id = None;
        task.receipt = None;
        let event = FleetTaskLeased {
            task_id: task.spec.id.clone(),
            worker_id: worker,
            attempt: task.attempt,
            lease_expires_at: expires,
        };
        self.events.push(FleetNews::TaskLeased(event));
        let view = &mut self.seat(seat).view;
        view.latest_heartbeat_at = Some(at);
        view.artifacts.clear();
        view.last_error = None;
        view.runtime_state = Some(FleetRuntimeState {
            agent_status: "starting".to_owned(),
            ..FleetRuntimeState::default()
        });
        let leased = FleetWorkerState::Leased {
            lease_expires_at: Some(expires),
        };
        self.tell(seat, place, leased);
        self.tell(seat, place, FleetWorkerState::Starting);
    }

    /// The thread of an attempt is known.
    pub(super) fn thread(&mut self, task: usize, thread: ThreadId) {
        self.task(task).thread_id = Some(thread);
    }

    /// An attempt has ended. It is written down as the end of the task, or the task is tried again.
    pub(super) fn finish(&mut self, seat: usize, place: usize, finish: Finish) {
        let policy = self.fleet.tasks[place].spec.retry_policy;
        let policy = policy.unwrap_or_default();
        let is_transport = finish.failure_kind == Some(FleetFailureKind::Transport);
        let again = is_transport && self.fleet.tasks[place].tries < policy.max_attempts;
        let view = &mut self.seat(seat).view;
        view.artifacts.clone_from(&finish.artifacts);
        view.last_error.clone_from(&finish.reason);
        view.runtime_state = None;
        // Where the log is was told when it began.
        for artifact in finish.artifacts.iter().filter(|it| it.kind != "log") {
            self.tell(seat, place, FleetWorkerState::Artifact(artifact.clone()));
        }
        if finish.failure_class == Some(SILENT) {
            let last_heartbeat_at = self.fleet.seats[seat].view.latest_heartbeat_at;
            self.tell(seat, place, FleetWorkerState::Stale { last_heartbeat_at });
        }
        let state = match &finish.reason {
            None => FleetWorkerState::Completed {
                exit_code: finish.exit_code,
                summary: finish.summary.clone(),
            },
            Some(reason) => FleetWorkerState::Failed {
                reason: reason.clone(),
                recoverable: again,
            },
        };
        self.tell(seat, place, state);
        if again {
            return self.requeue(place, Some(policy));
        }
        let status = match finish.result {
            FleetResult::Pass | FleetResult::Partial => FleetTaskStatus::Completed,
            FleetResult::Fail | FleetResult::Timeout => FleetTaskStatus::Failed,
            FleetResult::Skip => FleetTaskStatus::Cancelled,
        };
        self.end(place, seat, status, finish);
    }

    /// Puts a task back into the queue, after a wait where a policy wants one.
    pub(super) fn requeue(&mut self, place: usize, policy: Option<FleetRetryPolicy>) {
        let at = self.at;
        let task = self.task(place);
        task.status = FleetTaskStatus::Enqueued;
        task.leased_to = None;
        task.not_before = policy.map(|policy| at.plus_ms(policy.backoff_ms(task.tries)));
        self.enqueued(place);
    }

    /// Ends a task together with its receipt.
    fn end(&mut self, place: usize, seat: usize, status: FleetTaskStatus, finish: Finish) {
        let (run_id, at) = (self.fleet.stored.run.id.clone(), self.at);
        let (worker_id, terminal_seq) = {
            let view = &self.fleet.seats[seat].view;
            (view.worker_id.clone(), view.events)
        };
        let task = self.task(place);
        let receipt = FleetReceipt {
            run_id,
            task_id: task.spec.id.clone(),
            worker_id,
            attempt: Some(task.attempt),
            terminal_seq: Some(terminal_seq),
            completed_at: at,
            result: finish.result,
            failure_kind: finish.failure_kind,
            failure_class: finish.failure_class.map(str::to_owned),
            retry_eligible: finish.failure_kind == Some(FleetFailureKind::Transport),
            score: finish.score,
            evidence_available: finish.artifacts.iter().any(|it| it.checksum.is_some()),
            artifacts: finish.artifacts,
            thread_id: task.thread_id.clone(),
        };
        task.receipt = Some(receipt.clone());
        self.close(place, status);
        let recorded = FleetReceiptRecorded { receipt };
        self.events.push(FleetNews::ReceiptRecorded(recorded));
    }

    fn close(&mut self, place: usize, status: FleetTaskStatus) {
        let task = self.task(place);
        task.status = status;
        task.leased_to = None;
        task.not_before = None;
        task.wanted_by = None;
        let event = FleetTaskTerminal {
            task_id: task.spec.id.clone(),
            status,
        };
        self.events.push(FleetNews::TaskTerminal(event));
    }

    /// Calls a task off. One that a worker has leaves a receipt that says so.
    pub(super) fn cancel(&mut self, place: usize) {
        let Some(seat) = self.seat_of(place) else {
            return self.close(place, FleetTaskStatus::Cancelled);
        };
        let signal = Some("terminate".to_owned());
        self.tell(seat, place, FleetWorkerState::Interrupted { signal });
        let cancelled_by = Some("operator".to_owned());
        self.tell(seat, place, FleetWorkerState::Cancelled { cancelled_by });
        self.seat(seat).view.runtime_state = None;
        let finish = Finish {
            result: FleetResult::Skip,
            failure_kind: None,
            failure_class: Some("cancelled"),
            reason: None,
            exit_code: None,
            summary: None,
            score: None,
            artifacts: Vec::new(),
        };
        self.end(place, seat, FleetTaskStatus::Cancelled, finish);
    }

    /// The latest task of a worker is to be done again, by the same worker; `None` when it never had
    /// one.
    pub(super) fn restart(&mut self, seat: usize) -> Option<()> {
        let (worker, latest) = {
            let view = &self.fleet.seats[seat].view;
            (view.worker_id.clone(), view.task_id.clone()?)
        };
        let mut tasks = self.fleet.tasks.iter();
        let place = tasks.position(|task| task.spec.id == latest)?;
        // Another worker has it by now.
        if self.seat_of(place).is_some_and(|other| other != seat) {
            return None;
        }
        let task = self.task(place);
        task.restarts += 1;
        task.tries = 0;
        let restart_count = task.restarts;
        self.tell(seat, place, FleetWorkerState::Restarted { restart_count });
        self.requeue(place, None);
        let task = self.task(place);
        task.wanted_by = Some(worker);
        task.receipt = None;
        Some(())
    }

    /// An attempt is over because its process is: nobody knows how far it came.
    fn abandon(&mut self, place: usize, why: Abandoned) {
        let Some(seat) = self.seat_of(place) else {
            return;
        };
        let view = &mut self.seat(seat).view;
        view.runtime_state = None;
        let last_heartbeat_at = view.latest_heartbeat_at;
        match why {
            Abandoned::ByShutdown => {
                let signal = Some("shutdown".to_owned());
                self.tell(seat, place, FleetWorkerState::Interrupted { signal });
                self.requeue(place, None);
                // Nobody's failure: it does not count.
                let task = self.task(place);
                task.tries = task.tries.saturating_sub(1);
            }
            Abandoned::ByDeath => {
                self.tell(seat, place, FleetWorkerState::Stale { last_heartbeat_at });
                let finish = Finish {
                    result: FleetResult::Fail,
                    failure_kind: Some(FleetFailureKind::Transport),
                    failure_class: Some("driver_died"),
                    reason: Some("the process that drove the run ended".to_owned()),
                    exit_code: None,
                    summary: None,
                    score: None,
                    artifacts: Vec::new(),
                };
                self.finish(seat, place, finish);
            }
        }
    }

    /// Every attempt is over because its process is.
    pub(super) fn abandon_all(&mut self, why: Abandoned) {
        for place in 0..self.fleet.tasks.len() {
            if self.fleet.tasks[place].status == FleetTaskStatus::Leased {
                self.abandon(place, why);
            }
        }
    }

    /// Gives the run up; what is left of it waits for someone to start it again.
    pub(super) fn pause(&mut self, why: Abandoned) {
        self.abandon_all(why);
        self.fleet.stored.owner = None;
        self.is_run_changed = true;
    }
}

/// Why an attempt is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Abandoned {
    /// The process ends in order.
    ByShutdown,
    /// It was killed.
    ByDeath,
}
