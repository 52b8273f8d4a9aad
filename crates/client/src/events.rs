//! The event stream of a server, mended where it breaks.
//!
//! ```text
//! connect ──► read ──► whole frames, each once, in order
//!    ▲          │ broken, silent, ended
//!    └── wait ◄─┘ asks for what is behind the last event that was handed on
//! ```
//!
//! A connection may break in the middle of a frame: that part is thrown away and comes again. A
//! refusal ends the stream; so does a server that stays away.

use std::time::Duration;

use codewhale_protocol::frame::{Decoder, Frame, Frames, write_event};
use codewhale_protocol::runtime::Seq;
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{ErrorBody, ErrorCode, EventStream, Source};
use futures_util::stream;
use reqwest::Response;
use reqwest::header::HeaderValue;
use serde::Deserialize;
use tokio::time::{Instant, sleep, timeout};

use crate::answer::unavailable;
use crate::{HttpService, limits};

pub(crate) const MEDIA_TYPE: &str = "text/event-stream";

pub(crate) fn is_event_stream(content_type: Option<&HeaderValue>) -> bool {
    let text = content_type.and_then(|value| value.to_str().ok());
    let essence = text.and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(MEDIA_TYPE))
}

pub(crate) struct Events {
    service: HttpService,
    path: Vec<String>,
    /// Behind the last event that was handed on.
    cursor: Cursor,
    connection: Connection,
    /// Attempts to reconnect since there was a good connection.
    attempts: u32,
    has_ended: bool,
}

/// One connection, from its first line to its break.
struct Connection {
    response: Response,
    decoder: Decoder,
    opened_at: Instant,
    has_events: bool,
}

/// What came of reading.
enum Read {
    Frames(Frames),
    Broken,
    Unreadable(ErrorBody),
}

impl Events {
    /// Connects. What goes wrong here is told at once; only what breaks later is mended.
    pub(crate) async fn open(
        service: HttpService,
        source: Source,
        cursor: Cursor,
    ) -> Result<Self, ErrorBody> {
        let path = path(&source)?;
        let connection = connect(&service, &path, cursor).await?;
        Ok(Self {
            service,
            path,
            cursor,
            connection,
            attempts: 0,
            has_ended: false,
        })
    }

    pub(crate) fn into_stream(self) -> EventStream {
        Box::pin(stream::unfold(self, |mut events| async {
            Some((events.next().await?, events))
        }))
    }

    async fn next(&mut self) -> Option<Result<Frames, ErrorBody>> {
        while !self.has_ended {
            let error = match self.connection.read(self.cursor.after).await {
                Read::Frames(frames) => {
                    self.cursor = Cursor::after(frames.last);
                    return Some(Ok(frames));
                }
                Read::Broken => self.reconnect().await.err(),
                Read::Unreadable(error) => Some(error),
            };
            if let Some(error) = error {
                self.has_ended = true;
                return Some(Err(error));
            }
        }
        None
    }

    async fn reconnect(&mut self) -> Result<(), ErrorBody> {
        if self.connection.was_good() {
            self.attempts = 0;
        }
        let mut error = unavailable(
            &self.service.server(),
            "keeps breaking off its event stream",
        );
        while self.attempts < limits::RECONNECTS_MAX {
            sleep(delay(self.attempts)).await;
            self.attempts += 1;
            match connect(&self.service, &self.path, self.cursor).await {
                Ok(connection) => {
                    self.connection = connection;
                    return Ok(());
                }
                Err(refusal) if !is_passing(refusal.code) => return Err(refusal),
                Err(failure) => error = failure,
            }
        }
        Err(error)
    }
}

impl Connection {
    /// Waits for frames behind `after`; takes all that have come.
    async fn read(&mut self, after: Seq) -> Read {
        loop {
            let Ok(Ok(Some(bytes))) = timeout(limits::SILENCE_MAX, self.response.chunk()).await
            else {
                return Read::Broken;
            };
            self.decoder.push(&bytes);
            match self.take_frames(after) {
                Ok(Some(frames)) => {
                    self.has_events = true;
                    return Read::Frames(frames);
                }
                Ok(None) => {}
                Err(error) => return Read::Unreadable(error),
            }
        }
    }

    /// All whole frames so far, written anew: the pieces that arrive end anywhere.
    fn take_frames(&mut self, after: Seq) -> Result<Option<Frames>, ErrorBody> {
        let mut last = after;
        let mut text = String::new();
        loop {
            let frame = self.decoder.next_frame();
            let frame = frame.map_err(|e| ErrorBody::new(ErrorCode::Internal, e.to_string()))?;
            let Some(frame) = frame else { break };
            let Some((seq, name, data)) = place(frame) else {
                continue;
            };
            if seq > last {
                write_event(&mut text, seq, &name, &data);
                last = seq;
            }
        }
        let bytes = text.into();
        Ok((last > after).then_some(Frames { bytes, last }))
    }

    fn was_good(&self) -> bool {
        self.has_events || self.opened_at.elapsed() >= limits::STABLE_AFTER
    }
}

async fn connect(
    service: &HttpService,
    path: &[String],
    cursor: Cursor,
) -> Result<Connection, ErrorBody> {
    let mut query = vec![("since_seq".to_owned(), cursor.after.to_string())];
    query.extend(
        cursor
            .replay_limit
            .map(|limit| ("replay_limit".to_owned(), limit.to_string())),
    );
    let response = service.open(path, &query).await?;
    Ok(Connection {
        response,
        decoder: Decoder::new(),
        opened_at: Instant::now(),
        has_events: false,
    })
}

fn path(source: &Source) -> Result<Vec<String>, ErrorBody> {
    let (what, before, id) = match source {
        Source::Thread(thread) => ("thread", &["v1", "threads"][..], thread.as_str()),
        Source::FleetRun(run) => ("fleet run", &["v1", "fleet", "runs"][..], run.as_str()),
    };
    if matches!(id, "" | "." | "..") {
        let message = format!("there is no {what} {id:?}");
        return Err(ErrorBody::new(ErrorCode::NotFound, message));
    }
    let parts = before.iter().copied().chain([id, "events"]);
    Ok(parts.map(str::to_owned).collect())
}

/// What an event needs to be handed on: its place, name and text. Servers differ in which of these
/// stand beside the text; a frame without a place is not an event.
fn place(frame: Frame) -> Option<(Seq, String, String)> {
    #[derive(Deserialize)]
    struct Inside {
        seq: Seq,
        event: String,
    }
    let outside = frame.id.and_then(|id| id.parse().ok()).map(Seq);
    let (seq, name) = match (outside, frame.event) {
        (Some(seq), Some(name)) => (seq, name),
        (seq, name) => {
            let inside: Inside = serde_json::from_str(&frame.data).ok()?;
            (seq.unwrap_or(inside.seq), name.unwrap_or(inside.event))
        }
    };
    // Line feeds in JSON stand between its parts only, where a blank does as well.
    Some((seq, name, frame.data.replace('\n', " ")))
}

/// Whether a failure to connect may be over in a moment.
fn is_passing(code: ErrorCode) -> bool {
    match code {
        ErrorCode::Overloaded | ErrorCode::Unavailable | ErrorCode::Internal => true,
        ErrorCode::Malformed
        | ErrorCode::InvalidShape
        | ErrorCode::InvalidParams
        | ErrorCode::Unauthenticated
        | ErrorCode::Forbidden
        | ErrorCode::NotFound
        | ErrorCode::Conflict
        | ErrorCode::Unsupported
        | ErrorCode::UnknownOperation => false,
    }
}

/// The wait before an attempt: none before the first, then longer and longer.
fn delay(attempts: u32) -> Duration {
    match attempts.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => limits::RECONNECT_DELAY_MIN
            .saturating_mul(2_u32.saturating_pow(doublings))
            .min(limits::RECONNECT_DELAY_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_bound_and_end_after_minutes() {
        let delays: Vec<u128> = (0..9).map(|attempts| delay(attempts).as_millis()).collect();
        assert_eq!(delays, [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!(delay(u32::MAX), limits::RECONNECT_DELAY_MAX);
        let all: Duration = (0..limits::RECONNECTS_MAX).map(delay).sum();
        assert_eq!(all.as_secs() / 60, 2);
    }

    #[test]
    fn an_event_is_placed_by_its_id_or_from_inside() {
        let frame = |id: Option<&str>, event: Option<&str>, data: &str| Frame {
            id: id.map(str::to_owned),
            event: event.map(str::to_owned),
            data: data.to_owned(),
        };
        let inside = "{\"seq\":4,\n\"event\":\"b\"}";
        let flat = "{\"seq\":4, \"event\":\"b\"}".to_owned();
        let expect = |seq, name: &str| Some((Seq(seq), name.to_owned(), flat.clone()));
        assert_eq!(place(frame(Some("3"), Some("a"), inside)), expect(3, "a"));
        assert_eq!(place(frame(Some("3"), None, inside)), expect(3, "b"));
        assert_eq!(place(frame(None, Some("a"), inside)), expect(4, "a"));
        assert_eq!(place(frame(Some("x"), None, inside)), expect(4, "b"));
        assert_eq!(place(frame(None, Some("a"), "hello")), None);
    }
}
