//! What a person or program hands to a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One part of the input of a turn. Text is the only kind so far; links, references, artifacts and
/// images join it as variants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum InputPart {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
}

impl InputPart {
    /// A part that is plain text.
    pub fn text(text: &str) -> Self {
        InputPart::Text {
            text: text.to_owned(),
        }
    }

    /// The parts as one text, the form that models and summaries read.
    pub fn text_of(parts: &[InputPart]) -> String {
        let texts: Vec<&str> = parts
            .iter()
            .map(|part| match part {
                InputPart::Text { text } => text.as_str(),
            })
            .collect();
        texts.join("\n\n")
    }
}
