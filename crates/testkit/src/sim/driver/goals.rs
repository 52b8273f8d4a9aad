//! Requests about goals and sub-agents.

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::ThreadId;
use serde_json::json;

use super::Driver;
use crate::sim::Violation;
use crate::sim::journal::SECRET;

impl Driver {
    /// Gives a thread a goal, or does something to the one it has.
    pub(super) fn pursue(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let named = json!({ "thread_id": thread });
        let ways = [
            (4, Op::GoalsSet),
            (3, Op::GoalsGet),
            (3, Op::GoalsClear),
            (2, Op::GoalsComplete),
            (2, Op::GoalsBlock),
        ];
        let op = *self.dice.weighted(&ways.map(|(weight, op)| (weight, op)));
        let params = match op {
            Op::GoalsSet => {
                let budget = *self.dice.pick(&[None, Some(300_u64), Some(50_000)]);
                let objective = format!("be done with {SECRET}");
                json!({ "thread_id": thread, "objective": objective, "token_budget": budget })
            }
            _ => named,
        };
        self.order(op, params);
        Ok(())
    }

    pub(super) fn count_agents(&mut self) -> Result<(), Violation> {
        let thread = self.thread();
        let run = thread
            .as_ref()
            .map_or("run_none".to_owned(), ThreadId::run_id);
        self.order(Op::AgentRunsGet, json!({ "run_id": run }));
        let below = *self.dice.pick(&[None, thread.as_ref()]);
        self.order(Op::AgentRunsList, json!({ "thread_id": below }));
        Ok(())
    }
}
