//! Requests about one thread or the list of them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ThreadGoalClearParams, ThreadGoalGetParams, ThreadGoalSetParams};

/// Opens a thread; whatever is left out comes from the configuration.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadStartParams {
    /// The model to talk to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whose model it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The directory to work in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// Whether the thread outlives the process.
    #[serde(default)]
    pub persist_extended_history: bool,
}

/// Takes up a stored thread; what is given replaces what is stored.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadResumeParams {
    /// The thread to take up.
    pub thread_id: String,
    /// Items the caller has kept; those already stored are not added twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<Value>>,
    /// The file it is kept in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The model to talk to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whose model it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The directory to work in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// When to ask a person first, such as `on-request`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<String>,
    /// How far commands may reach, such as `workspace-write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// Settings for this thread alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    /// Replaces the instructions the product ships.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_instructions: Option<String>,
    /// Adds to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub developer_instructions: Option<String>,
    /// The tone to answer in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub personality: Option<String>,
    /// Whether the thread outlives the process.
    #[serde(default)]
    pub persist_extended_history: bool,
}

/// Splits a new thread off a stored one; what is given replaces what is copied.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadForkParams {
    /// The thread to copy.
    pub thread_id: String,
    /// The file it is kept in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The model to talk to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whose model it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The directory to work in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// When to ask a person first, such as `on-request`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<String>,
    /// How far commands may reach, such as `workspace-write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// Settings for this thread alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    /// Replaces the instructions the product ships.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_instructions: Option<String>,
    /// Adds to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub developer_instructions: Option<String>,
    /// Whether the thread outlives the process.
    #[serde(default)]
    pub persist_extended_history: bool,
}

/// Asks which threads there are.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadListParams {
    /// Whether archived ones are shown too.
    #[serde(default)]
    pub include_archived: bool,
    /// How many to show at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Asks for one thread.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadReadParams {
    /// The thread.
    pub thread_id: String,
}

/// Gives a thread a name.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadSetNameParams {
    /// The thread.
    pub thread_id: String,
    /// The name.
    pub name: String,
}

/// Everything that can be asked about threads. On the wire the parameters stand beside `kind`.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ThreadRequest {
    /// Make an empty thread with default settings.
    Create {
        /// Notes of the caller's own; null when left out.
        #[serde(default)]
        metadata: Value,
    },
    /// Open a thread.
    Start(ThreadStartParams),
    /// Take up a stored one.
    Resume(ThreadResumeParams),
    /// Split one off another.
    Fork(ThreadForkParams),
    /// Show which there are.
    List(ThreadListParams),
    /// Show one.
    Read(ThreadReadParams),
    /// Name one.
    SetName(ThreadSetNameParams),
    /// Give one a goal.
    GoalSet(ThreadGoalSetParams),
    /// Show its goal.
    GoalGet(ThreadGoalGetParams),
    /// Take its goal away.
    GoalClear(ThreadGoalClearParams),
    /// Leave one out of lists.
    Archive {
        /// The thread.
        thread_id: String,
    },
    /// Bring one back into lists.
    Unarchive {
        /// The thread.
        thread_id: String,
    },
    /// Say something to the agent and wait for its turn.
    Message {
        /// The thread.
        thread_id: String,
        /// What to say.
        input: String,
    },
}
