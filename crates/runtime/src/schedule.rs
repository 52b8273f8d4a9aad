//! Automations: the clock puts prompts into the queue of background tasks.
//!
//! The moment that is due next stands in the automation's row. One commit writes the run with its
//! slot, queues the task and moves the row on to the next moment, and it relies on the row being as
//! it was read. So each slot has one run, whatever clocks do, processes die or how many there are.

mod calendar;
mod change;
mod cron;
mod members;
#[cfg(test)]
mod properties;
mod rule;
mod serve;

use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::runtime::{
    AutomationChange, AutomationNews, AutomationRecord, AutomationRunId, AutomationRunRecord,
    AutomationStatus, Event, MissedRuns, StreamId, TasksCreateParams, Timestamp,
};
use codewhale_protocol::{Actor, ActorKind, Caller, Scopes, Surface};
use codewhale_store::{
    About, Batch, BegunBy, Durability, Guard, NewRun, Stamp, StoredAutomation, StoredTask,
};

use crate::runtime::Core;
use crate::tasks::guarded;
use crate::{Error, limits, queue};
use rule::{Anchor, Rule};

impl Core {
    /// Begins what is due, until the runtime stops.
    pub(crate) async fn keep_schedule(self: Arc<Self>) {
        let mut changes = self.queue.watch();
        loop {
            let wait = match guarded(self.begin_due()).await {
                Ok(()) => self.until_due(),
                Err(error) => {
                    tracing::warn!(%error, "what is due could not be begun; it is tried again");
                    limits::SCHEDULE_TICK
                }
            };
            tokio::select! {
                biased;
                () = self.tasks.stop().cancelled() => return,
                () = tokio::time::sleep(wait) => {}
                () = changes.changed() => {}
            }
        }
    }

    /// How long to wait for what is due next. Clocks are set and other processes make automations, so
    /// it is never long.
    fn until_due(&self) -> Duration {
        let next = self.store.read(|reader| reader.next_due());
        let wait = match next {
            Ok(Some(next)) => Duration::from_millis(next.ms_since(self.env.now())),
            Ok(None) | Err(_) => limits::SCHEDULE_TICK,
        };
        wait.clamp(limits::SCHEDULE_REST, limits::SCHEDULE_TICK)
    }

    async fn begin_due(&self) -> Result<(), Error> {
        loop {
            let now = self.env.now();
            let due = self
                .store
                .read(|reader| reader.due_automations(now, limits::DUE_AT_ONCE))?;
            if due.is_empty() {
                return Ok(());
            }
            for stored in due {
                self.begin_one(stored, now).await?;
            }
        }
    }

    /// Begins the run of a moment that has come, and moves on to the next.
    async fn begin_one(&self, mut stored: StoredAutomation, now: Timestamp) -> Result<(), Error> {
        let Some(slot) = stored.record.next_run_at else {
            return Ok(());
        };
        let by = self.system_stamp("scheduler");
        let mut batch = self.store.batch(Durability::Synced);
        let late = now.ms_since(slot) > limits::SLOT_LATE_MS;
        // A clock that was set back can name a moment again that had its run.
        let id = &stored.record.id;
        let is_taken = self.store.read(|reader| reader.has_slot(id, slot))?;
        let is_kept = !is_taken && (!late || stored.record.missed_runs == MissedRuns::RunOnce);
        if is_kept {
            self.begin_run(&mut batch, &stored, (slot, BegunBy::Clock), &by)
                .await?;
        }
        self.move_on(&mut stored, slot, now);
        change(&mut batch, &mut stored, AutomationChange::Due, &by, now);
        match self.store.commit(batch).await {
            Ok(_) => {
                self.queue.stir();
                Ok(())
            }
            // Another process was faster, or someone changed it.
            Err(codewhale_store::Error::Guard(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Queues a task for an automation and writes its run down.
    async fn begin_run(
        &self,
        batch: &mut Batch,
        stored: &StoredAutomation,
        (slot, begun_by): (Timestamp, BegunBy),
        by: &Arc<Stamp>,
    ) -> Result<AutomationRunRecord, Error> {
        let automation = stored.record.id.clone();
        if begun_by == BegunBy::Clock {
            batch.guard(Guard::SlotFree {
                automation: automation.clone(),
                slot,
            });
        }
        let at = self.env.now();
        let task = match guarded(self.task_of(stored)).await {
            Ok(task) => {
                queue::write(batch, &task, by, at);
                Ok(task.task.id)
            }
            Err(error @ (Error::Store(_) | Error::Closing | Error::Contended)) => {
                return Err(error);
            }
            Err(error) => Err(error.to_string()),
        };
        let run = NewRun {
            id: AutomationRunId::new(self.env.uuid()),
            automation,
            slot,
            by: begun_by,
            task,
            at,
        };
        let record = run.record();
        batch.put_automation_run(run);
        Ok(record)
    }

    /// The task of a run. What it may do was allowed when the automation was made or changed.
    async fn task_of(&self, stored: &StoredAutomation) -> Result<StoredTask, Error> {
        let caller = Caller {
            principal: stored.principal.clone(),
            scopes: Scopes::ALL,
            token_id: None,
            device_id: None,
            surface: Surface::Scheduler,
            on_behalf_of: None,
        };
        let record = &stored.record;
        let automation = Some(record.id.clone());
        let mut task = self.new_task(&caller, order(record), automation).await?;
        task.task.created_by = Actor {
            kind: ActorKind::Automation,
            id: record.id.to_string(),
            agent: None,
            surface: Surface::Scheduler,
        };
        Ok(task)
    }

    /// Moves an automation on behind a moment that has come: to the first one that is still ahead.
    fn move_on(&self, stored: &mut StoredAutomation, slot: Timestamp, now: Timestamp) {
        let record = &mut stored.record;
        let next = self.next_of(record, slot, slot.max(now));
        record.next_run_at = next.unwrap_or_else(|error| {
            tracing::warn!(%error, automation = %record.id, "an automation has lost its schedule");
            None
        });
        if record.next_run_at.is_none() {
            record.status = AutomationStatus::Paused;
        }
    }

    /// The first moment of an automation behind another one.
    fn next_of(
        &self,
        record: &AutomationRecord,
        last: Timestamp,
        after: Timestamp,
    ) -> Result<Option<Timestamp>, Error> {
        let rule = Rule::parse(&record.rrule, &self.time_zone)?;
        let made = record.created_at;
        let anchor = Anchor {
            made,
            ruled: record.rrule_since.unwrap_or(made),
            last,
        };
        Ok(rule.next(anchor, after, &self.time_zone))
    }
}

/// What the agent is asked, and how it may work.
fn order(record: &AutomationRecord) -> TasksCreateParams {
    TasksCreateParams {
        prompt: record.prompt.clone(),
        model: None,
        workspace: record.cwds.first().cloned(),
        mode: record.mode.clone(),
        allow_shell: Some(record.allow_shell.unwrap_or(false)),
        trust_mode: Some(record.trust_mode.unwrap_or(false)),
        auto_approve: Some(record.auto_approve.unwrap_or(false)),
        owner_session_id: None,
    }
}

/// Writes an automation that has changed since it was read.
fn change(
    batch: &mut Batch,
    stored: &mut StoredAutomation,
    what: AutomationChange,
    by: &Arc<Stamp>,
    at: Timestamp,
) {
    batch.guard(Guard::AutomationAt {
        automation: stored.record.id.clone(),
        version: stored.version,
    });
    stored.version += 1;
    match what {
        AutomationChange::Deleted => batch.drop_automation(&stored.record.id),
        AutomationChange::Created | AutomationChange::Updated | AutomationChange::Due => {
            batch.put_automation(stored);
        }
    }
    let stream = StreamId::Automation(stored.record.id.clone());
    let about = About {
        stream: &stream,
        turn_id: None,
        item_id: None,
        at,
        by,
    };
    let news = AutomationNews {
        automation: stored.record.clone(),
        change: what,
    };
    batch.event(about, &Event::AutomationUpdated(news));
}
