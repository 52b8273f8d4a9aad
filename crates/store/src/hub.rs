//! Who follows which stream, and the frames that are still warm for them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use codewhale_protocol::frame::Frames;
use codewhale_protocol::runtime::{ErrandId, Seq, StreamId};

use crate::limits;
use crate::watched::{Watch, Watched};

/// All streams that someone follows. A stream nobody follows costs nothing here.
#[derive(Default)]
pub(crate) struct Hub {
    /// Ordered, because followers are woken in this order.
    channels: Mutex<BTreeMap<StreamId, Arc<Channel>>>,
    /// What other processes have asked and answered, as it was at the last look.
    errands: Watched<BTreeSet<ErrandId>>,
}

/// Tells when another process has left an errand here, or has done one of this process's.
pub struct ErrandNews(Watch<BTreeSet<ErrandId>>);

impl ErrandNews {
    /// Waits for something new, or takes what came since the last.
    pub async fn next(&mut self) {
        self.0.changed().await;
    }
}

/// One followed stream.
pub(crate) struct Channel {
    /// The last event that is committed; each change wakes the followers.
    head: Watched<Seq>,
    ring: Mutex<Ring>,
}

/// The newest frames, for followers that are at most a little behind.
#[derive(Default)]
struct Ring {
    pieces: VecDeque<Piece>,
    bytes: usize,
}

/// Whole frames that continue the stream behind `after`.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) after: Seq,
    pub(crate) last: Seq,
    pub(crate) bytes: Bytes,
}

impl Hub {
    /// Begins to follow. The first follower says where the stream ends now.
    pub(crate) fn follow(&self, stream: &StreamId, head: Seq) -> (Arc<Channel>, Watch<Seq>) {
        let mut channels = self.lock();
        let channel = channels.entry(stream.clone()).or_insert_with(|| {
            Arc::new(Channel {
                head: Watched::new(head),
                ring: Mutex::default(),
            })
        });
        channel.advance(head);
        (Arc::clone(channel), channel.head.watch())
    }

    /// Forgets a stream whose last follower has left.
    pub(crate) fn leave(&self, stream: &StreamId) {
        let mut channels = self.lock();
        if channels
            .get(stream)
            .is_some_and(|channel| channel.head.watchers() == 0)
        {
            channels.remove(stream);
        }
    }

    /// The channel of a stream, if someone follows it.
    pub(crate) fn channel(&self, stream: &StreamId) -> Option<Arc<Channel>> {
        self.lock().get(stream).cloned()
    }

    /// The streams that someone follows.
    pub(crate) fn followed(&self) -> Vec<(StreamId, Arc<Channel>)> {
        self.lock()
            .iter()
            .map(|(id, channel)| (id.clone(), Arc::clone(channel)))
            .collect()
    }

    /// Begins to wait for errands.
    pub(crate) fn errand_news(&self) -> ErrandNews {
        ErrandNews(self.errands.watch())
    }

    pub(crate) fn has_errand_waiters(&self) -> bool {
        self.errands.watchers() > 0
    }

    /// Wakes those who wait, when there is one that was not there at the last look.
    pub(crate) fn tell_errands(&self, errands: BTreeSet<ErrandId>) {
        self.errands.change(|known| {
            let is_news = !errands.is_subset(known);
            *known = errands;
            is_news
        });
    }

    /// Whether nobody would be told of a commit.
    pub(crate) fn is_idle(&self) -> bool {
        !self.has_errand_waiters() && self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<StreamId, Arc<Channel>>> {
        self.channels
            .lock()
            .expect("nothing panics while it holds the hub")
    }
}

impl Channel {
    /// Takes new frames and wakes the followers.
    pub(crate) fn publish(&self, pieces: Vec<Piece>) {
        let Some(last) = pieces.last().map(|piece| piece.last) else {
            return;
        };
        self.ring().extend(pieces);
        self.advance(last);
    }

    /// Wakes the followers for events that are in the store but not in the ring.
    pub(crate) fn advance(&self, head: Seq) {
        self.head.change(|known| {
            let newer = head > *known;
            *known = head.max(*known);
            newer
        });
    }

    /// The frames right behind `cursor`, when they are still warm.
    pub(crate) fn warm(&self, cursor: Seq) -> Option<Frames> {
        let ring = self.ring();
        let at = ring.pieces.partition_point(|piece| piece.after < cursor);
        let piece = ring.pieces.get(at).filter(|piece| piece.after == cursor)?;
        Some(Frames {
            bytes: piece.bytes.clone(),
            last: piece.last,
        })
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring
            .lock()
            .expect("nothing panics while it holds the ring")
    }
}

impl Ring {
    fn extend(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            self.bytes += piece.bytes.len();
            self.pieces.push_back(piece);
        }
        while self.bytes > limits::RING_BYTES_MAX
            && let Some(oldest) = self.pieces.pop_front()
        {
            self.bytes -= oldest.bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(after: u64, last: u64, length: usize) -> Piece {
        Piece {
            after: Seq(after),
            last: Seq(last),
            bytes: Bytes::from(vec![b'x'; length]),
        }
    }

    #[test]
    fn only_a_cursor_at_a_seam_is_served_warm() {
        let hub = Hub::default();
        let (channel, mut head) = hub.follow(&StreamId::Store, Seq(5));
        channel.publish(vec![piece(5, 7, 10), piece(7, 9, 10)]);
        assert_eq!(head.look(|head| *head), Seq(9));
        let last = |cursor| channel.warm(Seq(cursor)).map(|frames| frames.last);
        assert_eq!([last(5), last(7)], [Some(Seq(7)), Some(Seq(9))]);
        assert_eq!([last(4), last(6), last(9)], [None, None, None]);
    }

    #[test]
    fn the_ring_is_bounded_in_bytes_and_drops_the_oldest() {
        let hub = Hub::default();
        let (channel, _head) = hub.follow(&StreamId::Store, Seq(0));
        let half = limits::RING_BYTES_MAX / 2;
        channel.publish(vec![
            piece(0, 1, half),
            piece(1, 2, half),
            piece(2, 3, half),
        ]);
        assert!(channel.warm(Seq(0)).is_none());
        assert!(channel.warm(Seq(1)).is_some() && channel.warm(Seq(2)).is_some());
    }

    #[test]
    fn a_stream_is_forgotten_with_its_last_follower() {
        let hub = Hub::default();
        let (_, first) = hub.follow(&StreamId::Store, Seq(0));
        let (_, second) = hub.follow(&StreamId::Store, Seq(0));
        drop(first);
        hub.leave(&StreamId::Store);
        assert!(!hub.is_idle());
        drop(second);
        hub.leave(&StreamId::Store);
        assert!(hub.is_idle());
    }
}
