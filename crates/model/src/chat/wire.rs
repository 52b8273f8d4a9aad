//! A piece of an answer as it stands on the wire. Texts are borrowed from the bytes they came in;
//! members nobody needs are not looked at.

use serde::Deserialize;
use serde_json::Value;

use crate::exchange::{Count, Text};

/// One `data` line, or a whole answer.
#[derive(Deserialize, Debug)]
pub(super) struct Piece<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
    #[serde(default)]
    pub(super) error: Option<Value>,
    /// Some servers send an error without the `error` member around it.
    #[serde(borrow, default)]
    pub(super) message: Option<Text<'a>>,
}

#[derive(Deserialize, Debug)]
pub(super) struct Choice<'a> {
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    /// In place of `delta`, in an answer that came whole.
    #[serde(borrow, default)]
    pub(super) message: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Option<Text<'a>>,
}

#[derive(Deserialize, Default, Debug)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) reasoning: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) refusal: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<CallPiece<'a>>>,
}

/// A call, or a part of one.
#[derive(Deserialize, Default, Debug)]
pub(super) struct CallPiece<'a> {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) function: Option<FunctionPiece<'a>>,
}

#[derive(Deserialize, Default, Debug)]
pub(super) struct FunctionPiece<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Text<'a>>,
}

/// Token counts under the names of all providers.
#[derive(Deserialize, Default, Clone, Copy, Debug)]
pub(super) struct Usage {
    #[serde(default)]
    pub(super) prompt_tokens: Option<Count>,
    #[serde(default)]
    pub(super) input_tokens: Option<Count>,
    #[serde(default)]
    pub(super) completion_tokens: Option<Count>,
    #[serde(default)]
    pub(super) output_tokens: Option<Count>,
    #[serde(default)]
    pub(super) total_tokens: Option<Count>,
    #[serde(default)]
    pub(super) prompt_cache_hit_tokens: Option<Count>,
    #[serde(default)]
    pub(super) prompt_cache_miss_tokens: Option<Count>,
    #[serde(default)]
    pub(super) prompt_tokens_details: Option<PromptDetails>,
    #[serde(default)]
    pub(super) completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize, Default, Clone, Copy, Debug)]
pub(super) struct PromptDetails {
    #[serde(default)]
    pub(super) cached_tokens: Option<Count>,
}

#[derive(Deserialize, Default, Clone, Copy, Debug)]
pub(super) struct CompletionDetails {
    #[serde(default)]
    pub(super) reasoning_tokens: Option<Count>,
}
