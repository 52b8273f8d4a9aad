//! Checkpoints: what is in the write-ahead log moves to the database file, without a commit having
//! to wait for it.
//!
//! Another thread does the bulk twice; then the writer does the short rest itself, between two
//! commits, so that the log can start over. Done by another thread alone, a busy log never would.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::thread::{self, JoinHandle};

use crate::db::{Connection, Error};
use crate::limits;

/// Commits between two looks at the length of the log.
const COMMITS_PER_LOOK: u32 = 32;

/// The writer's side.
pub(crate) struct Checkpointer {
    request: Option<SyncSender<()>>,
    /// Set when the bulk is done and the writer's own step is due.
    bulk_done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    commits: u32,
}

impl Checkpointer {
    pub(crate) fn start(path: PathBuf) -> std::io::Result<Self> {
        let (request, requests) = mpsc::sync_channel(1);
        let bulk_done = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&bulk_done);
        let thread = thread::Builder::new()
            .name("checkpoint".into())
            .spawn(move || work(&path, &requests, &done))?;
        Ok(Self {
            request: Some(request),
            bulk_done,
            thread: Some(thread),
            commits: 0,
        })
    }

    /// Called by the writer after each commit.
    pub(crate) fn after_commit(&mut self, connection: &Connection) {
        self.commits += 1;
        if self.bulk_done.swap(false, Ordering::AcqRel) {
            report(connection.checkpoint());
            return;
        }
        if self.commits < COMMITS_PER_LOOK {
            return;
        }
        self.commits = 0;
        let long = connection
            .log_pages()
            .is_ok_and(|pages| pages >= limits::CHECKPOINT_PAGES);
        if long
            && let Some(request) = &self.request
            && let Err(TrySendError::Disconnected(())) = request.try_send(())
        {
            report(connection.checkpoint());
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.request = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(path: &PathBuf, requests: &Receiver<()>, done: &AtomicBool) {
    let mut connection = None;
    while requests.recv().is_ok() {
        // Opened at the first need: a store that is only read never pays for it.
        let connection = match &mut connection {
            Some(connection) => connection,
            none => match Connection::open_checkpointer(path) {
                Ok(opened) => none.insert(opened),
                Err(error) => return report(Err(error)),
            },
        };
        report(connection.checkpoint());
        report(connection.checkpoint());
        done.store(true, Ordering::Release);
    }
}

fn report(result: Result<(), Error>) {
    match result {
        // A reader or another process is in the way: the next one will do.
        Ok(()) | Err(Error::Busy(_)) => {}
        Err(error) => tracing::warn!(%error, "a checkpoint failed"),
    }
}
