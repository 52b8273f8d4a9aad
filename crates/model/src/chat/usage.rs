//! Token counts in our own terms.

use codewhale_protocol::runtime;

use super::wire::Usage;
use crate::exchange::Count;

/// Brings what a provider reports into one form: input includes what was cached, output includes
/// reasoning, and what is missing is worked out where it follows from the rest.
pub(super) fn normalise(usage: &Usage) -> runtime::Usage {
    let count = |count: Option<Count>| count.map(|count| count.0);
    let input = count(usage.prompt_tokens.or(usage.input_tokens)).unwrap_or(0);
    let reasoning = count(
        usage
            .completion_tokens_details
            .and_then(|details| details.reasoning_tokens),
    );
    let rest = count(usage.total_tokens).map(|total| total.saturating_sub(input));
    let written = count(usage.completion_tokens.or(usage.output_tokens));
    let output = written.or(reasoning).or(rest).unwrap_or(0);
    let cached = usage
        .prompt_tokens_details
        .and_then(|details| details.cached_tokens);
    let hit = count(usage.prompt_cache_hit_tokens.or(cached));
    let miss = count(usage.prompt_cache_miss_tokens).or(hit.map(|hit| input.saturating_sub(hit)));
    runtime::Usage {
        input_tokens: input,
        output_tokens: output,
        prompt_cache_hit_tokens: hit,
        prompt_cache_miss_tokens: miss,
        prompt_cache_write_tokens: None,
        reasoning_tokens: reasoning.filter(|reasoning| *reasoning <= output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(
        input: u64,
        output: u64,
        hit: Option<u64>,
        miss: Option<u64>,
        reasoning: Option<u64>,
    ) -> runtime::Usage {
        runtime::Usage {
            input_tokens: input,
            output_tokens: output,
            prompt_cache_hit_tokens: hit,
            prompt_cache_miss_tokens: miss,
            prompt_cache_write_tokens: None,
            reasoning_tokens: reasoning,
        }
    }

    #[test]
    fn every_way_of_counting_is_understood() {
        let max = u64::from(u32::MAX);
        let cases = [
            (
                r#"{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}"#,
                usage(5, 7, None, None, None),
            ),
            (
                r#"{"prompt_tokens":50,"completion_tokens":7,"prompt_cache_hit_tokens":40,"prompt_cache_miss_tokens":10,
                   "prompt_tokens_details":{"cached_tokens":39},"completion_tokens_details":{"reasoning_tokens":3}}"#,
                usage(50, 7, Some(40), Some(10), Some(3)),
            ),
            (
                r#"{"prompt_tokens":50,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":32,"audio_tokens":0}}"#,
                usage(50, 7, Some(32), Some(18), None),
            ),
            (
                r#"{"input_tokens":5,"output_tokens":7}"#,
                usage(5, 7, None, None, None),
            ),
            (
                r#"{"prompt_tokens":5,"input_tokens":5,"completion_tokens":7}"#,
                usage(5, 7, None, None, None),
            ),
            (
                r#"{"prompt_tokens":5,"total_tokens":9}"#,
                usage(5, 4, None, None, None),
            ),
            (
                r#"{"prompt_tokens":5,"completion_tokens_details":{"reasoning_tokens":3}}"#,
                usage(5, 3, None, None, Some(3)),
            ),
            (
                r#"{"prompt_tokens":5,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":3}}"#,
                usage(5, 2, None, None, None),
            ),
            (
                r#"{"prompt_tokens":5.0,"completion_tokens":-1,"prompt_tokens_details":null}"#,
                usage(5, 0, None, None, None),
            ),
            (
                r#"{"prompt_tokens":99999999999,"completion_tokens":1e30}"#,
                usage(max, max, None, None, None),
            ),
            ("{}", usage(0, 0, None, None, None)),
        ];
        for (json, expect) in cases {
            let read: Usage = serde_json::from_str(json).unwrap();
            assert_eq!(normalise(&read), expect, "{json}");
        }
    }
}
