//! The log: events of a stream, in order, and the chain that holds them together.

use bytes::Bytes;
use codewhale_protocol::frame::{self, Frames};
use codewhale_protocol::runtime::{RuntimeEventEnvelope, Seq, StreamId};

use super::Reader;
use crate::chain::Hash;
use crate::db::{self};
use crate::tables::{events, streams};
use crate::{Error, limits};

/// What a walk along the hash chain of a stream found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verified {
    /// Every link holds; so many events, and the hash of the last.
    Intact {
        /// How many.
        events: u64,
        /// The hash of the last.
        head: String,
    },
    /// The event at this place does not follow from the one before it.
    Broken {
        /// Where.
        at: Seq,
    },
}

impl Reader<'_> {
    /// How many events a stream has.
    pub fn event_count(&self, stream: &StreamId) -> Result<u64, Error> {
        match self.stream(stream)? {
            Some(head) => Ok(events::count(self.connection, head.stream)?),
            None => Ok(0),
        }
    }

    /// The last event of a stream; zero when it has none.
    pub fn head(&self, stream: &StreamId) -> Result<Seq, Error> {
        Ok(self.stream(stream)?.map_or(Seq::ZERO, |head| head.seq))
    }

    pub(super) fn stream(&self, stream: &StreamId) -> Result<Option<streams::Head>, Error> {
        Ok(streams::get(self.connection, stream.as_str())?)
    }

    /// Where to begin so that only the newest `count` of the events behind `after` are shown.
    pub fn before_newest(&self, stream: &StreamId, after: Seq, count: u64) -> Result<Seq, Error> {
        let Some(head) = self.stream(stream)? else {
            return Ok(after);
        };
        if count == 0 {
            return Ok(head.seq.max(after));
        }
        Ok(events::before_newest(
            self.connection,
            head.stream,
            after,
            count,
        )?)
    }

    /// A piece of frames behind a place; `None` when there are none.
    pub fn frames(&self, stream: &StreamId, after: Seq) -> Result<Option<Frames>, Error> {
        let Some(head) = self.stream(stream)? else {
            return Ok(None);
        };
        let mut text = String::with_capacity(limits::REPLAY_BYTES_MAX + 4 * 1024);
        let mut last = after;
        events::for_each_behind(self.connection, head.stream, after, |event| {
            frame::write_event(&mut text, event.seq, event.name, event.body);
            last = event.seq;
            Ok::<_, db::Error>(text.len() < limits::REPLAY_BYTES_MAX)
        })?;
        Ok((!text.is_empty()).then(|| Frames {
            bytes: Bytes::from(text),
            last,
        }))
    }

    /// The events of a stream behind a place, read back; at most `limit`.
    pub fn events(
        &self,
        stream: &StreamId,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<RuntimeEventEnvelope>, Error> {
        let Some(head) = self.stream(stream)? else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        events::for_each_behind(self.connection, head.stream, after, |event| {
            all.push(serde_json::from_str(event.body).map_err(db::Error::from)?);
            Ok::<_, db::Error>(all.len() < limit)
        })?;
        Ok(all)
    }

    /// The newest events of a thread that are about no item of it, oldest first.
    pub fn asides(
        &self,
        stream: &StreamId,
        limit: u64,
    ) -> Result<Vec<RuntimeEventEnvelope>, Error> {
        let Some(head) = self.stream(stream)? else {
            return Ok(Vec::new());
        };
        Ok(events::asides(self.connection, head.stream, limit)?)
    }

    /// The stored text of a stream's events behind a place; at most `limit`.
    pub fn log_behind(
        &self,
        stream: &StreamId,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let Some(head) = self.stream(stream)? else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        events::for_each_behind(self.connection, head.stream, after, |event| {
            all.push(event.body.to_owned());
            Ok::<_, db::Error>(all.len() < limit)
        })?;
        Ok(all)
    }

    /// The stored text of a stream's events, for those who compare logs byte by byte.
    pub fn log_text(&self, stream: &StreamId) -> Result<Vec<String>, Error> {
        let Some(head) = self.stream(stream)? else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        events::for_each_behind(self.connection, head.stream, Seq::ZERO, |event| {
            all.push(event.body.to_owned());
            Ok::<_, db::Error>(true)
        })?;
        Ok(all)
    }

    /// Walks the hash chain of a stream from its first event to its head.
    pub fn verify(&self, stream: &StreamId) -> Result<Verified, Error> {
        let Some(head) = self.stream(stream)? else {
            let head = Hash::genesis(stream.as_str()).to_hex();
            return Ok(Verified::Intact { events: 0, head });
        };
        let (mut hash, mut previous) = (Hash::genesis(stream.as_str()), Seq::ZERO);
        let (mut count, mut broken) = (0, None);
        events::for_each_behind(self.connection, head.stream, Seq::ZERO, |event| {
            hash = hash.next(event.body);
            if event.previous_seq != previous || event.hash != hash.to_hex() {
                broken = Some(event.seq);
            }
            previous = event.seq;
            count += 1;
            Ok::<_, db::Error>(broken.is_none())
        })?;
        let cut_off = (previous != head.seq || hash != head.hash).then_some(head.seq);
        Ok(match broken.or(cut_off) {
            Some(at) => Verified::Broken { at },
            None => Verified::Intact {
                events: count,
                head: hash.to_hex(),
            },
        })
    }
}
