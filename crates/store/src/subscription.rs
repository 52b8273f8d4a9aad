//! A subscription: a cursor on a stream plus a wake-up. It reads what is committed behind its
//! cursor, then waits. However slow it is, it cannot lose, repeat or reorder an event.

use std::sync::Arc;

use codewhale_protocol::frame::Frames;
use codewhale_protocol::runtime::{Seq, StreamId};

use crate::hub::Channel;
use crate::watched::Watch;
use crate::{Error, Store};

/// A place in a stream that moves forward as its events are taken.
pub struct Subscription {
    store: Store,
    stream: StreamId,
    channel: Arc<Channel>,
    /// `None` only while being dropped: the last follower takes the channel with it.
    head: Option<Watch<Seq>>,
    cursor: Seq,
}

impl Subscription {
    pub(crate) fn new(store: Store, stream: StreamId, head: Seq, cursor: Seq) -> Self {
        let (channel, head) = store.hub().follow(&stream, head);
        Self {
            store,
            stream,
            channel,
            head: Some(head),
            cursor,
        }
    }

    /// The next frames, as soon as there are any. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Frames, Error> {
        loop {
            if let Some(frames) = self.channel.warm(self.cursor) {
                return Ok(self.advanced(frames));
            }
            let head = self
                .head
                .as_mut()
                .expect("the head is there until the drop");
            if head.look(|head| *head) > self.cursor {
                let (stream, cursor) = (self.stream.clone(), self.cursor);
                let read = self
                    .store
                    .read_apart(move |reader| reader.frames(&stream, cursor));
                if let Some(frames) = read.await? {
                    return Ok(self.advanced(frames));
                }
            }
            let head = self
                .head
                .as_mut()
                .expect("the head is there until the drop");
            head.changed().await;
        }
    }

    fn advanced(&mut self, frames: Frames) -> Frames {
        self.cursor = frames.last;
        frames
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.head = None;
        self.store.hub().leave(&self.stream);
    }
}
