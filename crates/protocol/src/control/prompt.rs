//! One question, one answer: the smallest way to use a model.

use serde::{Deserialize, Serialize};

use super::EventFrame;

/// Asks a model something.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct PromptRequest {
    /// The thread both messages are added to; none when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The question.
    pub prompt: String,
    /// Which model to ask instead of the configured one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What it said.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct PromptResponse {
    /// The whole answer as text.
    pub output: String,
    /// Who gave it.
    pub model: String,
    /// The same answer, piece by piece.
    #[serde(default)]
    pub events: Vec<EventFrame>,
}
