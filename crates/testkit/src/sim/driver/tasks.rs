//! Requests about background tasks.

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::TaskRecord;
use serde_json::json;

use super::Driver;
use crate::sim::Violation;
use crate::sim::journal::Journal;

/// Tasks beyond which no more are made.
const TASKS_MAX: usize = 6;

impl Driver {
    /// Puts a task into the queue, or does something about one that is there.
    pub(super) fn queue(&mut self) -> Result<(), Violation> {
        let tasks = self.world.journal.notes().tasks.clone();
        if tasks.len() < TASKS_MAX && (tasks.is_empty() || self.dice.percent(50)) {
            let (_, prompt) = self.words();
            let bold = self.dice.percent(60);
            let params = json!({ "prompt": prompt, "auto_approve": bold });
            let keep = |answer: Result<TaskRecord, _>, journal: &Journal| {
                let made = answer.ok().map(|record| record.task.id);
                journal.notes().tasks.extend(made);
            };
            self.ask(std::convert::identity, Op::TasksCreate, params, keep);
            return Ok(());
        }
        self.order(Op::TasksList, json!({}));
        if !tasks.is_empty() {
            let named = json!({ "task_id": self.dice.pick(&tasks) });
            let op = *self
                .dice
                .weighted(&[(3, Op::TasksGet), (1, Op::TasksCancel)]);
            self.order(op, named);
        }
        Ok(())
    }
}
