//! The vocabulary of CodeWhale: everything that is stored, streamed or sent, and nothing else.
//!
//! Two families live here. The *control* types at the crate root are the line protocol that
//! programs speak over stdio; their names and wire forms are fixed by contract. The *runtime*
//! types in [`runtime`] are the durable record: threads, turns, items, events, approvals. Beside
//! them stand the [`operations`] table, the [`Service`] every door speaks to, and [`seal`], the
//! only way text becomes storable.
//!
//! Must not know: tasks, sockets, SQL, files, processes. Start reading at [`runtime::Event`], then
//! [`operations`].
#![warn(missing_docs)]

pub mod caller;
mod control;
pub mod error;
pub mod ext;
pub mod frame;
pub mod lent;
pub mod lines;
pub mod operations;
pub mod runtime;
pub mod seal;
pub mod service;

pub use caller::{
    Actor, ActorId, ActorKind, ActorRecord, AgentIdentity, Caller, Origin, Scope, Scopes, Surface,
};
pub use control::*;
pub use error::{ErrorBody, ErrorCode};
pub use seal::{Redactor, Sealed, Secret, StreamRedactor};
pub use service::{Call, EventStream, Reply, Service, Source};
