//! Questions the agent asks the person in the middle of a turn, with answers to choose from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The label of an answer that was typed instead of chosen.
pub const FREE_TEXT_LABEL: &str = "Other";

/// The agent waits until someone has answered.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct UserInputRequestEvent {
    /// The model's id of the call that waits.
    pub call_id: String,
    /// The turn that waits.
    pub turn_id: String,
    /// The id to answer to.
    pub request_id: String,
    /// One to three questions, so that a person answers them in one go.
    pub questions: Vec<UserInputQuestion>,
}

/// One question.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct UserInputQuestion {
    /// A word or two to head it with.
    pub header: String,
    /// Its id, which the answer repeats.
    pub id: String,
    /// The whole question.
    pub question: String,
    /// Two to four answers to choose from.
    pub options: Vec<UserInputOption>,
    /// Whether something else may be typed.
    #[serde(default)]
    pub allow_free_text: bool,
    /// Whether more than one may be chosen.
    #[serde(default)]
    pub multi_select: bool,
}

impl UserInputQuestion {
    /// Whether an answer with this label is one of those to choose from, or typed freely. Whoever
    /// asks may not want free text; whoever answers may still need it.
    pub fn accepts(&self, label: &str) -> bool {
        label == FREE_TEXT_LABEL || self.options.iter().any(|option| option.label == label)
    }
}

/// An answer to choose from.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct UserInputOption {
    /// The answer in a few words.
    pub label: String,
    /// What choosing it means.
    pub description: String,
}

/// The answers to a request. Only the first submission for a request counts.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct UserInputSubmission {
    /// The request.
    pub request_id: String,
    /// What was answered.
    pub answers: Vec<UserInputAnswer>,
}

/// What was answered to one question.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
pub struct UserInputAnswer {
    /// The question.
    pub id: String,
    /// The option that was chosen, or [`FREE_TEXT_LABEL`].
    pub label: String,
    /// The answer as the agent is to read it.
    pub value: String,
}
