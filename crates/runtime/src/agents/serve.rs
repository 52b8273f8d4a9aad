//! Reading receipts.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{AgentRunsGet, AgentRunsList, Right};
use codewhale_protocol::runtime::{
    AgentRun, AgentRunParams, AgentRuns, AgentRunsListParams, ThreadId,
};
use codewhale_store::Located;

use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<AgentRunsList> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: AgentRunsListParams,
    ) -> Result<AgentRuns, Error> {
        let limit = params.limit.unwrap_or(limits::LIST_DEFAULT);
        let limit = limit.clamp(1, limits::LIST_MAX);
        if let Some(thread) = &params.thread_id {
            self.require_right(caller, Right::ReadThread, Located::Thread(thread))?;
        }
        let runs = self.store.read(|reader| {
            let mut runs = match &params.thread_id {
                Some(root) => reader.agent_runs_below(root, limit)?,
                None => reader.agent_runs(caller.principal.as_str(), limit)?,
            };
            let deleted = reader.hidden_threads()?;
            runs.retain(|run| !deleted.contains(&run.kin.root));
            Ok(runs)
        })?;
        let runs = self.as_they_stand(runs)?;
        Ok(AgentRuns { runs })
    }
}

impl Handler<AgentRunsGet> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: AgentRunParams) -> Result<AgentRun, Error> {
        const UNKNOWN: Error = Error::NotFound { what: "agent run" };
        let thread = ThreadId::of_agent(&params.run_id).ok_or(UNKNOWN)?;
        let visible = self.require_right(caller, Right::ReadThread, Located::Thread(&thread));
        // What the caller may not see does not exist for them, under whatever name.
        visible.map_err(|error| match error {
            Error::NotFound { .. } => UNKNOWN,
            other => other,
        })?;
        let run = self.store.read(|reader| reader.agent_run(&thread))?;
        let runs = self.as_they_stand(run.into_iter().collect())?;
        runs.into_iter().next().ok_or(UNKNOWN)
    }
}
