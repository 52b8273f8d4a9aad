//! What a log tells as a run.

use codewhale_protocol::runtime::{
    Event as Happened, ItemDelta, ItemKind, RuntimeEventEnvelope, TurnInterruptRequested,
    TurnStatus,
};

use super::script::{begins, completed, decided, detail, ends, envelope, item, required, turn};
use crate::agents::event::Event;
use crate::agents::run::Run;
use crate::agents::story::Story;

fn told(events: &[Happened]) -> Vec<Event> {
    let mut story = Story::new(&detail(TurnStatus::InProgress, 0)).unwrap();
    for (seq, event) in (1..).zip(events) {
        let envelope: RuntimeEventEnvelope = serde_json::from_value(envelope(seq, event)).unwrap();
        story.take(event.clone(), &envelope);
    }
    story.told()
}

fn kind(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap();
    value["type"].as_str().unwrap().to_owned()
}

#[track_caller]
fn check(events: &[Happened], expect: &[&str]) {
    let told = told(events);
    let kinds: Vec<String> = told.iter().map(kind).collect();
    assert_eq!(kinds[..2], ["run.created", "run.in-progress"]);
    assert_eq!(kinds[2..], *expect);
}

#[test]
fn what_a_rule_answers_in_the_same_breath_is_not_waited_for() {
    let done = completed(TurnStatus::Completed);
    check(
        &[required("appr_1"), decided("appr_1", true), done.clone()],
        &["run.completed"],
    );
    check(
        &[required("appr_1"), decided("appr_1", false), done],
        &["run.awaiting", "run.in-progress", "run.completed"],
    );
}

#[test]
fn of_several_questions_each_is_told_in_its_turn() {
    check(
        &[
            required("appr_1"),
            required("appr_2"),
            decided("appr_2", false),
            decided("appr_1", false),
        ],
        &["run.awaiting", "run.in-progress"],
    );
    check(
        &[
            required("appr_1"),
            required("appr_2"),
            decided("appr_1", false),
            decided("appr_2", false),
        ],
        &[
            "run.awaiting",
            "run.in-progress",
            "run.awaiting",
            "run.in-progress",
        ],
    );
}

#[test]
fn a_run_that_is_to_stop_waits_for_nothing_more() {
    let stop = Happened::TurnInterruptRequested(TurnInterruptRequested {
        thread_id: turn(TurnStatus::InProgress).thread_id,
        turn_id: turn(TurnStatus::InProgress).id,
    });
    check(
        &[
            required("appr_1"),
            required("appr_2"),
            stop,
            decided("appr_1", false),
            decided("appr_2", false),
            completed(TurnStatus::Interrupted),
        ],
        &["run.awaiting", "run.cancelled"],
    );
}

#[test]
fn messages_do_not_overlap_though_items_do() {
    let (call, said) = (
        item(1, ItemKind::ToolCall, "noted"),
        item(2, ItemKind::AgentMessage, "Hello"),
    );
    let events = [begins(&call), begins(&said), ends(&call), ends(&said)];
    let told = told(&events);
    let kinds: Vec<String> = told[2..].iter().map(kind).collect();
    assert_eq!(
        kinds,
        [
            "message.created",
            "message.completed",
            "message.created",
            "message.part",
            "message.completed"
        ]
    );
}

#[test]
fn the_last_event_shows_the_run_as_the_rows_do() {
    let mut rows = detail(TurnStatus::Completed, 5);
    rows.items = vec![
        item(1, ItemKind::UserMessage, "hi"),
        item(2, ItemKind::ToolCall, "noted"),
        item(3, ItemKind::AgentMessage, "Hello"),
        item(4, ItemKind::AgentReasoning, "hm"),
    ];
    // The call ends last, and stands where it began all the same.
    let mut events: Vec<Happened> = rows.items.iter().map(begins).collect();
    events.extend(rows.items.iter().rev().map(ends));
    events.push(completed(TurnStatus::Completed));
    let ended = Run::ended(&rows).unwrap();
    assert_eq!(ended.output.len(), 2);
    let last = told(&events).pop().unwrap();
    assert_eq!(
        last,
        Event::RunCompleted {
            run: Box::new(ended)
        }
    );
}

#[test]
fn a_copied_turn_is_told_from_its_rows() {
    let mut rows = detail(TurnStatus::Completed, 5);
    rows.items = vec![item(3, ItemKind::AgentMessage, "Hello")];
    let mut story = Story::new(&rows).unwrap();
    story.settle(&rows);
    let told = story.told();
    let kinds: Vec<String> = told[2..].iter().map(kind).collect();
    let whole = [
        "message.created",
        "message.part",
        "message.completed",
        "run.completed",
    ];
    assert_eq!(kinds, whole);
    story.settle(&rows);
    assert!(story.told().is_empty());
}

#[test]
fn text_of_an_open_message_is_told_as_it_comes() {
    let said = item(1, ItemKind::AgentMessage, "Hello");
    let delta = Happened::ItemDelta(ItemDelta {
        delta: "Hel".into(),
        kind: ItemKind::AgentMessage,
    });
    let mut story = Story::new(&detail(TurnStatus::InProgress, 0)).unwrap();
    story.told();
    for (seq, event) in (1..).zip([begins(&said), delta]) {
        let mut value = envelope(seq, &event);
        value["item_id"] = serde_json::json!(said.id);
        let envelope: RuntimeEventEnvelope = serde_json::from_value(value).unwrap();
        story.take(event, &envelope);
    }
    let told: Vec<String> = story.told().iter().map(kind).collect();
    assert_eq!(told, ["message.created", "message.part"]);
}
