//! How the MCP servers of a thread come up. Each one reports alone, then one event sums up.

use serde::{Deserialize, Serialize};

/// How far a server has come.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum McpStartupStatus {
    /// Its process runs but it has not answered yet.
    Starting,
    /// Its tools can be called.
    Ready,
    /// It did not come up.
    Failed {
        /// Why not.
        error: String,
    },
    /// Someone stopped it on the way.
    Cancelled,
}

/// One step of one server.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct McpStartupUpdateEvent {
    /// The server.
    pub server_name: String,
    /// How far it has come.
    pub status: McpStartupStatus,
}

/// A server that did not come up.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct McpStartupFailure {
    /// The server.
    pub server_name: String,
    /// Why not.
    pub error: String,
}

/// What became of them all. None of the three lists is ever left out.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct McpStartupCompleteEvent {
    /// Servers whose tools can be called.
    pub ready: Vec<String>,
    /// Servers that did not come up.
    pub failed: Vec<McpStartupFailure>,
    /// Servers that were stopped on the way.
    pub cancelled: Vec<String>,
}
