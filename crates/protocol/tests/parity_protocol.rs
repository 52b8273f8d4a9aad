//! Pins the control protocol, byte for byte.
//!
//! Programs we never see are compiled against these names and parse these bytes. A failure here
//! means one of them breaks: change the code, not the expectation. `seed_code` and
//! `seed_literals` are such a program in small and hold the Rust side; the other modules hold the
//! wire, one noun each.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

#[path = "parity_protocol/app.rs"]
mod app;
#[path = "parity_protocol/approval.rs"]
mod approval;
#[path = "parity_protocol/event_frame.rs"]
mod event_frame;
#[path = "parity_protocol/ext.rs"]
mod ext;
#[path = "parity_protocol/goal.rs"]
mod goal;
#[path = "parity_protocol/mcp.rs"]
mod mcp;
#[path = "parity_protocol/runtime_envelope.rs"]
mod runtime_envelope;
#[path = "parity_protocol/seed_code.rs"]
mod seed_code;
#[path = "parity_protocol/seed_literals.rs"]
mod seed_literals;
#[path = "parity_protocol/thread.rs"]
mod thread;
#[path = "parity_protocol/thread_request.rs"]
mod thread_request;
#[path = "parity_protocol/tool.rs"]
mod tool;

trait Wire: Serialize + DeserializeOwned + PartialEq + Debug {}
impl<T: Serialize + DeserializeOwned + PartialEq + Debug> Wire for T {}

/// `value` is written as exactly `json`, and `json` reads as `value`.
#[track_caller]
fn check_alone<T: Wire>(value: &T, json: &str) {
    assert_eq!(write(value), json);
    assert_eq!(&read::<T>(json), value);
}

/// The same for an object, which must also read with a member nobody has heard of.
#[track_caller]
fn check<T: Wire>(value: T, json: &str) {
    check_alone(&value, json);
    let later = json.replacen('{', r#"{"from_the_future":{"a":[1,null]},"#, 1);
    assert_eq!(read::<T>(&later), value, "with an unknown member");
}

/// Checks which members an object must have, and what becomes of the others when they are left
/// out. `json` shows all of them; `members` lists them with a mark each:
///
/// - `name`: required, reading fails without it; the tag of an enum is one of these.
/// - `name=`: has a default, so it may be left out, and is written all the same.
/// - `name?`: may be left out or null, and is left out when there is nothing to write.
#[track_caller]
fn check_members<T: Wire>(json: &str, members: &str) {
    let full: Map<String, Value> = read(json);
    let named: BTreeSet<&str> = members.split_whitespace().map(bare).collect();
    let present: BTreeSet<&str> = full.keys().map(String::as_str).collect();
    assert_eq!(present, named, "the example shows every member");

    for member in members.split_whitespace() {
        let name = bare(member);
        let mut object = full.clone();
        object.remove(name);
        let absent = serde_json::from_str::<T>(&write(&object));
        if name == member {
            assert!(absent.is_err(), "read without {name}: {absent:?}");
            continue;
        }
        let absent = absent.unwrap_or_else(|error| panic!("without {name}: {error}"));
        let is_written = written_members(&absent).contains_key(name);
        if member.ends_with('=') {
            assert!(is_written, "{name} is not written by default");
        } else {
            assert!(!is_written, "{name} is written when empty");
            object.insert(name.to_owned(), Value::Null);
            assert_eq!(read::<T>(&write(&object)), absent, "null for {name}");
        }
    }
}

fn bare(member: &str) -> &str {
    member.trim_end_matches(['=', '?'])
}

/// The members of an object that requires them all, for [`check_members`].
fn all_required(json: &str) -> String {
    let members: Map<String, Value> = read(json);
    let names: Vec<&str> = members.keys().map(String::as_str).collect();
    names.join(" ")
}

/// Every spelling an enum reads, in the order it is declared: serde lists them when it is handed
/// `unknown`, a text with a spelling that does not exist.
#[track_caller]
fn spellings<T: Wire>(unknown: &str) -> Vec<String> {
    let complaint = serde_json::from_str::<T>(unknown)
        .expect_err("no such spelling")
        .to_string();
    let (_, expected) = complaint
        .split_once("expected")
        .expect("serde says what it expected");
    expected
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// A plain enum reads and writes these words and no others.
#[track_caller]
fn check_words<T: Wire>(words: &[(T, &str)]) {
    for (value, word) in words {
        check_alone(value, &format!("\"{word}\""));
    }
    let expected: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
    assert_eq!(spellings::<T>("\"from_the_future\""), expected);
}

fn write<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("protocol types are plain data with text keys")
}

#[track_caller]
fn read<T: DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn written_members<T: Serialize>(value: &T) -> Map<String, Value> {
    read(&write(value))
}
