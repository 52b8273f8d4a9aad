//! Streamed text: exact however it is cut or merged, masked, and readable while it grows.

use codewhale_protocol::runtime::*;

use crate::world::{self, SECRET, World};

async fn running_item(world: &World) {
    running(world, ItemKind::AgentMessage).await;
}

async fn running(world: &World, kind: ItemKind) {
    world.commit(world.new_thread("thr_a", 1)).await;
    let mut batch = world.new_turn("thr_a", "turn_1", 0);
    let item = TurnItemRecord {
        kind,
        ..world.item_record("turn_1", "item_1")
    };
    batch.put_item(&"thr_a".into(), 0, &item);
    world.event(
        &mut batch,
        "thr_a",
        &Event::ItemStarted(ItemStarted::new(item, None)),
    );
    world.commit(batch).await;
}

/// Pushes the pieces and waits until everything is in the log.
async fn stream(world: &World, pieces: &[&str]) -> String {
    let ids = (&"thr_a".into(), &"turn_1".into(), &"item_1".into());
    let kind = ItemKind::AgentMessage;
    let mut writer = world.store.delta_writer(ids, kind, &world.stamp.id);
    let mut settled = String::new();
    for piece in pieces {
        writer.push(Timestamp::from_ms(2), piece, &mut settled);
    }
    writer.finish(Timestamp::from_ms(3), &mut settled);
    world.commit(world.note("thr_a")).await;
    writer.check().unwrap();
    settled
}

fn joined(world: &World) -> String {
    let text = |event: &RuntimeEventEnvelope| match event.decode() {
        Some(Ok(Event::ItemDelta(delta))) => delta.delta,
        _ => String::new(),
    };
    world.events("thr_a").iter().map(text).collect()
}

#[tokio::test]
async fn the_joined_text_is_exact() {
    for engine in world::engines() {
        let world = engine.world();
        running_item(&world).await;
        let pieces: Vec<String> = (0..500)
            .map(|n| format!("{n} \"quoted\" \\ back\nline é\u{1f40b}\u{1} "))
            .collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let settled = stream(&world, &pieces).await;
        assert_eq!(settled, pieces.concat(), "{}", engine.name);
        assert_eq!(joined(&world), settled, "{}", engine.name);
    }
}

#[tokio::test]
async fn a_secret_is_masked_even_when_its_pieces_come_apart() {
    for engine in world::engines() {
        let world = engine.world();
        running_item(&world).await;
        let (front, back) = SECRET.split_at(5);
        let settled = stream(&world, &["the key is ", front, back, "."]).await;
        assert_eq!(settled, "the key is [redacted].", "{}", engine.name);
        assert_eq!(joined(&world), settled, "{}", engine.name);
    }
}

#[tokio::test]
async fn a_running_item_shows_its_text_so_far_together_with_the_place_in_the_log() {
    for engine in world::engines() {
        let world = engine.world();
        running_item(&world).await;
        stream(&world, &["Hello ", "wörld"]).await;
        let detail = world
            .store
            .read(|reader| reader.detail(&"thr_a".into()))
            .unwrap()
            .unwrap();
        assert_eq!(
            detail.items[0].detail.as_deref(),
            Some("Hello wörld"),
            "{}",
            engine.name
        );
        assert_eq!(detail.turns[0].item_ids, [ItemId::from("item_1")]);
        assert_eq!(detail.latest_seq, world.events("thr_a").last().unwrap().seq);
    }
}

#[tokio::test]
async fn what_a_call_prints_does_not_become_part_of_its_item() {
    for engine in world::engines() {
        let world = engine.world();
        running(&world, ItemKind::CommandExecution).await;
        let ids = (&"thr_a".into(), &"turn_1".into(), &"item_1".into());
        let by = &world.stamp.id;
        let mut writer = world.store.delta_writer(ids, ItemKind::ToolCall, by);
        writer.push(Timestamp::from_ms(2), "printed", &mut String::new());
        world.commit(world.note("thr_a")).await;
        assert_eq!(joined(&world), "printed", "{}", engine.name);
        let read = world.store.read(|reader| reader.items(&"thr_a".into(), 0));
        let item = read.unwrap().remove(0).record;
        assert_eq!(item.detail, world.item_record("turn_1", "item_1").detail);
    }
}

#[tokio::test]
async fn a_text_that_is_cut_ends_with_its_last_words_and_no_half_of_a_secret() {
    for engine in world::engines() {
        let world = engine.world();
        running_item(&world).await;
        let ids = (&"thr_a".into(), &"turn_1".into(), &"item_1".into());
        let by = &world.stamp.id;
        let mut writer = world.store.delta_writer(ids, ItemKind::ToolCall, by);
        let (at, front) = (Timestamp::from_ms(2), &SECRET[..SECRET.len() - 1]);
        writer.push(at, &format!("the key is {front}"), &mut String::new());
        writer.cut(at, "[cut]");
        writer.finish(at, &mut String::new());
        world.commit(world.note("thr_a")).await;
        assert_eq!(joined(&world), "the key is [cut]", "{}", engine.name);
    }
}
