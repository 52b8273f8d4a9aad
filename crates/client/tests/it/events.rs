//! Event streams over HTTP that break in every place they can.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use codewhale_client::{Envelopes, limits};
use codewhale_protocol::frame::write_event;
use codewhale_protocol::runtime::Seq;
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{ErrorBody, ErrorCode};
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::server::{Answer, Request, Server};
use crate::{client_of, thread};

/// An event of a thread, as a server writes it.
pub(crate) fn envelope(thread: &str, seq: u64, delta: &str) -> String {
    json!({
        "schema_version": 1, "seq": seq, "event": "item.delta", "kind": "item.delta",
        "thread_id": thread, "turn_id": null, "item_id": null,
        "timestamp": "2026-05-02T09:15:07.420Z", "payload": {"delta": delta},
    })
    .to_string()
}

/// How the end of a body is known.
#[derive(Clone, Copy)]
enum Framing {
    Chunked,
    UntilClose,
}

impl Framing {
    /// A stream that has begun with these bytes and goes on.
    fn begin(self, body: &[u8]) -> Vec<u8> {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n";
        let mut bytes = Vec::from(head);
        match self {
            Framing::Chunked => {
                bytes.extend(b"transfer-encoding: chunked\r\n\r\n");
                if !body.is_empty() {
                    bytes.extend(format!("{:x}\r\n", body.len()).bytes());
                    bytes.extend(body);
                    bytes.extend(b"\r\n");
                }
            }
            Framing::UntilClose => {
                bytes.extend(b"connection: close\r\n\r\n");
                bytes.extend(body);
            }
        }
        bytes
    }
}

/// The frames of a thread behind a place: three events with comments between them. Every other one
/// has no `id` line, as older servers write it.
fn history(thread: &str, after: u64) -> Vec<u8> {
    let mut text = String::from(": hello\n\n");
    for (seq, delta) in [(3, "é"), (7, "b"), (8, "c")] {
        let json = envelope(thread, seq, delta);
        if seq <= after {
            continue;
        }
        match seq {
            7 => text.push_str(&format!("event: item.delta\ndata: {json}\n\n")),
            _ => write_event(&mut text, Seq(seq), "item.delta", &json),
        }
        text.push_str(": keepalive\n\n");
    }
    text.into_bytes()
}

/// The beginning of that history: one event whole, the next one in part.
fn beginning(thread: &str, after: u64) -> Vec<u8> {
    let text = history(thread, after);
    let is_end = |two: &[u8]| two == b"\n\n";
    let mut ends = (0..text.len() - 1).filter(|&at| is_end(&text[at..at + 2]));
    let third = ends.nth(2).unwrap();
    text[..text.len().min(third + 20)].to_vec()
}

/// Thread and cursor that a request asks for.
fn asked(request: &Request) -> (String, u64) {
    let rest = request.target.strip_prefix("/v1/threads/").unwrap();
    let (thread, query) = rest.split_once("/events?since_seq=").unwrap();
    let seq = query.split('&').next().unwrap();
    (thread.to_owned(), seq.parse().unwrap())
}

async fn follow(server: &Server, id: &str) -> Envelopes {
    let cursor = Cursor::after(Seq::ZERO);
    client_of(server).follow(thread(id), cursor).await.unwrap()
}

async fn deltas(events: &mut Envelopes, count: usize) -> Vec<String> {
    let wait = tokio::time::timeout(Duration::from_secs(30), events.take(count).collect());
    let events: Vec<_> = wait.await.expect("the events come");
    events
        .into_iter()
        .map(|event| {
            let event = event.unwrap();
            format!("{} {}", event.seq, event.payload["delta"].as_str().unwrap())
        })
        .collect()
}

/// The first connection of each thread is cut where the name of the thread says.
async fn cut_everywhere(framing: Framing) {
    let seen = Mutex::new(BTreeSet::new());
    let server = Server::start(move |request| {
        let (thread, after) = asked(request);
        let body = history(&thread, after);
        let cut: usize = thread.strip_prefix("cut-").unwrap().parse().unwrap();
        match seen.lock().unwrap().insert(thread) {
            true => Answer::ThenClose(framing.begin(&body[..cut])),
            false => Answer::ThenHold(framing.begin(&body)),
        }
    })
    .await;
    let length = history("cut-000", 0).len();
    let cuts = stream::iter(0..=length).map(|cut| {
        let server = &server;
        async move {
            let mut events = follow(server, &format!("cut-{cut:03}")).await;
            let found = deltas(&mut events, 3).await;
            assert_eq!(found, ["3 é", "7 b", "8 c"], "cut at {cut}");
        }
    });
    cuts.buffer_unordered(8).collect::<Vec<()>>().await;
    // All but those that were cut behind the last event were resumed, from where they stood.
    let requests = server.requests();
    assert!(requests.len() > 2 * length - 20, "{}", requests.len());
    let resumed = requests.iter().map(|request| asked(request).1);
    let places: BTreeSet<u64> = resumed.collect();
    assert_eq!(places.into_iter().collect::<Vec<_>>(), [0, 3, 7]);
}

#[tokio::test]
async fn each_event_comes_once_and_in_order_wherever_a_chunked_stream_is_cut() {
    cut_everywhere(Framing::Chunked).await;
}

#[tokio::test]
async fn each_event_comes_once_and_in_order_wherever_a_plain_stream_is_cut() {
    cut_everywhere(Framing::UntilClose).await;
}

#[tokio::test]
async fn a_stream_that_breaks_behind_every_event_still_gets_through() {
    let server = Server::start(|request| {
        let (thread, after) = asked(request);
        Answer::ThenClose(Framing::Chunked.begin(&beginning(&thread, after)))
    })
    .await;
    let mut events = follow(&server, "thr_1").await;
    assert_eq!(deltas(&mut events, 3).await, ["3 é", "7 b", "8 c"]);
    let cursors: Vec<u64> = server
        .requests()
        .iter()
        .map(|request| asked(request).1)
        .collect();
    assert_eq!(cursors, [0, 3, 7]);
}

#[tokio::test]
async fn events_that_come_again_are_not_handed_on_again() {
    let server = Server::start(|request| {
        let (thread, after) = asked(request);
        // Whatever is asked for, the whole history comes; the first time without its end.
        let body = history(&thread, 0);
        match after {
            0 => Answer::ThenClose(Framing::Chunked.begin(&body[..body.len() - 40])),
            _ => Answer::ThenHold(Framing::Chunked.begin(&body)),
        }
    })
    .await;
    let mut events = follow(&server, "thr_1").await;
    assert_eq!(deltas(&mut events, 3).await, ["3 é", "7 b", "8 c"]);
}

#[tokio::test]
async fn the_cursor_and_the_token_are_sent_and_the_limit_only_until_the_first_event() {
    let server = Server::start(|request| {
        let (thread, after) = asked(request);
        let body = Framing::Chunked.begin(&history(&thread, after));
        match after {
            5 => Answer::ThenClose(body),
            _ => Answer::ThenHold(body),
        }
    })
    .await;
    let cursor = Cursor {
        after: Seq(5),
        replay_limit: Some(2),
    };
    let client = client_of(&server);
    let mut events = client.follow(thread("a b"), cursor).await.unwrap();
    assert_eq!(deltas(&mut events, 2).await, ["7 b", "8 c"]);
    // Asking for more makes it notice that the connection is gone.
    let requests = tokio::select! {
        event = events.next() => panic!("{event:?}"),
        requests = server.wait_for_requests(2) => requests,
    };
    let targets: Vec<&str> = requests
        .iter()
        .map(|request| request.target.as_str())
        .collect();
    assert_eq!(
        targets,
        [
            "/v1/threads/a%20b/events?since_seq=5&replay_limit=2",
            "/v1/threads/a%20b/events?since_seq=8",
        ]
    );
    for request in requests {
        assert_eq!(request.header("authorization"), Some("Bearer the-token"));
        assert_eq!(request.header("accept"), Some("text/event-stream"));
    }
}

#[tokio::test]
async fn a_refusal_at_the_start_is_told_at_once() {
    let server = Server::start(|_| {
        Answer::json(
            "404 Not Found",
            r#"{"error":{"message":"no thread","status":404}}"#,
        )
    })
    .await;
    let cursor = Cursor::after(Seq::ZERO);
    let client = client_of(&server);
    let refused = client.follow(thread("thr_1"), cursor).await.err();
    assert_eq!(
        refused,
        Some(ErrorBody::new(ErrorCode::NotFound, "no thread"))
    );

    let refused = client.follow(thread(".."), cursor).await.err();
    let expect = ErrorBody::new(ErrorCode::NotFound, "there is no thread \"..\"");
    assert_eq!(refused, Some(expect));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_no_event_stream_is_refused() {
    let server = Server::start(|_| Answer::json("200 OK", "{}")).await;
    let client = client_of(&server);
    let follow = client.follow(thread("thr_1"), Cursor::after(Seq::ZERO));
    assert_eq!(follow.await.err().unwrap().code, ErrorCode::Unavailable);
}

#[tokio::test]
async fn a_passing_failure_is_waited_out_and_a_refusal_ends_the_stream() {
    let count = Mutex::new(0);
    let server = Server::start(move |request| {
        let (thread, after) = asked(request);
        let body = history(&thread, after);
        let mut count = count.lock().unwrap();
        *count += 1;
        match *count {
            1 => Answer::ThenClose(Framing::Chunked.begin(&beginning(&thread, after))),
            2 => Answer::json("503 Service Unavailable", ""),
            3 => Answer::json("429 Too Many Requests", ""),
            4 => Answer::ThenClose(b"HTTP/1.1 200 O".into()),
            5 => Answer::ThenClose(Framing::Chunked.begin(&body)),
            _ => Answer::json("401 Unauthorized", r#"{"error":{"message":"token?"}}"#),
        }
    })
    .await;
    let mut events = follow(&server, "thr_1").await;
    assert_eq!(deltas(&mut events, 3).await, ["3 é", "7 b", "8 c"]);
    let refusal = ErrorBody::new(ErrorCode::Unauthenticated, "token?");
    assert_eq!(events.next().await, Some(Err(refusal)));
    assert_eq!(events.next().await, None);
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn a_server_that_stays_away_ends_the_stream_after_a_bounded_time() {
    let server = Server::start(|request| {
        let (thread, after) = asked(request);
        Answer::ThenHold(Framing::Chunked.begin(&history(&thread, after)))
    })
    .await;
    let mut events = follow(&server, "thr_1").await;
    assert_eq!(deltas(&mut events, 3).await.len(), 3);
    let base = server.base_url();
    drop(server);
    // From here on waits cost no time.
    tokio::time::pause();
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable);
    assert!(error.message.starts_with(&base), "{error}");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_connection_without_a_sign_of_life_is_replaced() {
    let server = Server::start(|request| {
        let (thread, after) = asked(request);
        let body = match after {
            0 => beginning(&thread, 0),
            _ => history(&thread, after),
        };
        Answer::ThenHold(Framing::Chunked.begin(&body))
    })
    .await;
    let mut events = follow(&server, "thr_1").await;
    assert_eq!(deltas(&mut events, 1).await, ["3 é"]);
    let silence = async {
        tokio::time::pause();
        tokio::time::advance(limits::SILENCE_MAX + Duration::from_secs(1)).await;
        tokio::time::resume();
    };
    let (next, ()) = tokio::join!(events.next(), silence);
    assert_eq!(next.unwrap().unwrap().seq, Seq(7));
}
