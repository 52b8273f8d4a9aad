//! Tool calls: what goes in, what comes out, and whether that was a success.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a tool lives.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// In the product.
    Function,
    /// On an MCP server.
    Mcp,
}

/// A command for the shell.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct LocalShellParams {
    /// The command line.
    pub command: String,
    /// Where to run it; in the thread's directory when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// How long it may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// What a tool is called with.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolPayload {
    /// A tool of the product.
    Function {
        /// JSON as text, exactly as the model wrote it.
        arguments: String,
    },
    /// A tool that takes plain text.
    Custom {
        /// The text.
        input: String,
    },
    /// The shell.
    LocalShell {
        /// What to run there.
        params: LocalShellParams,
    },
    /// A tool on an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool on it.
        tool: String,
        /// Its arguments, as the server wants them.
        raw_arguments: Value,
        /// The model's id of the call, where it gave one.
        #[serde(skip_serializing_if = "Option::is_none")]
        raw_tool_call_id: Option<String>,
    },
}

/// What a tool answered.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolOutput {
    /// A tool of the product.
    Function {
        /// What it gave back, if anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        body: Option<Value>,
        /// Whether it did what was asked.
        success: bool,
    },
    /// A tool on an MCP server.
    Mcp {
        /// The server's answer, untouched.
        result: Value,
    },
}

impl ToolOutput {
    /// Whether the tool did what was asked. An MCP server that marks an error in a way the
    /// protocol does not know still meant to mark one, so only a missing or a false `isError`
    /// counts as success.
    pub fn is_success(&self) -> bool {
        match self {
            ToolOutput::Function { success, .. } => *success,
            ToolOutput::Mcp { result } => match result.get("isError") {
                None => true,
                Some(mark) => mark == &Value::Bool(false),
            },
        }
    }
}
