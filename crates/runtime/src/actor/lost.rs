//! Turns of which the store could not take everything. What is open at their end is what the log
//! shows as open, which may be more than the desk knows of, or less.

use codewhale_protocol::runtime::ItemId;
use codewhale_store::StoredItem;
use tokio::sync::oneshot;

use super::{Active, ThreadActor};
use crate::host::{OpenItem, Pending, PendingCall, PendingInput};
use crate::limits;

impl ThreadActor {
    /// Makes the desk of an ending turn show what the store shows.
    pub(super) fn look_what_is_open(&self, active: &Active) -> Result<(), codewhale_store::Error> {
        let from = active.ordinal * limits::ITEMS_PER_TURN;
        let (items, approvals, inputs, client_calls, begun) = self.core.store.read(|reader| {
            let items = reader.items(&self.id, from)?;
            let approvals = reader.pending_approvals(&self.id)?;
            let mut inputs = reader.pending_user_inputs(&self.id)?;
            inputs.retain(|input| input.asked_by.is_none());
            let begun = reader.open_effects(&active.turn.id)?;
            let client_calls = reader.pending_client_calls(&self.id)?;
            Ok((items, approvals, inputs, client_calls, begun))
        })?;
        let mut state = active.desk.state();
        state.items = items.iter().map(|item| item.record.id.clone()).collect();
        let mut known = std::mem::take(&mut state.open);
        let open = items
            .into_iter()
            .filter(|item| !item.record.status.is_terminal());
        for item in open {
            let at = known
                .iter()
                .position(|open| open.record.id == item.record.id);
            state
                .open
                .push(at.map_or_else(|| open_again(item, &begun), |at| known.swap_remove(at)));
        }
        let waiting = approvals.into_iter().map(|record| {
            let reply = oneshot::channel().0;
            let waiting = Pending {
                record,
                remembering: None,
                reply,
            };
            (waiting.record.id.clone(), waiting)
        });
        state.pending = waiting.collect();
        let asked = inputs.into_iter().map(|pending| {
            let reply = oneshot::channel().0;
            (pending.id.clone(), PendingInput { pending, reply })
        });
        state.inputs = asked.collect();
        let called = client_calls.into_iter().map(|call| {
            let reply = oneshot::channel().0;
            (call.about.call_id.clone(), PendingCall { call, reply })
        });
        state.client_calls = called.collect();
        Ok(())
    }
}

/// An item whose end did not reach the log.
fn open_again(item: StoredItem, begun: &[ItemId]) -> OpenItem {
    OpenItem {
        begun: begun.contains(&item.record.id),
        ordinal: item.ordinal,
        text: item.record.detail.clone().unwrap_or_default(),
        record: item.record,
        writer: None,
        room_to_print: None,
        call: None,
    }
}
