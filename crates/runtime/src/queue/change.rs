//! How a task changes. Pure: each function is one step of its life.

use codewhale_protocol::runtime::OwnerId;
use codewhale_protocol::runtime::{
    TaskEntry, TaskEntryKind, TaskStatus, TaskStopping, TerminalReason, ThreadId, Timestamp,
    TurnId, TurnRecord, TurnStatus,
};
use codewhale_store::StoredTask;

use crate::limits;

/// How the turn of a task came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// In the process that ran it.
    Here,
    /// There, because that process ends.
    ByShutdown,
    /// A later process ended it for a dead one.
    Recovered,
}

/// A worker takes it.
pub(super) fn begin(stored: &mut StoredTask, thread: &ThreadId, owner: &OwnerId, at: Timestamp) {
    let task = &mut stored.task;
    stored.owner = Some(owner.clone());
    task.status = TaskStatus::Running;
    task.started_at = Some(at);
    task.thread_id = Some(thread.clone());
    step(stored, TaskEntryKind::Running, "A worker took the task", at);
}

/// Its turn begins.
pub(super) fn link(stored: &mut StoredTask, turn: &TurnId, at: Timestamp) {
    stored.task.turn_id = Some(turn.clone());
    let thread = stored.task.thread_id.as_ref().map_or("", |id| id.as_str());
    let words = format!("Thread {thread}, turn {turn}");
    step(stored, TaskEntryKind::RuntimeLink, &words, at);
}

/// It is to stop.
pub(super) fn stop(stored: &mut StoredTask, reason: TerminalReason, at: Timestamp) {
    stored.task.stopping = Some(TaskStopping { reason, at });
    let (kind, words) = match reason {
        TerminalReason::WallTimeout => (TaskEntryKind::Status, "It has worked for too long"),
        TerminalReason::IdleTimeout => (TaskEntryKind::Status, "Nothing has happened for too long"),
        TerminalReason::Canceled
        | TerminalReason::CancelTimeout
        | TerminalReason::Shutdown
        | TerminalReason::Completed
        | TerminalReason::Failed => (TaskEntryKind::CancelRequested, "Told to stop"),
    };
    step(stored, kind, words, at);
}

/// It is called off before it had a turn.
pub(super) fn cancel(stored: &mut StoredTask, at: Timestamp) {
    end(stored, TerminalReason::Canceled, None, at);
}

/// It cannot begin.
pub(super) fn fail(stored: &mut StoredTask, error: String, at: Timestamp) {
    end(stored, TerminalReason::Failed, Some(error), at);
}

/// Its process died before its turn began: it waits again, unless it was to stop.
pub(crate) fn requeue_or_end(stored: &mut StoredTask, at: Timestamp) {
    if stored.task.stopping.is_some() {
        return cancel(stored, at);
    }
    stored.owner = None;
    stored.task.status = TaskStatus::Queued;
    stored.task.started_at = None;
    let words = "The process ended before the work began; the task waits again";
    step(stored, TaskEntryKind::Recovered, words, at);
}

/// Its turn has ended.
pub(super) fn end_with_turn(
    stored: &mut StoredTask,
    turn: &TurnRecord,
    ended: Ended,
    at: Timestamp,
) {
    let reason = reason(stored, turn.status, ended, at);
    let error = match reason {
        TerminalReason::Completed => None,
        TerminalReason::WallTimeout => Some(format!(
            "it worked for more than {} minutes",
            limits::TASK_WALL.as_secs() / 60
        )),
        TerminalReason::IdleTimeout => Some(format!(
            "nothing happened for {} seconds",
            limits::TASK_IDLE.as_secs()
        )),
        TerminalReason::Failed
        | TerminalReason::Canceled
        | TerminalReason::CancelTimeout
        | TerminalReason::Shutdown => turn.error.clone(),
    };
    let unknown = turn.outcome_unknown;
    let error = match error {
        Some(error) if unknown > 0 => Some(format!(
            "{error}; whether {unknown} of its calls happened is not known, look before you \
             start it again"
        )),
        error => error,
    };
    if ended == Ended::Recovered {
        let words = "The process ended while the task ran; it is not begun again";
        note(stored, TaskEntryKind::Recovered, words, at);
    }
    end(stored, reason, error, at);
}

fn reason(stored: &StoredTask, turn: TurnStatus, ended: Ended, at: Timestamp) -> TerminalReason {
    match turn {
        TurnStatus::Completed => return TerminalReason::Completed,
        TurnStatus::Failed => return TerminalReason::Failed,
        TurnStatus::Interrupted
        | TurnStatus::Canceled
        | TurnStatus::Queued
        | TurnStatus::InProgress => {}
    }
    let Some(stopping) = &stored.task.stopping else {
        return match ended {
            Ended::Here => TerminalReason::Canceled,
            Ended::ByShutdown => TerminalReason::Shutdown,
            Ended::Recovered => TerminalReason::Failed,
        };
    };
    let grace_ms = u64::try_from(limits::STOP_GRACE.as_millis()).unwrap_or(u64::MAX);
    match stopping.reason {
        TerminalReason::Canceled if at.ms_since(stopping.at) >= grace_ms => {
            TerminalReason::CancelTimeout
        }
        reason => reason,
    }
}

fn end(stored: &mut StoredTask, reason: TerminalReason, error: Option<String>, at: Timestamp) {
    let task = &mut stored.task;
    stored.owner = None;
    task.status = match reason {
        TerminalReason::Completed => TaskStatus::Completed,
        TerminalReason::Canceled | TerminalReason::CancelTimeout | TerminalReason::Shutdown => {
            TaskStatus::Canceled
        }
        TerminalReason::WallTimeout | TerminalReason::IdleTimeout | TerminalReason::Failed => {
            TaskStatus::Failed
        }
    };
    task.terminal_reason = Some(reason);
    task.ended_at = Some(at);
    task.duration_ms = Some(task.started_at.map_or(0, |started| at.ms_since(started)));
    if let Some(error) = &error {
        note(stored, TaskEntryKind::Error, error, at);
    }
    stored.task.error = error;
    let (kind, words) = match stored.task.status {
        TaskStatus::Canceled => (TaskEntryKind::Canceled, "Called off"),
        TaskStatus::Completed => (TaskEntryKind::Finished, "Completed"),
        TaskStatus::Failed | TaskStatus::Queued | TaskStatus::Running => {
            (TaskEntryKind::Finished, "Failed")
        }
    };
    step(stored, kind, words, at);
}

fn step(stored: &mut StoredTask, kind: TaskEntryKind, words: &str, at: Timestamp) {
    stored.task.lifecycle_seq += 1;
    note(stored, kind, words, at);
}

fn note(stored: &mut StoredTask, kind: TaskEntryKind, words: &str, at: Timestamp) {
    stored.task.timeline.push(TaskEntry::new(at, kind, words));
}
