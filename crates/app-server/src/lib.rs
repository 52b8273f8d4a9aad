//! The Runtime API: the operation table over HTTP, event streams over server-sent events.
//!
//! Routes are a loop over `codewhale_protocol::operations`; the few that stream or answer for the
//! door itself are written by hand. Every request passes the same checks in the same order: its
//! `Host`, its `Origin`, its token. Nothing behind the checks is public unless it is listed in
//! `routes.rs`.
//!
//! Must not know: the runtime, the store. It speaks to a [`codewhale_protocol::Service`]. Start
//! reading at [`Server`], then `routes.rs`.

mod agents;
mod auth;
mod connection;
mod cors;
mod doc;
mod error;
mod fleet;
mod hosts;
mod info;
mod limits;
mod mount;
mod one_shot;
mod operation;
mod options;
mod page;
mod routes;
mod server;
mod sse;
pub mod stdio;

pub use agents::openapi as agents_openapi;
pub use auth::Access;
pub use doc::openapi;
pub use mount::Mount;
pub use options::Options;
pub use server::{Server, StartError};
