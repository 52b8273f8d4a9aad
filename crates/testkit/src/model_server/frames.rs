//! The frames of a chat-completions stream, as text.

use std::time::{Duration, Instant};

use serde_json::Value;

/// A frame with one change of the answer.
pub(super) fn delta(delta: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"scripted\",\
         \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n"
    )
}

pub(super) fn text(text: &str) -> String {
    delta(&format!("{{\"content\":{}}}", quote(text)))
}

pub(super) fn reasoning(text: &str) -> String {
    delta(&format!(
        "{{\"content\":null,\"reasoning_content\":{}}}",
        quote(text)
    ))
}

/// The frames of a call: its id and name, then its arguments in pieces of so many bytes.
pub(super) fn call(
    index: usize,
    id: &str,
    name: &str,
    arguments: &str,
    piece_bytes: usize,
) -> String {
    let (id, name) = (quote(id), quote(name));
    let mut frames = delta(&format!(
        "{{\"tool_calls\":[{{\"index\":{index},\"id\":{id},\"type\":\"function\",\"function\":{{\"name\":{name},\"arguments\":\"\"}}}}]}}"
    ));
    for piece in pieces(arguments, piece_bytes) {
        let piece = quote(piece);
        frames.push_str(&delta(&format!(
            "{{\"tool_calls\":[{{\"index\":{index},\"function\":{{\"arguments\":{piece}}}}}]}}"
        )));
    }
    frames
}

pub(super) fn finish(reason: &str) -> String {
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":{}}}]}}\n\n",
        quote(reason)
    )
}

pub(super) fn usage(usage: &Value) -> String {
    format!("data: {{\"choices\":[],\"usage\":{usage}}}\n\n")
}

/// A text that tells when it was sent: nanoseconds since `base`.
pub(super) fn stamp(base: Instant) -> String {
    format!("t:{} ", base.elapsed().as_nanos())
}

/// The times that stamped texts tell, in order; the texts may have been joined on the way.
pub fn stamps(text: &str) -> impl Iterator<Item = Duration> {
    text.split_whitespace()
        .filter_map(|word| word.strip_prefix("t:")?.parse().ok())
        .map(Duration::from_nanos)
}

/// A text as JSON.
fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a text is always JSON")
}

/// The text in pieces of at most so many bytes, never inside a character.
fn pieces(text: &str, bytes_max: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.floor_char_boundary(bytes_max);
        let first = rest.chars().next()?.len_utf8();
        let (piece, left) = rest.split_at(end.max(first));
        rest = left;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_between_characters() {
        let split = |bytes| pieces("aüb€", bytes).collect::<Vec<_>>();
        assert_eq!(split(1), ["a", "ü", "b", "€"]);
        assert_eq!(split(3), ["aü", "b", "€"]);
        assert_eq!(split(99), ["aüb€"]);
        assert_eq!(pieces("", 1).count(), 0);
    }

    #[test]
    fn stamps_survive_joining() {
        assert_eq!(
            stamps("t:5 t:7 hello t:x t:9 ")
                .map(|time| time.as_nanos())
                .collect::<Vec<_>>(),
            [5, 7, 9]
        );
    }
}
