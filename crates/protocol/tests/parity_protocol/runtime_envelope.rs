//! The envelope of the runtime's events, as far as clients rely on its form.

use codewhale_protocol::runtime::{RuntimeEventEnvelope, Seq, Timestamp};
use serde_json::{Map, Value, json};

use crate::{check_alone, read, write, written_members};

const MOMENT: &str = "2026-09-21T14:13:20.500Z";

fn envelope() -> RuntimeEventEnvelope {
    RuntimeEventEnvelope {
        schema_version: 1,
        seq: Seq(7),
        previous_seq: None,
        event: "item.delta".into(),
        kind: "item.delta".into(),
        thread_id: "thr_a".into(),
        turn_id: Some("turn_a".into()),
        item_id: Some("item_a".into()),
        timestamp: Timestamp::from_ms(1_790_000_000_500),
        created_at: Some(Timestamp::from_ms(1_790_000_000_500)),
        actor: None,
        actor_id: None,
        payload: json!({ "delta": "hi", "kind": "agent_message" }),
        extra: Map::new(),
    }
}

#[test]
fn an_event_of_an_item_names_its_whole_line_of_descent() {
    let json = [
        r#"{"schema_version":1,"seq":7,"event":"item.delta","kind":"item.delta","#,
        r#""thread_id":"thr_a","turn_id":"turn_a","item_id":"item_a","timestamp":""#,
        MOMENT,
        r#"","created_at":""#,
        MOMENT,
        r#"","payload":{"delta":"hi","kind":"agent_message"}}"#,
    ]
    .concat();
    check_alone(&envelope(), &json);
    assert_eq!(envelope().event, envelope().kind);
}

#[test]
fn an_event_of_a_thread_says_null_for_turn_and_item() {
    let envelope = RuntimeEventEnvelope {
        event: "thread.updated".into(),
        kind: "thread.updated".into(),
        turn_id: None,
        item_id: None,
        created_at: None,
        payload: json!({}),
        ..envelope()
    };
    let json = [
        r#"{"schema_version":1,"seq":7,"event":"thread.updated","kind":"thread.updated","#,
        r#""thread_id":"thr_a","turn_id":null,"item_id":null,"timestamp":""#,
        MOMENT,
        r#"","payload":{}}"#,
    ]
    .concat();
    check_alone(&envelope, &json);
    let sparse = json.replace(r#""turn_id":null,"item_id":null,"#, "");
    assert_eq!(
        read::<RuntimeEventEnvelope>(&sparse),
        envelope,
        "absent reads as null"
    );
}

#[test]
fn an_envelope_without_a_version_is_of_the_first() {
    let mut members = written_members(&envelope());
    members.remove("schema_version");
    let read: RuntimeEventEnvelope = read(&Value::Object(members).to_string());
    assert_eq!(read.schema_version, 1);
    assert_eq!(read, envelope());
}

#[test]
fn a_later_version_is_not_turned_into_ours() {
    let later = write(&envelope()).replace(r#""schema_version":1"#, r#""schema_version":2"#);
    check_alone(
        &RuntimeEventEnvelope {
            schema_version: 2,
            ..envelope()
        },
        &later,
    );
}

#[test]
fn members_we_do_not_know_survive_a_round_trip() {
    let known = write(&envelope());
    let json = format!(
        "{},{}}}",
        known.strip_suffix('}').unwrap(),
        r#""shard":3,"trace":{"id":"x","spans":[null,1.5]}"#
    );
    let envelope: RuntimeEventEnvelope = read(&json);
    assert_eq!(envelope.extra["shard"], json!(3));
    assert_eq!(write(&envelope), json);
}
