//! Calls that run: what stops one of them, and who did.

use std::sync::Arc;

use codewhale_protocol::runtime::{ItemId, TurnItemRecord};
use codewhale_store::Stamp;
use tokio_util::sync::CancellationToken;

use super::desk::Desk;

/// A call that runs.
pub(crate) struct RunningCall {
    /// What stops it, while it runs.
    stop: Option<CancellationToken>,
    /// Who stopped it first.
    pub(super) stopped_by: Option<Arc<Stamp>>,
}

impl Desk {
    /// Takes that the call of an item runs now, and what stops it. Who watches is told.
    pub(crate) fn running(&self, item: &ItemId, stop: CancellationToken) {
        let mut state = self.state();
        if let Some(open) = state.open.iter_mut().find(|open| open.record.id == *item) {
            open.call = Some(RunningCall {
                stop: Some(stop),
                stopped_by: None,
            });
        }
        drop(state);
        if let Some(watcher) = self.core.loans.watcher(&self.thread) {
            watcher.runs(item);
        }
    }

    /// Takes that the call of an item runs no more. Who stopped it stays known.
    pub(crate) fn ran(&self, item: &ItemId) {
        let mut state = self.state();
        let open = state.open.iter_mut().find(|open| open.record.id == *item);
        if let Some(call) = open.and_then(|open| open.call.as_mut()) {
            call.stop = None;
        }
    }

    /// Stops the call of an item; its end follows. `None` when it is no call that runs: one that waits
    /// for a person or a client is over when they answer, and their question must not stay behind.
    pub(crate) fn stop_call(&self, item: &ItemId, by: Arc<Stamp>) -> Option<TurnItemRecord> {
        let mut state = self.state();
        if !state.inputs.is_empty() || !state.client_calls.is_empty() {
            return None;
        }
        let mut open = state.open.iter_mut();
        let open = open.find(|open| open.record.id == *item)?;
        let call = open.call.as_mut()?;
        call.stop.as_ref()?.cancel();
        call.stopped_by.get_or_insert(by);
        Some(open.record.clone())
    }
}
