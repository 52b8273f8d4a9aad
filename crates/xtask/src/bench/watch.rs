//! A turn as a reader sees it.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::client::{Events, Http, Since};
use super::server::Server;

/// A thread with everything that is needed to run a turn of it and see it.
pub(super) struct Pair {
    pub(super) id: String,
    pub(super) http: Http,
    pub(super) events: Events,
}

/// What a reader saw of one turn.
pub(super) struct Seen {
    /// Frames that its deltas were merged into.
    pub(super) frames: usize,
    /// When the first and the last delta came.
    pub(super) first: Instant,
    pub(super) last: Instant,
    /// When the turn was known to have ended.
    pub(super) end: Instant,
}

impl Pair {
    /// Makes a thread.
    pub(super) async fn new(server: &Server) -> Result<Self> {
        let mut http = Http::connect(server.address()).await?;
        let id = http.new_thread().await?;
        let events = Events::open(server.address(), &id, Since::Now).await?;
        Ok(Self { id, http, events })
    }

    /// Takes a thread that is there.
    pub(super) async fn of(server: &Server, id: &str) -> Result<Self> {
        let http = Http::connect(server.address()).await?;
        let events = Events::open(server.address(), id, Since::Now).await?;
        Ok(Self {
            id: id.to_owned(),
            http,
            events,
        })
    }

    /// Runs a turn, which must say exactly `expected`. Gives what was seen and when it was asked.
    pub(super) async fn turn(&mut self, expected: &[u8]) -> Result<(Seen, Instant)> {
        let asked = Instant::now();
        let (started, seen) = tokio::join!(
            self.http.start_turn(&self.id),
            watch(&mut self.events, expected)
        );
        started?;
        Ok((seen?, asked))
    }

    /// The same, and when the turn was accepted.
    pub(super) async fn timed_turn(&mut self, expected: &[u8]) -> Result<Timed> {
        let asked = Instant::now();
        let started = async {
            self.http.start_turn(&self.id).await?;
            anyhow::Ok(asked.elapsed())
        };
        let (accepted, seen) = tokio::join!(started, watch(&mut self.events, expected));
        Ok(Timed {
            accepted: accepted?,
            whole: seen?.end - asked,
        })
    }
}

/// How long a turn took.
pub(super) struct Timed {
    /// Until it was accepted.
    pub(super) accepted: Duration,
    /// Until its end was seen.
    pub(super) whole: Duration,
}

/// Reads to the end of a turn. Its deltas must join to exactly `expected`.
pub(super) async fn watch(events: &mut Events, expected: &[u8]) -> Result<Seen> {
    let (mut frames, mut length, mut exact) = (0, 0, true);
    let (mut first, mut last, mut ended) = (None, None, None);
    loop {
        let before = frames;
        let at = events
            .read(|frame| {
                if let Some(text) = frame.delta() {
                    let here = expected.get(length..length + text.len());
                    exact &= here == Some(text);
                    length += text.len();
                    frames += 1;
                }
                ended = ended.or(frame.turn_end());
            })
            .await?;
        if frames > before {
            first = first.or(Some(at));
            last = Some(at);
        }
        if let Some(well) = ended {
            ensure!(well, "a turn did not end well");
            ensure!(
                exact && length == expected.len(),
                "the text of a turn is not what the model said: {length} bytes of {}",
                expected.len()
            );
            let (first, last) = (first.unwrap_or(at), last.unwrap_or(at));
            return Ok(Seen {
                frames,
                first,
                last,
                end: at,
            });
        }
    }
}

/// A time in milliseconds.
pub(super) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
