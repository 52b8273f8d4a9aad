//! Tools that the client of a turn runs itself: how they are declared, called and answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ClientCallId, ThreadId, TurnId};

/// A tool that the client of a turn runs itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DynamicTool {
    /// Set before the name, with two underscores between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// JSON schema of its input: that of an object.
    pub input_schema: Map<String, Value>,
    /// Whether the model is told the schema only when it asks for it, by a call without arguments.
    #[serde(default)]
    pub defer_loading: bool,
}

impl DynamicTool {
    /// What the model calls it.
    pub fn shown_name(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}__{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Which call an event is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AboutCall {
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn that waits.
    pub turn_id: TurnId,
    /// The call.
    pub call_id: ClientCallId,
}

/// Payload of `tool_call.requested`: a call that waits for the client.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolCallRequested {
    /// Which call.
    #[serde(flatten)]
    pub about: AboutCall,
    /// The namespace of the tool, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name of the tool.
    pub tool: String,
    /// What it is called with.
    pub arguments: Value,
}

/// Payload of `tool_call.resolved`. The result itself is in the item of the call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolCallResolved {
    /// Which call.
    #[serde(flatten)]
    pub about: AboutCall,
    /// Always `resolved`.
    pub status: String,
    /// Whether the tool did what it was asked.
    pub success: bool,
    /// Always true.
    pub result_accepted: bool,
}

/// Payload of `tool_call.timeout`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolCallTimeout {
    /// Which call.
    #[serde(flatten)]
    pub about: AboutCall,
    /// Always `timeout`.
    pub status: String,
    /// How long it waited.
    pub timeout_secs: u64,
}

/// Payload of `tool_call.canceled`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolCallCanceled {
    /// Which call.
    #[serde(flatten)]
    pub about: AboutCall,
    /// Always `canceled`.
    pub status: String,
    /// Why.
    pub reason: ToolCallCancelReason,
    /// Always true: the turn has ended too.
    pub terminal: bool,
    /// True when a later process ended it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

/// Why a call waits no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallCancelReason {
    /// Its turn has ended.
    TurnTerminal,
    /// The process that waited is gone.
    ProcessRestart,
}

/// What `tool-calls/result` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolCallsResultParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn that waits.
    pub turn_id: TurnId,
    /// The call.
    pub call_id: ClientCallId,
    /// Whether the tool did what it was asked.
    pub success: bool,
    /// What the model is told.
    #[serde(default)]
    pub content: Vec<ToolCallContent>,
}

/// A part of a result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolCallContent {
    /// Words.
    InputText {
        /// The words.
        text: String,
    },
    /// A picture. Models are told that there is one, and of which kind and size.
    InputImage {
        /// Where it is, or itself as a `data:` address.
        image_url: String,
    },
}
