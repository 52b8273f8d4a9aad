//! The fast lane: text of a running item on its way into the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codewhale_protocol::runtime::{ItemId, ItemKind, ThreadId, Timestamp, TurnId};
use codewhale_protocol::{ActorId, StreamRedactor};

use crate::envelope::DeltaTemplate;
use crate::queue::DeltaTarget;
use crate::{Error, Store};

/// Appends text to one running item. What it hands to the log is masked, and the joined text is
/// exactly what it appends to `settled`.
pub struct DeltaWriter {
    store: Store,
    target: Arc<DeltaTarget>,
    redactor: StreamRedactor,
    escaped: Vec<u8>,
}

impl DeltaWriter {
    pub(crate) fn new(
        store: Store,
        (thread, turn, item): (&ThreadId, &TurnId, &ItemId),
        kind: ItemKind,
        actor: &ActorId,
    ) -> Self {
        let template = DeltaTemplate::new(thread, turn, item, kind, actor);
        Self {
            redactor: StreamRedactor::new(store.redactor()),
            store,
            target: Arc::new(DeltaTarget {
                template,
                lost: AtomicBool::new(false),
            }),
            escaped: Vec::new(),
        }
    }

    /// Adds text. The part that is settled goes to the log and to `settled`.
    pub fn push(&mut self, at: Timestamp, text: &str, settled: &mut String) {
        let from = settled.len();
        self.redactor.push(text, settled);
        self.send(at, &settled[from..]);
    }

    /// Ends the text: what was held back goes the same way.
    pub fn finish(&mut self, at: Timestamp, settled: &mut String) {
        let from = settled.len();
        self.redactor.finish(settled);
        self.send(at, &settled[from..]);
    }

    /// Ends the text early: what was held back is dropped, and this is told in its place.
    pub fn cut(&mut self, at: Timestamp, last_words: &str) {
        self.redactor = StreamRedactor::new(self.store.redactor());
        self.send(at, last_words);
    }

    /// Whether everything that was pushed could be stored so far.
    pub fn check(&self) -> Result<(), Error> {
        match self.target.lost.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(Error::Closed),
        }
    }

    fn send(&mut self, at: Timestamp, text: &str) {
        if text.is_empty() {
            return;
        }
        self.escaped.clear();
        serde_json::to_writer(&mut self.escaped, text).expect("text is JSON");
        let quoted = std::str::from_utf8(&self.escaped).expect("JSON of text is text");
        self.store
            .push_delta(&self.target, at, &quoted[1..quoted.len() - 1]);
    }
}
