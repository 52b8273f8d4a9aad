//! A changed run on its way into the store.

use std::sync::Arc;

use codewhale_protocol::runtime::{
    Event, FleetLifecycle, FleetNews, FleetRunStatusChanged, FleetTaskStatus, StreamId,
};
use codewhale_store::{About, Batch, Guard, Stamp, StoredFleet};

use super::Edit;

impl Edit {
    /// Writes it all down.
    pub(in crate::fleet) fn write(mut self, batch: &mut Batch, by: &Arc<Stamp>) -> StoredFleet {
        self.settle();
        let stored = &mut self.fleet.stored;
        stored.version += 1;
        stored.run.updated_at = self.at;
        let run = stored.run.id.clone();
        batch.guard(Guard::FleetRunAt {
            run: run.clone(),
            version: stored.version - 1,
        });
        batch.put_fleet_run(stored);
        for place in &self.tasks {
            batch.put_fleet_task(&run, *place as u64, &self.fleet.tasks[*place]);
        }
        for place in &self.seats {
            batch.put_fleet_seat(&run, *place as u64, &self.fleet.seats[*place]);
        }
        let stream = StreamId::Run(run);
        for news in self.events.drain(..) {
            let about = About {
                stream: &stream,
                turn_id: None,
                item_id: None,
                at: self.at,
                by,
            };
            batch.event(about, &Event::Fleet(news));
        }
        self.fleet
    }

    /// Where the run stands, as its tasks do.
    fn settle(&mut self) {
        let now = lifecycle(&self.fleet);
        let at = self.at;
        let stored = &mut self.fleet.stored;
        if now.is_terminal() {
            stored.owner = None;
        }
        if stored.run.lifecycle == now {
            return;
        }
        stored.run.lifecycle = now;
        stored.run.completed_at = now.is_terminal().then_some(at);
        let changed = FleetRunStatusChanged { status: now };
        self.events.push(FleetNews::RunStatusChanged(changed));
    }
}

fn lifecycle(fleet: &StoredFleet) -> FleetLifecycle {
    let any = |wanted: FleetTaskStatus| fleet.tasks.iter().any(|task| task.status == wanted);
    let is_open = any(FleetTaskStatus::Enqueued) || any(FleetTaskStatus::Leased);
    match (is_open, &fleet.stored.owner, fleet.stored.run.lifecycle) {
        (true, Some(_), _) => FleetLifecycle::Running,
        (true, None, FleetLifecycle::Pending) => FleetLifecycle::Pending,
        (true, None, _) => FleetLifecycle::Paused,
        (false, _, _) if any(FleetTaskStatus::Failed) => FleetLifecycle::Failed,
        (false, _, _) if any(FleetTaskStatus::Cancelled) => FleetLifecycle::Cancelled,
        (false, _, _) => FleetLifecycle::Completed,
    }
}
