//! What all requests of one client share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use codewhale_protocol::operations::Operation;
use codewhale_protocol::runtime::{Seq, ThreadId};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Call, Caller, ErrorBody, ErrorCode, EventStream, Reply, Service, Source};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::limits::ANSWERED_MAX;
use super::live::Live;
use super::outbox::Outbox;
use super::{Options, rpc};

pub(super) struct Desk {
    pub(super) service: Arc<dyn Service>,
    pub(super) caller: Caller,
    pub(super) options: Options,
    pub(super) out: Outbox,
    /// The turns that this client waits for.
    pub(super) live: Live,
    /// Fires when no turn is to begin any more.
    pub(super) closing: CancellationToken,
    answered: Mutex<VecDeque<String>>,
}

impl Desk {
    pub(super) fn new(service: Arc<dyn Service>, options: Options, out: Outbox) -> Self {
        Self {
            service,
            caller: options.caller.clone(),
            options,
            out,
            live: Live::default(),
            closing: CancellationToken::new(),
            answered: Mutex::default(),
        }
    }

    /// Does one operation.
    pub(super) async fn call<O: Operation>(&self, params: Value) -> Result<O::Output, ErrorBody> {
        self.call_once::<O>(params, None).await
    }

    /// Does it once, however often it is asked for with this key.
    pub(super) async fn call_once<O: Operation>(
        &self,
        params: Value,
        key: Option<String>,
    ) -> Result<O::Output, ErrorBody> {
        let op = O::OP;
        let reply = self.reply(Call { op, params, key }).await?;
        serde_json::from_str(reply.get()).map_err(|error| {
            let name = O::OP.row().name;
            let message = format!("the answer of {name} does not read as such: {error}");
            ErrorBody::new(ErrorCode::Internal, message)
        })
    }

    /// Does one operation that may not find its thread.
    pub(super) async fn find<O: Operation>(
        &self,
        params: Value,
    ) -> Result<Option<O::Output>, ErrorBody> {
        match self.call::<O>(params).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.code == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn reply(&self, call: Call) -> Result<Reply, ErrorBody> {
        self.service.call(&self.caller, call).await
    }

    /// Follows a thread from now on.
    pub(super) async fn follow(&self, thread: &str) -> Result<EventStream, ErrorBody> {
        let source = Source::Thread(ThreadId::from(thread));
        let cursor = Cursor {
            replay_limit: Some(0),
            ..Cursor::after(Seq::ZERO)
        };
        self.service.events(&self.caller, source, cursor).await
    }

    /// Tells the client what happened on a thread.
    pub(super) async fn tell_event(&self, thread: &str, event: &impl serde::Serialize) {
        let params = json!({ "thread_id": thread, "event": event });
        self.out
            .say(rpc::notification("thread/event", &params))
            .await;
    }

    /// Notes that questions were answered.
    pub(super) fn note_answered(&self, request: &str) {
        let answered = self.answered.lock();
        let mut answered = answered.unwrap_or_else(PoisonError::into_inner);
        if answered.len() == ANSWERED_MAX {
            answered.pop_front();
        }
        answered.push_back(request.to_owned());
    }

    pub(super) fn was_answered(&self, request: &str) -> bool {
        let answered = self.answered.lock();
        let answered = answered.unwrap_or_else(PoisonError::into_inner);
        answered.iter().any(|known| known == request)
    }
}
