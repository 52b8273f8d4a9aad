//! Requests about automations.

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::AutomationRecord;
use serde_json::json;

use super::Driver;
use crate::sim::Violation;
use crate::sim::journal::Journal;

/// Automations beyond which no more are made.
const AUTOMATIONS_MAX: usize = 2;

/// A moment that no simulation lives to see: what comes by itself would come while all is to rest.
const FAR_AWAY: &str = "FREQ=CRON;EXPR=0 0 1 1 *";

impl Driver {
    /// Makes an automation, or does something about one that is there.
    pub(super) fn automate(&mut self) -> Result<(), Violation> {
        let known = self.world.journal.notes().automations.clone();
        if known.len() < AUTOMATIONS_MAX && (known.is_empty() || self.dice.percent(30)) {
            let (_, prompt) = self.words();
            let params = json!({
                "name": "each year", "prompt": prompt, "rrule": FAR_AWAY, "auto_approve": true
            });
            let keep = |answer: Result<AutomationRecord, _>, journal: &Journal| {
                let made = answer.ok().map(|record| record.id);
                journal.notes().automations.extend(made);
            };
            self.ask(std::convert::identity, Op::AutomationsCreate, params, keep);
            return Ok(());
        }
        self.order(Op::AutomationsList, json!({}));
        if known.is_empty() {
            return Ok(());
        }
        let ways = [
            (2, Op::AutomationsGet),
            (2, Op::AutomationsRuns),
            (2, Op::AutomationsPatch),
            (1, Op::AutomationsPause),
            (1, Op::AutomationsResume),
            (1, Op::AutomationsRun),
        ];
        let op = *self.dice.weighted(&ways);
        let params = json!({ "automation_id": self.dice.pick(&known) });
        self.order(op, params);
        Ok(())
    }
}
