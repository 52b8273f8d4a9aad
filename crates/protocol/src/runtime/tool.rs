//! Tools without a model: what there is, and a call of one that someone makes themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ThreadId;

/// What `tools/list` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolList {
    /// The tools, ordered by name.
    pub tools: Vec<ToolInfo>,
}

/// A tool as whoever calls it needs to know it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// Other names it answers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What it does and when to use it.
    pub description: String,
    /// JSON schema of its input.
    pub input_schema: Value,
    /// Whether it only looks.
    pub read_only: bool,
}

/// What `tools/call` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolsCallParams {
    /// The thread it happens on, under the permissions and walls of that thread.
    pub thread_id: ThreadId,
    /// The tool, by its name or another one it answers to.
    #[schemars(example = &"list_dir")]
    pub tool: String,
    /// What it is called with.
    #[serde(default)]
    pub input: Map<String, Value>,
    /// Whether a person is asked first, also where the law would not ask.
    #[serde(default)]
    pub ask: bool,
}
