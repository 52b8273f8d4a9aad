//! What can be asked about runs.

use std::sync::Arc;

use codewhale_protocol::operations::{
    FleetCreate, FleetGet, FleetList, FleetStart, FleetStop, Right,
};
use codewhale_protocol::runtime::{
    FleetCreateParams, FleetCreated, FleetDetail, FleetLifecycle, FleetListParams, FleetRunCreated,
    FleetRunId, FleetRunParams, FleetRuns, FleetStartParams, FleetStarted, FleetStopped,
    FleetTaskStatus, FleetWorkflow,
};
use codewhale_protocol::{Actor, Caller, Scope};
use codewhale_store::{Durability, FleetRun, Located, StoredFleet, StoredFleetRun};

use super::change::{Abandoned, Edit};
use super::show;
use super::validate::{THIS_COMPUTER, patience, plan, seats};
use crate::gate::require_scope;
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::workspace::check_workspace;
use crate::{Error, limits};

impl Handler<FleetList> for Arc<Core> {
    async fn handle(&self, caller: &Caller, _: FleetListParams) -> Result<FleetRuns, Error> {
        let (principal, now) = (caller.principal.clone(), self.env.now());
        let runs = self.store.read_apart(move |reader| {
            let fleets = reader.fleets(&principal, limits::FLEETS_LISTED_MAX)?;
            Ok(FleetRuns {
                status: show::status(fleets.iter(), now),
                runs: fleets.iter().map(|it| show::summary(it, now)).collect(),
            })
        });
        Ok(runs.await?)
    }
}

impl Handler<FleetGet> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: FleetRunParams) -> Result<FleetDetail, Error> {
        let fleet = self.fleet_named(caller, Right::ReadThread, &params.run_id)?;
        Ok(show::detail(&fleet, self.env.now()))
    }
}

impl Handler<FleetCreate> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetCreateParams,
    ) -> Result<FleetCreated, Error> {
        self.create_fleet(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: FleetCreateParams,
        once: Once,
    ) -> Result<FleetCreated, Error> {
        self.create_fleet(caller, params, Some(once)).await
    }
}

impl Core {
    async fn create_fleet(
        &self,
        caller: &Caller,
        params: FleetCreateParams,
        once: Option<Once>,
    ) -> Result<FleetCreated, Error> {
        let plan = plan(&params, &self.child_environment)?;
        if plan.writes {
            // Workers that write answer their own questions with yes.
            require_scope(caller, Scope::Admin)?;
        }
        let workspace = match params.workspace.as_deref() {
            Some(workspace) => check_workspace(workspace)?,
            None => self.workspace.clone(),
        };
        let room = self.room_of_workspace(caller, &workspace).await?;
        self.require_right(caller, Right::Run, Located::Room(&room))?;
        let at = self.env.now();
        let id = FleetRunId::new(self.env.uuid());
        let workflow = FleetWorkflow {
            id: params.workflow.id,
            kind: params.workflow.kind,
        };
        let created = FleetRunCreated {
            target: THIS_COMPUTER.to_owned(),
            workflow: workflow.clone(),
            roles: plan.roles.iter().map(|role| role.name.clone()).collect(),
            task_count: plan.tasks.len() as u64,
            worker_count: plan.workers,
        };
        let run = FleetRun {
            id: id.clone(),
            name: plan.name,
            lifecycle: FleetLifecycle::Pending,
            target: THIS_COMPUTER.to_owned(),
            workflow,
            roles: plan.roles,
            labels: params.labels,
            workspace,
            stale_after_seconds: plan.stale_after_seconds,
            created_by: Actor::from(caller),
            created_at: at,
            updated_at: at,
            completed_at: None,
        };
        let fleet = StoredFleet {
            stored: StoredFleetRun {
                run,
                room,
                principal: caller.principal.clone(),
                owner: None,
                version: 0,
            },
            tasks: plan.tasks,
            seats: seats(&id, plan.workers),
        };
        let mut edit = Edit::new(fleet, at);
        edit.create(created);
        let mut warnings = plan.warnings;
        if plan.writes && self.is_unsaved(&edit.fleet.stored.run.workspace).await {
            let words = "the workspace has changes that are not committed; workers that write begin \
                         from its last commit and do not see them";
            warnings.push(words.to_owned());
        }
        let answer = |fleet: &StoredFleet| FleetCreated {
            execution: "awaiting_start".to_owned(),
            run: show::detail(fleet, at),
            warnings: warnings.clone(),
        };
        let committed = self
            .commit_fleet(edit, caller, once.as_ref(), answer)
            .await?;
        committed.ok_or(Error::Contended)
    }

    /// Whether a workspace has changes that its repository does not.
    async fn is_unsaved(&self, workspace: &str) -> bool {
        let looks = self.look_at(std::iter::once(workspace)).await;
        looks.get(workspace).is_some_and(|look| look.dirty)
    }

    /// Writes a change of a run and the answer to whoever wanted it; `None` when someone else was
    /// faster.
    pub(super) async fn commit_fleet<T: serde::Serialize>(
        &self,
        edit: Edit,
        caller: &Caller,
        once: Option<&Once>,
        answer: impl FnOnce(&StoredFleet) -> T,
    ) -> Result<Option<T>, Error> {
        let mut batch = self.store.batch(Durability::Synced);
        let fleet = edit.write(&mut batch, &self.caller_stamp(caller));
        let answer = answer(&fleet);
        if let Some(once) = once {
            once.settle(self, &mut batch, &answer);
        }
        match self.store.commit(batch).await {
            Ok(_) => {
                self.fleets.stir();
                Ok(Some(answer))
            }
            Err(codewhale_store::Error::Guard(guard)) => match guard {
                codewhale_store::Guard::FleetRunAt { .. } => Ok(None),
                guard => Err(codewhale_store::Error::Guard(guard).into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a run that nobody drives, so that this process does.
    pub(super) fn take_fleet(&self, edit: &mut Edit) -> Result<(), Error> {
        if self.fleets.settings.is_none() {
            let message = "this process runs no workers; start the run through a server";
            return Err(Error::Unsupported(message.into()));
        }
        let owner = edit.fleet.stored.owner.clone();
        match owner {
            Some(owner) if self.store.is_alive(&owner) => Ok(()),
            // Its driver has just died: what that left comes first.
            Some(_) => {
                edit.pause(Abandoned::ByDeath);
                edit.take(self.store.owner());
                Ok(())
            }
            None => {
                edit.take(self.store.owner());
                Ok(())
            }
        }
    }
}

impl Handler<FleetStart> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetStartParams,
    ) -> Result<FleetStarted, Error> {
        start(self, caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: FleetStartParams,
        once: Once,
    ) -> Result<FleetStarted, Error> {
        start(self, caller, params, Some(once)).await
    }
}

async fn start(
    core: &Arc<Core>,
    caller: &Caller,
    params: FleetStartParams,
    once: Option<Once>,
) -> Result<FleetStarted, Error> {
    for _ in 0..limits::CHANGE_ATTEMPTS {
        let fleet = core.fleet_named(caller, Right::Run, &params.run_id)?;
        let lifecycle = fleet.stored.run.lifecycle;
        if lifecycle.is_terminal() {
            return Err(Error::FleetEnded);
        }
        let mut edit = Edit::new(fleet, core.env.now());
        if params.stale_after_seconds.is_some() {
            let seconds = patience(params.stale_after_seconds)?;
            edit.fleet.stored.run.stale_after_seconds = seconds;
        }
        core.take_fleet(&mut edit)?;
        let done = core.commit_fleet(edit, caller, once.as_ref(), started);
        if let Some(started) = done.await? {
            if core.is_driver(&params.run_id)? {
                core.begin_driving(&params.run_id);
            }
            return Ok(started);
        }
    }
    Err(Error::Contended)
}

impl Core {
    /// Whether this process is to drive a run.
    pub(super) fn is_driver(&self, run: &FleetRunId) -> Result<bool, Error> {
        let fleet = self.store.read(|reader| reader.fleet(run))?;
        let owner = fleet.and_then(|fleet| fleet.stored.owner);
        Ok(owner.as_ref() == Some(self.store.owner()))
    }
}

fn started(fleet: &StoredFleet) -> FleetStarted {
    let count = |status: FleetTaskStatus| {
        let tasks = fleet.tasks.iter().filter(|task| task.status == status);
        tasks.count() as u64
    };
    FleetStarted {
        action: "start".to_owned(),
        execution: "scheduled".to_owned(),
        run_id: fleet.stored.run.id.clone(),
        target: THIS_COMPUTER.to_owned(),
        leased: count(FleetTaskStatus::Leased),
        queued: count(FleetTaskStatus::Enqueued),
        worker_ids: fleet
            .seats
            .iter()
            .map(|seat| seat.spec.id.clone())
            .collect(),
    }
}

impl Handler<FleetStop> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: FleetRunParams) -> Result<FleetStopped, Error> {
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let fleet = self.fleet_named(caller, Right::Run, &params.run_id)?;
            let now = self.env.now();
            let open = fleet.tasks.iter().enumerate();
            let open = open.filter(|(_, task)| !task.status.is_terminal());
            let open: Vec<usize> = open.map(|(place, _)| place).collect();
            let stopped = open.len() as u64;
            let answer = |fleet: &StoredFleet| FleetStopped {
                action: "stop".to_owned(),
                run_id: params.run_id.clone(),
                stopped,
                status: show::status(std::iter::once(fleet), now),
            };
            if open.is_empty() {
                return Ok(answer(&fleet));
            }
            let mut edit = Edit::new(fleet, now);
            for place in open {
                edit.cancel(place);
            }
            if let Some(answer) = self.commit_fleet(edit, caller, None, answer).await? {
                return Ok(answer);
            }
        }
        Err(Error::Contended)
    }
}
