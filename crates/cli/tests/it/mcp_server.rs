//! The program as an MCP server: what a client of the protocol sees, and what stays in the log.

mod agents;
mod approvals;
mod http;
mod official;
mod talk;
mod tools;
