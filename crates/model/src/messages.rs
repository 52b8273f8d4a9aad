//! The Messages dialect, which Anthropic and a few others speak.
//!
//! `body` writes a request, `parse` says what the events of an answer mean. Signed thoughts are
//! kept in a [`Memory`] and go back with the calls they led to.

mod body;
mod parse;
mod wire;

use std::sync::Arc;

use codewhale_protocol::service::BoxFuture;

use crate::exchange::Exchange;
use crate::memory::Memory;
use crate::{ChunkStream, Error, Model, Request};

pub(crate) use body::Manner;
use parse::MessagesParse;

/// The version of the dialect that is spoken, for the header of that name.
pub(crate) const VERSION: &str = "2023-06-01";

/// A provider that speaks the dialect.
#[derive(Debug)]
pub(crate) struct MessagesModel {
    pub(crate) exchange: Exchange,
    pub(crate) manner: Manner,
    pub(crate) memory: Arc<Memory>,
}

impl Model for MessagesModel {
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>> {
        let body = body::write(&request, self.manner, &self.memory);
        let first_call = request.messages.len();
        let parse = MessagesParse::new(self.memory.clone(), request.model, first_call);
        Box::pin(self.exchange.send(body, parse))
    }
}
