//! The door for editors: Agent Client Protocol, version 1, on standard input and output.
//!
//! A session of the protocol is a thread, under the thread's own id. Each open session has a
//! `Follower` that reads the log of its thread and tells the editor; a client
//! that stops reading stops its followers, which are cursors in the log and lose nothing.
//!
//! ```text
//!  stdin ─► lines ─► message ─► Door ─┬─ one task per request ─► Client ─► Service
//!                                     └─ Session ◄── Follower ◄── events of the thread
//!  stdout ◄─ one writer ◄─ Peer (bounded) ◄──────────────┘
//! ```
//!
//! Must not know: the runtime, the store. Start reading at [`serve`], then `session.rs`; the shapes
//! of messages are in `wire/`, each held against the published schema by tests.

mod commands;
mod controls;
mod door;
mod error;
mod follower;
mod form;
mod hands;
pub mod limits;
mod lines;
mod listing;
mod message;
mod methods;
mod open;
mod peer;
mod permission;
mod prompt;
mod question;
mod session;
mod show;
mod terminal;
mod turn_line;
mod wire;

pub use door::{Ended, Options, Viewer, serve};
