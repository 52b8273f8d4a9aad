//! Tools without a model: listed, and called by whoever has a thread for it.
//!
//! A call is a turn like any other, only that its one step was written by the caller and not by a model.
//! So the law judges it, people are asked, its intent is written down before it runs, and its item stands
//! in the log.

use std::sync::Arc;

use codewhale_engine::Asking;
use codewhale_model::ToolCall;
use codewhale_policy::Act;
use codewhale_protocol::Caller;
use codewhale_protocol::operations::{ToolsCall, ToolsList};
use codewhale_protocol::runtime::{NoParams, ToolInfo, ToolList, ToolsCallParams, TurnWithThread};
use codewhale_tools::Spec;
use serde_json::Value;

use crate::actor::{Asker, Called, Command};
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<ToolsList> for Arc<Core> {
    async fn handle(&self, _: &Caller, _: NoParams) -> Result<ToolList, Error> {
        let tools = self.tools.specs().map(info).collect();
        Ok(ToolList { tools })
    }
}

impl Handler<ToolsCall> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ToolsCallParams,
    ) -> Result<TurnWithThread, Error> {
        self.call_tool(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: ToolsCallParams,
        once: Once,
    ) -> Result<TurnWithThread, Error> {
        self.call_tool(caller, params, Some(once)).await
    }
}

impl Core {
    async fn call_tool(
        self: &Arc<Self>,
        caller: &Caller,
        params: ToolsCallParams,
        once: Option<Once>,
    ) -> Result<TurnWithThread, Error> {
        check_name(&params.tool)?;
        let call = ToolCall {
            id: format!("call_{}", self.env.uuid().simple()),
            name: params.tool,
            arguments: Value::Object(params.input).to_string(),
        };
        let asking = match params.ask {
            true => Asking::Always,
            false => Asking::ByLaw,
        };
        let call = Box::new(Called { call, asking });
        let asker = Asker::from(caller.clone());
        self.ask_thread(&params.thread_id, |reply| Command::Call {
            asker,
            call,
            once,
            reply,
        })
        .await
    }
}

/// Whether it can be the name of a tool. Which ones there are is known once the turn has looked at the
/// workspace and the servers.
fn check_name(name: &str) -> Result<(), Error> {
    let is_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    let is_name = !name.is_empty() && name.len() <= limits::TOOL_NAME_BYTES_MAX;
    match is_name && name.chars().all(is_word) {
        true => Ok(()),
        false => Err(Error::Invalid(format!(
            "{:?} cannot be the name of a tool; GET /v1/tools lists them",
            name.chars().take(40).collect::<String>()
        ))),
    }
}

fn info(spec: &Spec) -> ToolInfo {
    let read_only = match spec.act {
        Act::Inward | Act::Read | Act::McpLook => true,
        Act::Write | Act::Execute | Act::Fetch | Act::McpCall | Act::Client => false,
    };
    ToolInfo {
        name: spec.name.clone().into_owned(),
        aliases: spec.aliases.iter().map(|it| (*it).to_owned()).collect(),
        description: spec.description.to_string(),
        input_schema: Value::clone(&spec.input_schema),
        read_only,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_tool_can_be_called_is_refused_before_anything_is_written() {
        for name in ["read_file", "mcp_hub_get--sum", "a.b"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let long = "a".repeat(limits::TOOL_NAME_BYTES_MAX + 1);
        for name in ["", " ", "read file", "a\nb", "ü", &long] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
