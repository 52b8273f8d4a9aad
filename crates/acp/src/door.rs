//! The door itself: reads what the editor sends, and has each request served by a task of its own.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use codewhale_client::Client;
use codewhale_protocol::lent::Lender;
use codewhale_protocol::lines::{Line, Lines};
use codewhale_protocol::runtime::MediaKind;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::RpcError;
use crate::limits::{END_WAIT, LAST_WORDS_WAIT, LINE_BYTES_MAX, REFUSALS_MAX, REQUESTS_MAX};
use crate::lines;
use crate::message::Message;
use crate::peer::{self, Peer};
use crate::prompt::Prompt;
use crate::session::{Link, Session};
use crate::wire::CancelParams;

/// What the door needs to know of the program, as plain values.
pub struct Options {
    /// The version of the program.
    pub version: String,
    /// The arguments of the program that ask for the key of its provider in a terminal; nothing where
    /// no key is wanted.
    pub login: Option<Vec<String>>,
    /// What the model may be given besides text, unless another one is chosen later.
    pub input: Vec<MediaKind>,
    /// Who uses what editors lend.
    pub lender: Option<Arc<dyn Lender>>,
    /// What shows calls in terminals, where that can be started.
    pub viewer: Option<Viewer>,
}

/// A program that shows one call while it runs. The call is named behind the arguments, as `--thread`
/// and `--item`.
pub struct Viewer {
    /// The program.
    pub program: String,
    /// Its first arguments.
    pub arguments: Vec<String>,
}

/// Why the door was shut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The editor has closed its side.
    Closed,
    /// It does not read any more.
    Unread,
    /// The program is to end.
    Told,
}

/// Serves one editor until it is gone or `told` fires. Turns that it has asked for end with it.
pub async fn serve(
    client: Client,
    options: Options,
    input: impl AsyncBufRead + Unpin,
    output: impl AsyncWrite + Send + 'static,
    told: CancellationToken,
) -> Ended {
    let (peer, messages) = Peer::new();
    let link = Arc::new(Link {
        client,
        peer,
        options,
        can: OnceLock::new(),
        views_fail: AtomicBool::new(false),
        tasks: TaskTracker::new(),
        gone: CancellationToken::new(),
    });
    let mut writing = JoinSet::new();
    writing.spawn(peer::write(messages, output));
    let door = Arc::new(Door {
        link,
        sessions: Mutex::default(),
        requests: Mutex::default(),
        refusals: Arc::new(Semaphore::new(REFUSALS_MAX)),
    });
    let ended = door.read(input, &told).await;
    door.end().await;
    // With the last one who could tell something, the writer ends too.
    drop(door);
    let _ = timeout(LAST_WORDS_WAIT, writing.join_next()).await;
    ended
}

pub(crate) struct Door {
    pub(crate) link: Arc<Link>,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
    /// Requests that are being answered, by their ids as text.
    requests: Mutex<BTreeMap<String, CancellationToken>>,
    /// Room for refusals that nobody has read yet.
    refusals: Arc<Semaphore>,
}

impl Door {
    async fn read(
        self: &Arc<Self>,
        mut input: impl AsyncBufRead + Unpin,
        told: &CancellationToken,
    ) -> Ended {
        let mut lines = Lines::new(LINE_BYTES_MAX);
        loop {
            let line = tokio::select! {
                line = lines::next(&mut input, &mut lines) => line,
                () = self.link.peer.gone() => return Ended::Unread,
                () = told.cancelled() => return Ended::Told,
            };
            let taken = match line {
                Ok(Some(Line::Whole(line))) if line.trim_ascii().is_empty() => Ok(()),
                Ok(Some(Line::Whole(line))) => self.take(&line),
                Ok(Some(Line::TooLong)) => {
                    let message = format!("a message is longer than {LINE_BYTES_MAX} bytes");
                    Err((Value::Null, RpcError::invalid_request(message)))
                }
                Ok(None) => return Ended::Closed,
                Err(error) => {
                    tracing::warn!(%error, "the editor could not be read any more");
                    return Ended::Closed;
                }
            };
            if let Err((id, error)) = taken {
                let room = tokio::select! {
                    room = Arc::clone(&self.refusals).acquire_owned() => room,
                    () = self.link.peer.gone() => return Ended::Unread,
                    () = told.cancelled() => return Ended::Told,
                };
                // Nobody may read it for a while, and the next line may be the one that says stop.
                let link = Arc::clone(&self.link);
                self.link.tasks.spawn(async move {
                    link.peer.answer(id, Err(error)).await;
                    drop(room);
                });
            }
        }
    }

    /// Takes a message. Nothing here waits: what does is a task.
    fn take(self: &Arc<Self>, line: &[u8]) -> Result<(), (Value, RpcError)> {
        match Message::read(line)? {
            Message::Request { id, method, params } => self.request(id, method, params),
            Message::Notification { method, params } => {
                self.notified(&method, params);
                Ok(())
            }
            Message::Answer { id, result } => {
                self.link.peer.take_answer(&id, result);
                Ok(())
            }
        }
    }

    fn request(
        self: &Arc<Self>,
        id: Value,
        method: String,
        params: Value,
    ) -> Result<(), (Value, RpcError)> {
        let refuse = |error| Err((id.clone(), error));
        if method != "initialize" && self.link.can.get().is_none() {
            return refuse(RpcError::invalid_request("send `initialize` first"));
        }
        let cancel = CancellationToken::new();
        {
            let mut requests = self.requests();
            if requests.len() >= REQUESTS_MAX {
                let message =
                    format!("more than {REQUESTS_MAX} requests at once; wait for answers");
                return refuse(RpcError::internal(message));
            }
            if requests.contains_key(&id.to_string()) {
                let message = "a request with this id is still being answered";
                return refuse(RpcError::invalid_request(message));
            }
            requests.insert(id.to_string(), cancel.clone());
        }
        let door = Arc::clone(self);
        if method == "session/prompt" {
            // Its place in the line and what stops it are settled before the next message is read.
            let prompt = Prompt::read(self, params);
            self.link.tasks.spawn(async move {
                let result = match prompt {
                    Ok(prompt) => prompt.serve(&cancel).await,
                    Err(error) => Err(error),
                };
                door.answered(id, result).await;
            });
            return Ok(());
        }
        self.link.tasks.spawn(async move {
            let result = tokio::select! {
                result = door.handle(&id, &method, params) => result,
                () = cancel.cancelled() => Some(Err(RpcError::cancelled())),
                () = door.link.gone.cancelled() => None,
            };
            match result {
                Some(result) => door.answered(id, result).await,
                None => {
                    door.requests().remove(&id.to_string());
                }
            }
        });
        Ok(())
    }

    pub(crate) async fn answered(&self, id: Value, result: Result<Value, RpcError>) {
        self.requests().remove(&id.to_string());
        self.link.peer.answer(id, result).await;
    }

    fn notified(self: &Arc<Self>, method: &str, params: Value) {
        match method {
            "session/cancel" => self.cancel(&params),
            "$/cancel_request" => {
                if let Ok(CancelParams { request_id }) = serde_json::from_value(params) {
                    let request = self.requests().get(&request_id.to_string()).cloned();
                    request.inspect(CancellationToken::cancel);
                }
            }
            // What is not known and wants no answer is left aside.
            _ => {}
        }
    }

    /// Stops what a session does. One that is not open does nothing.
    pub(crate) fn cancel(&self, params: &Value) {
        let id = params.get("sessionId").and_then(Value::as_str);
        let Some(session) = id.and_then(|id| self.sessions().get(id).cloned()) else {
            return;
        };
        session.stop_prompts();
        let stopping = async move { session.stop_others().await };
        self.link.tasks.spawn(stopping);
    }

    pub(crate) fn session(&self, id: &str) -> Result<Arc<Session>, RpcError> {
        let session = self.sessions().get(id).cloned();
        session.ok_or_else(|| RpcError::no_session(id))
    }

    /// Tells nothing more of a session, and gives back what was lent to it.
    pub(crate) async fn forget(&self, id: &str) {
        let session = self.sessions().remove(id);
        if let Some(session) = session {
            session.stop_prompts();
            session.closed.cancel();
            session.take_back().await;
        }
    }

    /// Stops what the editor asked for, and waits until that is written down.
    async fn end(&self) {
        let sessions: Vec<_> = self.sessions().values().cloned().collect();
        for session in &sessions {
            session.stop_prompts();
        }
        let idle = async {
            for session in &sessions {
                session.line.idle().await;
            }
        };
        if timeout(END_WAIT, idle).await.is_err() {
            tracing::warn!("turns of an editor that is gone did not end in time");
        }
        for session in &sessions {
            session.take_back().await;
        }
        self.link.gone.cancel();
        self.link.tasks.close();
        if timeout(LAST_WORDS_WAIT, self.link.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("an editor that does not read was not told everything");
        }
    }

    pub(crate) fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requests(&self) -> MutexGuard<'_, BTreeMap<String, CancellationToken>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
