//! Event streams: what is already there, then what happens, on one connection.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use bytes::Bytes;
use codewhale_protocol::runtime::{Seq, ThreadId};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Caller, ErrorBody, ErrorCode, Source};
use futures_core::Stream;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body::Frame;
use serde::Deserialize;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::error::Failure;
use crate::limits;
use crate::operation::no_text;
use crate::routes::Door;

/// The query of an event stream.
#[derive(Deserialize)]
pub(crate) struct EventsQuery {
    #[serde(default)]
    since_seq: Option<u64>,
    #[serde(default)]
    replay_limit: Option<u64>,
}

/// `GET /v1/threads/{thread_id}/events`.
pub(crate) async fn events(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    path: Result<Path<String>, axum::extract::rejection::PathRejection>,
    query: Result<Query<EventsQuery>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let Path(thread) = path.map_err(|_| no_text())?;
    let Query(query) = query.map_err(|error| bad_request(error.body_text()))?;
    if query
        .replay_limit
        .is_some_and(|limit| limit > limits::REPLAY_LIMIT_MAX)
    {
        let most = limits::REPLAY_LIMIT_MAX;
        return Err(bad_request(format!("replay_limit must be at most {most}")));
    }
    // A browser that reconnects says where it was; that is newer than its address.
    let resumed = last_event_id(&headers)?;
    let after = Seq(resumed.or(query.since_seq).unwrap_or(0));
    let replay_limit = query.replay_limit.filter(|_| resumed.is_none());
    let source = Source::Thread(ThreadId::from(thread.as_str()));
    let cursor = Cursor {
        after,
        replay_limit,
    };
    let frames = door.service.events(&caller, source, cursor).await?;
    let pieces = frames.map(|frames| frames.map(|frames| frames.bytes));
    Ok(event_stream(Box::pin(pieces), door.closing.clone()))
}

pub(crate) fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Failure> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let seq = value
        .to_str()
        .ok()
        .map(str::trim)
        .filter(|text| !text.is_empty());
    match seq {
        None => Ok(None),
        Some(text) => text
            .parse()
            .map(Some)
            .map_err(|_| bad_request("Last-Event-ID must be a sequence number".to_owned())),
    }
}

pub(crate) fn bad_request(message: String) -> Failure {
    Failure::new(StatusCode::BAD_REQUEST, ErrorCode::Malformed, message)
}

/// Text of a stream, piece by piece.
pub(crate) type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, ErrorBody>> + Send>>;

/// An answer that streams until its source or the server ends.
pub(crate) fn event_stream(pieces: Pieces, closing: CancellationToken) -> Response {
    let body = EventBody {
        pieces,
        keepalive: Box::pin(tokio::time::sleep(limits::KEEPALIVE)),
        closing: Box::pin(closing.cancelled_owned()),
    };
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct EventBody {
    pieces: Pieces,
    keepalive: Pin<Box<Sleep>>,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl http_body::Body for EventBody {
    type Data = Bytes;
    type Error = ErrorBody;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ErrorBody>>> {
        use std::future::Future;
        match self.pieces.as_mut().poll_next(context) {
            Poll::Ready(Some(Ok(bytes))) => {
                let next = Instant::now() + limits::KEEPALIVE;
                self.keepalive.as_mut().reset(next);
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            // The client resumes from the last event it saw; a broken stream tells it to.
            Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending => {}
        }
        if self.closing.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        if self.keepalive.as_mut().poll(context).is_ready() {
            let next = Instant::now() + limits::KEEPALIVE;
            self.keepalive.as_mut().reset(next);
            let comment = Bytes::from_static(b": keepalive\n\n");
            return Poll::Ready(Some(Ok(Frame::data(comment))));
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body_util::BodyExt;

    use super::*;

    /// A stream that says one thing, the given time after its start, and then nothing more.
    fn says_after(wait: std::time::Duration) -> Pieces {
        let piece = async move {
            tokio::time::sleep(wait).await;
            Ok(Bytes::from_static(b"data: x\n\n"))
        };
        Box::pin(stream::once(piece).chain(stream::pending()))
    }

    async fn next(response: &mut Response) -> Option<Bytes> {
        let frame = response.body_mut().frame().await?;
        frame.ok()?.into_data().ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_stream_tells_every_fifteen_seconds_that_it_lives() {
        let begun = Instant::now();
        let pieces = says_after(std::time::Duration::from_secs(20));
        let mut response = event_stream(pieces, CancellationToken::new());
        let mut told = Vec::new();
        for _ in 0..4 {
            let piece = next(&mut response).await.unwrap();
            told.push((begun.elapsed().as_secs(), piece));
        }
        let alive = Bytes::from_static(b": keepalive\n\n");
        let said = Bytes::from_static(b"data: x\n\n");
        // The silence is counted from the last thing that was said.
        let expect = [(15, &alive), (20, &said), (35, &alive), (50, &alive)];
        assert_eq!(
            told.iter()
                .map(|(at, piece)| (*at, piece))
                .collect::<Vec<_>>(),
            expect
        );
    }

    #[tokio::test]
    async fn a_stream_ends_when_the_server_does() {
        let closing = CancellationToken::new();
        let mut response = event_stream(Box::pin(stream::pending()), closing.clone());
        closing.cancel();
        assert_eq!(next(&mut response).await, None);
    }
}
