//! Models behind one seam.
//!
//! [`Model`] is what the engine talks to: one request in, a stream of [`Chunk`]s out. Each wire
//! dialect is one module; providers are data in [`catalogue`]; [`Routes`] turns a wish for a
//! provider and model into something that answers. The [`offline`] model is built in, so that the
//! program works before any key is configured.
//!
//! Must not know: tools, threads, the store. Start reading at [`Model`].

pub mod catalogue;
mod chat;
mod chunk;
mod effort;
mod endpoint;
mod error;
mod exchange;
mod failure;
mod history;
mod http;
mod ids;
pub mod limits;
pub mod local;
mod media;
mod memory;
mod messages;
pub mod offline;
mod request;
mod responses;
mod routes;
mod senses;
mod turn_meta;

use std::pin::Pin;

use codewhale_protocol::service::BoxFuture;
use futures_core::Stream;

pub use chunk::{Chunk, FinishReason, ToolCall};
pub use codewhale_protocol::runtime::Effort;
pub use endpoint::BaseProblem;
pub use error::{Error, ErrorKind};
pub use history::paired;
pub use limits::Timeouts;
pub use media::{Media, Medium, attached};
pub use offline::OfflineModel;
pub use request::{Message, Request, ToolSpec};
pub use routes::{Fallback, ProviderConfig, Route, RouteError, Routes, RoutesConfig};
pub use senses::{Sense, Senses};
pub use turn_meta::{with_meta, without_meta};

/// The answer of a model as it arrives. Ends after [`Chunk::Finished`], or with the first error.
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Chunk, Error>> + Send>>;

/// Something that answers requests.
pub trait Model: Send + Sync {
    /// Sends the request and returns once the answer begins.
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>>;
}
