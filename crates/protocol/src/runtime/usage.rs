//! Tokens that a turn used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Totals of the model calls of one turn. Members a provider did not report are left out.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// All tokens sent, cached ones included.
    pub input_tokens: u64,
    /// All tokens received, reasoning included.
    pub output_tokens: u64,
    /// Sent tokens that the provider had cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_hit_tokens: Option<u64>,
    /// Sent tokens that it had not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_miss_tokens: Option<u64>,
    /// Tokens written to the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_write_tokens: Option<u64>,
    /// The part of the output that was reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl Usage {
    /// Adds what a further model call used.
    pub fn add(&mut self, other: Usage) {
        fn sum(a: &mut Option<u64>, b: Option<u64>) {
            if let Some(b) = b {
                *a = Some(a.unwrap_or(0) + b);
            }
        }
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        sum(
            &mut self.prompt_cache_hit_tokens,
            other.prompt_cache_hit_tokens,
        );
        sum(
            &mut self.prompt_cache_miss_tokens,
            other.prompt_cache_miss_tokens,
        );
        sum(
            &mut self.prompt_cache_write_tokens,
            other.prompt_cache_write_tokens,
        );
        sum(&mut self.reasoning_tokens, other.reasoning_tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreported_stays_absent_and_reported_adds_up() {
        let mut total = Usage::default();
        total.add(Usage {
            input_tokens: 5,
            reasoning_tokens: Some(2),
            ..Usage::default()
        });
        total.add(Usage {
            output_tokens: 1,
            reasoning_tokens: Some(1),
            ..Usage::default()
        });
        assert_eq!(
            serde_json::to_string(&total).unwrap(),
            r#"{"input_tokens":5,"output_tokens":1,"reasoning_tokens":3}"#
        );
    }
}
