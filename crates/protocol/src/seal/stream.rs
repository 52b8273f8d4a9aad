//! Masking text that arrives in pieces, without letting a secret slip through between two of them.

use std::sync::Arc;

use super::Redactor;
use super::scan::{Around, is_word_byte, replace};
use super::shape::Shape;

/// Masks a stream of text. Gives out everything that is settled and holds back only what may still
/// turn out to be a secret, at most a few hundred bytes.
pub struct StreamRedactor {
    redactor: Arc<Redactor>,
    held: String,
    word_before: bool,
    /// Inside a secret that has already been masked: its bytes are dropped as they come.
    swallowing: Option<&'static Shape>,
}

impl StreamRedactor {
    /// At the start of a text.
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            held: String::new(),
            word_before: false,
            swallowing: None,
        }
    }

    /// Takes a piece and appends what is settled to `out`.
    pub fn push(&mut self, piece: &str, out: &mut String) {
        let piece = self.swallow(piece);
        if piece.is_empty() {
            return;
        }
        if self.held.is_empty() {
            let held_from = self.settle(piece, true, out);
            self.held.push_str(&piece[held_from..]);
        } else {
            let mut text = std::mem::take(&mut self.held);
            text.push_str(piece);
            let held_from = self.settle(&text, true, out);
            text.drain(..held_from);
            self.held = text;
        }
    }

    /// Ends the text and appends what was held back.
    pub fn finish(&mut self, out: &mut String) {
        let text = std::mem::take(&mut self.held);
        self.settle(&text, false, out);
        self.word_before = false;
        self.swallowing = None;
    }

    /// The piece without the rest of a secret that began before it.
    fn swallow<'a>(&mut self, piece: &'a str) -> &'a str {
        let Some(shape) = self.swallowing else {
            return piece;
        };
        let length = piece.bytes().take_while(|&byte| (shape.body)(byte)).count();
        if let Some(&last) = piece.as_bytes()[..length].last() {
            self.word_before = is_word_byte(last);
        }
        if length < piece.len() {
            self.swallowing = None;
        }
        &piece[length..]
    }

    /// Appends the settled part of `text`, masked, and says where the rest begins.
    fn settle(&mut self, text: &str, more_follows: bool, out: &mut String) -> usize {
        let around = Around {
            word_before: self.word_before,
            more_follows,
            json: false,
        };
        let scan = self.redactor.scan(text, around);
        self.swallowing = scan.open;
        let settled = &text[..scan.settled];
        if let Some(&last) = settled.as_bytes().last() {
            self.word_before = is_word_byte(last);
        }
        out.push_str(&replace(settled, &scan.spans));
        scan.settled
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Secret;

    fn redactor() -> Arc<Redactor> {
        Arc::new(Redactor::new(&[Secret::new("hunter2-pass")]))
    }

    fn streamed(pieces: &[&str]) -> String {
        let mut stream = StreamRedactor::new(redactor());
        let mut out = String::new();
        for piece in pieces {
            stream.push(piece, &mut out);
        }
        stream.finish(&mut out);
        out
    }

    #[test]
    fn ordinary_text_passes_at_once() {
        let mut stream = StreamRedactor::new(redactor());
        let mut out = String::new();
        stream.push("Hello wörld", &mut out);
        assert_eq!(out, "Hello wörld");
    }

    #[test]
    fn a_secret_cut_anywhere_is_masked_as_if_it_were_whole() {
        let text =
            "a hunter2-pass b sk-abcdefgh12345678ijkl, https://u:p@h/ c Bearer 0123456789abcdef";
        let whole = redactor().mask(text).into_owned();
        assert!(whole.matches("[redacted]").count() == 4, "{whole}");
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            assert_eq!(
                streamed(&[&text[..cut], &text[cut..]]),
                whole,
                "cut at {cut}"
            );
        }
        let single: Vec<&str> = (0..text.len()).map(|at| &text[at..=at]).collect();
        assert_eq!(streamed(&single), whole);
    }

    proptest! {
        #[test]
        fn pieces_never_change_the_outcome(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "hunter2-pass", "hunter", "sk-", "sk-abcdefgh12345678", "x", " ", "é", "://",
                    "u:p@h", "Bearer ", "0123456789abcdef0", "?token=", "sec.ret", "\n", "_",
                ]),
                0..12,
            ),
            cuts in prop::collection::vec(0usize..200, 0..8),
        ) {
            let text = words.concat();
            let mut cuts: Vec<usize> =
                cuts.into_iter().filter(|&cut| cut <= text.len() && text.is_char_boundary(cut)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(streamed(&pieces), redactor().mask(&text).into_owned());
        }
    }
}
