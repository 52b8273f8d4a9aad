use codewhale_protocol::runtime::{ThreadId, Timestamp};
use codewhale_protocol::{Actor, Surface};
use serde_json::{Value, json};

use super::*;

fn check_texts(blocks: Value, expected: Result<&[&str], i64>) {
    let blocks: Vec<ContentBlock> = serde_json::from_value(blocks).unwrap();
    let read = texts(blocks).map_err(|error| error.code);
    let expected = expected.map(|texts| texts.iter().map(|it| (*it).to_owned()).collect());
    assert_eq!(read, expected);
}

#[test]
fn a_prompt_keeps_the_order_of_its_pieces() {
    let blocks = json!([
        { "type": "text", "text": "look at" },
        { "type": "resource_link", "uri": "file:///a.rs", "name": "a.rs", "size": 3 },
        { "type": "resource", "resource": { "uri": "file:///b.rs", "text": "fn b() {}\n" } },
        { "type": "text", "text": " " },
    ]);
    let expected = [
        "look at",
        "[a.rs](file:///a.rs)",
        "<resource uri=\"file:///b.rs\">\nfn b() {}\n</resource>",
    ];
    check_texts(blocks, Ok(&expected));
}

#[test]
fn what_a_model_cannot_read_is_refused() {
    let refused = [
        json!([{ "type": "image", "data": "", "mimeType": "image/png" }]),
        json!([{ "type": "audio", "data": "", "mimeType": "audio/wav" }]),
        json!([{ "type": "resource", "resource": { "uri": "file:///x", "blob": "AA==" } }]),
        json!([{ "type": "text", "text": "\n" }]),
        json!([]),
    ];
    for blocks in refused {
        check_texts(blocks, Err(-32602));
    }
}

fn turn(status: TurnStatus, class: Option<FailureClass>) -> TurnRecord {
    let actor = Actor {
        surface: Surface::Acp,
        ..Actor::system("test")
    };
    let (id, thread) = (TurnId::from("turn_1"), ThreadId::from("thr_1"));
    let mut turn = TurnRecord::new(id, thread, Timestamp::from_ms(0), actor);
    turn.status = status;
    turn.failure_class = class;
    turn.error = Some("why".to_owned());
    turn
}

#[test]
fn the_end_of_a_turn_is_told_as_what_it_was() {
    let check = |status, class, expected: Result<StopReason, i64>| {
        let told = stop_reason(&turn(status, class)).map_err(|error| error.code);
        assert_eq!(told, expected, "{status:?} {class:?}");
    };
    check(TurnStatus::Completed, None, Ok(StopReason::EndTurn));
    let interrupted = Some(FailureClass::Interrupted);
    check(
        TurnStatus::Interrupted,
        interrupted,
        Ok(StopReason::Cancelled),
    );
    check(
        TurnStatus::Interrupted,
        Some(FailureClass::Restart),
        Err(-32603),
    );
    check(TurnStatus::Canceled, None, Ok(StopReason::Cancelled));
    let failed = |class, expected| check(TurnStatus::Failed, Some(class), expected);
    failed(FailureClass::Truncated, Ok(StopReason::MaxTokens));
    failed(FailureClass::Refused, Ok(StopReason::Refusal));
    failed(FailureClass::Limit, Ok(StopReason::MaxTurnRequests));
    failed(FailureClass::Authentication, Err(-32000));
    failed(FailureClass::Network, Err(-32603));
    check(TurnStatus::Failed, None, Err(-32603));
}
