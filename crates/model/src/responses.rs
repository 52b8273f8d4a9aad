//! The Responses dialect, which OpenAI and a few others speak.
//!
//! `body` writes a request, `parse` says what the events of an answer mean. Nothing is stored at
//! the provider: encrypted thoughts are kept in a [`Memory`] and go back with the calls they led to.

mod body;
mod parse;
mod wire;

use std::sync::Arc;

use codewhale_protocol::service::BoxFuture;

use crate::exchange::Exchange;
use crate::memory::Memory;
use crate::{ChunkStream, Error, Model, Request};

pub(crate) use body::{Terms, thinks};
use parse::ResponsesParse;

/// A provider that speaks the dialect.
#[derive(Debug)]
pub(crate) struct ResponsesModel {
    pub(crate) exchange: Exchange,
    pub(crate) terms: Terms,
    pub(crate) memory: Arc<Memory>,
}

impl Model for ResponsesModel {
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>> {
        let body = body::write(&request, self.terms, &self.memory);
        let first_call = request.messages.len();
        let parse = ResponsesParse::new(self.memory.clone(), request.model, first_call);
        Box::pin(self.exchange.send(body, parse))
    }
}
