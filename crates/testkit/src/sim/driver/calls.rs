//! Calls that people make themselves, without a model: of every tool and in every way, also of ones
//! that are not there.

use codewhale_protocol::operations::Op;
use serde_json::json;

use super::Driver;
use crate::sim::Violation;
use crate::sim::tools::{Input, NAMES};

impl Driver {
    /// Looks which tools there are, or calls one.
    pub(super) fn call_tool(&mut self) -> Result<(), Violation> {
        if self.dice.percent(20) {
            self.order(Op::ToolsList, json!({}));
        }
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let tool = match self.dice.percent(8) {
            true => *self.dice.pick(&["swim", "no name"]),
            false => *self.dice.weighted(&NAMES),
        };
        let input = match self.dice.percent(5) {
            true => json!({ "what": "is this" }),
            false => json!(Input::drawn(&mut self.dice)),
        };
        let ask = self.dice.percent(30);
        let params = json!({ "thread_id": thread, "tool": tool, "input": input, "ask": ask });
        self.order(Op::ToolsCall, params);
        Ok(())
    }
}
