//! The events of a Messages answer as they stand on the wire, and its token counts in our terms.

use codewhale_protocol::runtime;
use serde::Deserialize;
use serde_json::Value;

use crate::exchange::{Count, Text};

/// One event.
#[derive(Deserialize, Debug)]
pub(super) struct Event<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(default)]
    pub(super) index: Option<u64>,
    /// At the start, an answer without content yet.
    #[serde(default)]
    pub(super) message: Option<Value>,
    #[serde(borrow, default)]
    pub(super) content_block: Option<Block<'a>>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// A whole answer.
#[derive(Deserialize, Debug)]
pub(super) struct Whole<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) content: Option<Vec<Block<'a>>>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Option<Text<'a>>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// A block of content, whole or at its start.
#[derive(Deserialize, Debug)]
pub(super) struct Block<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) thinking: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) signature: Option<Text<'a>>,
    /// A thought that nobody may read.
    #[serde(borrow, default)]
    pub(super) data: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default)]
    pub(super) input: Option<Value>,
}

/// A change of a block, or of the whole answer.
#[derive(Deserialize, Debug)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) thinking: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) signature: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) partial_json: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Option<Text<'a>>,
}

/// Token counts. What was cached is counted beside the input, not in it.
#[derive(Deserialize, Default, Clone, Copy, Debug)]
pub(super) struct Usage {
    #[serde(default)]
    input_tokens: Option<Count>,
    #[serde(default)]
    output_tokens: Option<Count>,
    #[serde(default)]
    cache_creation_input_tokens: Option<Count>,
    #[serde(default)]
    cache_read_input_tokens: Option<Count>,
}

impl Usage {
    /// Counts only grow: a report at the end may leave out, or give as zero, what was said at the
    /// start.
    pub(super) fn merge(self, later: Self) -> Self {
        let larger = |a: Option<Count>, b: Option<Count>| match (a, b) {
            (Some(a), Some(b)) => Some(Count(a.0.max(b.0))),
            (a, b) => a.or(b),
        };
        Self {
            input_tokens: larger(self.input_tokens, later.input_tokens),
            output_tokens: larger(self.output_tokens, later.output_tokens),
            cache_creation_input_tokens: larger(
                self.cache_creation_input_tokens,
                later.cache_creation_input_tokens,
            ),
            cache_read_input_tokens: larger(
                self.cache_read_input_tokens,
                later.cache_read_input_tokens,
            ),
        }
    }

    /// In our own terms: input is all that was sent.
    pub(super) fn normalise(self) -> runtime::Usage {
        let count = |count: Option<Count>| count.map(|count| count.0);
        let hit = count(self.cache_read_input_tokens);
        let write = count(self.cache_creation_input_tokens);
        let fresh = count(self.input_tokens).unwrap_or(0);
        let has_cache = hit.is_some() || write.is_some();
        runtime::Usage {
            input_tokens: fresh + hit.unwrap_or(0) + write.unwrap_or(0),
            output_tokens: count(self.output_tokens).unwrap_or(0),
            prompt_cache_hit_tokens: hit,
            prompt_cache_miss_tokens: has_cache.then_some(fresh),
            prompt_cache_write_tokens: write,
            reasoning_tokens: None,
        }
    }
}
