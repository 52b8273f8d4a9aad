//! The seam every door speaks to: ask for an operation, or follow a stream of events.

use std::future::Future;
use std::pin::Pin;

use futures_core::Stream;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::frame::Frames;
use crate::operations::Op;
use crate::runtime::{FleetRunId, Seq, ThreadId};
use crate::{Caller, ErrorBody};

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The answer of an operation.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its output as JSON text, ready to be sent.
    pub json: Box<RawValue>,
    /// Whether there is something now that was not there before, for operations that tell.
    pub made: bool,
}

impl Reply {
    /// The output as JSON text.
    pub fn get(&self) -> &str {
        self.json.get()
    }
}

impl From<Box<RawValue>> for Reply {
    fn from(json: Box<RawValue>) -> Self {
        Self { json, made: false }
    }
}

/// Events of a source, in order and without a gap, for as long as the reader wants them.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<Frames, ErrorBody>> + Send>>;

/// One request for an operation of the table.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which operation.
    pub op: Op,
    /// Its parameters, path, query and body put together.
    pub params: Value,
    /// A name that the caller gave this request, so that it can be sent again: what has one and is
    /// done [once](crate::operations::Row::once) is done once.
    pub key: Option<String>,
}

impl Call {
    /// A call without a key.
    pub fn new(op: Op, params: Value) -> Self {
        let key = None;
        Self { op, params, key }
    }
}

/// What to follow.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// One thread.
    Thread(ThreadId),
    /// One fleet run, in the words of fleets.
    FleetRun(FleetRunId),
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
