//! Usage: what was used in the rooms that someone may see, added up.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations;
use codewhale_protocol::runtime::{
    Timestamp, UsageBucket, UsageGrouping, UsageReport, UsageReportParams, UsageTotals,
};
use codewhale_store::{UsageGroup, UsageQuery, UsageSum};

use crate::Error;
use crate::runtime::Core;
use crate::serve::Handler;

impl Handler<operations::UsageReport> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: UsageReportParams,
    ) -> Result<UsageReport, Error> {
        let UsageReportParams { since, until, .. } = params;
        if let (Some(since), Some(until)) = (since, until)
            && since > until
        {
            let message = format!("since ({since}) must not be later than until ({until})");
            return Err(Error::Invalid(message));
        }
        let group_by = params.group_by.unwrap_or_default();
        let principal = caller.principal.clone();
        let sums = self.store.read_apart(move |reader| {
            reader.usage_sums(&UsageQuery {
                principal: principal.as_str(),
                since: since.unwrap_or(Timestamp::from_ms(0)),
                until: until.unwrap_or(Timestamp::from_ms(i64::MAX)),
                group: group(group_by),
            })
        });
        let sums = sums.await?;
        let all = sums
            .iter()
            .map(|(_, sum)| *sum)
            .fold(UsageSum::default(), add);
        let bucket = |(key, sum)| UsageBucket {
            key,
            totals: totals(sum),
        };
        Ok(UsageReport {
            since,
            until,
            group_by,
            totals: totals(all),
            buckets: sums.into_iter().map(bucket).collect(),
        })
    }
}

fn group(grouping: UsageGrouping) -> UsageGroup {
    match grouping {
        UsageGrouping::Day => UsageGroup::Day,
        UsageGrouping::Model => UsageGroup::Model,
        UsageGrouping::Provider => UsageGroup::Provider,
        UsageGrouping::Thread => UsageGroup::Thread,
    }
}

fn add(one: UsageSum, other: UsageSum) -> UsageSum {
    UsageSum {
        records: one.records + other.records,
        priced_records: one.priced_records + other.priced_records,
        input_tokens: one.input_tokens + other.input_tokens,
        output_tokens: one.output_tokens + other.output_tokens,
        cached_tokens: one.cached_tokens + other.cached_tokens,
        cache_write_tokens: one.cache_write_tokens + other.cache_write_tokens,
        reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
        cost_microusd: one.cost_microusd + other.cost_microusd,
    }
}

fn totals(sum: UsageSum) -> UsageTotals {
    let cache = sum.cached_tokens.saturating_add(sum.cache_write_tokens);
    let unpriced_turns = sum.records.saturating_sub(sum.priced_records);
    #[expect(
        clippy::cast_precision_loss,
        reason = "a sum beyond 2^53 millionths of a dollar is not counted in cents"
    )]
    let cost_usd = sum.cost_microusd as f64 / 1e6;
    UsageTotals {
        input_tokens: sum.input_tokens.saturating_sub(cache),
        output_tokens: sum.output_tokens,
        cached_tokens: sum.cached_tokens,
        cache_write_tokens: sum.cache_write_tokens,
        reasoning_tokens: sum.reasoning_tokens,
        cost_usd,
        turns: sum.records,
        priced_turns: sum.priced_records,
        unpriced_turns,
        cost_complete: unpriced_turns == 0,
    }
}
