//! What can be asked about automations.

use std::sync::Arc;

use codewhale_protocol::operations::{
    AutomationsCreate, AutomationsDelete, AutomationsGet, AutomationsList, AutomationsPatch,
    AutomationsPause, AutomationsResume, AutomationsRun, AutomationsRuns, Right,
};
use codewhale_protocol::runtime::{
    AUTOMATION_SCHEMA_VERSION, AutomationChange, AutomationId, AutomationParams, AutomationRecord,
    AutomationRunRecord, AutomationRunsParams, AutomationStatus, AutomationsCreateParams,
    AutomationsListParams, AutomationsPatchParams, Timestamp,
};
use codewhale_protocol::{Actor, Caller};
use codewhale_store::{BegunBy, Durability, Located, StoredAutomation};

use super::rule::wrong;
use super::{change, order};
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<AutomationsList> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        _: AutomationsListParams,
    ) -> Result<Vec<AutomationRecord>, Error> {
        let principal = caller.principal.clone();
        let listed = self.store.read_apart(move |reader| {
            let mut all = reader.automations(&principal, limits::AUTOMATIONS_LISTED_MAX)?;
            for stored in &mut all {
                stored.record.last_run_at = last_run_at(
                    &reader.automation_runs(&stored.record.id, limits::AUTOMATION_RUNS_LISTED)?,
                );
            }
            Ok(all)
        });
        Ok(listed.await?.into_iter().map(|it| it.record).collect())
    }
}

impl Handler<AutomationsCreate> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationsCreateParams,
    ) -> Result<AutomationRecord, Error> {
        self.create_automation(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: AutomationsCreateParams,
        once: Once,
    ) -> Result<AutomationRecord, Error> {
        self.create_automation(caller, params, Some(once)).await
    }
}

impl Core {
    async fn create_automation(
        &self,
        caller: &Caller,
        params: AutomationsCreateParams,
        once: Option<Once>,
    ) -> Result<AutomationRecord, Error> {
        let now = self.env.now();
        let record = AutomationRecord {
            schema_version: AUTOMATION_SCHEMA_VERSION,
            id: AutomationId::new(self.env.uuid()),
            name: params.name,
            prompt: params.prompt,
            rrule: params.rrule,
            rrule_since: None,
            cwds: params.cwds,
            mode: params.mode,
            allow_shell: params.allow_shell,
            trust_mode: params.trust_mode,
            auto_approve: params.auto_approve,
            delivery_mode: params.delivery_mode,
            missed_runs: params.missed_runs,
            status: params.status.unwrap_or(AutomationStatus::Active),
            created_at: now,
            updated_at: now,
            next_run_at: None,
            last_run_at: None,
            created_by: Actor::from(caller),
        };
        let mut stored = self.checked(caller, record).await?;
        self.set_clock(&mut stored.record, now)?;
        let mut batch = self.store.batch(Durability::Synced);
        let (what, by) = (AutomationChange::Created, self.caller_stamp(caller));
        change(&mut batch, &mut stored, what, &by, now);
        if let Some(once) = once {
            once.settle(self, &mut batch, &stored.record);
        }
        self.store.commit(batch).await?;
        Ok(stored.record)
    }
}

impl Handler<AutomationsGet> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationParams,
    ) -> Result<AutomationRecord, Error> {
        let stored = self.automation(caller, Right::ReadThread, &params.automation_id)?;
        self.with_last_run(stored)
    }
}

impl Handler<AutomationsPatch> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationsPatchParams,
    ) -> Result<AutomationRecord, Error> {
        let known = self.automation(caller, Right::Run, &params.automation_id)?;
        let now = self.env.now();
        let old = known.record;
        let rrule_since = params.rrule.as_ref().map(|_| now).or(old.rrule_since);
        let is_moved = params.rrule.is_some() || params.status.is_some();
        let record = AutomationRecord {
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
        };
        // It runs in the name of whoever made it; who changes it must be allowed as much.
        let checked = self.checked(caller, record).await?;
        let mut stored = StoredAutomation {
            principal: known.principal,
            version: known.version,
            ..checked
        };
        if is_moved {
            self.set_clock(&mut stored.record, now)?;
        }
        self.write_automation(caller, &mut stored, AutomationChange::Updated, now)
            .await?;
        self.with_last_run(stored)
    }
}

impl Handler<AutomationsPause> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationParams,
    ) -> Result<AutomationRecord, Error> {
        self.set_status(caller, &params.automation_id, AutomationStatus::Paused)
            .await
    }
}

impl Handler<AutomationsResume> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationParams,
    ) -> Result<AutomationRecord, Error> {
        self.set_status(caller, &params.automation_id, AutomationStatus::Active)
            .await
    }
}

impl Handler<AutomationsDelete> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationParams,
    ) -> Result<AutomationRecord, Error> {
        let mut stored = self.automation(caller, Right::Run, &params.automation_id)?;
        let shown = self.with_last_run(stored.clone())?;
        let now = self.env.now();
        self.write_automation(caller, &mut stored, AutomationChange::Deleted, now)
            .await?;
        Ok(shown)
    }
}

impl Handler<AutomationsRun> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationParams,
    ) -> Result<AutomationRunRecord, Error> {
        let stored = self.automation(caller, Right::Run, &params.automation_id)?;
        let mut batch = self.store.batch(Durability::Synced);
        let by = self.caller_stamp(caller);
        let slot = (self.env.now(), BegunBy::Person);
        let id = self.begin_run(&mut batch, &stored, slot, &by).await?;
        self.store.commit(batch).await?;
        self.queue.stir();
        let limit = limits::AUTOMATION_RUNS_LISTED;
        let runs = self
            .store
            .read(|reader| reader.automation_runs(&stored.record.id, limit))?;
        let run = runs.into_iter().find(|run| run.id == id);
        run.ok_or(Error::NotFound { what: "run" })
    }
}

impl Handler<AutomationsRuns> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationRunsParams,
    ) -> Result<Vec<AutomationRunRecord>, Error> {
        let stored = self.automation(caller, Right::ReadThread, &params.automation_id)?;
        let limit = params.limit.unwrap_or(limits::AUTOMATION_RUNS_LISTED);
        let limit = limit.clamp(1, limits::LIST_MAX);
        let runs = self
            .store
            .read_apart(move |reader| reader.automation_runs(&stored.record.id, limit));
        Ok(runs.await?)
    }
}

impl Core {
    /// The automation, if the caller has the right to it.
    fn automation(
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
    async fn checked(
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
    fn set_clock(&self, record: &mut AutomationRecord, now: Timestamp) -> Result<(), Error> {
        let next = self.next_of(record, now, now)?;
        if next.is_none() && record.status == AutomationStatus::Active {
            return Err(wrong("no moment of it is still ahead"));
        }
        record.next_run_at = next.filter(|_| record.status == AutomationStatus::Active);
        Ok(())
    }

    async fn set_status(
        &self,
        caller: &Caller,
        id: &AutomationId,
        status: AutomationStatus,
    ) -> Result<AutomationRecord, Error> {
        let mut stored = self.automation(caller, Right::Run, id)?;
        if stored.record.status != status {
            let now = self.env.now();
            stored.record.status = status;
            stored.record.updated_at = now;
            self.set_clock(&mut stored.record, now)?;
            self.write_automation(caller, &mut stored, AutomationChange::Updated, now)
                .await?;
        }
        self.with_last_run(stored)
    }

    async fn write_automation(
        &self,
        caller: &Caller,
        stored: &mut StoredAutomation,
        what: AutomationChange,
        at: Timestamp,
    ) -> Result<(), Error> {
        let mut batch = self.store.batch(Durability::Synced);
        change(&mut batch, stored, what, &self.caller_stamp(caller), at);
        self.store.commit(batch).await?;
        Ok(())
    }

    fn with_last_run(&self, stored: StoredAutomation) -> Result<AutomationRecord, Error> {
        let mut record = stored.record;
        let limit = limits::AUTOMATION_RUNS_LISTED;
        let runs = self
            .store
            .read(|reader| reader.automation_runs(&record.id, limit))?;
        record.last_run_at = last_run_at(&runs);
        Ok(record)
    }
}

fn last_run_at(runs: &[AutomationRunRecord]) -> Option<Timestamp> {
    runs.iter().filter_map(|run| run.ended_at).max()
}
