//! Work that waits or goes on by itself: tasks, automations, fleets, and errands between processes.

use codewhale_protocol::runtime::{
    AutomationId, AutomationRunRecord, ErrandId, FleetRunId, OwnerId, PrincipalId, TaskCounts,
    TaskId, TaskSummary, Timestamp, TurnId,
};
use serde::de::DeserializeOwned;

use super::Reader;
use crate::tables::{automations, errands, fleets, tasks};
use crate::{Error, StoredAutomation, StoredFleet, StoredFleetRun, StoredTask, TaskQuery};

impl Reader<'_> {
    /// A background task.
    pub fn task(&self, id: &TaskId) -> Result<Option<StoredTask>, Error> {
        Ok(tasks::get(self.connection, id)?)
    }

    /// The background task that a turn is for.
    pub fn task_of_turn(&self, turn: &TurnId) -> Result<Option<StoredTask>, Error> {
        Ok(tasks::of_turn(self.connection, turn)?)
    }

    /// The background task that has waited longest.
    pub fn next_task(&self) -> Result<Option<StoredTask>, Error> {
        Ok(tasks::next(self.connection)?)
    }

    /// All background tasks that run, wherever.
    pub fn running_tasks(&self) -> Result<Vec<StoredTask>, Error> {
        Ok(tasks::running(self.connection)?)
    }

    /// Up to two background tasks that a principal may know of and whose ids start like this.
    pub fn tasks_named(
        &self,
        principal: &PrincipalId,
        start: &str,
    ) -> Result<Vec<StoredTask>, Error> {
        Ok(tasks::named(self.connection, principal, start)?)
    }

    /// Background tasks in lines, newest first.
    pub fn tasks(&self, query: &TaskQuery<'_>) -> Result<Vec<TaskSummary>, Error> {
        Ok(tasks::list(self.connection, query)?)
    }

    /// How many background tasks a principal may know of.
    pub fn task_counts(&self, principal: &PrincipalId) -> Result<TaskCounts, Error> {
        Ok(tasks::count(self.connection, principal)?)
    }

    /// A fleet run with everything that belongs to it.
    pub fn fleet(&self, id: &FleetRunId) -> Result<Option<StoredFleet>, Error> {
        let stored = fleets::get(self.connection, id)?;
        let whole = stored.map(|stored| fleets::whole(self.connection, stored));
        Ok(whole.transpose()?)
    }

    /// The fleet run of a worker.
    pub fn fleet_of_worker(&self, worker: &str) -> Result<Option<FleetRunId>, Error> {
        Ok(fleets::of_worker(self.connection, worker)?)
    }

    /// The fleet runs that a principal may know of, by their ids, with everything that belongs to
    /// them.
    pub fn fleets(&self, principal: &PrincipalId, limit: u64) -> Result<Vec<StoredFleet>, Error> {
        let all = fleets::visible(self.connection, principal, limit)?;
        let whole = all.into_iter().map(|it| fleets::whole(self.connection, it));
        Ok(whole.collect::<Result<_, _>>()?)
    }

    /// All fleet runs that a process drives, wherever.
    pub fn driven_fleets(&self) -> Result<Vec<StoredFleetRun>, Error> {
        Ok(fleets::driven(self.connection)?)
    }

    /// An automation.
    pub fn automation(&self, id: &AutomationId) -> Result<Option<StoredAutomation>, Error> {
        Ok(automations::get(self.connection, id)?)
    }

    /// The automations that a principal may see, the last changed first.
    pub fn automations(
        &self,
        principal: &PrincipalId,
        limit: u64,
    ) -> Result<Vec<StoredAutomation>, Error> {
        Ok(automations::visible(self.connection, principal, limit)?)
    }

    /// The automations whose moment has come, the longest due first.
    pub fn due_automations(
        &self,
        now: Timestamp,
        limit: u64,
    ) -> Result<Vec<StoredAutomation>, Error> {
        Ok(automations::due(self.connection, now, limit)?)
    }

    /// The first moment that is due for any automation.
    pub fn next_due(&self) -> Result<Option<Timestamp>, Error> {
        Ok(automations::next_due(self.connection)?)
    }

    /// Whether the clock has begun a run of an automation for this moment.
    pub fn has_slot(&self, id: &AutomationId, slot: Timestamp) -> Result<bool, Error> {
        Ok(automations::has_slot(self.connection, id, slot)?)
    }

    /// The newest runs of an automation.
    pub fn automation_runs(
        &self,
        id: &AutomationId,
        limit: u64,
    ) -> Result<Vec<AutomationRunRecord>, Error> {
        Ok(automations::runs(self.connection, id, limit)?)
    }

    /// Errands that wait for a process, the oldest first.
    pub fn errands<T: DeserializeOwned>(
        &self,
        to: &OwnerId,
        limit: u64,
    ) -> Result<Vec<(ErrandId, T)>, Error> {
        Ok(errands::open(self.connection, to, limit)?)
    }

    /// What came of an errand, once that is known.
    pub fn errand_answer<T: DeserializeOwned>(&self, id: &ErrandId) -> Result<Option<T>, Error> {
        Ok(errands::answered(self.connection, id)?)
    }
}
