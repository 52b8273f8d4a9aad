//! Checkpoints: what is in the write-ahead log moves to the database file, without a commit having
//! to wait for it.
//!
//! Another thread does the bulk twice; then the writer does the short rest itself, between two
//! commits, so that the log can start over. Done by another thread alone, a busy log never would.
//! A log that grows faster than it is moved makes the writer wait: its length is the time the next
//! start takes after a crash.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread::{self, JoinHandle};

use crate::db::{Connection, Error};
use crate::limits;

/// The writer's side.
pub(crate) struct Checkpointer {
    request: Option<SyncSender<()>>,
    done: Receiver<()>,
    bulk: Bulk,
    thread: Option<JoinHandle<()>>,
}

/// What the other thread does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bulk {
    Idle,
    Running,
    /// The other thread is gone; the writer does it all.
    Gone,
}

impl Checkpointer {
    pub(crate) fn start(path: PathBuf) -> std::io::Result<Self> {
        let (request, requests) = mpsc::sync_channel(1);
        let (tell_done, done) = mpsc::sync_channel(1);
        let thread = thread::Builder::new()
            .name("checkpoint".into())
            .spawn(move || work(&path, &requests, &tell_done))?;
        Ok(Self {
            request: Some(request),
            done,
            bulk: Bulk::Idle,
            thread: Some(thread),
        })
    }

    /// Called by the writer after each commit.
    pub(crate) fn after_commit(&mut self, connection: &Connection) {
        let pages = connection.log_pages().unwrap_or(0);
        self.bulk = match self.bulk {
            Bulk::Idle if pages >= limits::CHECKPOINT_PAGES => self.begin(),
            Bulk::Running => self.look(connection, pages),
            Bulk::Gone if pages >= limits::CHECKPOINT_PAGES => {
                report(connection.checkpoint());
                Bulk::Gone
            }
            same => same,
        };
    }

    fn begin(&self) -> Bulk {
        match &self.request {
            Some(request) if request.send(()).is_ok() => Bulk::Running,
            _ => Bulk::Gone,
        }
    }

    /// Looks whether the bulk is done, and does the rest when it is.
    fn look(&self, connection: &Connection, pages: i64) -> Bulk {
        let told = match pages >= limits::LOG_PAGES_MAX {
            true => self.done.recv().map_err(TryRecvError::from),
            false => self.done.try_recv(),
        };
        match told {
            Ok(()) => {
                report(connection.checkpoint());
                Bulk::Idle
            }
            Err(TryRecvError::Empty) => Bulk::Running,
            Err(TryRecvError::Disconnected) => Bulk::Gone,
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

fn work(path: &PathBuf, requests: &Receiver<()>, done: &SyncSender<()>) {
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
        if done.send(()).is_err() {
            return;
        }
    }
}

fn report(result: Result<(), Error>) {
    match result {
        // A reader or another process is in the way: the next one will do.
        Ok(()) | Err(Error::Busy(_)) => {}
        Err(error) => tracing::warn!(%error, "a checkpoint failed"),
    }
}
