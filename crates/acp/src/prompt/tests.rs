use codewhale_protocol::runtime::{ThreadId, Timestamp};
use codewhale_protocol::{Actor, Surface};

use super::*;

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
