//! The MCP door: other agents and editors drive this runtime by the Model Context Protocol.
//!
//! [`Door`] translates requests of MCP into operations of the table and decides nothing. A call of a file
//! tool or of the shell is a turn on a thread of the client's session, `codewhale` starts a thread and
//! `codewhale-reply` continues one. So law, approvals, walls, redaction and the log are those of every
//! other door, and what happens here is seen there.
//!
//! ```text
//!   stdio ──┐
//!           ├──► Door ──► operations (tools/call, turns/start, threads/get …)
//!   /mcp ───┘     ▲                      │
//!                 └── events of the turn ┘   progress, questions to the person, the result
//! ```
//!
//! Must not know: the runtime, other doors. Start reading at [`Door`], then `turn.rs`.
#![warn(missing_docs)]

mod again;
mod agent;
mod ask;
mod catalogue;
mod door;
mod error;
mod handler;
mod http;
mod limits;
mod options;
mod prompts;
mod questions;
mod resources;
mod stdio;
mod subscriptions;
mod threads;
mod tool;
mod turn;
mod way;

pub use catalogue::{DEFAULT_TOOLS, is_known};
pub use door::Door;
pub use http::{HttpDoor, over_http};
pub use options::Options;
pub use stdio::{Error, over_stdio};
