//! Sums of what turns used and what that cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What sums are kept apart by.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageGrouping {
    /// The day in UTC on which the work began.
    #[default]
    Day,
    /// The model that served.
    Model,
    /// The provider that served.
    Provider,
    /// The thread.
    Thread,
}

/// What `usage/report` takes.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UsageReportParams {
    /// Only what began at this moment or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Only what began at this moment or before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// What is kept apart; days when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_by: Option<UsageGrouping>,
}

/// What several turns used together.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UsageTotals {
    /// Tokens sent, without those that the provider had cached or put into its cache.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Sent tokens that the provider had cached.
    pub cached_tokens: u64,
    /// Sent tokens that it put into its cache.
    pub cache_write_tokens: u64,
    /// The part of the output that was reasoning.
    pub reasoning_tokens: u64,
    /// What that cost in dollars, as far as prices are known.
    pub cost_usd: f64,
    /// How often something was used: once for each agent that worked on a turn.
    pub turns: u64,
    /// How many of those have a known price.
    pub priced_turns: u64,
    /// How many have not.
    pub unpriced_turns: u64,
    /// Whether all have one.
    pub cost_complete: bool,
}

/// One part of the sums.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UsageBucket {
    /// Which: a day as `YYYY-MM-DD`, a model, a provider or a thread.
    pub key: String,
    /// What was used there.
    #[serde(flatten)]
    pub totals: UsageTotals,
}

/// What `usage/report` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UsageReport {
    /// From when on.
    pub since: Option<Timestamp>,
    /// Until when.
    pub until: Option<Timestamp>,
    /// What is kept apart.
    pub group_by: UsageGrouping,
    /// All together.
    pub totals: UsageTotals,
    /// One by one, in the order of their keys; those without any use are left out.
    pub buckets: Vec<UsageBucket>,
}
