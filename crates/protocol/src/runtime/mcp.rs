//! MCP servers and their tools, as they are listed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What `mcp/servers` takes.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct McpServersParams {
    /// The workspace whose own servers are listed too, if it is trusted; the server's own when left
    /// out.
    pub workspace: Option<String>,
}

/// The MCP servers there are.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct McpServerList {
    /// By their names.
    pub servers: Vec<McpServerInfo>,
}

/// An MCP server. Variables, headers and tokens are never shown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct McpServerInfo {
    /// Its name.
    pub name: String,
    /// Whether it is started.
    pub enabled: bool,
    /// Whether turns fail without it.
    pub required: bool,
    /// The program, without its arguments.
    pub command: Option<String>,
    /// The address, without what may be secret in it.
    pub url: Option<String>,
    /// Whether it answers now.
    pub connected: bool,
    /// The only tools that are offered, unless empty.
    pub enabled_tools: Vec<String>,
    /// Tools that are not offered.
    pub disabled_tools: Vec<String>,
    /// `stdio`, `http` or `sse`.
    pub transport: String,
    /// How far it has come: `disabled`, `starting`, `slow`, `ready`, `disconnected`, `needs_auth`,
    /// `failed` or `stopped`.
    pub status: String,
    /// What went wrong last, if it is not ready.
    pub error: Option<String>,
    /// How many tools it offers.
    pub tools: usize,
    /// How many of its tools were put aside because no provider would take them.
    pub quarantined: usize,
}

/// What `mcp/tools` takes.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct McpToolsParams {
    /// Only those of this server.
    pub server: Option<String>,
    /// Whether servers that are away are started and waited for. Takes the scope `run`.
    pub connect: bool,
    /// The workspace whose own servers count too, if it is trusted; the server's own when left out.
    pub workspace: Option<String>,
}

/// The tools of MCP servers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct McpToolList {
    /// By server and name.
    pub tools: Vec<McpToolInfo>,
}

/// A tool of an MCP server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct McpToolInfo {
    /// Whose it is.
    pub server: String,
    /// What the server calls it.
    pub name: String,
    /// What the model calls it, and rules too.
    pub prefixed_name: String,
    /// What it does, in the words of the server.
    pub description: Option<String>,
    /// The JSON schema of its input.
    pub input_schema: Value,
}
