//! The pipes with bounds: how many requests are under way, and how much waits for the client to read it.
//! Without them a client that asks and does not read would fill our memory.
//!
//! Input is read in any case, so that answers to questions, stops and the end of the input are heard from a
//! client that does not read.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use codewhale_protocol::service::BoxFuture;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ErrorCode, ErrorData, JsonRpcMessage, JsonRpcRequest, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use crate::limits;

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

/// A transport that takes in no more than it can answer.
pub(super) struct Bounded<T> {
    inner: T,
    under_way: UnderWay,
    /// Refusals that are being written.
    refusals: FuturesUnordered<BoxFuture<'static, ()>>,
}

/// Requests that were not called off, and whose answers are not written.
#[derive(Clone, Default)]
struct UnderWay(Arc<Mutex<HashSet<RequestId>>>);

impl UnderWay {
    fn has(&self, id: &RequestId) -> bool {
        self.with(|ids| ids.contains(id))
    }

    fn is_full(&self) -> bool {
        self.with(|ids| ids.len() >= limits::REQUESTS_UNDER_WAY_MAX)
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashSet<RequestId>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Transport<RoleServer>> Bounded<T> {
    pub(super) fn new(inner: T) -> Self {
        Self {
            inner,
            under_way: UnderWay::default(),
            refusals: FuturesUnordered::new(),
        }
    }

    /// Whether a message is let in; a request may be refused instead.
    fn admits(&mut self, message: &Received) -> bool {
        match message {
            JsonRpcMessage::Request(request) => self.admits_request(request),
            JsonRpcMessage::Notification(it) => {
                if let ClientNotification::CancelledNotification(it) = &it.notification
                    && let Some(id) = &it.params.request_id
                {
                    // It gets no answer any more.
                    self.under_way.with(|ids| ids.remove(id));
                }
                true
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => true,
        }
    }

    fn admits_request<R>(&mut self, request: &JsonRpcRequest<R>) -> bool {
        let id = &request.id;
        if self.under_way.has(id) {
            let words = format!("the id {id} is in use by another request");
            // Whoever waits under that id waits for the other answer.
            self.refuse(ErrorData::invalid_request(words, None), None);
            return false;
        }
        if self.under_way.is_full() {
            let words = "too many requests are under way; read the answers to some of them";
            let error = ErrorData::new(ErrorCode(-32000), words, None);
            self.refuse(error, Some(id.clone()));
            return false;
        }
        self.under_way.with(|ids| ids.insert(id.clone()))
    }

    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        if self.refusals.len() >= limits::REFUSALS_UNREAD_MAX {
            tracing::warn!(?id, "a client does not read; its request is passed over");
            return;
        }
        let refusal = self.inner.send(JsonRpcMessage::error(error, id));
        self.refusals.push(Box::pin(async move {
            if let Err(error) = refusal.await {
                tracing::debug!(%error, "a refusal could not be written");
            }
        }));
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Bounded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: Sent,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(answer) => Some(answer.id.clone()),
            JsonRpcMessage::Error(answer) => answer.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let under_way = self.under_way.clone();
        let sent = self.inner.send(message);
        let sent: BoxFuture<'static, _> = Box::pin(async move {
            let sent = sent.await;
            if let Some(id) = answered {
                under_way.with(|ids| ids.remove(&id));
            }
            sent
        });
        sent
    }

    async fn receive(&mut self) -> Option<Received> {
        loop {
            let message = tokio::select! {
                biased;
                Some(()) = self.refusals.next(), if !self.refusals.is_empty() => continue,
                message = self.inner.receive() => message?,
            };
            if self.admits(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use rmcp::transport::async_rw::AsyncRwTransport;
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};

    use super::*;

    /// Room for many requests, and for hardly any answer.
    const ROOM: (usize, usize) = (1024 * 1024, 16);

    struct Client {
        writing: DuplexStream,
        reading: Lines<BufReader<DuplexStream>>,
    }

    impl Client {
        async fn ping(&mut self, id: u64) {
            let ping = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
            let line = format!("{ping}\n");
            self.writing.write_all(line.as_bytes()).await.unwrap();
        }

        async fn hear(&mut self) -> Value {
            let line = self.reading.next_line().await.unwrap().unwrap();
            serde_json::from_str(&line).unwrap()
        }
    }

    fn pipes() -> (Bounded<impl Transport<RoleServer>>, Client) {
        let (writing, input) = tokio::io::duplex(ROOM.0);
        let (output, reading) = tokio::io::duplex(ROOM.1);
        let client = Client {
            writing,
            reading: BufReader::new(reading).lines(),
        };
        (Bounded::new(AsyncRwTransport::new(input, output)), client)
    }

    fn answer(id: i64) -> Sent {
        let error = ErrorData::invalid_request("no", None);
        JsonRpcMessage::error(error, Some(RequestId::Number(id)))
    }

    #[tokio::test]
    async fn an_id_that_is_in_use_is_refused_until_its_request_is_answered_or_called_off() {
        let (mut pipes, mut client) = pipes();
        for _ in 0..2 {
            client.ping(7).await;
        }
        assert!(pipes.receive().await.is_some());
        let refused = tokio::select! {
            _ = pipes.receive() => panic!("the same id was let in twice"),
            refused = client.hear() => refused,
        };
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        assert!(refused["id"].is_null(), "{refused}");
        let (sent, _) = tokio::join!(pipes.send(answer(7)), client.hear());
        sent.unwrap();
        client.ping(7).await;
        assert!(pipes.receive().await.is_some());
        let params = json!({ "requestId": 7 });
        let off =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        client
            .writing
            .write_all(format!("{off}\n").as_bytes())
            .await
            .unwrap();
        client.ping(7).await;
        for _ in 0..2 {
            assert!(pipes.receive().await.is_some());
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_refused_then_passed_over_and_still_heard() {
        let (mut pipes, mut client) = pipes();
        let bound = limits::REQUESTS_UNDER_WAY_MAX;
        for id in 0..bound + 2 * limits::REFUSALS_UNREAD_MAX {
            client.ping(u64::try_from(id).unwrap()).await;
        }
        for _ in 0..bound {
            assert!(pipes.receive().await.is_some());
        }
        assert!(pipes.receive().now_or_never().is_none());
        assert_eq!(pipes.refusals.len(), limits::REFUSALS_UNREAD_MAX);
        let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let line = format!("{notice}\n");
        client.writing.write_all(line.as_bytes()).await.unwrap();
        assert!(pipes.receive().await.is_some(), "the notice is heard");
        let first = tokio::select! {
            _ = pipes.receive() => panic!("more than the bound was let in"),
            refused = client.hear() => refused,
        };
        assert_eq!(
            (&first["id"], &first["error"]["code"]),
            (&json!(bound), &json!(-32000))
        );
        drop(client.writing);
        assert!(pipes.receive().await.is_none(), "the end is heard");
    }
}
