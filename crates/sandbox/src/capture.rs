//! Keeps the beginning and the end of an output of any length in bounded memory.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;

use crate::limits::HEAD_PERCENT;

/// Output as it was kept.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Captured {
    /// The text. Where something was left out, a line says how much. Bytes that are not UTF-8
    /// show as U+FFFD.
    pub text: String,
    /// How much was written, kept or not.
    pub bytes_total: u64,
    /// How much of it is missing from the text.
    pub bytes_left_out: u64,
}

/// A part of an output that still grows.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The text, as in [`Captured`].
    pub text: String,
    /// Where to go on next time.
    pub next: u64,
    /// How much of this part is no longer kept.
    pub bytes_left_out: u64,
}

#[derive(Clone)]
pub(crate) struct Capture {
    head: Vec<u8>,
    head_bytes_max: usize,
    tail: VecDeque<u8>,
    tail_bytes_max: usize,
    bytes_total: u64,
    /// Tells those who wait for more that there is some.
    growth: Arc<watch::Sender<u64>>,
}

impl Capture {
    pub(crate) fn new(bytes_max: usize) -> Self {
        let head_bytes_max = bytes_max / 100 * HEAD_PERCENT + bytes_max % 100 * HEAD_PERCENT / 100;
        Self {
            head: Vec::new(),
            head_bytes_max,
            tail: VecDeque::new(),
            tail_bytes_max: bytes_max - head_bytes_max,
            bytes_total: 0,
            growth: Arc::new(watch::Sender::new(0)),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes_total += bytes.len() as u64;
        let room = self.head_bytes_max - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);

        let rest = &rest[rest.len().saturating_sub(self.tail_bytes_max)..];
        let overflow = (self.tail.len() + rest.len()).saturating_sub(self.tail_bytes_max);
        self.tail.drain(..overflow);
        self.tail.extend(rest);
        self.growth.send_replace(self.bytes_total);
    }

    /// Follows how much was pushed.
    pub(crate) fn growth(&self) -> watch::Receiver<u64> {
        self.growth.subscribe()
    }

    /// How much was pushed so far.
    pub(crate) fn bytes_total(&self) -> u64 {
        self.bytes_total
    }

    /// What was pushed from a point on, as far as it is kept. A character of which the rest is
    /// still to come waits for it, until the output is `complete`.
    pub(crate) fn since(&self, from: u64, complete: bool) -> Piece {
        let tail_at = self.bytes_total - self.tail.len() as u64;
        let mut kept = Vec::new();
        if let Some(head) = self.head.get(from.min(usize::MAX as u64) as usize..) {
            kept.extend_from_slice(head);
        }
        let missing_from = from.max(self.head.len() as u64);
        let bytes_left_out = tail_at.saturating_sub(missing_from);
        let gap_at = kept.len();
        let skip = missing_from.saturating_sub(tail_at) as usize;
        kept.extend(self.tail.iter().skip(skip));

        let torn = kept.len() - without_torn_end(&kept).len();
        let spans_gap = bytes_left_out > 0 && gap_at > kept.len() - torn;
        let held_back = if complete || spans_gap { 0 } else { torn };
        kept.truncate(kept.len() - held_back);
        let text = if bytes_left_out == 0 {
            into_text(kept)
        } else {
            let (head, tail) = kept.split_at(gap_at);
            let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
            format!("{head}\n[... {bytes_left_out} bytes left out ...]\n{tail}")
        };
        Piece {
            text,
            next: self.bytes_total.max(from) - held_back as u64,
            bytes_left_out,
        }
    }

    pub(crate) fn finish(self) -> Captured {
        let Self {
            mut head,
            tail,
            bytes_total,
            ..
        } = self;
        let mut tail = Vec::from(tail);
        if bytes_total == (head.len() + tail.len()) as u64 {
            head.append(&mut tail);
            let text = into_text(head);
            return Captured {
                text,
                bytes_total,
                bytes_left_out: 0,
            };
        }
        let head = without_torn_end(&head);
        let tail = without_torn_start(&tail);
        let bytes_left_out = bytes_total - (head.len() + tail.len()) as u64;
        let text = format!(
            "{}\n[... {bytes_left_out} bytes left out ...]\n{}",
            String::from_utf8_lossy(head),
            String::from_utf8_lossy(tail),
        );
        Captured {
            text,
            bytes_total,
            bytes_left_out,
        }
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// A character of which only the first bytes fit is left out whole.
pub(crate) fn without_torn_end(bytes: &[u8]) -> &[u8] {
    let Some(last) = bytes.utf8_chunks().last() else {
        return bytes;
    };
    let invalid = last.invalid();
    let torn = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
    if torn {
        &bytes[..bytes.len() - invalid.len()]
    } else {
        bytes
    }
}

/// A character of which only the last bytes fit is left out whole; it has at most three of them.
fn without_torn_start(bytes: &[u8]) -> &[u8] {
    let torn = bytes
        .iter()
        .take(3)
        .take_while(|byte| is_continuation(**byte))
        .count();
    &bytes[torn..]
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushes `output` in pieces of every size: how it arrives must not matter.
    fn check(bytes_max: usize, output: &[u8], text: &str, bytes_left_out: u64) {
        for size in 1..=output.len().max(1) {
            let mut capture = Capture::new(bytes_max);
            output.chunks(size).for_each(|piece| capture.push(piece));
            let bytes_total = output.len() as u64;
            let expected = Captured {
                text: text.into(),
                bytes_total,
                bytes_left_out,
            };
            assert_eq!(capture.finish(), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn what_fits_is_kept_whole() {
        check(10, b"", "", 0);
        check(10, b"0123456789", "0123456789", 0);
    }

    #[test]
    fn what_does_not_fit_keeps_a_fifth_of_beginning_and_the_rest_of_end() {
        check(
            10,
            b"0123456789a",
            "01\n[... 1 bytes left out ...]\n3456789a",
            1,
        );
        check(
            10,
            &[b"ab", &[b'-'; 100][..], b"yz"].concat(),
            "ab\n[... 94 bytes left out ...]\n------yz",
            94,
        );
    }

    #[test]
    fn a_character_is_kept_whole_or_not_at_all() {
        // Two bytes of head end inside the first character, eight of tail start inside another.
        check(
            10,
            "€€€€€".as_bytes(),
            "\n[... 9 bytes left out ...]\n€€",
            9,
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced_and_not_dropped() {
        check(10, b"a\xffb", "a\u{fffd}b", 0);
        check(
            10,
            &[0x80; 12],
            &format!(
                "{0}{0}\n[... 5 bytes left out ...]\n{1}",
                '\u{fffd}',
                "\u{fffd}".repeat(5)
            ),
            5,
        );
    }

    #[test]
    fn an_output_can_be_followed_piece_by_piece() {
        let mut capture = Capture::new(1000);
        capture.push("one €".as_bytes());
        let first = capture.since(0, false);
        assert_eq!((first.text.as_str(), first.next), ("one €", 7));
        capture.push(&"é two".as_bytes()[..1]);
        let torn = capture.since(first.next, false);
        assert_eq!((torn.text.as_str(), torn.next), ("", 7));
        assert_eq!(capture.since(7, true).text, "\u{fffd}");
        capture.push(&"é two".as_bytes()[1..]);
        assert_eq!(capture.since(torn.next, false).text, "é two");
        assert_eq!(capture.since(99, false).text, "");
    }

    #[test]
    fn a_follower_who_is_late_is_told_what_it_missed() {
        let mut capture = Capture::new(10);
        capture.push(b"0123456789abcdefghij");
        let all = capture.since(0, false);
        assert_eq!(all.text, "01\n[... 10 bytes left out ...]\ncdefghij");
        assert_eq!(
            capture.since(1, false).text,
            "1\n[... 10 bytes left out ...]\ncdefghij"
        );
        let late = capture.since(5, false);
        assert_eq!(
            (late.text.as_str(), late.bytes_left_out),
            ("\n[... 7 bytes left out ...]\ncdefghij", 7)
        );
        let recent = capture.since(15, false);
        assert_eq!((recent.text.as_str(), recent.next), ("fghij", 20));
    }

    #[test]
    fn nothing_is_kept_when_nothing_may_be() {
        check(0, b"abc", "\n[... 3 bytes left out ...]\n", 3);
    }
}
