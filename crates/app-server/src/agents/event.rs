//! Events of a run, as streams and lists tell them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::errors::Problem;
use super::message::{Message, Part};
use super::run::Run;

/// Something that happened in a run.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "type")]
pub(super) enum Event {
    /// It was accepted.
    #[serde(rename = "run.created")]
    RunCreated {
        /// As it is then.
        run: Box<Run>,
    },
    /// It is at work, at first or again.
    #[serde(rename = "run.in-progress")]
    RunInProgress {
        /// As it is then.
        run: Box<Run>,
    },
    /// The agent begins to say something.
    #[serde(rename = "message.created")]
    MessageCreated {
        /// Without its parts.
        message: Message,
    },
    /// It says more.
    #[serde(rename = "message.part")]
    MessagePart {
        /// What.
        part: Part,
    },
    /// It has said it.
    #[serde(rename = "message.completed")]
    MessageCompleted {
        /// All of it.
        message: Message,
    },
    /// It waits for a message.
    #[serde(rename = "run.awaiting")]
    RunAwaiting {
        /// As it is then.
        run: Box<Run>,
    },
    /// Something the protocol has no word for: `status` or `error`, with a text.
    #[serde(rename = "generic")]
    Generic {
        /// What.
        generic: Map<String, Value>,
    },
    /// It ended with an answer.
    #[serde(rename = "run.completed")]
    RunCompleted {
        /// As it is then.
        run: Box<Run>,
    },
    /// It ended without one.
    #[serde(rename = "run.failed")]
    RunFailed {
        /// As it is then.
        run: Box<Run>,
    },
    /// It was stopped.
    #[serde(rename = "run.cancelled")]
    RunCancelled {
        /// As it is then.
        run: Box<Run>,
    },
    /// The stream breaks off; the run may go on.
    #[serde(rename = "error")]
    Error {
        /// Why.
        error: Problem,
    },
}

impl Event {
    /// Whether the run does not go on by itself behind it.
    pub(super) fn is_rest(&self) -> bool {
        match self {
            Event::RunAwaiting { .. }
            | Event::RunCompleted { .. }
            | Event::RunFailed { .. }
            | Event::RunCancelled { .. } => true,
            Event::RunCreated { .. }
            | Event::RunInProgress { .. }
            | Event::MessageCreated { .. }
            | Event::MessagePart { .. }
            | Event::MessageCompleted { .. }
            | Event::Generic { .. }
            | Event::Error { .. } => false,
        }
    }

    /// The event as JSON text.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("events are plain data")
    }
}
