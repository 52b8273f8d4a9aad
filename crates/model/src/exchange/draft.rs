//! An answer as far as it has been understood, in our own terms.

use std::collections::VecDeque;
use std::sync::Arc;

use codewhale_protocol::runtime::Usage;

use super::calls::Problem;
use crate::failure::{Complaint, Origin};
use crate::{Chunk, Error, ErrorKind, FinishReason, ToolCall};

/// What a dialect has made of the frames so far. It keeps the order that [`Chunk`] promises:
/// usage and the end come last, whenever they became known.
pub(crate) struct Draft {
    origin: Arc<Origin>,
    ready: VecDeque<Chunk>,
    has_spoken: bool,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    is_done: bool,
}

impl Draft {
    pub(super) fn new(origin: Arc<Origin>) -> Self {
        Self {
            origin,
            ready: VecDeque::new(),
            has_spoken: false,
            usage: None,
            finish: None,
            is_done: false,
        }
    }

    /// Text was said. Nothing is not said.
    pub(crate) fn say(&mut self, text: Option<String>) {
        self.has_spoken |= text.is_some();
        self.ready.extend(text.map(Chunk::Text));
    }

    /// Text was thought.
    pub(crate) fn think(&mut self, text: Option<String>) {
        self.has_spoken |= text.is_some();
        self.ready.extend(text.map(Chunk::Reasoning));
    }

    /// Whether anything was said or thought.
    pub(crate) fn has_spoken(&self) -> bool {
        self.has_spoken
    }

    /// The newest report of what was used.
    pub(crate) fn used(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    /// The reason for the end is known, and with it the calls are whole.
    pub(crate) fn finish(&mut self, reason: FinishReason, calls: Vec<ToolCall>) {
        self.ready.extend(calls.into_iter().map(Chunk::Call));
        self.finish = Some(reason);
    }

    /// Whether the reason for the end is known, so that only the usage can still come.
    pub(crate) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Nothing more will come.
    pub(crate) fn close(&mut self) {
        self.ready.extend(self.usage.take().map(Chunk::Usage));
        self.ready.extend(self.finish.clone().map(Chunk::Finished));
        self.is_done = true;
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    pub(super) fn next(&mut self) -> Option<Chunk> {
        self.ready.pop_front()
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The error that an error object means.
    pub(crate) fn complained(&self, data: &str) -> Error {
        self.origin.complained(&Complaint::read(data.as_bytes()))
    }

    /// The error of an answer without an end.
    pub(crate) fn cut_off(&self) -> Error {
        self.origin
            .error(ErrorKind::Transient, "broke off the answer before its end")
    }

    /// The error of a frame that is no piece of an answer.
    pub(crate) fn unreadable(&self, data: &str) -> Error {
        let what = "a piece of the answer that does not read";
        self.origin.garbled(what, data.as_bytes())
    }

    /// The error of an answer that is none.
    pub(crate) fn no_answer(&self, whole: &[u8]) -> Error {
        self.origin.garbled("something else than an answer", whole)
    }

    /// The error of calls that cannot be served.
    pub(crate) fn unservable(&self, problem: Problem) -> Error {
        self.origin
            .error(ErrorKind::Garbled, format!("sent {}", problem.as_str()))
    }
}
