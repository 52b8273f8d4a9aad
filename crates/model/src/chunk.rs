//! What a model answers with, piece by piece.

use codewhale_protocol::runtime::Usage;
use serde::de::IgnoredAny;

/// One piece of an answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Chunk {
    /// Thinking.
    Reasoning(String),
    /// Text.
    Text(String),
    /// A whole call of a tool, put together from its pieces.
    Call(ToolCall),
    /// What the request cost. May come before or after [`Chunk::Finished`]'s cause is known, but
    /// always before the chunk itself.
    Usage(Usage),
    /// The end, and why.
    Finished(FinishReason),
}

/// A call of a tool, as the model wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolCall {
    /// The model's id of the call; the result goes back under it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments: JSON text if the model did it right.
    pub arguments: String,
}

impl ToolCall {
    /// The arguments as they may go back to a provider. Arguments that the model got wrong would
    /// make some servers refuse the whole conversation for ever. The result of the call tells the
    /// model what was wrong with them.
    pub(crate) fn readable_arguments(&self) -> &str {
        let is_object = self.arguments.trim_start().starts_with('{')
            && serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok();
        if is_object { &self.arguments } else { "{}" }
    }
}

/// Why a model stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FinishReason {
    /// It had said what it wanted.
    Stop,
    /// It wants tools to run.
    ToolCalls,
    /// It ran into a length limit.
    Length,
    /// The provider withheld the rest.
    ContentFilter,
    /// Another word of the provider.
    Other(String),
}
