//! What models cost, in whole numbers: micro-dollars per million tokens, so that no sum is ever off
//! by a rounding of its parts.

mod rows;

use codewhale_protocol::runtime::Usage;

/// Names the state of the table, to be kept beside a cost.
pub const VERSION: &str = "2026-08";

/// Micro-dollars per million tokens of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rates {
    /// Sent, and not cached.
    pub input: u64,
    /// Sent, and cached.
    pub cached: u64,
    /// Received.
    pub output: u64,
    /// Written to the cache.
    pub write: u64,
}

impl Rates {
    /// What a request cost, in micro-dollars, rounded up: a cap must not be slipped under.
    pub fn cost(&self, usage: &Usage) -> u64 {
        let hit = usage.prompt_cache_hit_tokens.unwrap_or(0);
        let write = usage.prompt_cache_write_tokens.unwrap_or(0);
        let fresh = usage.input_tokens.saturating_sub(hit + write);
        let miss = usage.prompt_cache_miss_tokens.unwrap_or(fresh);
        let parts = [
            (hit, self.cached),
            (miss, self.input),
            (write, self.write),
            (usage.output_tokens, self.output),
        ];
        let sum: u128 = parts
            .into_iter()
            .map(|(tokens, rate)| u128::from(tokens) * u128::from(rate))
            .sum();
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }

    /// A rate that was written in dollars, to the nearest micro-dollar.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float to an integer stays within the integer"
    )]
    pub fn of_dollars(dollars: f64) -> u64 {
        (dollars * 1e6).round() as u64
    }

    const fn times(self, factor: u64) -> Self {
        Self {
            input: self.input * factor,
            cached: self.cached * factor,
            output: self.output * factor,
            write: self.write * factor,
        }
    }
}

/// A request whose price is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The kind of provider.
    pub provider: &'a str,
    /// The model, in the provider's spelling.
    pub model: &'a str,
    /// All tokens sent: some models cost more above a length.
    pub input_tokens: u64,
    /// The hour of the day it was sent, UTC: some providers have dear hours.
    pub hour: u8,
}

/// The rates of a request; none if nobody knows them.
pub fn rates(asked: &Asked<'_>) -> Option<Rates> {
    // The ids of one vendor's free catalogue, which has no prices.
    if asked.provider == "nvidia-nim" || asked.model.starts_with("deepseek-ai/") {
        return None;
    }
    let name = asked.model.rsplit('/').next().unwrap_or(asked.model);
    let is_it = |row: &&rows::Row| {
        row.model.eq_ignore_ascii_case(name)
            && (row.providers.is_empty() || row.providers.contains(&asked.provider))
    };
    let row = rows::ROWS.iter().find(is_it)?;
    if let Some((tokens, longer)) = row.above
        && asked.input_tokens > tokens
    {
        return longer;
    }
    let is_official = matches!(asked.provider, "deepseek" | "deepseek-anthropic");
    let is_dear = row.has_peak && is_official && matches!(asked.hour, 1..4 | 6..10);
    Some(row.rates.times(if is_dear { 2 } else { 1 }))
}

/// What a request cost, and by which prices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Price {
    /// In millionths of a dollar.
    pub micro_dollars: u64,
    /// [`VERSION`], or [`OWN`].
    pub source: &'static str,
}

/// Names prices that the user has set.
pub const OWN: &str = "own";

/// Prices of one's own, before those of the table.
#[derive(Clone, Default, Debug)]
pub struct PriceBook {
    own: Vec<(String, Rates)>,
}

impl PriceBook {
    /// A book with these rates for these models, in the spelling of their providers.
    pub fn new(own: Vec<(String, Rates)>) -> Self {
        Self { own }
    }

    /// What a request cost, as far as anybody knows.
    pub fn price(&self, asked: &Asked<'_>, usage: &Usage) -> Option<Price> {
        let own = self.own_rates(asked).map(|rates| (rates, OWN));
        let (rates, source) = own.or_else(|| Some((rates(asked)?, VERSION)))?;
        Some(Price {
            micro_dollars: rates.cost(usage),
            source,
        })
    }

    /// The rates of a request: one's own, else those of the table.
    pub fn rates(&self, asked: &Asked<'_>) -> Option<Rates> {
        self.own_rates(asked).or_else(|| rates(asked))
    }

    fn own_rates(&self, asked: &Asked<'_>) -> Option<Rates> {
        let is_it = |(model, _): &&(String, Rates)| model.eq_ignore_ascii_case(asked.model);
        self.own.iter().find(is_it).map(|(_, rates)| *rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_of_ones_own_come_first() {
        let own = Rates {
            input: 1,
            cached: 2,
            output: 3,
            write: 4,
        };
        let book = PriceBook::new(vec![("Deepseek-V4-Pro".into(), own)]);
        let pro = asked("deepseek", "deepseek-v4-pro");
        assert_eq!(book.rates(&pro), Some(own));
        let flash = asked("deepseek", "deepseek-v4-flash");
        assert_eq!(book.rates(&flash), rates(&flash));
        assert_eq!(PriceBook::default().rates(&pro), rates(&pro));
    }

    fn asked<'a>(provider: &'a str, model: &'a str) -> Asked<'a> {
        Asked {
            provider,
            model,
            input_tokens: 0,
            hour: 12,
        }
    }

    fn check(asked: &Asked<'_>, expect: Option<(u64, u64, u64)>) {
        let found = rates(asked).map(|rates| (rates.input, rates.cached, rates.output));
        assert_eq!(found, expect, "{asked:?}");
    }

    #[test]
    fn a_model_has_its_price_in_any_spelling() {
        let pro = Some((660_000, 22_000, 1_980_000));
        check(&asked("deepseek", "DeepSeek-V4-Pro"), pro);
        check(&asked("openrouter", "deepseek/deepseek-v4-pro"), pro);
        let fireworks = asked("fireworks", "accounts/fireworks/models/deepseek-v4-pro");
        check(&fireworks, Some((1_740_000, 145_000, 3_480_000)));
        let zen = asked("opencode-zen", "deepseek-v4-flash");
        check(&zen, Some((140_000, 28_000, 280_000)));
        check(&asked("nvidia-nim", "deepseek-ai/deepseek-v4-pro"), None);
        check(&asked("zai", "GLM-5.3"), None);
        check(&asked("custom", "unknown"), None);
        let sonnet = rates(&asked("anthropic", "claude-sonnet-4-6")).unwrap();
        assert_eq!(sonnet.write, 3_750_000);
    }

    #[test]
    fn length_and_hour_count_where_they_do() {
        let at = |hour| Asked {
            hour,
            ..asked("deepseek", "deepseek-v4-flash")
        };
        for hour in 0..24 {
            let is_dear = [1, 2, 3, 6, 7, 8, 9].contains(&hour);
            let input = if is_dear { 440_000 } else { 220_000 };
            assert_eq!(rates(&at(hour)).unwrap().input, input, "{hour}");
        }
        let long = |provider, model, input_tokens| Asked {
            input_tokens,
            ..asked(provider, model)
        };
        check(&long("openai", "gpt-5.6", 272_001), None);
        check(
            &long("minimax", "MiniMax-M3", 600_000),
            Some((600_000, 120_000, 2_400_000)),
        );
        check(
            &long("xai", "grok-4.6", 200_000),
            Some((4_000_000, 1_000_000, 12_000_000)),
        );
    }

    #[test]
    fn a_cost_counts_every_kind_of_token_once() {
        let rates = rates(&asked("anthropic", "claude-sonnet-4-6")).unwrap();
        let usage = Usage {
            input_tokens: 1_750_000,
            output_tokens: 100_000,
            prompt_cache_hit_tokens: Some(1_000_000),
            prompt_cache_miss_tokens: Some(500_000),
            prompt_cache_write_tokens: Some(250_000),
            reasoning_tokens: Some(50_000),
        };
        assert_eq!(
            rates.cost(&usage),
            300_000 + 1_500_000 + 937_500 + 1_500_000
        );
        let unsplit = Usage {
            input_tokens: 1_000_000,
            ..Usage::default()
        };
        assert_eq!(rates.cost(&unsplit), 3_000_000);
        let single = Usage {
            input_tokens: 1,
            ..Usage::default()
        };
        assert_eq!(rates.cost(&single), 3);
        assert_eq!(rates.cost(&Usage::default()), 0);
        let vast = Usage {
            input_tokens: u64::MAX,
            output_tokens: u64::MAX,
            ..Usage::default()
        };
        assert_eq!(rates.cost(&vast), u64::MAX);
    }
}
