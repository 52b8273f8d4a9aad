//! Conversations kept at hand between turns, so that the next turn need not read them again.
//!
//! A thread that is told anew from the store loses milliseconds, not words; so the shelf is bounded
//! over all threads, and what does not fit is let go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codewhale_model::Message;

use crate::limits;

/// The room there is, shared by all threads.
#[derive(Default)]
pub(crate) struct Shelf {
    bytes: Arc<AtomicUsize>,
}

/// A conversation that found room. Gives it back when dropped.
pub(crate) struct Kept {
    messages: Vec<Message>,
    bytes: usize,
    shelf: Arc<AtomicUsize>,
}

impl Shelf {
    /// Keeps a conversation, if there is room.
    pub(crate) fn keep(&self, mut messages: Vec<Message>) -> Option<Kept> {
        messages.iter_mut().for_each(trim);
        let bytes = messages.iter().map(length).sum();
        let kept = Kept {
            messages,
            bytes,
            shelf: Arc::clone(&self.bytes),
        };
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Some(kept).filter(|_| before + bytes <= limits::SHELF_BYTES_MAX)
    }
}

impl Kept {
    /// The conversation, for the turn that goes on with it.
    pub(crate) fn take(mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.shelf.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Text that was put together piece by piece has up to twice the room it needs.
fn trim(message: &mut Message) {
    match message {
        Message::User { text, .. } => text.shrink_to_fit(),
        Message::Assistant {
            reasoning, text, ..
        } => {
            reasoning.shrink_to_fit();
            text.shrink_to_fit();
        }
        Message::Tool { output, .. } => output.shrink_to_fit(),
    }
}

/// About what a message takes in memory, in bytes.
fn length(message: &Message) -> usize {
    let texts = match message {
        Message::User { text, .. } => text.len(),
        Message::Assistant {
            reasoning,
            text,
            calls,
        } => {
            let calls = calls.iter().map(|call| call.arguments.len());
            reasoning.len() + text.len() + calls.sum::<usize>()
        }
        Message::Tool { output, .. } => output.len(),
    };
    size_of::<Message>() + texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(length: usize) -> Vec<Message> {
        vec![Message::user("x".repeat(length))]
    }

    #[test]
    fn what_is_kept_comes_back_whole_and_leaves_its_room() {
        let shelf = Shelf::default();
        let most = limits::SHELF_BYTES_MAX - size_of::<Message>();
        let kept = shelf.keep(says(most)).unwrap();
        assert!(shelf.keep(says(1)).is_none());
        assert_eq!(kept.take(), says(most));
        assert!(shelf.keep(says(most)).is_some());
    }

    #[test]
    fn what_does_not_fit_takes_no_room() {
        let shelf = Shelf::default();
        assert!(shelf.keep(says(limits::SHELF_BYTES_MAX)).is_none());
        assert!(shelf.keep(says(1)).is_some());
    }
}
