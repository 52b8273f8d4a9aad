//! Following a thread over server-sent events. Whatever a test looks for, each event it meets is
//! checked for what every client relies on.

use std::ops::Deref;

use codewhale_protocol::frame::{Decoder, Frame};
use codewhale_protocol::runtime::{RuntimeEventEnvelope, Seq, ThreadView};

use super::{Body, Document, within};

/// The event whose envelopes name their actor by id alone.
const DELTA: &str = "item.delta";

/// An event as it came: what it says, and in which bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Seen {
    envelope: RuntimeEventEnvelope,
    /// The exact text of the envelope.
    pub data: String,
}

impl Deref for Seen {
    type Target = RuntimeEventEnvelope;

    fn deref(&self) -> &RuntimeEventEnvelope {
        &self.envelope
    }
}

impl Seen {
    /// Reads a frame of a thread's stream, and sees that it keeps its promises.
    pub fn read(frame: &Frame) -> Self {
        let envelope: RuntimeEventEnvelope = serde_json::from_str(&frame.data)
            .unwrap_or_else(|error| panic!("{error} in {:?}", frame.data));
        let data = &frame.data;
        let whole = serde_json::from_str(data).expect("it was just read");
        Document::of_this_build().check_event(data, &whole);
        let seq = envelope.seq.to_string();
        assert_eq!(frame.id.as_deref(), Some(seq.as_str()), "{data}");
        assert_eq!(
            frame.event.as_deref(),
            Some(envelope.event.as_str()),
            "{data}"
        );
        assert_eq!(envelope.event, envelope.kind, "{data}");
        assert_eq!(envelope.schema_version, 1, "{data}");
        assert_eq!(envelope.created_at, Some(envelope.timestamp), "{data}");
        let is_delta = envelope.event == DELTA;
        assert_eq!(envelope.actor.is_some(), !is_delta, "{data}");
        assert_eq!(envelope.actor_id.is_some(), is_delta, "{data}");
        let is_about = |names: &[&str]| names.iter().any(|it| envelope.event.starts_with(it));
        // What a sub-agent asks is shown at the top also while no turn runs there.
        if !is_about(&["approval.", "user_input."]) {
            let turn = [
                "turn.",
                "item.",
                "sandbox.",
                "coherence.",
                "agent.spawned",
                "tool_call.",
            ];
            assert_eq!(envelope.turn_id.is_some(), is_about(&turn), "{data}");
        }
        let has_item = is_about(&["item.", "turn.steered", "agent.spawned"]);
        assert_eq!(envelope.item_id.is_some(), has_item, "{data}");
        Self {
            envelope,
            data: frame.data.clone(),
        }
    }
}

/// A connection that follows a thread.
pub struct Follower {
    body: Body,
    decoder: Decoder,
    after: Seq,
    seen: Vec<Seen>,
}

impl Follower {
    pub(super) fn new(body: Body, after: Seq) -> Self {
        assert_eq!(body.status, 200);
        assert_eq!(body.header("content-type"), Some("text/event-stream"));
        Self {
            body,
            decoder: Decoder::new(),
            after,
            seen: Vec::new(),
        }
    }

    /// The next event; `None` when the stream has ended or broken.
    pub async fn try_next(&mut self) -> Option<Seen> {
        loop {
            let frame = self.decoder.next_frame().expect("streams are text");
            if let Some(frame) = frame {
                let seen = Seen::read(&frame);
                self.check_place(&seen);
                self.seen.push(seen.clone());
                return Some(seen);
            }
            match self.body.next().await {
                Some(Ok(bytes)) => self.decoder.push(&bytes),
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// No event is missing between two that follow each other, and none comes twice.
    fn check_place(&self, seen: &Seen) {
        let data = &seen.data;
        match self.seen.last() {
            Some(last) => assert_eq!(seen.previous_seq, Some(last.seq), "{data}"),
            None => assert!(seen.previous_seq <= Some(self.after), "{data}"),
        }
        assert!(seen.seq > self.after, "{data}");
    }

    /// The next event, which is going to come.
    pub async fn next(&mut self) -> Seen {
        let what = format!("an event behind {:?}", self.names());
        let next = within(&what, self.try_next()).await;
        next.unwrap_or_else(|| panic!("the stream ended behind {:?}", self.names()))
    }

    /// Reads on to the next event that this is true of.
    pub async fn until_one(&mut self, is_it: impl Fn(&Seen) -> bool) -> Seen {
        loop {
            let seen = self.next().await;
            if is_it(&seen) {
                return seen;
            }
        }
    }

    /// Reads on to the next event of this name.
    pub async fn until(&mut self, name: &str) -> Seen {
        self.until_one(|seen| seen.event == name).await
    }

    /// Reads on until the event at this place was seen.
    pub async fn until_seq(&mut self, seq: Seq) {
        while self.last() < seq {
            self.next().await;
        }
    }

    /// Reads to the end of the stream.
    pub async fn until_end(&mut self) {
        while within("the end of the stream", self.try_next())
            .await
            .is_some()
        {}
    }

    /// The place of the last event that was seen, or where the stream began.
    pub fn last(&self) -> Seq {
        self.seen.last().map_or(self.after, |seen| seen.seq)
    }

    /// Every event so far.
    pub fn seen(&self) -> &[Seen] {
        &self.seen
    }

    /// Every event, for those who need no more.
    pub fn into_seen(self) -> Vec<Seen> {
        self.seen
    }

    fn names(&self) -> Vec<&str> {
        self.seen.iter().map(|seen| seen.event.as_str()).collect()
    }
}

/// What the events tell, put together.
pub fn fold<'a>(events: impl IntoIterator<Item = &'a Seen>) -> ThreadView {
    continue_from(ThreadView::default(), events)
}

/// The same on top of what is already known.
pub fn continue_from<'a>(
    mut view: ThreadView,
    events: impl IntoIterator<Item = &'a Seen>,
) -> ThreadView {
    for seen in events {
        view.apply(seen).expect("events read back");
    }
    view
}
