//! What the unit tests of this crate share.

use std::sync::Arc;

use codewhale_protocol::runtime::{Event, StreamId, Timestamp, TurnInterruptRequested};
use codewhale_protocol::{Actor, Redactor};

use crate::{About, Batch, Stamp};

/// Adds some event on a thread to a batch.
pub(crate) fn event_on(batch: &mut Batch, redactor: &Redactor, thread: &str) {
    let stamp = Arc::new(Stamp::new(redactor, Actor::system("test").into()));
    let event = Event::TurnInterruptRequested(TurnInterruptRequested {
        thread_id: thread.into(),
        turn_id: "turn_1".into(),
    });
    let about = About {
        stream: &StreamId::Thread(thread.into()),
        turn_id: None,
        item_id: None,
        at: Timestamp::from_ms(0),
        by: &stamp,
    };
    batch.event(about, &event);
}
