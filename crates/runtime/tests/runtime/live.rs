//! What a call prints is told while it runs, masked and up to a bound; the record is as if it was not.

use codewhale_protocol::runtime::{
    Event, ItemKind, ItemStatus, ThreadDetail, ThreadId, ThreadView,
};
use serde_json::{Value, json};

use crate::model::wants;
use crate::world::World;

/// What is told of one call at the most, besides the line that says so.
const PRINTED_BYTES_MAX: usize = 128 * 1024;

/// Runs a turn with one call and answers with the thread's pieces of printed text.
async fn printed(world: &World, input: &Value) -> (ThreadId, Vec<String>) {
    let thread = world.thread(json!({})).await;
    world.model.then(wants("call_1", "look", input));
    world.turn(&thread, "look").await;
    let pieces = pieces(world, &thread);
    (thread, pieces)
}

fn pieces(world: &World, thread: &ThreadId) -> Vec<String> {
    let events = world.envelopes(thread).into_iter();
    let printed = events.filter_map(|it| match it.decode() {
        Some(Ok(Event::ItemDelta(delta))) if delta.kind == ItemKind::ToolCall => Some(delta.delta),
        _ => None,
    });
    printed.collect()
}

#[tokio::test(start_paused = true)]
async fn a_call_is_told_piece_by_piece_between_its_start_and_its_end() {
    let world = World::new().await;
    let input = json!({ "prints": ["one\n", "two\n"] });
    let (thread, pieces) = printed(&world, &input).await;
    assert_eq!(pieces.concat(), "one\ntwo\n");
    let events = world.envelopes(&thread);
    let item = world.detail(&thread).await.items.remove(1);
    let about: Vec<&str> = events
        .iter()
        .filter(|it| it.item_id.as_ref() == Some(&item.id))
        .map(|it| it.event.as_str())
        .collect();
    assert_eq!(about.first(), Some(&"item.started"));
    assert_eq!(about.last(), Some(&"item.completed"));
    assert!(
        about[1..about.len() - 1]
            .iter()
            .all(|it| *it == "item.delta")
    );
    assert_eq!(item.detail, Some(format!("did {input}")));
}

#[tokio::test(start_paused = true)]
async fn a_running_call_keeps_its_input_whatever_it_prints() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let input = json!({ "prints": ["one\n"], "secs": 60 });
    world.model.then(wants("call_1", "look", &input));
    let turn = world.start(&thread, "look").await.unwrap();
    let runs = |_: &ThreadDetail| !pieces(&world, &thread).is_empty();
    let detail = world.until(&thread, runs).await;
    assert_eq!(detail.items[1].status, ItemStatus::InProgress);
    assert_eq!(detail.items[1].detail, Some(input.to_string()));
    let mut view = ThreadView::default();
    for event in world.envelopes(&thread) {
        view.apply(&event).unwrap();
    }
    assert_eq!(view.items[1].detail, Some(input.to_string()));
    world.interrupt(&thread, &turn).await.unwrap();
    world.ended(&thread).await;
}

#[tokio::test(start_paused = true)]
async fn a_key_that_comes_in_two_pieces_is_masked() {
    let world = World::new().await;
    let input = json!({ "prints": ["key sk-abcdefgh1234", "5678ijklmnop", " end\n"] });
    let (_, pieces) = printed(&world, &input).await;
    assert_eq!(pieces.concat(), "key sk-[redacted] end\n");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_prints_without_end_is_told_up_to_a_bound() {
    let world = World::new().await;
    let line = "0123456789abcde\n".repeat(1024);
    let input = json!({ "prints": vec![line; 50] });
    let (thread, pieces) = printed(&world, &input).await;
    let told = pieces.concat();
    let (lines, last_words) = told.split_at(PRINTED_BYTES_MAX);
    assert!(lines.ends_with("abcde\n"));
    assert_eq!(
        last_words,
        "\n[... it prints more; that is told when it is over ...]\n"
    );
    let item = world.detail(&thread).await.items.remove(1);
    assert_eq!(item.detail, Some(format!("did {input}")));
}
