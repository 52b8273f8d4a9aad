//! The one answer to all thread requests, with goals that count and the newer frames.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EventFrame, ThreadGoal};
use crate::Thread;

/// What became of a [`ThreadRequest`](super::ThreadRequest).
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadResponse {
    /// The thread in question; `list` for a list.
    pub thread_id: String,
    /// One word for the outcome, such as `started` or `missing`.
    pub status: String,
    /// The thread, where one was asked for and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<Thread>,
    /// The threads of a list.
    #[serde(default)]
    pub threads: Vec<Thread>,
    /// The goal, after it was set or asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<ThreadGoal>,
    /// The model the thread talks to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whose model it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The directory the thread works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// When a person is asked first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_policy: Option<String>,
    /// How far commands may reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// What happened on the way.
    #[serde(default)]
    pub events: Vec<EventFrame>,
    /// Whatever else the request gives; null when it gives nothing.
    #[serde(default)]
    pub data: Value,
}

impl From<crate::ThreadResponse> for ThreadResponse {
    fn from(response: crate::ThreadResponse) -> Self {
        Self {
            thread_id: response.thread_id,
            status: response.status,
            thread: response.thread,
            threads: response.threads,
            goal: response.goal.map(Into::into),
            model: response.model,
            model_provider: response.model_provider,
            cwd: response.cwd,
            approval_policy: response.approval_policy,
            sandbox: response.sandbox,
            events: response.events.into_iter().map(Into::into).collect(),
            data: response.data,
        }
    }
}
