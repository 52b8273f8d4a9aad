//! Results of calls that clients run. The receipt is in the log before the result reaches the model.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{
    ClientCallId, Event, ToolCallCancelReason, ToolCallCanceled, ToolCallRequested,
    ToolCallResolved, ToolCallTimeout, ToolCallsResultParams,
};
use codewhale_store::{About, Batch, Durability};

use super::ThreadActor;
use crate::host::{Answered, Desk, PendingCall};
use crate::{Error, limits};

const UNKNOWN: Error = Error::NotFound { what: "tool call" };

/// Adds to a batch that a call waits no more, because its turn has ended.
pub(crate) fn cancel_call(
    batch: &mut Batch,
    about: About<'_>,
    call: &ToolCallRequested,
    reason: ToolCallCancelReason,
) {
    let canceled = ToolCallCanceled {
        about: call.about.clone(),
        status: "canceled".to_owned(),
        reason,
        terminal: true,
        recovered: reason == ToolCallCancelReason::ProcessRestart,
    };
    batch.event(about, &Event::ToolCallCanceled(canceled));
    batch.settle_client_call(&call.about.call_id);
}

impl ThreadActor {
    /// Takes what a client says came of a call.
    pub(super) async fn resolve_call(
        &mut self,
        caller: &Caller,
        params: ToolCallsResultParams,
    ) -> Result<(), Error> {
        if self.active.is_none() {
            // The turn may be another process's, which alone can take the result.
            self.reload()?;
            self.check_owner().await?;
            return Err(UNKNOWN);
        }
        let id = params.call_id;
        let running = self.active.as_ref().map(|active| &active.turn.id);
        if running != Some(&params.turn_id) {
            return Err(UNKNOWN);
        }
        let (desk, waiting) = self.take_call(&id).ok_or(UNKNOWN)?;
        let resolved = ToolCallResolved {
            about: waiting.call.about.clone(),
            status: "resolved".to_owned(),
            success: params.success,
            result_accepted: true,
        };
        let by = self.core.caller_stamp(caller);
        let mut batch = self.batch(Durability::Synced);
        let about = desk.about(None, self.core.env.now(), &by);
        batch.event(about, &Event::ToolCallResolved(resolved));
        batch.settle_client_call(&id);
        if let Err(error) = self.commit(batch).await {
            desk.state().client_calls.insert(id, waiting);
            return Err(error.into());
        }
        let result = Answered::Result {
            success: params.success,
            content: params.content,
        };
        // A turn that stops at this moment hears no results any more.
        let _ = waiting.reply.send(result);
        Ok(())
    }

    /// The time to answer has run out. What cannot be written down goes on waiting, and is told
    /// again.
    pub(super) async fn expire_call(&mut self, id: &ClientCallId) {
        let Some((desk, waiting)) = self.take_call(id) else {
            return;
        };
        let timeout = ToolCallTimeout {
            about: waiting.call.about.clone(),
            status: "timeout".to_owned(),
            timeout_secs: limits::CLIENT_CALL_WAIT.as_secs(),
        };
        let by = self.core.system_stamp("tool-call-timeout");
        let mut batch = self.batch(Durability::Synced);
        let about = desk.about(None, self.core.env.now(), &by);
        batch.event(about, &Event::ToolCallTimeout(timeout));
        batch.settle_client_call(id);
        match self.commit(batch).await {
            Ok(_) => drop(waiting.reply.send(Answered::TooLate)),
            Err(error) => {
                tracing::error!(%error, "the end of a call could not be written down");
                desk.state().client_calls.insert(id.clone(), waiting);
            }
        }
    }

    fn take_call(&self, id: &ClientCallId) -> Option<(Arc<Desk>, PendingCall)> {
        let desk = Arc::clone(&self.active.as_ref()?.desk);
        let waiting = desk.state().client_calls.remove(id)?;
        Some((desk, waiting))
    }
}
