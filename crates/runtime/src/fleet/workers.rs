//! What can be asked about workers.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{
    FleetInterruptWorker, FleetRestartWorker, FleetStopWorker, FleetWorker, FleetWorkers, Right,
};
use codewhale_protocol::runtime::{
    self, FleetInspection, FleetRestarted, FleetRunParams, FleetWorkerActed, FleetWorkerParams,
};

use super::change::Edit;
use super::show;
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<FleetWorkers> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetRunParams,
    ) -> Result<runtime::FleetWorkers, Error> {
        let fleet = self.fleet_named(caller, Right::ReadThread, &params.run_id)?;
        let now = self.env.now();
        let seen = (0..fleet.seats.len()).map(|place| show::inspection(&fleet, place, now));
        Ok(runtime::FleetWorkers {
            run_id: params.run_id,
            workers: seen.collect(),
        })
    }
}

impl Handler<FleetWorker> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetWorkerParams,
    ) -> Result<FleetInspection, Error> {
        let worker = &params.worker_id;
        let (fleet, place) = self.fleet_of_worker(caller, Right::ReadThread, worker)?;
        Ok(show::inspection(&fleet, place, self.env.now()))
    }
}

impl Handler<FleetInterruptWorker> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetWorkerParams,
    ) -> Result<FleetWorkerActed, Error> {
        self.call_off_worker(caller, &params.worker_id, "interrupt")
            .await
    }
}

impl Handler<FleetStopWorker> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetWorkerParams,
    ) -> Result<FleetWorkerActed, Error> {
        self.call_off_worker(caller, &params.worker_id, "stop")
            .await
    }
}

impl Core {
    /// Calls off the task that a worker has.
    async fn call_off_worker(
        &self,
        caller: &Caller,
        worker: &str,
        action: &str,
    ) -> Result<FleetWorkerActed, Error> {
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let (fleet, seat) = self.fleet_of_worker(caller, Right::Run, worker)?;
            let mut tasks = fleet.tasks.iter();
            let Some(place) = tasks.position(|task| task.leased_to.as_deref() == Some(worker))
            else {
                let message = "the worker has no task that runs; it may have ended already";
                return Err(Error::Invalid(message.into()));
            };
            let now = self.env.now();
            let mut edit = Edit::new(fleet, now);
            edit.cancel(place);
            let acted = self.commit_fleet(edit, caller, None, |fleet| FleetWorkerActed {
                action: action.to_owned(),
                worker: show::inspection(fleet, seat, now),
            });
            if let Some(acted) = acted.await? {
                return Ok(acted);
            }
        }
        Err(Error::Contended)
    }
}

impl Handler<FleetRestartWorker> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetWorkerParams,
    ) -> Result<FleetRestarted, Error> {
        restart(self, caller, &params.worker_id, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: FleetWorkerParams,
        once: Once,
    ) -> Result<FleetRestarted, Error> {
        restart(self, caller, &params.worker_id, Some(once)).await
    }
}

async fn restart(
    core: &Arc<Core>,
    caller: &Caller,
    worker: &str,
    once: Option<Once>,
) -> Result<FleetRestarted, Error> {
    for _ in 0..limits::CHANGE_ATTEMPTS {
        let (fleet, seat) = core.fleet_of_worker(caller, Right::Run, worker)?;
        let (run_id, now) = (fleet.stored.run.id.clone(), core.env.now());
        let mut edit = Edit::new(fleet, now);
        core.take_fleet(&mut edit)?;
        if edit.restart(seat).is_none() {
            let message = "the worker has had no task that it could do again";
            return Err(Error::Invalid(message.into()));
        }
        let done = core.commit_fleet(edit, caller, once.as_ref(), |fleet| FleetRestarted {
            action: "restart".to_owned(),
            execution: "scheduled".to_owned(),
            run_id: run_id.clone(),
            worker: show::inspection(fleet, seat, now),
        });
        if let Some(restarted) = done.await? {
            if core.is_driver(&run_id)? {
                core.begin_driving(&run_id);
            }
            return Ok(restarted);
        }
    }
    Err(Error::Contended)
}
