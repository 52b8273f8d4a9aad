//! The events of a Responses answer as they stand on the wire, and its token counts in our terms.
//!
//! There are some fifty kinds of events, and their members of one name differ in shape; so an
//! event is first asked for its kind, and then read as what it is.

use codewhale_protocol::runtime;
use serde::Deserialize;
use serde_json::Value;

use crate::exchange::{Count, Text};

/// What every event tells.
#[derive(Deserialize, Debug)]
pub(super) struct Kind<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// More of a text, a thought or arguments.
#[derive(Deserialize, Debug)]
pub(super) struct More<'a> {
    #[serde(default)]
    pub(super) output_index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Text<'a>>,
}

/// A part of a thought that begins.
#[derive(Deserialize, Debug)]
pub(super) struct Part {
    #[serde(default)]
    pub(super) summary_index: Option<u64>,
}

/// An item that begins or ends.
#[derive(Deserialize, Debug)]
pub(super) struct ItemEvent<'a> {
    #[serde(default)]
    pub(super) output_index: Option<u64>,
    #[serde(borrow)]
    pub(super) item: Item<'a>,
}

/// The end, whichever.
#[derive(Deserialize, Debug)]
pub(super) struct End<'a> {
    #[serde(borrow)]
    pub(super) response: Response<'a>,
}

/// A whole answer.
#[derive(Deserialize, Debug)]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub(super) status: Option<Text<'a>>,
    #[serde(default)]
    pub(super) error: Option<Value>,
    #[serde(borrow, default)]
    pub(super) incomplete_details: Option<Incomplete<'a>>,
    #[serde(borrow, default)]
    pub(super) output: Option<Vec<Item<'a>>>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
}

#[derive(Deserialize, Debug)]
pub(super) struct Incomplete<'a> {
    #[serde(borrow, default)]
    pub(super) reason: Option<Text<'a>>,
}

/// An item of an answer.
#[derive(Deserialize, Debug)]
pub(super) struct Item<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) call_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) content: Option<Vec<Said<'a>>>,
    #[serde(borrow, default)]
    pub(super) summary: Option<Vec<Said<'a>>>,
    #[serde(borrow, default)]
    pub(super) encrypted_content: Option<Text<'a>>,
}

#[derive(Deserialize, Debug)]
pub(super) struct Said<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) refusal: Option<Text<'a>>,
}

/// Token counts.
#[derive(Deserialize, Default, Clone, Copy, Debug)]
pub(super) struct Usage {
    #[serde(default)]
    input_tokens: Option<Count>,
    #[serde(default)]
    input_tokens_details: Option<InputDetails>,
    #[serde(default)]
    output_tokens: Option<Count>,
    #[serde(default)]
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize, Default, Clone, Copy, Debug)]
struct InputDetails {
    #[serde(default)]
    cached_tokens: Option<Count>,
}

#[derive(Deserialize, Default, Clone, Copy, Debug)]
struct OutputDetails {
    #[serde(default)]
    reasoning_tokens: Option<Count>,
}

impl Usage {
    /// In our own terms.
    pub(super) fn normalise(self) -> runtime::Usage {
        let count = |count: Option<Count>| count.map(|count| count.0);
        let input = count(self.input_tokens).unwrap_or(0);
        let output = count(self.output_tokens).unwrap_or(0);
        let details = self.input_tokens_details.unwrap_or_default();
        let hit = count(details.cached_tokens);
        let details = self.output_tokens_details.unwrap_or_default();
        let reasoning = count(details.reasoning_tokens);
        runtime::Usage {
            input_tokens: input,
            output_tokens: output,
            prompt_cache_hit_tokens: hit,
            prompt_cache_miss_tokens: hit.map(|hit| input.saturating_sub(hit)),
            prompt_cache_write_tokens: None,
            reasoning_tokens: reasoning.filter(|reasoning| *reasoning <= output),
        }
    }
}
