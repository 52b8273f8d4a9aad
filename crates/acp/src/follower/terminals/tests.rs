use codewhale_protocol::runtime::{ItemKind, ItemStatus, Timestamp};
use serde_json::{Value, json};

use super::*;

fn command(metadata: &Value) -> TurnItemRecord {
    let (by, now) = ("act_1".into(), Timestamp::from_ms(0));
    let kind = ItemKind::CommandExecution;
    let mut item = TurnItemRecord::new("item_1".into(), "turn_1".into(), kind, by, now);
    let tool = json!({ "id": "call_1", "name": "exec_shell", "input": { "command": "make" } });
    item.metadata = Some(json!({ "tool": tool }));
    let members = item.metadata.as_mut().and_then(Value::as_object_mut);
    members
        .unwrap()
        .extend(metadata.as_object().unwrap().clone());
    item
}

fn ended(code: i64) -> TurnItemRecord {
    let mut item = command(&json!({ "result": { "exit_code": code } }));
    item.status = ItemStatus::Completed;
    item
}

/// Terminals with a view of the command, which has exited so.
fn with_view(exit: Option<Exit>) -> (Terminals, watch::Receiver<Fate>) {
    let mut terminals = Terminals::new(Some(Stirs::new()));
    let item = command(&json!({}));
    assert!(!terminals.begun(&item));
    assert!(terminals.runs(&item.id));
    let (fate, follows) = watch::channel(Fate::Open);
    terminals.views.insert(item.id, View::Up { fate, exit });
    (terminals, follows)
}

#[test]
fn a_terminal_is_wanted_when_a_call_is_told_and_runs_in_either_order() {
    let item = command(&json!({}));
    let mut terminals = Terminals::new(Some(Stirs::new()));
    assert!(!terminals.runs(&item.id));
    assert!(terminals.begun(&item));
    // A call of the past is never begun, and an editor without terminals is never asked.
    assert!(!Terminals::new(Some(Stirs::new())).runs(&item.id));
    assert!(!Terminals::new(None).begun(&item));
    let mut background = item;
    background.metadata.as_mut().unwrap()["tool"]["input"]["background"] = json!(true);
    assert!(!terminals.begun(&background));
}

#[test]
fn a_call_with_a_view_ends_in_its_terminal_and_the_view_is_let_end() {
    let (mut terminals, follows) = with_view(None);
    assert_eq!(terminals.over(&ended(3)), Shown::InTerminal);
    assert!(*follows.borrow() == Fate::Ended);
    assert!(terminals.told.is_empty() && terminals.views.is_empty());
}

#[test]
fn a_call_that_was_cut_off_is_told_as_text_and_its_view_is_ended() {
    let (mut terminals, follows) = with_view(None);
    let shown = terminals.over(&command(&json!({ "error": "the turn was stopped" })));
    assert_eq!(shown, Shown::AsText);
    assert!(*follows.borrow() == Fate::CutOff);
}

#[test]
fn a_view_that_saw_the_end_first_stands_and_one_that_failed_does_not() {
    let check = |exit, shown| {
        let (mut terminals, _follows) = with_view(Some(exit));
        assert_eq!(terminals.over(&ended(3)), shown, "{exit:?}");
    };
    check(Exit::Code(3), Shown::InTerminal);
    check(Exit::Code(127), Shown::AsText);
    check(Exit::Stopped, Shown::AsText);
    check(Exit::Unknown, Shown::AsText);
}

#[test]
fn a_call_that_is_over_before_its_terminal_is_there_is_told_as_text() {
    let mut terminals = Terminals::new(Some(Stirs::new()));
    let item = command(&json!({}));
    terminals.begun(&item);
    terminals.views.insert(item.id, View::Wanted);
    assert_eq!(terminals.over(&ended(0)), Shown::AsText);
    assert!(terminals.views.is_empty());
}
