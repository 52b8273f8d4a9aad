//! Requests about fleets.

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{FleetCreated, FleetRunId};
use serde_json::{Value, json};

use super::Driver;
use crate::sim::Violation;
use crate::sim::journal::{Journal, SECRET};

/// Runs beyond which no more are made.
const RUNS_MAX: usize = 3;

impl Driver {
    /// Makes a run, or does something about one that is there.
    pub(super) fn fleet(&mut self) -> Result<(), Violation> {
        let known = self.world.journal.notes().fleets.clone();
        if known.len() < RUNS_MAX && (known.is_empty() || self.dice.percent(40)) {
            let params = self.fleet_wanted();
            let keep = |answer: Result<FleetCreated, _>, journal: &Journal| {
                let made = answer.ok().map(|created| created.run.summary.id);
                journal.notes().fleets.extend(made);
            };
            self.ask(std::convert::identity, Op::FleetCreate, params, keep);
            return Ok(());
        }
        self.order(Op::FleetList, json!({}));
        if known.is_empty() {
            return Ok(());
        }
        let run = self.dice.pick(&known).clone();
        self.about_fleet(&run);
        Ok(())
    }

    fn about_fleet(&mut self, run: &FleetRunId) {
        let named = json!({ "run_id": run });
        let task = self.dice.below(3);
        let task = json!({ "run_id": run, "task_id": format!("t{task}") });
        let worker = 1 + self.dice.below(2);
        let worker = json!({ "worker_id": format!("{run}.w{worker}") });
        let ways = [
            (8, Op::FleetStart, &named),
            (1, Op::FleetStop, &named),
            (1, Op::FleetGet, &named),
            (1, Op::FleetWorkers, &named),
            (1, Op::FleetReplay, &named),
            (1, Op::FleetReceipts, &named),
            (2, Op::FleetReceipt, &task),
            (1, Op::FleetWorker, &worker),
            (2, Op::FleetInterruptWorker, &worker),
            (4, Op::FleetStopWorker, &worker),
            (3, Op::FleetRestartWorker, &worker),
        ];
        let ways = ways.map(|(weight, op, params)| (weight, (op, params.clone())));
        let (op, params) = self.dice.weighted(&ways).clone();
        self.order(op, params);
    }

    fn fleet_wanted(&mut self) -> Value {
        let tasks = (0..3).map(|number| {
            json!({
                "id": format!("t{number}"), "name": "a task", "worker": { "role": "builder" },
                "instructions": format!("mind {SECRET}"),
                "retry_policy": { "max_attempts": 2, "initial_backoff_seconds": 1 },
            })
        });
        json!({
            "target": "this_computer", "roles": [{ "name": "builder" }], "max_workers": 2,
            "stale_after_seconds": 120,
            "workflow": { "id": "w", "kind": "parallel", "tasks": tasks.collect::<Vec<_>>() },
        })
    }
}
