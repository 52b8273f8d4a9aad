//! The other side: what is sent to it, and its answers to what we asked.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::error::RpcError;
use crate::limits::OUTBOX_MESSAGES_MAX;

/// Sends messages in the order they are given to it. Waits while the other side does not read.
pub(crate) struct Peer {
    outbox: mpsc::Sender<String>,
    waiting: Mutex<BTreeMap<u64, oneshot::Sender<Result<Value, RpcError>>>>,
    ids: AtomicU64,
}

/// Why a request of ours has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// Nobody wants the answer any more.
    #[error("the request was taken back")]
    TakenBack,
    /// The other side is gone.
    #[error("the client is gone")]
    Gone,
    /// It refused.
    #[error("the client answered: {}", .0.message)]
    Refused(RpcError),
    /// It answered something else.
    #[error("the client's answer does not read: {0}")]
    Unreadable(#[from] serde_json::Error),
}

impl Peer {
    /// A peer, and what [`write`] takes.
    pub(crate) fn new() -> (Self, mpsc::Receiver<String>) {
        let (outbox, messages) = mpsc::channel(OUTBOX_MESSAGES_MAX);
        let peer = Self {
            outbox,
            waiting: Mutex::default(),
            ids: AtomicU64::new(1),
        };
        (peer, messages)
    }

    /// Tells something. To one that is gone there is nothing to tell.
    pub(crate) async fn notify(&self, method: &str, params: impl Serialize) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": to_value(params) });
        let _ = self.outbox.send(message.to_string()).await;
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, id: Value, result: Result<Value, RpcError>) {
        let message = match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
        };
        let _ = self.outbox.send(message.to_string()).await;
    }

    /// Asks, and waits for the answer until `taken_back` fires; the other side is told then.
    pub(crate) async fn ask<A: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
        taken_back: &CancellationToken,
    ) -> Result<A, Unanswered> {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        self.waiting().insert(id, reply);
        let _forget = Forget { peer: self, id };
        let message =
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": to_value(params) });
        let asking = async {
            let sent = self.outbox.send(message.to_string()).await;
            sent.map_err(|_| Unanswered::Gone)?;
            answer.await.map_err(|_| Unanswered::Gone)
        };
        let result = tokio::select! {
            biased;
            () = taken_back.cancelled() => {
                self.notify("$/cancel_request", json!({ "requestId": id })).await;
                return Err(Unanswered::TakenBack);
            }
            result = asking => result?,
        };
        Ok(serde_json::from_value(
            result.map_err(Unanswered::Refused)?,
        )?)
    }

    /// Takes an answer of the other side. One that nobody waits for came too late.
    pub(crate) fn take_answer(&self, id: &Value, result: Result<Value, RpcError>) {
        let id = id.as_u64();
        if let Some(reply) = id.and_then(|id| self.waiting().remove(&id)) {
            let _ = reply.send(result);
        }
    }

    /// Waits until the other side can be told nothing any more.
    pub(crate) async fn gone(&self) {
        self.outbox.closed().await;
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<u64, oneshot::Sender<Result<Value, RpcError>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nobody waits for the answer once the one who asked is gone.
struct Forget<'a> {
    peer: &'a Peer,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.peer.waiting().remove(&self.id);
    }
}

/// Writes messages as lines until there are no more, or nobody can read them.
pub(crate) async fn write(
    mut messages: mpsc::Receiver<String>,
    output: impl AsyncWrite,
) -> std::io::Result<()> {
    tokio::pin!(output);
    while let Some(mut message) = messages.recv().await {
        message.push('\n');
        output.write_all(message.as_bytes()).await?;
        if messages.is_empty() {
            output.flush().await?;
        }
    }
    output.shutdown().await
}

/// Our own messages are plain data.
pub(crate) fn to_value(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("messages are plain data with text keys")
}
