//! Fleets: independent tasks under one run, each done by a worker process of its own.
//!
//! ```text
//!   fleet/create ──► pending ──► running ──► completed, failed, cancelled
//!                     start │     ▲   │ its process ended, in order or not
//!                           └─────┤   ▼
//!                           start └─ paused
//! ```
//!
//! One process drives a run, by the same proof of life as for turns. Its driver is the one task that
//! gives tasks to workers and writes down what they say; people change the run beside it. Every change
//! is a commit that relies on the version of the run it has seen, and what is said about an attempt
//! counts only while that attempt is the latest. So no task is lost, and none ends twice.

mod attempt;
mod change;
mod drive;
mod files;
mod follow;
mod judge;
mod lines;
mod order;
mod program;
mod receipts;
mod recover;
mod seam;
mod serve;
mod show;
mod validate;
mod workers;
mod worktree;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use codewhale_protocol::Caller;
use codewhale_protocol::operations::Right;
use codewhale_protocol::runtime::FleetRunId;
use codewhale_store::{Located, StoredFleet, Watch, Watched};

use crate::Error;
use crate::runtime::Core;

pub use program::FleetProgram;
pub use seam::{FleetWorkers, WorkEnd, WorkOrder};

/// How fleets are run.
#[derive(Clone)]
pub struct FleetSettings {
    /// Who does the work.
    pub workers: Arc<dyn FleetWorkers>,
    /// Where worktrees are made and what workers leave is kept; nowhere without.
    pub directory: Option<PathBuf>,
}

/// The runs that this process drives, and what wakes their drivers.
pub(crate) struct Fleets {
    pub(crate) settings: Option<FleetSettings>,
    changes: Watched<()>,
    driven: Mutex<BTreeSet<FleetRunId>>,
}

impl Fleets {
    pub(crate) fn new(settings: Option<FleetSettings>) -> Self {
        Self {
            settings,
            changes: Watched::default(),
            driven: Mutex::default(),
        }
    }

    /// Something has changed here.
    pub(crate) fn stir(&self) {
        self.changes.stir();
    }

    fn watch(&self) -> Watch<()> {
        self.changes.watch()
    }

    /// Whether it is now that this process begins to drive the run.
    fn take_up(&self, run: &FleetRunId) -> bool {
        let mut driven = self
            .driven
            .lock()
            .expect("nothing panics while it holds it");
        driven.insert(run.clone())
    }

    fn put_down(&self, run: &FleetRunId) {
        let mut driven = self
            .driven
            .lock()
            .expect("nothing panics while it holds it");
        driven.remove(run);
    }
}

impl Core {
    /// A run that the caller has the right to. What they may not see does not exist.
    fn fleet_named(
        &self,
        caller: &Caller,
        right: Right,
        id: &FleetRunId,
    ) -> Result<StoredFleet, Error> {
        const UNKNOWN: Error = Error::NotFound { what: "fleet run" };
        let fleet = self.store.read(|reader| reader.fleet(id))?;
        let fleet = fleet.ok_or(UNKNOWN)?;
        let located = Located::Room(&fleet.stored.room);
        match self.require_right(caller, right, located) {
            Ok(()) => Ok(fleet),
            Err(Error::NotFound { .. }) => Err(UNKNOWN),
            Err(error) => Err(error),
        }
    }

    /// The run of a worker, and its place there.
    fn fleet_of_worker(
        &self,
        caller: &Caller,
        right: Right,
        worker: &str,
    ) -> Result<(StoredFleet, usize), Error> {
        const UNKNOWN: Error = Error::NotFound { what: "worker" };
        let run = self.store.read(|reader| reader.fleet_of_worker(worker))?;
        let fleet = match self.fleet_named(caller, right, &run.ok_or(UNKNOWN)?) {
            Ok(fleet) => fleet,
            Err(Error::NotFound { .. }) => return Err(UNKNOWN),
            Err(error) => return Err(error),
        };
        let place = fleet.seats.iter().position(|seat| seat.spec.id == worker);
        place.map(|place| (fleet, place)).ok_or(UNKNOWN)
    }
}
