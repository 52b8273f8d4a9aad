//! The scripted model server on a thread of its own, as a provider would be a machine of its own.

use std::sync::{Arc, OnceLock, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use codewhale_testkit::model_server::{ModelServer, Reply};
use tokio::sync::oneshot;

/// What one delta of a flood says.
pub(super) const WORD: &str = "whale ";

/// The server is there at once or not at all.
const START_WAIT: Duration = Duration::from_secs(10);

/// Answers that come as fast as they are taken.
pub(super) struct Flood {
    /// What the deltas of one answer add up to.
    pub(super) text: Arc<[u8]>,
    first: Arc<OnceLock<Instant>>,
}

impl Flood {
    /// When the model began to send the first answer. The reader's first byte would not do: on a
    /// busy machine it may read everything at once, and late.
    pub(super) fn began(&self) -> Option<Instant> {
        self.first.get().copied()
    }
}

pub(super) struct Model {
    server: Option<ModelServer>,
    /// Dropping it ends the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Model {
    pub(super) fn start() -> Result<Self> {
        let (started, server) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = thread::Builder::new().name("model".into()).spawn(move || {
            runtime.block_on(async {
                // When nobody takes it, nobody waits for it either.
                let _ = started.send(ModelServer::start().await);
                let _ = stopped.await;
            });
        })?;
        let server = server.recv_timeout(START_WAIT);
        Ok(Self {
            server: Some(server.context("the scripted model server did not start")?),
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    pub(super) fn base_url(&self) -> String {
        self.server().base_url()
    }

    /// Answers everything with this from now on.
    pub(super) fn says(&self, reply: Reply) {
        self.server().default_reply(reply);
    }

    /// Answers with so many deltas, as fast as they are taken.
    pub(super) fn floods(&self, deltas: usize) -> Flood {
        let reply = Reply::flood(deltas, WORD);
        let first = Arc::new(OnceLock::new());
        let began = Arc::clone(&first);
        self.server().answer_with(move |_| {
            began.get_or_init(Instant::now);
            reply.clone()
        });
        Flood {
            text: WORD.repeat(deltas).into_bytes().into(),
            first,
        }
    }

    fn server(&self) -> &ModelServer {
        self.server.as_ref().expect("it is there until the drop")
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.server = None;
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
