//! Followers: readers of a thread's stream, fast, slow, or gone after a while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codewhale_protocol::frame::Decoder;
use codewhale_protocol::runtime::{Seq, ThreadId};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Caller, ErrorCode, Service, Source};
use codewhale_runtime::Runtime;
use futures_util::StreamExt;

use super::dice::Dice;
use super::journal::Journal;

/// What one reader saw of a thread from one cursor on.
pub(crate) struct Session {
    pub(crate) thread: ThreadId,
    pub(crate) cursor: Cursor,
    /// The process it reads from to the end, when it does.
    steady_in: Option<u32>,
    /// Whether there was nothing to follow any more.
    turned_away: AtomicBool,
    /// Events as they came, with their place.
    seen: Mutex<Vec<(Seq, String)>>,
}

impl Habits {
    /// Whether the reader keeps up and stays.
    pub(crate) fn are_steady(&self) -> bool {
        self.patience == usize::MAX && self.pause_ms < 100
    }
}

/// How a reader reads.
pub(crate) struct Habits {
    /// Draws the time between two looks.
    pub(crate) dice: Dice,
    /// The longest time between two looks.
    pub(crate) pause_ms: usize,
    /// Looks after which the reader leaves.
    pub(crate) patience: usize,
}

impl Session {
    pub(crate) fn new(thread: ThreadId, cursor: Cursor, steady_in: Option<u32>) -> Arc<Self> {
        Arc::new(Self {
            thread,
            cursor,
            steady_in,
            turned_away: AtomicBool::default(),
            seen: Mutex::default(),
        })
    }

    /// The process whose events it has seen all, as long as that lives.
    pub(crate) fn stays_in(&self) -> Option<u32> {
        let is_there = !self.turned_away.load(Ordering::Relaxed);
        self.steady_in.filter(|_| is_there)
    }

    pub(crate) fn seen(&self) -> Vec<(Seq, String)> {
        let seen = self.seen.lock();
        seen.expect("nothing panics while it holds what was seen")
            .clone()
    }

    fn see(&self, seq: Seq, text: String) {
        let seen = self.seen.lock();
        seen.expect("nothing panics while it holds what was seen")
            .push((seq, text));
    }
}

/// Reads until the reader has had enough or the process ends.
pub(crate) async fn follow(
    runtime: Runtime,
    caller: Caller,
    session: Arc<Session>,
    mut habits: Habits,
    journal: Arc<Journal>,
) {
    let source = Source::Thread(session.thread.clone());
    let mut stream = match runtime.events(&caller, source, session.cursor).await {
        Ok(stream) => stream,
        // What was deleted is there for nobody.
        Err(error)
            if error.code == ErrorCode::NotFound
                && journal.notes().deleting.contains(&session.thread) =>
        {
            return session.turned_away.store(true, Ordering::Relaxed);
        }
        Err(error) => {
            let thread = &session.thread;
            return journal.complain(format!("{thread} could not be followed: {error:?}"));
        }
    };
    let mut decoder = Decoder::new();
    for _ in 0..habits.patience {
        let Some(frames) = stream.next().await else {
            return journal.complain("a stream ended by itself");
        };
        match frames {
            Ok(frames) => decoder.push(&frames.bytes),
            Err(error) => return journal.complain(format!("a stream broke: {error:?}")),
        }
        while let Some(frame) = decoder.next_frame().expect("frames are text") {
            let seq = frame.id.and_then(|id| id.parse().ok());
            session.see(Seq(seq.expect("a frame has its place")), frame.data);
        }
        let pause = habits.dice.ms(0, habits.pause_ms);
        if pause > Duration::ZERO {
            tokio::time::sleep(pause).await;
        }
    }
}
