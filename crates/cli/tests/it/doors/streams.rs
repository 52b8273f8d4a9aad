//! Answers byte by byte: heads, frames, `HEAD`.

use std::fmt::Write as _;

use codewhale_testkit::app::{Body, within};
use codewhale_testkit::model_server::Reply;
use serde_json::json;

use crate::scene::Scene;

/// Reads a body up to this many bytes.
async fn read(body: &mut Body, length: usize) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let piece = within("more of the stream", body.next()).await;
        bytes.extend_from_slice(&piece.unwrap().unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_stream_is_made_of_exactly_these_bytes() {
    let scene = Scene::new().await;
    scene
        .model
        .push(Reply::says("Line one.\nLine two.\r\n\u{2028}é"));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    events.until("turn.completed").await;
    let mut expect = String::new();
    for event in events.seen() {
        let (seq, name, data) = (event.seq, &event.event, &event.data);
        write!(expect, "id: {seq}\nevent: {name}\ndata: {data}\n\n").unwrap();
    }
    let target = format!("/v1/threads/{thread}/events");
    let mut body = scene.app.open(scene.app.request("GET", &target)).await;
    assert_eq!(body.header("content-type"), Some("text/event-stream"));
    assert_eq!(body.header("cache-control"), Some("no-cache"));
    assert_eq!(body.header("transfer-encoding"), Some("chunked"));
    let text = read(&mut body, expect.len()).await;
    assert_eq!(text, expect);
    assert!(!text.contains('\r'));
    let lines = text.lines().filter(|line| !line.is_empty());
    assert_eq!(lines.count(), 3 * events.seen().len());
}

#[tokio::test]
async fn head_is_answered_wherever_get_is_and_says_the_same_without_a_body() {
    let scene = Scene::new().await;
    let thread = scene.app.create_thread(json!({})).await.id;
    for target in [
        "/health".to_owned(),
        "/v1/runtime/info".to_owned(),
        "/v1/openapi.json".to_owned(),
        "/v1/threads".to_owned(),
        "/v1/threads/summary".to_owned(),
        format!("/v1/threads/{thread}"),
        "/v1/threads/thr_none".to_owned(),
    ] {
        let get = scene.app.get(&target).await;
        let head = scene.app.send(scene.app.request("HEAD", &target)).await;
        assert_eq!(head.status, get.status, "{target}");
        assert_eq!(head.text(), "");
        let facts = |headers: &[(String, String)]| {
            let facts = headers.iter().filter(|header| header.0 != "date");
            facts.cloned().collect::<Vec<_>>()
        };
        assert_eq!(facts(&head.headers), facts(&get.headers), "{target}");
    }
    let events = format!("/v1/threads/{thread}/events");
    let head = scene.app.send(scene.app.request("HEAD", &events)).await;
    assert_eq!((head.status, head.text()), (200, ""));
}

#[tokio::test]
async fn a_stream_can_begin_with_the_newest_events_only() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Done."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    events.until("turn.completed").await;
    let all = events.seen();
    for (query, first) in [
        ("replay_limit=2".to_owned(), all.len() - 2),
        ("replay_limit=4096".to_owned(), 0),
        (
            format!("replay_limit=2&since_seq={}", all[3].seq),
            all.len() - 2,
        ),
        (format!("replay_limit=99&since_seq={}", all[3].seq), 4),
    ] {
        let target = format!("/v1/threads/{thread}/events?{query}");
        let mut body = scene.app.open(scene.app.request("GET", &target)).await;
        let text = read(&mut body, 10).await;
        assert!(
            text.starts_with(&format!("id: {}\n", all[first].seq)),
            "{query}: {text}"
        );
    }
    // With none of them, only what is still to come.
    let target = format!("/v1/threads/{thread}/events?replay_limit=0");
    let mut body = scene.app.open(scene.app.request("GET", &target)).await;
    scene
        .app
        .patch(&format!("/v1/threads/{thread}"), json!({ "title": "New" }))
        .await;
    let text = read(&mut body, 10).await;
    assert!(text.contains("event: thread.updated"), "{text}");
}

#[tokio::test]
async fn where_a_broken_stream_was_is_newer_than_its_address() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Done."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    events.until("turn.completed").await;
    let all = events.seen();
    let target = format!("/v1/threads/{thread}/events?since_seq=0&replay_limit=1");
    let resumed = scene.app.request("GET", &target);
    let resumed = resumed.header("last-event-id", &all[1].seq.to_string());
    let text = read(&mut scene.app.open(resumed).await, 10).await;
    assert!(text.starts_with(&format!("id: {}\n", all[2].seq)), "{text}");
    let blank = scene
        .app
        .request("GET", &format!("/v1/threads/{thread}/events"));
    let blank = blank.header("last-event-id", "");
    let text = read(&mut scene.app.open(blank).await, 10).await;
    assert!(text.starts_with(&format!("id: {}\n", all[0].seq)), "{text}");
}
