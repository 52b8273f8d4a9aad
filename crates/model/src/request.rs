//! What a model is asked.

use std::sync::Arc;

use codewhale_protocol::runtime::AttachmentId;
use serde_json::Value;

use crate::{Effort, Media};

/// One request. Borrowed, because the conversation outlives it and is long.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The model, in the provider's own spelling.
    pub model: &'a str,
    /// Standing instructions.
    pub system: &'a str,
    /// The conversation, oldest first, always with a result for each call.
    pub messages: &'a [Message],
    /// The tools that may be called.
    pub tools: &'a [ToolSpec],
    /// How hard to think.
    pub effort: Effort,
    /// What the attachments of the messages hold, as far as they are to be shown.
    pub media: &'a Media,
}

/// One message of a conversation.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// From the person.
    User {
        /// What was said; attachments stand in it by number.
        text: String,
        /// What was attached, in the order of the numbers.
        attachments: Vec<AttachmentId>,
    },
    /// From the model.
    Assistant {
        /// What it thought; some providers want it back when tools were called.
        reasoning: String,
        /// What it said.
        text: String,
        /// What it called.
        calls: Vec<crate::ToolCall>,
    },
    /// The result of a call.
    Tool {
        /// Which call.
        call_id: String,
        /// What came of it.
        output: String,
        /// Whether the call did what it was asked; refused and failed calls did not.
        success: bool,
        /// What is to be seen or heard of it; the text says so.
        attachments: Vec<AttachmentId>,
    },
}

impl Message {
    /// Words of the person, with nothing attached.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User {
            text: text.into(),
            attachments: Vec::new(),
        }
    }
}

/// A tool as the model sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does and when to use it; all conversations share it.
    pub description: Arc<str>,
    /// JSON schema of its input, which they share as well.
    pub input_schema: Arc<Value>,
}
