//! The seam every door speaks to: ask for an operation, or follow a stream of events.

use std::future::Future;
use std::pin::Pin;

use futures_core::Stream;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::frame::Frames;
use crate::operations::Op;
use crate::runtime::{Seq, ThreadId};
use crate::{Caller, ErrorBody};

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The answer of an operation: its output as JSON text, ready to be sent.
pub type Reply = Box<RawValue>;

/// Events of a source, in order and without a gap, for as long as the reader wants them.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<Frames, ErrorBody>> + Send>>;

/// One request for an operation of the table.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which operation.
    pub op: Op,
    /// Its parameters, path, query and body put together.
    pub params: Value,
}

/// What to follow.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// One thread.
    Thread(ThreadId),
}

/// Where to begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor {
    /// Only events behind this one.
    pub after: Seq,
    /// Of those that are already there, only the newest so many.
    pub replay_limit: Option<u64>,
}

impl Cursor {
    /// Everything behind `after`.
    pub fn after(after: Seq) -> Self {
        Self {
            after,
            replay_limit: None,
        }
    }
}

/// Serves operations and events, in this process or over a network.
pub trait Service: Send + Sync + 'static {
    /// Does one operation.
    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        call: Call,
    ) -> BoxFuture<'a, Result<Reply, ErrorBody>>;

    /// Follows a source. The stream ends only with the service.
    fn events<'a>(
        &'a self,
        caller: &'a Caller,
        source: Source,
        cursor: Cursor,
    ) -> BoxFuture<'a, Result<EventStream, ErrorBody>>;
}
