//! The MCP client against real servers over real pipes and sockets, and against bad ones.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bad;
mod lab;
mod login;
mod pool;
mod real;
