//! Events in short: what a person would write down of them. Deltas of one item that follow each
//! other are one line, because how text is cut into deltas depends on the moment.

use codewhale_testkit::app::Seen;
use serde_json::Value;

/// One line per event.
pub(crate) fn outline<'a>(events: impl IntoIterator<Item = &'a Seen>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut text: Option<(&Seen, String)> = None;
    for event in events {
        if event.event == "item.delta" {
            let delta = word(&event.payload["delta"]);
            match &mut text {
                Some((first, text)) if first.item_id == event.item_id => text.push_str(&delta),
                _ => {
                    lines.extend(text.take().map(said));
                    text = Some((event, delta));
                }
            }
            continue;
        }
        lines.extend(text.take().map(said));
        lines.push(line(event));
    }
    lines.extend(text.map(said));
    lines
}

fn said((event, text): (&Seen, String)) -> String {
    format!("item.delta {} {text:?}", word(&event.payload["kind"]))
}

fn line(event: &Seen) -> String {
    let payload = &event.payload;
    let mut words = vec![event.event.clone()];
    for path in [
        "/status",
        "/turn/status",
        "/item/kind",
        "/input",
        "/tool_name",
        "/decision",
    ] {
        words.extend(payload.pointer(path).map(word));
    }
    for flag in ["auto", "timeout", "expired", "recovered"] {
        words.extend((payload[flag] == true).then(|| flag.to_owned()));
    }
    if let Some(changes) = payload["changes"].as_object() {
        words.extend(changes.keys().cloned());
    }
    words.join(" ")
}

fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
