//! Finding what must not be seen.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use super::Secret;
use super::shape::{CANDIDATE_BYTES_MAX, SHAPES, Shape};

/// What stands where a secret stood.
const MASK: &str = "[redacted]";

/// A known value shorter than this is not masked: it would hit ordinary words.
const SECRET_BYTES_MIN: usize = 8;

/// Some known values, and the shapes of others.
pub(super) struct Needles {
    /// Finds known values and the starts of shapes, leftmost and longest.
    needles: AhoCorasick,
    /// How many of the needles are known values; the rest are [`SHAPES`] in order.
    known: usize,
    /// Every proper beginning of a needle, by its last byte: what a piece of text may end in the
    /// middle of.
    beginnings: Vec<Vec<Beginning>>,
}

/// The first bytes of a needle. Tokens have thousands of them, so that they share their text.
#[derive(Clone)]
struct Beginning {
    needle: Arc<str>,
    length: usize,
    at_word_start: bool,
}

impl Beginning {
    fn bytes(&self) -> &[u8] {
        &self.needle.as_bytes()[..self.length]
    }
}

/// The outcome of looking at a text.
pub(super) struct Scan {
    /// What to mask.
    pub(super) spans: Vec<Range<usize>>,
    /// Everything before this is settled, whatever follows the text.
    pub(super) settled: usize,
    /// The shape that the text ends inside of, already found to be a secret.
    pub(super) open: Option<&'static Shape>,
}

/// What came before and what comes after the text that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// Whether the byte before the text belongs to a word.
    pub(super) word_before: bool,
    /// Whether more text may follow.
    pub(super) more_follows: bool,
    /// Whether the text is JSON, where an escape such as `\n` ends in a letter.
    pub(super) json: bool,
}

impl Needles {
    /// These values, as they are and as they look inside JSON, and everything of a known shape.
    pub(super) fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut needles: Vec<String> = Vec::new();
        for secret in secrets {
            let value = secret.expose().trim();
            let only_digits = value.bytes().all(|byte| byte.is_ascii_digit());
            if value.len() < SECRET_BYTES_MIN || only_digits {
                continue;
            }
            let quoted = serde_json::to_string(value).expect("a string is JSON");
            needles.push(quoted[1..quoted.len() - 1].to_owned());
            needles.push(value.to_owned());
        }
        needles.sort();
        needles.dedup();
        let known = needles.len();
        needles.extend(SHAPES.iter().map(|shape| shape.prefix.to_owned()));
        let beginnings = beginnings(&needles, known);
        let needles = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Unanchored)
            .build(&needles)
            .expect("a few short needles always build");
        Self {
            needles,
            known,
            beginnings,
        }
    }

    pub(super) fn scan(&self, text: &str, around: Around) -> Scan {
        let mut spans = Vec::new();
        let mut from = 0;
        while let Some(found) = self.find(text, from) {
            let (needle, start, end) = found;
            if needle < self.known {
                spans.push(start..end);
                from = end;
                continue;
            }
            let shape = &SHAPES[needle - self.known];
            if shape.at_word_start && stands_in_word(text, start, around) {
                from = start + 1;
                continue;
            }
            match judge(shape, &text.as_bytes()[end..], around.more_follows) {
                Verdict::Secret { length, open } => {
                    spans.push(end..end + length);
                    from = end + length;
                    if open {
                        return Scan {
                            spans,
                            settled: from,
                            open: Some(shape),
                        };
                    }
                }
                Verdict::Harmless => from = end,
                Verdict::Undecided => {
                    return Scan {
                        spans,
                        settled: start,
                        open: None,
                    };
                }
            }
        }
        let settled = match around.more_follows {
            true => text.len() - self.unfinished(text, from, around),
            false => text.len(),
        };
        Scan {
            spans,
            settled,
            open: None,
        }
    }

    fn find(&self, text: &str, from: usize) -> Option<(usize, usize, usize)> {
        let input = Input::new(text).range(from..).anchored(Anchored::No);
        let found = self.needles.find(input)?;
        Some((found.pattern().as_usize(), found.start(), found.end()))
    }

    /// How many bytes at the end of `text`, behind `from`, may be the beginning of a needle.
    fn unfinished(&self, text: &str, from: usize, around: Around) -> usize {
        let tail = &text.as_bytes()[from..];
        let Some(&last) = tail.last() else { return 0 };
        let possible = |beginning: &&Beginning| {
            let start = text.len().wrapping_sub(beginning.length);
            tail.ends_with(beginning.bytes())
                && !(beginning.at_word_start && stands_in_word(text, start, around))
        };
        let candidates = self.beginnings[usize::from(last)].iter().filter(possible);
        candidates
            .map(|beginning| beginning.length)
            .max()
            .unwrap_or(0)
    }
}

fn beginnings(needles: &[String], known: usize) -> Vec<Vec<Beginning>> {
    let mut by_last = vec![Vec::new(); 256];
    for (index, needle) in needles.iter().enumerate() {
        let at_word_start = index >= known && SHAPES[index - known].at_word_start;
        let needle: Arc<str> = Arc::from(needle.as_str());
        for length in (1..needle.len()).filter(|&length| needle.is_char_boundary(length)) {
            by_last[usize::from(needle.as_bytes()[length - 1])].push(Beginning {
                needle: needle.clone(),
                length,
                at_word_start,
            });
        }
    }
    by_last
}

enum Verdict {
    /// So many bytes are secret; `open` when the text ends before the secret is seen to.
    Secret {
        length: usize,
        open: bool,
    },
    Harmless,
    /// More text is needed to tell.
    Undecided,
}

fn judge(shape: &Shape, rest: &[u8], more_follows: bool) -> Verdict {
    let length = rest.iter().take_while(|&&byte| (shape.body)(byte)).count();
    let candidate = &rest[..length.min(CANDIDATE_BYTES_MAX)];
    let ends_here = length == rest.len() && more_follows;
    let looks_secret = length >= shape.body_bytes_min
        && (!shape.needs_digit || candidate.iter().any(u8::is_ascii_digit));
    match shape.then {
        Some(byte) if looks_secret && rest.get(length) == Some(&byte) => {
            match length <= CANDIDATE_BYTES_MAX {
                true => Verdict::Secret {
                    length,
                    open: false,
                },
                false => Verdict::Harmless,
            }
        }
        None if looks_secret => Verdict::Secret {
            length,
            open: ends_here,
        },
        _ if ends_here && length <= CANDIDATE_BYTES_MAX => Verdict::Undecided,
        _ => Verdict::Harmless,
    }
}

/// Whether the byte at `start` continues a word.
fn stands_in_word(text: &str, start: usize, around: Around) -> bool {
    let before = &text.as_bytes()[..start];
    match before.last() {
        None => around.word_before,
        Some(&byte) => is_word_byte(byte) && !(around.json && ends_in_escape(before)),
    }
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether JSON text ends in an escape sequence such as `\n` or `\u001b`.
fn ends_in_escape(json: &[u8]) -> bool {
    let backslash_at = |offset: usize| {
        let Some(end) = json.len().checked_sub(offset) else {
            return false;
        };
        let run = json[..end]
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'\\')
            .count();
        run % 2 == 1
    };
    let unicode = json.len() >= 6 && json[json.len() - 5] == b'u' && backslash_at(5);
    backslash_at(1) || unicode
}

pub(super) fn replace<'a>(text: &'a str, spans: &[Range<usize>]) -> Cow<'a, str> {
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        masked.push_str(&text[from..span.start]);
        masked.push_str(MASK);
        from = span.end;
    }
    masked.push_str(&text[from..]);
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::Redactor;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let redactor = Redactor::new(&[Secret::new("hunter2-pa\"ss")]);
        assert_eq!(redactor.mask(text), expect);
    }

    #[test]
    fn known_values_are_masked_wherever_they_stand() {
        check("xhunter2-pa\"ssx", "x[redacted]x");
        let redactor = Redactor::new(&[Secret::new("hunter2-pa\"ss")]);
        let sealed = redactor.seal_json(&serde_json::json!({ "out": "key=hunter2-pa\"ss" }));
        assert_eq!(sealed.as_str(), r#"{"out":"key=[redacted]"}"#);
    }

    #[test]
    fn shapes_are_masked_and_their_prefix_tells_which() {
        check("use sk-abcdefgh12345678ij now", "use sk-[redacted] now");
        check("AKIAABCDEFGHIJKLMN12", "AKIA[redacted]");
        check(
            "Authorization: Bearer abc123abc123abc123",
            "Authorization: Bearer [redacted]",
        );
        check(
            "http://h/x?token=abcdef&y=1",
            "http://h/x?token=[redacted]&y=1",
        );
        check(
            "git clone https://me:pw@host/r",
            "git clone https://[redacted]@host/r",
        );
    }

    #[test]
    fn ordinary_words_stay() {
        for text in [
            "task-management-for-everyone-9",
            "sk-learn-contrib-packages",
            "https://example.org/a@b",
            "see ://",
            "?token=",
            "bearer of good news",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn an_escape_before_a_key_in_json_does_not_hide_it() {
        let redactor = Redactor::new(&[]);
        let key = "sk-abcdefgh12345678ij";
        for before in ["\n", "\u{1b}", "\\", "a "] {
            let sealed = redactor.seal_json(&format!("{before}{key}"));
            assert!(sealed.as_str().ends_with("sk-[redacted]\""), "{sealed:?}");
        }
        let inside = redactor.seal_json(&format!("\\n{key}"));
        assert!(
            inside.as_str().contains(key),
            "a letter n in front is a word: {inside:?}"
        );
    }

    #[test]
    fn short_and_numeric_values_are_not_masked() {
        let redactor = Redactor::new(&[Secret::new("test"), Secret::new("123456789012")]);
        assert_eq!(redactor.mask("test 123456789012"), "test 123456789012");
    }
}
