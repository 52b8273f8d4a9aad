//! The typed client.

use std::sync::Arc;

use codewhale_protocol::operations::Operation;
use codewhale_protocol::runtime::ThreadId;
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Call, Caller, ErrorBody, ErrorCode, Service, Source};

use crate::Envelopes;

/// Asks a service for operations by their types. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    service: Arc<dyn Service>,
    caller: Caller,
}

impl Client {
    /// Asks `service` in the name of `caller`.
    pub fn new(service: Arc<dyn Service>, caller: Caller) -> Self {
        Self { service, caller }
    }

    /// Does one operation: `client.call::<ThreadsGet>(params)`.
    pub async fn call<O: Operation>(&self, params: O::Params) -> Result<O::Output, ErrorBody> {
        self.send::<O>(params, None).await
    }

    /// Does it once, however often it is sent with this key. For whoever may be cut off before the
    /// answer comes.
    pub async fn call_once<O: Operation>(
        &self,
        key: &str,
        params: O::Params,
    ) -> Result<O::Output, ErrorBody> {
        self.send::<O>(params, Some(key.to_owned())).await
    }

    async fn send<O: Operation>(
        &self,
        params: O::Params,
        key: Option<String>,
    ) -> Result<O::Output, ErrorBody> {
        let name = O::OP.row().name;
        let unreadable = |what: &str, error: serde_json::Error| {
            let message = format!("the {what} of {name} do not read as such: {error}");
            ErrorBody::new(ErrorCode::Internal, message)
        };
        let params = serde_json::to_value(params).map_err(|e| unreadable("parameters", e))?;
        let op = O::OP;
        let call = Call { op, params, key };
        let reply = self.service.call(&self.caller, call).await?;
        serde_json::from_str(reply.get()).map_err(|e| unreadable("contents of the answer", e))
    }

    /// Follows a thread from a place in its log, for as long as the stream is kept.
    pub async fn follow(
        &self,
        thread_id: ThreadId,
        cursor: Cursor,
    ) -> Result<Envelopes, ErrorBody> {
        let source = Source::Thread(thread_id);
        let events = self.service.events(&self.caller, source, cursor).await?;
        Ok(Envelopes::new(events))
    }

    /// Who asks.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// What serves.
    pub fn service(&self) -> &Arc<dyn Service> {
        &self.service
    }
}
