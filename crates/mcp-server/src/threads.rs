//! The threads that tool calls of clients run on: one per session, made with its first call.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use codewhale_client::Client;
use codewhale_protocol::operations::ThreadsCreate;
use codewhale_protocol::runtime::{ThreadId, ThreadRecord, ThreadsCreateParams};
use codewhale_protocol::{ErrorBody, ErrorCode, Scope};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::limits;

/// The lines of the sessions, the one used last at the end.
#[derive(Default)]
pub(crate) struct Threads {
    lines: Mutex<VecDeque<(String, Arc<Line>)>>,
}

/// Where the calls of a session wait for each other: a thread runs one at a time.
pub(crate) struct Line {
    room: Semaphore,
    first: Semaphore,
    thread: Mutex<Option<ThreadId>>,
}

/// The right to run the next call.
pub(crate) struct Place<'a> {
    _room: SemaphorePermit<'a>,
    _first: SemaphorePermit<'a>,
}

impl Threads {
    pub(crate) fn line(&self, session: &str) -> Arc<Line> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let at = lines.iter().position(|(known, _)| known == session);
        let entry = match at.and_then(|at| lines.remove(at)) {
            Some(entry) => entry,
            None => (session.to_owned(), Arc::new(Line::new())),
        };
        let line = Arc::clone(&entry.1);
        if lines.len() >= limits::TOOL_THREADS_MAX {
            lines.pop_front();
        }
        lines.push_back(entry);
        line
    }
}

impl Line {
    fn new() -> Self {
        Self {
            room: Semaphore::new(limits::CALLS_WAITING_MAX),
            first: Semaphore::new(1),
            thread: Mutex::default(),
        }
    }

    /// Waits for the calls before this one.
    pub(crate) async fn wait(&self) -> Result<Place<'_>, ErrorBody> {
        let room = self.room.try_acquire().map_err(|_| crowded())?;
        let first = self.first.acquire().await.map_err(|_| crowded())?;
        Ok(Place {
            _room: room,
            _first: first,
        })
    }

    /// The thread of the session, if it has one.
    pub(crate) fn thread(&self) -> Option<ThreadId> {
        self.known().clone()
    }

    pub(crate) fn remember(&self, thread: &ThreadId) {
        *self.known() = Some(thread.clone());
    }

    pub(crate) fn forget(&self) {
        *self.known() = None;
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Option<ThreadId>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn crowded() -> ErrorBody {
    let message = "too many tool calls of this session wait already; wait for some of them";
    ErrorBody::new(ErrorCode::Overloaded, message)
}

/// Makes a thread. Whoever may loosen permissions gets a shell with it, under approvals.
pub(crate) async fn make(
    client: &Client,
    params: ThreadsCreateParams,
) -> Result<ThreadRecord, ErrorBody> {
    let may_loosen = client.caller().scopes.contains(Scope::Admin);
    let params = ThreadsCreateParams {
        allow_shell: may_loosen.then_some(true),
        ..params
    };
    client.call::<ThreadsCreate>(params).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_its_line_until_many_others_came() {
        let threads = Threads::default();
        threads.line("a").remember(&ThreadId::from("thr_a"));
        for at in 0..limits::TOOL_THREADS_MAX - 1 {
            threads.line(&format!("other {at}"));
        }
        assert_eq!(threads.line("a").thread(), Some(ThreadId::from("thr_a")));
        for at in 0..limits::TOOL_THREADS_MAX {
            threads.line(&format!("another {at}"));
        }
        assert_eq!(threads.line("a").thread(), None);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_says_so_and_recovers() {
        let line = Line::new();
        let first = line.wait().await.unwrap();
        let mut waiting: Vec<_> = (1..limits::CALLS_WAITING_MAX)
            .map(|_| Box::pin(line.wait()))
            .collect();
        for wait in &mut waiting {
            assert!(futures_util::poll!(wait).is_pending());
        }
        let refused = line.wait().await.err().unwrap();
        assert_eq!(refused.code, ErrorCode::Overloaded);
        drop((first, waiting));
        assert!(line.wait().await.is_ok());
    }
}
