//! The program as an MCP server: what a client of the protocol sees, and what stays in the log.

mod agents;
mod approvals;
mod bad_input;
mod conformance;
mod ending;
mod http;
mod inspector;
mod official;
mod subscriptions;
mod talk;
mod tools;
