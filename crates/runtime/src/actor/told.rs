//! The conversation of a thread, told by its items; and what has to be mended first.
//!
//! An item that is open although its turn is over has lost its end. It gets one, once, in the log:
//! from then on everyone reads the same, and the conversation is the same to the byte whenever it is
//! told.

use std::sync::Arc;

use codewhale_engine::{OUTCOME_UNKNOWN, TurnMetas, conversation};
use codewhale_model::Message;
use codewhale_protocol::runtime::{Event, StreamId, ThreadId, Timestamp, TurnId};
use codewhale_store::{About, Batch, Stamp, StoredItem};

use crate::recovery::interrupted;
use crate::runtime::Core;

/// A conversation, and the ends that items of it lacked.
pub(super) struct Told {
    pub(super) conversation: Vec<Message>,
    mended: Vec<StoredItem>,
    at: Timestamp,
}

/// Tells the conversation of a thread; `running` is the turn whose items may be open.
pub(super) async fn tell(
    core: &Core,
    thread: &ThreadId,
    running: Option<&TurnId>,
) -> Result<Told, codewhale_store::Error> {
    let (thread, running, now) = (thread.clone(), running.cloned(), core.env.now());
    let told = core.store.read_apart(move |reader| {
        let turns = reader.turns(&thread)?.into_iter().map(|turn| turn.record);
        let turns: TurnMetas = turns
            .filter_map(|turn| Some((turn.id, turn.meta?)))
            .collect();
        let mut items = reader.items(&thread, 0)?;
        let mut mended = Vec::new();
        for item in &mut items {
            let record = &mut item.record;
            if record.status.is_terminal() || Some(&record.turn_id) == running.as_ref() {
                continue;
            }
            let outcome = record.kind.is_tool().then_some(OUTCOME_UNKNOWN);
            *record = interrupted(record, outcome, now);
            mended.push(item.clone());
        }
        Ok(Told {
            conversation: conversation(items.iter().map(|item| &item.record), &turns),
            mended,
            at: now,
        })
    });
    told.await
}

impl Told {
    /// Whether something has to be written down before the conversation is used.
    pub(super) fn is_mended(&self) -> bool {
        !self.mended.is_empty()
    }

    /// Writes the missing ends into a batch.
    pub(super) fn write(&self, batch: &mut Batch, thread: &ThreadId, by: &Arc<Stamp>) {
        let stream = StreamId::Thread(thread.clone());
        for item in &self.mended {
            let record = &item.record;
            tracing::warn!(item = %record.id, "an item without an end was given one");
            batch.put_item(thread, item.ordinal, record);
            let about = About {
                stream: &stream,
                turn_id: Some(&record.turn_id),
                item_id: Some(&record.id),
                at: self.at,
                by,
            };
            batch.event(about, &Event::item_ended(record.clone()));
        }
    }
}
