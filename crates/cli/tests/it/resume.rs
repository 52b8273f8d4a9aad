//! Readers that come late, break off and come back: each event once, in order.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use codewhale_protocol::frame::{Decoder, Frame};
use codewhale_protocol::runtime::{Seq, ThreadDetail, ThreadId, ThreadView};
use codewhale_testkit::app::{App, Request, Seen, continue_from, fold, within};
use codewhale_testkit::long;
use codewhale_testkit::model_server::Reply;
use serde_json::json;

use crate::dice::Dice;
use crate::scene::Scene;

/// A thread whose short history has one of most things.
async fn small_history(scene: &Scene) -> (ThreadId, Vec<Seen>) {
    scene.model.push(
        Reply::new()
            .reasoning("Hm.")
            .call("call_1", "list_dir", "{}"),
    );
    scene.model.push(Reply::says("é\nDone."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    events.until("turn.completed").await;
    (thread, events.into_seen())
}

/// How a reader says where it was.
#[derive(Clone, Copy, Debug)]
enum Resume {
    Header,
    Query,
}

fn resumed(app: &App, thread: &ThreadId, last: Option<Seq>, how: Resume) -> Request {
    let path = format!("/v1/threads/{thread}/events");
    match (last, how) {
        (None, _) => app.request("GET", &path),
        (Some(seq), Resume::Header) => {
            let request = app.request("GET", &path);
            request.header("last-event-id", &seq.to_string())
        }
        (Some(seq), Resume::Query) => app.request("GET", &format!("{path}?since_seq={seq}")),
    }
}

/// The first bytes of a stream, as a reader gets them that is cut off behind them.
async fn bytes(app: &App, request: Request, length: usize) -> Vec<u8> {
    let mut body = app.open(request).await;
    assert_eq!(body.status, 200);
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let piece = within("more of the stream", body.next()).await;
        bytes.extend_from_slice(&piece.unwrap().unwrap());
    }
    bytes.truncate(length);
    bytes
}

/// The whole frames in some bytes; what was cut off in the middle is lost.
fn whole_frames(bytes: &[u8]) -> Vec<Frame> {
    let mut decoder = Decoder::new();
    decoder.push(bytes);
    std::iter::from_fn(|| decoder.next_frame().unwrap()).collect()
}

fn whole_events(bytes: &[u8]) -> Vec<Seen> {
    whole_frames(bytes).iter().map(Seen::read).collect()
}

fn length_of(events: &[Seen]) -> usize {
    let length = |event: &Seen| {
        let (seq, name, data) = (event.seq, &event.event, &event.data);
        format!("id: {seq}\nevent: {name}\ndata: {data}\n\n").len()
    };
    events.iter().map(length).sum()
}

#[tokio::test]
async fn a_reader_cut_off_at_any_byte_and_resumed_sees_each_event_once() {
    let scene = Scene::new().await;
    let (thread, all) = small_history(&scene).await;
    let whole = bytes(
        &scene.app,
        resumed(&scene.app, &thread, None, Resume::Query),
        length_of(&all),
    )
    .await;
    assert_eq!(whole_events(&whole), all);
    // What comes behind an event depends on the event alone, so each is asked for once.
    let mut behind: BTreeMap<String, Vec<Frame>> = BTreeMap::new();
    for (index, event) in all.iter().enumerate() {
        let rest = length_of(&all[index + 1..]);
        for how in [Resume::Header, Resume::Query] {
            let request = resumed(&scene.app, &thread, Some(event.seq), how);
            let text = bytes(&scene.app, request, rest).await;
            assert_eq!(
                whole_events(&text),
                all[index + 1..],
                "{how:?} {}",
                event.seq
            );
            behind.insert(event.seq.to_string(), whole_frames(&text));
        }
    }
    let all = whole_frames(&whole);
    for cut in 0..=whole.len() {
        let mut seen = whole_frames(&whole[..cut]);
        let rest = match seen.last().and_then(|last| last.id.as_ref()) {
            Some(last) => &behind[last],
            None => &all,
        };
        seen.extend(rest.iter().cloned());
        // The same frames make the same view of the thread.
        assert!(seen == all, "cut at {cut}");
    }
}

#[tokio::test]
async fn connections_really_cut_off_are_resumed_the_same_way() {
    let scene = Scene::new().await;
    let (thread, all) = small_history(&scene).await;
    let length = length_of(&all);
    let step = length / long::count(50, 2_000);
    for cut in (0..=length).step_by(step.max(1)) {
        let first = resumed(&scene.app, &thread, None, Resume::Query);
        let mut seen = whole_events(&bytes(&scene.app, first, cut).await);
        let how = if cut % 2 == 0 {
            Resume::Header
        } else {
            Resume::Query
        };
        let again = resumed(&scene.app, &thread, seen.last().map(|event| event.seq), how);
        let rest = length - length_of(&seen);
        seen.extend(whole_events(&bytes(&scene.app, again, rest).await));
        assert_eq!(seen, all, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_reader_that_keeps_breaking_off_during_a_turn_misses_nothing() {
    let scene = Scene::new().await;
    for seed in 0..long::count(3, 50) as u64 {
        println!("seed {seed}");
        let mut dice = Dice::new(seed);
        scene
            .model
            .push(Reply::paced(100, Duration::from_millis(1), Instant::now()));
        let thread = scene.app.create_thread(json!({})).await.id;
        scene.app.start_turn(&thread, "go").await;
        let mut seen: Vec<Seen> = Vec::new();
        while seen
            .last()
            .is_none_or(|last| last.event != "turn.completed")
        {
            let last = seen.last().map(|event| event.seq);
            let request = resumed(&scene.app, &thread, last, Resume::Header);
            let mut body = scene.app.open(request).await;
            let patience = 1 + dice.below(6_000) as usize;
            let mut got = Vec::new();
            while got.len() < patience && !ends_the_turn(&got) {
                let piece = within("more of the stream", body.next()).await;
                got.extend_from_slice(&piece.unwrap().unwrap());
            }
            let keep = if ends_the_turn(&got) {
                got.len()
            } else {
                patience
            };
            seen.extend(whole_events(&got[..keep]));
        }
        assert_eq!(seen, scene.app.history(&thread).await);
    }
}

fn ends_the_turn(bytes: &[u8]) -> bool {
    let last = whole_events(bytes).pop();
    last.is_some_and(|event| event.event == "turn.completed")
}

/// A turn that takes a while and has one of everything: thought, text, calls, a question, an
/// addition.
async fn busy_turn(scene: &Scene, thread: &ThreadId, mut look: impl AsyncFnMut()) {
    let paced = || Reply::paced(40, Duration::from_millis(1), Instant::now());
    scene
        .model
        .push(paced().reasoning("Hm.").call("call_1", "list_dir", "{}"));
    let write = r#"{"path":"a.txt","content":"a"}"#;
    scene
        .model
        .push(paced().call("call_2", "write_file", write));
    scene.model.push(paced());
    scene.model.default_reply(paced());
    let mut events = scene.app.follow(thread, Seq::ZERO).await;
    let turn = scene.app.start_turn(thread, "go").await;
    let mut steered = false;
    loop {
        let event = events.next().await;
        look().await;
        match event.event.as_str() {
            "approval.required" => {
                let approval = event.payload["id"].as_str().unwrap().into();
                assert_eq!(scene.app.decide(&approval, "allow").await.status, 200);
            }
            "item.completed" if !steered && event.payload["item"]["kind"] == "tool_call" => {
                steered = true;
                assert_eq!(scene.app.steer(&turn, "and more").await.status, 200);
            }
            "turn.completed" => return,
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_snapshot_at_any_moment_is_what_the_events_up_to_it_tell() {
    let scene = Scene::new().await;
    let thread = scene.app.create_thread(json!({})).await.id;
    let mut snapshots: Vec<ThreadDetail> = Vec::new();
    let look = async || snapshots.push(scene.app.snapshot(&thread).await);
    busy_turn(&scene, &thread, look).await;
    let history = scene.app.history(&thread).await;
    let end = ThreadView::from(scene.app.snapshot(&thread).await);
    assert_eq!(fold(&history), end);
    assert!(snapshots.len() > 20, "{}", snapshots.len());
    for snapshot in snapshots {
        let seq = snapshot.latest_seq;
        let (before, behind): (Vec<_>, Vec<_>) = history.iter().partition(|event| event.seq <= seq);
        assert_eq!(before.last().map(|event| event.seq), Some(seq));
        let snapshot = ThreadView::from(snapshot);
        assert_eq!(snapshot, fold(before), "at {seq}");
        assert_eq!(continue_from(snapshot, behind), end, "from {seq}");
    }
}

#[tokio::test]
async fn a_snapshot_and_the_stream_behind_it_are_the_whole_history() {
    let scene = Scene::new().await;
    let thread = scene.app.create_thread(json!({})).await.id;
    let mut late = Vec::new();
    let look = async || {
        let snapshot = scene.app.snapshot(&thread).await;
        let reader = scene.app.follow(&thread, snapshot.latest_seq).await;
        late.push((snapshot, reader));
    };
    busy_turn(&scene, &thread, look).await;
    let end = ThreadView::from(scene.app.snapshot(&thread).await);
    for (snapshot, mut reader) in late {
        let from = snapshot.latest_seq;
        reader.until_seq(end.latest_seq).await;
        let first = reader.seen().first();
        assert!(first.is_none_or(|event| event.previous_seq == Some(from)));
        let view = continue_from(snapshot.into(), reader.seen());
        assert_eq!(view, end, "from {from}");
    }
}

#[tokio::test]
async fn readers_that_arrive_while_much_is_written_all_read_the_same() {
    let scene = Scene::configured("[store]\nmerge_deltas = false").await;
    scene.model.push(Reply::flood(1_500, "word "));
    let thread = scene.app.create_thread(json!({})).await.id;
    let mut first = scene.app.follow(&thread, Seq::ZERO).await;
    scene.app.start_turn(&thread, "go").await;
    let mut readers = Vec::new();
    // One after the other, each a little further into the flood.
    while first.next().await.event != "turn.completed" {
        if first.seen().len() % 150 == 0 {
            let after = Seq(first.last().0 / 2);
            readers.push(scene.app.follow(&thread, after).await);
        }
    }
    let all = first.into_seen();
    assert!(all.len() > 1_500);
    assert!(readers.len() > 8);
    for mut reader in readers {
        reader.until("turn.completed").await;
        let seen = reader.into_seen();
        let from = all.iter().position(|event| event.seq == seen[0].seq);
        assert_eq!(seen, all[from.unwrap()..]);
    }
}
