//! Receipts as they stand: what is stored changes with turns, what is told changes with every step.

use codewhale_protocol::runtime::{AgentRun, AgentRunStatus};
use codewhale_store::{Reader, StoredRun};

use crate::Error;
use crate::limits;
use crate::runtime::Core;

impl Core {
    /// Receipts with what those at work are doing right now.
    pub(super) fn as_they_stand(&self, runs: Vec<StoredRun>) -> Result<Vec<AgentRun>, Error> {
        let told = self.store.read(|reader| {
            let stand = |stored| stand(reader, stored);
            runs.into_iter().map(stand).collect::<Result<Vec<_>, _>>()
        });
        Ok(told?)
    }
}

fn stand(reader: &Reader<'_>, stored: StoredRun) -> Result<AgentRun, codewhale_store::Error> {
    let mut run = stored.run;
    if run.status.is_terminal() {
        return Ok(run);
    }
    let thread = &stored.kin.thread;
    let Some(turn) = reader.latest_turn(thread)? else {
        return Ok(run);
    };
    let asks = !reader.pending_approvals(thread)?.is_empty()
        || !reader.pending_user_inputs(thread)?.is_empty();
    let items = reader.items(thread, turn.ordinal * limits::ITEMS_PER_TURN)?;
    let calls = items.iter().filter(|item| item.record.kind.is_tool());
    let runs_call = calls.clone().any(|item| !item.record.status.is_terminal());
    run.status = match (asks, runs_call) {
        (true, _) => AgentRunStatus::WaitingForUser,
        (false, true) => AgentRunStatus::RunningTool,
        (false, false) => AgentRunStatus::ModelWait,
    };
    run.steps_taken += u64::try_from(calls.count()).unwrap_or(u64::MAX);
    let words = items
        .iter()
        .rev()
        .find(|item| item.record.kind == codewhale_protocol::runtime::ItemKind::AgentMessage);
    if let Some(text) = words.and_then(|item| item.record.detail.as_deref()) {
        run.latest_message = Some(codewhale_protocol::runtime::summarize(text));
    }
    Ok(run)
}
