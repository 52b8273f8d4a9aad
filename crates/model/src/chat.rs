//! The chat-completions dialect, which most providers and local servers speak.
//!
//! `body` writes a request, `parse` says what the frames of an answer mean.

mod body;
mod parse;
mod usage;
mod wire;

use codewhale_protocol::service::BoxFuture;

use crate::exchange::Exchange;
use crate::{ChunkStream, Error, Model, Request};

pub(crate) use body::Quirks;
pub(crate) use parse::ChatParse;

/// A provider that speaks the dialect.
#[derive(Debug)]
pub(crate) struct ChatModel {
    pub(crate) exchange: Exchange,
    pub(crate) quirks: Quirks,
}

impl Model for ChatModel {
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>> {
        let body = body::write(&request, self.quirks);
        let parse = ChatParse::new(request.messages.len());
        Box::pin(self.exchange.send(body, parse))
    }
}
