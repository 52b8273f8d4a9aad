//! Tells somebody what a command says while it still runs: text, in pieces.
//!
//! The listener sets the pace. What it has not taken waits here up to a bound; behind that nothing
//! more is read, and the command waits at its full pipe as it would at any slow terminal. Once the
//! command is over nobody waits for a listener: what it does not take is told by the outcome alone.

use std::future::pending;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::capture::without_torn_end;
use crate::limits::{PIECE_BYTES, PIECE_PAUSE, UNTOLD_BYTES_MAX};

/// What goes to one listener.
pub(crate) struct Telling {
    /// `None` when nobody listens, or not any more.
    listener: Option<mpsc::Sender<String>>,
    /// What was said and not told.
    untold: Vec<u8>,
    /// When a small piece may be told.
    due: Instant,
    /// Whether the command goes on, so that it can wait.
    waits: bool,
}

impl Telling {
    pub(crate) fn new(listener: Option<mpsc::Sender<String>>) -> Self {
        Self {
            listener,
            untold: Vec::new(),
            due: Instant::now(),
            waits: true,
        }
    }

    /// Takes what was said.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.listener.is_none() {
            return;
        }
        self.untold.extend_from_slice(bytes);
        if !self.waits && self.untold.len() > UNTOLD_BYTES_MAX {
            self.give_up();
        }
    }

    /// Whether more may be said.
    pub(crate) fn has_room(&self) -> bool {
        !self.waits || self.untold.len() < UNTOLD_BYTES_MAX
    }

    /// From now on nothing waits for the listener.
    pub(crate) fn hurry(&mut self) {
        self.waits = false;
    }

    /// Tells the next piece as soon as it is due and there is room for it. Stopped before, it has
    /// told nothing; with nothing to tell it waits for ever.
    pub(crate) async fn tell(&mut self) {
        let whole = self.untold.len() - torn_bytes(&self.untold);
        if self.listener.is_none() || whole == 0 {
            return pending().await;
        }
        if whole < PIECE_BYTES {
            sleep_until(self.due).await;
        }
        self.hand_over(whole.min(PIECE_BYTES)).await;
        self.due = Instant::now() + PIECE_PAUSE;
    }

    /// Tells everything that is left; nothing follows.
    pub(crate) async fn tell_rest(&mut self) {
        while self.listener.is_some() && !self.untold.is_empty() {
            self.hand_over(self.untold.len().min(PIECE_BYTES)).await;
        }
    }

    /// Tells at most so many bytes, and no part of a character that is whole.
    async fn hand_over(&mut self, at_most: usize) {
        let Some(listener) = &self.listener else {
            return;
        };
        let Ok(room) = listener.reserve().await else {
            return self.give_up();
        };
        let torn = torn_bytes(&self.untold[..at_most]);
        // At the very end a torn character is all that is left of it.
        let end = match at_most - torn {
            0 => at_most,
            whole => whole,
        };
        let piece = String::from_utf8_lossy(&self.untold[..end]).into_owned();
        room.send(piece);
        self.untold.drain(..end);
    }

    fn give_up(&mut self) {
        self.listener = None;
        self.untold = Vec::new();
    }
}

/// How many bytes at the end are the beginning of a character. They are at most three.
fn torn_bytes(bytes: &[u8]) -> usize {
    let end = &bytes[bytes.len().saturating_sub(3)..];
    end.len() - without_torn_end(end).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that is told of these pieces.
    async fn told(pieces: &[&[u8]]) -> String {
        let (sender, mut heard) = mpsc::channel(1024);
        let mut telling = Telling::new(Some(sender));
        for piece in pieces {
            telling.push(piece);
            if telling.untold.len() > torn_bytes(&telling.untold) {
                telling.tell().await;
            }
        }
        telling.tell_rest().await;
        drop(telling);
        let mut all = String::new();
        while let Some(piece) = heard.recv().await {
            assert!(piece.len() <= 3 * PIECE_BYTES, "{}", piece.len());
            all.push_str(&piece);
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn a_character_that_comes_in_two_pieces_is_told_whole() {
        let text = "é€😀.";
        for cut in 0..=text.len() {
            let (head, tail) = text.as_bytes().split_at(cut);
            assert_eq!(told(&[head, tail]).await, text, "cut at {cut}");
        }
        assert_eq!(
            told(&[b"a\xe2", b"b", b"\xff\xe2\x82"]).await,
            "a\u{fffd}b\u{fffd}\u{fffd}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn large_outputs_are_told_in_pieces_of_bounded_size() {
        let text = "€".repeat(PIECE_BYTES);
        assert_eq!(told(&[text.as_bytes()]).await, text);
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_in_drops_is_told_in_few_pieces() {
        let (sender, mut heard) = mpsc::channel(1);
        let mut telling = Telling::new(Some(sender));
        let begun = Instant::now();
        telling.push(b"1");
        telling.tell().await;
        assert_eq!(
            (heard.recv().await.as_deref(), begun.elapsed()),
            (Some("1"), Default::default())
        );
        telling.push(b"2");
        telling.push(b"3");
        telling.tell().await;
        assert_eq!(
            (heard.recv().await.as_deref(), begun.elapsed()),
            (Some("23"), PIECE_PAUSE)
        );
    }

    #[tokio::test]
    async fn a_listener_who_does_not_take_anything_bounds_what_waits() {
        let (sender, _heard) = mpsc::channel(1);
        let mut telling = Telling::new(Some(sender));
        telling.push(&vec![b'x'; UNTOLD_BYTES_MAX]);
        assert!(!telling.has_room());
        telling.hurry();
        assert!(telling.has_room());
        telling.push(b"x");
        assert!(telling.untold.is_empty() && telling.listener.is_none());
    }
}
