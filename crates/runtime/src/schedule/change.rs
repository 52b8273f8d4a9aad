//! How automations are looked up, checked and changed.

use codewhale_protocol::Caller;
use codewhale_protocol::operations::Right;
use codewhale_protocol::runtime::{
    AutomationChange, AutomationId, AutomationRecord, AutomationRunRecord, AutomationStatus,
    AutomationsPatchParams, Timestamp,
};
use codewhale_store::{Durability, Located, StoredAutomation};

use super::rule::wrong;
use super::{change, order};
use crate::runtime::Core;
use crate::{Error, limits};

impl Core {
    /// The automation, if the caller has the right to it.
    pub(super) fn automation(
        &self,
        caller: &Caller,
        right: Right,
        id: &AutomationId,
    ) -> Result<StoredAutomation, Error> {
        const UNKNOWN: Error = Error::NotFound { what: "automation" };
        let stored = self.store.read(|reader| reader.automation(id))?;
        let stored = stored.ok_or(UNKNOWN)?;
        let allowed = self.require_right(caller, right, Located::Room(&stored.room));
        // What the caller may not see does not exist for them.
        allowed.map_err(|error| match error {
            Error::NotFound { .. } => UNKNOWN,
            other => other,
        })?;
        Ok(stored)
    }

    /// Sees that an automation could run, while someone is there to be told.
    pub(super) async fn checked(
        &self,
        caller: &Caller,
        mut record: AutomationRecord,
    ) -> Result<StoredAutomation, Error> {
        record.name = record.name.trim().to_owned();
        record.prompt = record.prompt.trim().to_owned();
        record.rrule = record.rrule.trim().to_uppercase();
        if record.name.is_empty() {
            let message = "the name is blank; say what the automation is called";
            return Err(Error::Invalid(message.into()));
        }
        let task = self.new_task(caller, order(&record), None).await?;
        Ok(StoredAutomation {
            record,
            room: task.room,
            principal: task.principal,
            version: 0,
        })
    }

    /// Finds the next moment of an automation, from now on.
    pub(super) fn set_clock(
        &self,
        record: &mut AutomationRecord,
        now: Timestamp,
    ) -> Result<(), Error> {
        let next = self.next_of(record, now, now)?;
        if next.is_none() && record.status == AutomationStatus::Active {
            return Err(wrong("no moment of it is still ahead"));
        }
        record.next_run_at = next.filter(|_| record.status == AutomationStatus::Active);
        Ok(())
    }

    pub(super) async fn set_status(
        &self,
        caller: &Caller,
        id: &AutomationId,
        status: AutomationStatus,
    ) -> Result<AutomationRecord, Error> {
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let mut stored = self.automation(caller, Right::Run, id)?;
            if stored.record.status == status {
                return self.with_last_run(stored);
            }
            let now = self.env.now();
            stored.record.status = status;
            stored.record.updated_at = now;
            self.set_clock(&mut stored.record, now)?;
            let what = AutomationChange::Updated;
            if self.is_written(caller, &mut stored, what, now).await? {
                return self.with_last_run(stored);
            }
        }
        Err(Error::Contended)
    }

    /// Writes an automation; not when someone else was faster, then it must be looked at again.
    pub(super) async fn is_written(
        &self,
        caller: &Caller,
        stored: &mut StoredAutomation,
        what: AutomationChange,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let mut batch = self.store.batch(Durability::Synced);
        change(&mut batch, stored, what, &self.caller_stamp(caller), at);
        match self.store.commit(batch).await {
            Ok(_) => {
                self.queue.stir();
                Ok(true)
            }
            Err(codewhale_store::Error::Guard(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn with_last_run(
        &self,
        stored: StoredAutomation,
    ) -> Result<AutomationRecord, Error> {
        let mut record = stored.record;
        let limit = limits::AUTOMATION_RUNS_LISTED;
        let runs = self
            .store
            .read(|reader| reader.automation_runs(&record.id, limit))?;
        record.last_run_at = last_run_at(&runs);
        Ok(record)
    }
}

/// The end of the last run that has ended.
pub(super) fn last_run_at(runs: &[AutomationRunRecord]) -> Option<Timestamp> {
    runs.iter().filter_map(|run| run.ended_at).max()
}

/// An automation with what a request changes of it.
pub(super) fn patched(
    old: AutomationRecord,
    params: AutomationsPatchParams,
    now: Timestamp,
) -> AutomationRecord {
    let rrule_since = params.rrule.as_ref().map(|_| now).or(old.rrule_since);
    AutomationRecord {
        name: params.name.unwrap_or(old.name),
        prompt: params.prompt.unwrap_or(old.prompt),
        rrule: params.rrule.unwrap_or(old.rrule),
        rrule_since,
        cwds: params.cwds.unwrap_or(old.cwds),
        mode: params.mode.or(old.mode),
        allow_shell: params.allow_shell.or(old.allow_shell),
        trust_mode: params.trust_mode.or(old.trust_mode),
        auto_approve: params.auto_approve.or(old.auto_approve),
        delivery_mode: params.delivery_mode.or(old.delivery_mode),
        missed_runs: params.missed_runs.unwrap_or(old.missed_runs),
        status: params.status.unwrap_or(old.status),
        updated_at: now,
        ..old
    }
}
