//! Five hundred readers on one thread, a third of them not reading at all.

use codewhale_protocol::frame::{Decoder, Frame};
use codewhale_protocol::runtime::ThreadId;
use codewhale_testkit::app::{App, Body, Request, Seen, within};
use codewhale_testkit::model_server::{Gate, Reply};
use serde_json::json;
use tokio::task::JoinSet;

use crate::scene::Scene;

const READERS: usize = 500;

/// Much more than the program needs, and much less than five hundred copies of the turn.
const RESIDENT_KIB_MAX: u64 = 150 * 1024;

fn request(app: &App, thread: &ThreadId) -> Request {
    app.request("GET", &format!("/v1/threads/{thread}/events"))
}

/// Reads to the end of the turn.
async fn read_turn(mut body: Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    while !ends_the_turn(&bytes) {
        bytes.extend_from_slice(&body.next().await.unwrap().unwrap());
    }
    bytes
}

fn ends_the_turn(bytes: &[u8]) -> bool {
    let frame = bytes.strip_suffix(b"\n\n").unwrap_or_default();
    let before = frame.windows(2).rposition(|pair| pair == b"\n\n");
    let last = &frame[before.map_or(0, |at| at + 2)..];
    last.windows(21)
        .any(|window| window == b"event: turn.completed")
}

/// The frames of a stream. What merely tells that it lives, when it takes long, is passed over.
fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut decoder = Decoder::new();
    decoder.push(bytes);
    std::iter::from_fn(|| decoder.next_frame().unwrap()).collect()
}

#[tokio::test]
async fn five_hundred_readers_hold_up_neither_the_turn_nor_each_other() {
    let scene = Scene::configured("[store]\nmerge_deltas = false").await;
    let gate = Gate::new();
    // Every delta its own event: more than the buffers of a reader that does not read.
    let words = Reply::flood(1_000, "some words of a long answer ");
    scene.model.push(words.hold_head(&gate));
    let (thread, _events) = scene.thread(json!({})).await;
    let mut stalled = Vec::new();
    let mut reading = JoinSet::new();
    for number in 0..READERS {
        let request = request(&scene.app, &thread);
        match number % 3 {
            0 => stalled.push(scene.app.open(request.narrow()).await),
            _ => drop(reading.spawn(read_turn(scene.app.open(request).await))),
        }
    }
    scene.app.start_turn(&thread, "go").await;
    let before = scene.app.resident_kib();
    gate.open();
    let read = within("all readers to see the end", reading.join_all()).await;
    let after = scene.app.resident_kib();
    assert!(
        after < RESIDENT_KIB_MAX,
        "{before} KiB before, {after} KiB after"
    );
    assert_eq!(read.len(), READERS - stalled.len());
    let whole = frames(&read[0]);
    assert!(read.iter().all(|bytes| frames(bytes) == whole));
    let seen: Vec<Seen> = whole.iter().map(Seen::read).collect();
    assert_eq!(seen, scene.app.history(&thread).await);
    let deltas = seen.iter().filter(|event| event.event == "item.delta");
    assert_eq!(deltas.count(), 1_000);
    // Those who did not read find everything where they left it.
    for body in stalled.into_iter().take(5) {
        let late = within("a late reader to see the end", read_turn(body)).await;
        assert!(frames(&late) == whole);
    }
    let mut again = scene.app.follow(&thread, seen[9].seq).await;
    again.until("turn.completed").await;
    assert_eq!(again.seen(), &seen[10..]);
    assert_eq!(scene.app.snapshot(&thread).await.turns.len(), 1);
}
