//! The queue of background tasks, shared by all processes of a home.
//!
//! ```text
//!   tasks/create ──► queued ──► running ──► completed, failed, canceled
//!                      ▲          │ a worker of some process has claimed it:
//!                      │          │ a thread of its own, one turn there
//!                      └──────────┘ that process died before the turn began
//! ```
//!
//! A task changes only in a commit that builds on what it was before (`Guard::TaskAt`), and its
//! turn begins and ends in the same commit as the task does. So no two processes run one task, and
//! one whose turn has begun is never begun again.

mod change;
mod serve;
mod show;
mod story;
mod worker;

use std::sync::Arc;

use codewhale_protocol::runtime::{
    DeliveryMode, Event, StreamId, TaskId, TaskNews, TaskSummary, ThreadRecord, Timestamp, TurnId,
    TurnRecord, TurnStatus,
};
use codewhale_store::{About, Batch, Guard, Stamp, StoredTask, Watch, Watched};

use crate::runtime::Core;
use crate::{Error, limits};

pub(crate) use change::{Ended, requeue_or_end};

/// Wakes those who wait for something to change in the queue.
pub(crate) struct Queue {
    changes: Watched<()>,
    /// How many tasks this process runs at once.
    pub(crate) workers: usize,
}

impl Queue {
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            changes: Watched::default(),
            workers: workers.min(limits::WORKERS_MAX),
        }
    }

    /// Something has changed here.
    pub(crate) fn stir(&self) {
        self.changes.stir();
    }

    pub(crate) fn watch(&self) -> Watch<()> {
        self.changes.watch()
    }
}

impl Core {
    /// The task that is about to get its turn here.
    pub(crate) fn task_to_begin(&self, id: &TaskId) -> Result<StoredTask, Error> {
        let stored = self.store.read(|reader| reader.task(id))?;
        let ours = |stored: &StoredTask| {
            stored.owner.as_ref() == Some(self.store.owner())
                && stored.task.stopping.is_none()
                && stored.task.turn_id.is_none()
        };
        stored.filter(ours).ok_or(Error::TaskGone)
    }

    /// Takes the run of a watcher away that has nothing to report.
    fn forget_quiet_run(
        &self,
        batch: &mut Batch,
        stored: &StoredTask,
    ) -> Result<(), codewhale_store::Error> {
        let Some(id) = &stored.task.automation_id else {
            return Ok(());
        };
        let automation = self.store.read(|reader| reader.automation(id))?;
        let mode = automation.and_then(|it| it.record.delivery_mode);
        if mode == Some(DeliveryMode::Watcher) {
            batch.drop_automation_run(&stored.task.id);
        }
        Ok(())
    }

    /// Ends the task of a turn together with the turn.
    pub(crate) fn end_task_with(
        &self,
        batch: &mut Batch,
        thread: &ThreadRecord,
        (turn, said): (&TurnRecord, Option<&str>),
        by: &Arc<Stamp>,
    ) -> Result<(), codewhale_store::Error> {
        if thread.task_id.is_none() || thread.parent_id.is_some() {
            return Ok(());
        }
        let Some(stored) = self.store.read(|reader| reader.task_of_turn(&turn.id))? else {
            return Ok(());
        };
        let ended = match self.tasks.stop().is_cancelled() {
            true => Ended::ByShutdown,
            false => Ended::Here,
        };
        let at = turn.ended_at.unwrap_or_else(|| self.env.now());
        if turn.status == TurnStatus::Completed && said == Some(NOTHING_TO_REPORT) {
            self.forget_quiet_run(batch, &stored)?;
        }
        end_with_turn(batch, stored, turn, ended, (by, at));
        Ok(())
    }
}

/// What an agent says whose run is not worth a line.
const NOTHING_TO_REPORT: &str = "NOTHING_TO_REPORT";

/// Ends a task together with its turn.
pub(crate) fn end_with_turn(
    batch: &mut Batch,
    mut stored: StoredTask,
    turn: &TurnRecord,
    ended: Ended,
    (by, at): (&Arc<Stamp>, Timestamp),
) {
    if stored.task.status.is_terminal() {
        return;
    }
    change::end_with_turn(&mut stored, turn, ended, at);
    write(batch, &stored, by, at);
}

/// Notes the turn of a task, in the commit that begins it.
pub(crate) fn link(
    batch: &mut Batch,
    stored: &StoredTask,
    turn: &TurnId,
    (by, at): (&Arc<Stamp>, Timestamp),
) {
    let mut stored = stored.clone();
    change::link(&mut stored, turn, at);
    write(batch, &stored, by, at);
}

/// Writes a task that has changed once since it was read.
pub(crate) fn write(batch: &mut Batch, stored: &StoredTask, by: &Arc<Stamp>, at: Timestamp) {
    let task = &stored.task;
    batch.guard(Guard::TaskAt {
        task: task.id.clone(),
        lifecycle_seq: task.lifecycle_seq - 1,
    });
    batch.put_task(stored);
    let news = TaskNews {
        task: TaskSummary::from(task),
    };
    let event = match task.lifecycle_seq {
        1 => Event::TaskCreated(news),
        _ => Event::TaskUpdated(news),
    };
    let stream = StreamId::Task(task.id.clone());
    let about = About {
        stream: &stream,
        turn_id: None,
        item_id: None,
        at,
        by,
    };
    batch.event(about, &event);
}
