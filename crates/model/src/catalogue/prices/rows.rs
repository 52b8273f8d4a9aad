//! The price table. The first row that fits counts, so those of one provider stand before those of
//! all.

use super::Rates;

/// The price of a model.
pub(super) struct Row {
    pub(super) model: &'static str,
    /// The providers it is the price of; none means all others.
    pub(super) providers: &'static [&'static str],
    pub(super) rates: Rates,
    /// Above so many tokens sent, these rates count; none if nobody knows them.
    pub(super) above: Option<(u64, Option<Rates>)>,
    /// Whether it costs double in the dear hours.
    pub(super) has_peak: bool,
}

/// Input, cached, output.
const fn rates(input: u64, cached: u64, output: u64) -> Rates {
    Rates {
        input,
        cached,
        output,
        write: input,
    }
}

const fn row(model: &'static str, rates: Rates) -> Row {
    Row {
        model,
        providers: &[],
        rates,
        above: None,
        has_peak: false,
    }
}

/// A row whose cache is dear to write.
const fn writing(model: &'static str, rates: Rates, write: u64) -> Row {
    row(model, Rates { write, ..rates })
}

pub(super) const ROWS: &[Row] = &[
    Row {
        providers: &["fireworks"],
        ..row("deepseek-v4-pro", rates(1_740_000, 145_000, 3_480_000))
    },
    Row {
        providers: &["fireworks", "opencode-zen"],
        ..row("deepseek-v4-flash", rates(140_000, 28_000, 280_000))
    },
    Row {
        has_peak: true,
        ..row("deepseek-v4-pro", rates(660_000, 22_000, 1_980_000))
    },
    Row {
        has_peak: true,
        ..row("deepseek-reasoner", rates(660_000, 22_000, 1_980_000))
    },
    Row {
        has_peak: true,
        ..row("deepseek-v4-flash", rates(220_000, 7_000, 660_000))
    },
    Row {
        has_peak: true,
        ..row("deepseek-chat", rates(220_000, 7_000, 660_000))
    },
    Row {
        above: Some((272_000, None)),
        ..writing("gpt-5.6", rates(5_000_000, 500_000, 30_000_000), 6_250_000)
    },
    Row {
        above: Some((272_000, None)),
        ..writing(
            "gpt-5.6-sol",
            rates(5_000_000, 500_000, 30_000_000),
            6_250_000,
        )
    },
    row("gpt-5.6-terra", rates(2_000_000, 200_000, 12_000_000)),
    row("gpt-5.6-luna", rates(200_000, 20_000, 1_200_000)),
    row("gpt-5.5", rates(5_000_000, 500_000, 30_000_000)),
    row("gpt-5.5-pro", rates(30_000_000, 30_000_000, 180_000_000)),
    row("gpt-5.3-codex", rates(1_750_000, 175_000, 14_000_000)),
    row("gpt-5-codex", rates(1_250_000, 125_000, 10_000_000)),
    writing(
        "claude-sonnet-4-6",
        rates(3_000_000, 300_000, 15_000_000),
        3_750_000,
    ),
    writing(
        "claude-sonnet-5",
        rates(2_000_000, 200_000, 10_000_000),
        2_500_000,
    ),
    writing(
        "claude-opus-5",
        rates(5_000_000, 500_000, 25_000_000),
        6_250_000,
    ),
    writing(
        "claude-opus-4-8",
        rates(5_000_000, 500_000, 25_000_000),
        6_250_000,
    ),
    writing(
        "claude-haiku-4-5",
        rates(1_000_000, 100_000, 5_000_000),
        1_250_000,
    ),
    writing(
        "claude-fable-5",
        rates(10_000_000, 1_000_000, 50_000_000),
        12_500_000,
    ),
    row("kimi-k2.7-code", rates(950_000, 190_000, 4_000_000)),
    row(
        "kimi-k2.7-code-highspeed",
        rates(1_900_000, 380_000, 8_000_000),
    ),
    row("kimi-k3", rates(3_000_000, 300_000, 15_000_000)),
    row("kimi-k2.6", rates(950_000, 160_000, 4_000_000)),
    row("GLM-5.2", rates(1_400_000, 260_000, 4_400_000)),
    row("glm-5.1", rates(1_400_000, 260_000, 4_400_000)),
    row("GLM-5-Turbo", rates(1_200_000, 240_000, 4_000_000)),
    Row {
        above: Some((512_000, Some(rates(600_000, 120_000, 2_400_000)))),
        ..row("MiniMax-M3", rates(300_000, 60_000, 1_200_000))
    },
    writing("MiniMax-M2.7", rates(300_000, 60_000, 1_200_000), 375_000),
    writing(
        "MiniMax-M2.7-highspeed",
        rates(600_000, 60_000, 2_400_000),
        375_000,
    ),
    Row {
        above: Some((199_999, Some(rates(4_000_000, 1_000_000, 12_000_000)))),
        ..row("grok-4.6", rates(2_000_000, 500_000, 6_000_000))
    },
    Row {
        above: Some((199_999, Some(rates(4_000_000, 600_000, 12_000_000)))),
        ..row("grok-4.5", rates(2_000_000, 300_000, 6_000_000))
    },
    Row {
        above: Some((199_999, Some(rates(2_500_000, 400_000, 5_000_000)))),
        ..row("grok-4.3", rates(1_250_000, 200_000, 2_500_000))
    },
    row("muse-spark-1.1", rates(1_250_000, 150_000, 4_250_000)),
    row("muse-spark-1.2", rates(1_250_000, 150_000, 4_250_000)),
    row(
        "mistral-medium-latest",
        rates(1_500_000, 150_000, 7_500_000),
    ),
    row("mistral-large-latest", rates(500_000, 50_000, 1_500_000)),
    row("mistral-small-latest", rates(150_000, 15_000, 600_000)),
    row("mistral-code-latest", rates(300_000, 30_000, 900_000)),
    row("trinity-large-thinking", rates(250_000, 250_000, 800_000)),
    row("qwen3.6-flash", rates(187_500, 187_500, 1_125_000)),
    row("qwen3.6-plus", rates(325_000, 325_000, 1_950_000)),
    row("qwen3.6-27b", rates(285_000, 150_000, 2_400_000)),
    row("qwen3.6-35b-a3b", rates(140_000, 50_000, 1_000_000)),
    row(
        "qwen3.6-max-preview",
        rates(1_040_000, 1_040_000, 6_240_000),
    ),
    row("qwen3.7-plus", rates(320_000, 64_000, 1_280_000)),
    row("qwen3.7-max", rates(1_250_000, 250_000, 3_750_000)),
];
