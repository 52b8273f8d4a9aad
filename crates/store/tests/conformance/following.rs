//! Following a stream: replay, then live, without gap or repeat, from any cursor.

use codewhale_protocol::frame::Decoder;
use codewhale_protocol::runtime::{Seq, StreamId};
use codewhale_protocol::service::Cursor;
use codewhale_store::Subscription;

use crate::world::{self, World};

fn follow(world: &World, thread: &str, cursor: Cursor) -> Subscription {
    world
        .store
        .subscribe(StreamId::Thread(thread.into()), cursor)
        .unwrap()
}

/// Takes frames until `count` events have come.
async fn take(subscription: &mut Subscription, count: usize) -> Vec<u64> {
    let mut decoder = Decoder::new();
    let mut seqs = Vec::new();
    while seqs.len() < count {
        decoder.push(&subscription.next().await.unwrap().bytes);
        while let Some(frame) = decoder.next_frame().unwrap() {
            seqs.push(frame.id.unwrap().parse().unwrap());
        }
    }
    seqs
}

fn seqs(world: &World, thread: &str) -> Vec<u64> {
    world
        .events(thread)
        .iter()
        .map(|event| event.seq.0)
        .collect()
}

#[tokio::test]
async fn any_cursor_continues_exactly_behind_it() {
    for engine in world::engines() {
        let world = engine.world();
        for _ in 0..6 {
            world.commit(world.note("thr_a")).await;
            world.commit(world.note("thr_b")).await;
        }
        let all = seqs(&world, "thr_a");
        for after in 0..*all.last().unwrap() {
            let expect: Vec<u64> = all.iter().copied().filter(|&seq| seq > after).collect();
            let mut subscription = follow(&world, "thr_a", Cursor::after(Seq(after)));
            assert_eq!(
                take(&mut subscription, expect.len()).await,
                expect,
                "after {after}"
            );
        }
    }
}

#[tokio::test]
async fn a_replay_limit_shows_the_newest_and_zero_shows_none() {
    for engine in world::engines() {
        let world = engine.world();
        for _ in 0..6 {
            world.commit(world.note("thr_a")).await;
        }
        let all = seqs(&world, "thr_a");
        for limit in [1, 3, 6, 100] {
            let cursor = Cursor {
                after: Seq::ZERO,
                replay_limit: Some(limit),
            };
            let expect = &all[all.len().saturating_sub(limit as usize)..];
            let got = take(&mut follow(&world, "thr_a", cursor), expect.len()).await;
            assert_eq!(got, expect, "limit {limit}");
        }
        let cursor = Cursor {
            after: Seq::ZERO,
            replay_limit: Some(0),
        };
        let mut none = follow(&world, "thr_a", cursor);
        let new = world.commit(world.note("thr_a")).await;
        assert_eq!(
            take(&mut none, 1).await,
            [new.last().unwrap().0],
            "{}",
            engine.name
        );
    }
}

#[tokio::test]
async fn readers_that_join_while_events_are_written_see_each_once_and_in_order() {
    for engine in world::engines() {
        let world = engine.world();
        let total = 300;
        let mut readers = Vec::new();
        for n in 0..total {
            if n % 30 == 0 {
                readers.push((
                    seqs(&world, "thr_a"),
                    follow(&world, "thr_a", Cursor::after(Seq::ZERO)),
                ));
            }
            drop(world.store.commit(world.note("thr_a")));
        }
        world.commit(world.note("thr_a")).await;
        let all = seqs(&world, "thr_a");
        assert_eq!(all.len(), total + 1);
        for (_, mut reader) in readers {
            assert_eq!(take(&mut reader, all.len()).await, all, "{}", engine.name);
        }
    }
}

#[tokio::test]
async fn a_reader_that_sleeps_for_long_catches_up_from_the_log() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.note("thr_a")).await;
        let mut sleeper = follow(&world, "thr_a", Cursor::after(Seq::ZERO));
        take(&mut sleeper, 1).await;
        for _ in 0..2_000 {
            drop(world.store.commit(world.note("thr_a")));
        }
        world.commit(world.note("thr_a")).await;
        let all = seqs(&world, "thr_a");
        assert_eq!(
            take(&mut sleeper, all.len() - 1).await,
            all[1..],
            "{}",
            engine.name
        );
    }
}

#[tokio::test]
async fn a_stream_that_does_not_exist_yet_can_be_followed() {
    for engine in world::engines() {
        let world = engine.world();
        let mut early = follow(&world, "thr_new", Cursor::after(Seq::ZERO));
        let made = world.commit(world.new_thread("thr_new", 1)).await;
        assert_eq!(
            take(&mut early, 1).await,
            [made.last().unwrap().0],
            "{}",
            engine.name
        );
    }
}
