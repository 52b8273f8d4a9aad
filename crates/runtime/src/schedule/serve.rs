//! What can be asked about automations.

use std::sync::Arc;

use codewhale_protocol::operations::{
    AutomationsCreate, AutomationsDelete, AutomationsGet, AutomationsList, AutomationsPatch,
    AutomationsPause, AutomationsResume, AutomationsRun, AutomationsRuns, Right,
};
use codewhale_protocol::runtime::{
    AUTOMATION_SCHEMA_VERSION, AutomationChange, AutomationId, AutomationParams, AutomationRecord,
    AutomationRunRecord, AutomationRunsParams, AutomationStatus, AutomationsCreateParams,
    AutomationsListParams, AutomationsPatchParams,
};
use codewhale_protocol::{Actor, Caller};
use codewhale_store::{BegunBy, Durability, Guard, StoredAutomation};

use super::change;
use super::change::{last_run_at, patched};
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
        self.queue.stir();
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
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let known = self.automation(caller, Right::Run, &params.automation_id)?;
            let now = self.env.now();
            let is_moved = params.rrule.is_some() || params.status.is_some();
            let record = patched(known.record, params.clone(), now);
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
            let what = AutomationChange::Updated;
            if self.is_written(caller, &mut stored, what, now).await? {
                return self.with_last_run(stored);
            }
        }
        Err(Error::Contended)
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
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let mut stored = self.automation(caller, Right::Run, &params.automation_id)?;
            let shown = self.with_last_run(stored.clone())?;
            let (what, now) = (AutomationChange::Deleted, self.env.now());
            if self.is_written(caller, &mut stored, what, now).await? {
                return Ok(shown);
            }
        }
        Err(Error::Contended)
    }
}

impl Handler<AutomationsRun> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AutomationParams,
    ) -> Result<AutomationRunRecord, Error> {
        self.run_automation(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: AutomationParams,
        once: Once,
    ) -> Result<AutomationRunRecord, Error> {
        self.run_automation(caller, params, Some(once)).await
    }
}

impl Core {
    async fn run_automation(
        &self,
        caller: &Caller,
        params: AutomationParams,
        once: Option<Once>,
    ) -> Result<AutomationRunRecord, Error> {
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let stored = self.automation(caller, Right::Run, &params.automation_id)?;
            let mut batch = self.store.batch(Durability::Synced);
            // One that is being taken away gets no run any more.
            batch.guard(Guard::AutomationAt {
                automation: stored.record.id.clone(),
                version: stored.version,
            });
            let by = self.caller_stamp(caller);
            let slot = (self.env.now(), BegunBy::Person);
            let run = self.begin_run(&mut batch, &stored, slot, &by).await?;
            if let Some(once) = &once {
                once.settle(self, &mut batch, &run);
            }
            match self.store.commit(batch).await {
                Ok(_) => {
                    self.queue.stir();
                    return Ok(run);
                }
                Err(codewhale_store::Error::Guard(Guard::AutomationAt { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
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
