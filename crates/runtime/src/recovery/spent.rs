//! What the turns of dead processes cost: it was written down when it was known, and counts.

use std::collections::BTreeMap;

use codewhale_protocol::runtime::{GoalId, ThreadId, ThreadRecord, Timestamp, TurnRecord, Usage};
use codewhale_store::{Batch, Reader, Spending, UsageRow};

/// What each agent used for a turn.
pub(super) struct Spent(Vec<UsageRow>);

impl Spent {
    pub(super) fn of(
        reader: &Reader<'_>,
        turn: &TurnRecord,
    ) -> Result<Self, codewhale_store::Error> {
        reader.usage(&turn.id).map(Self)
    }

    /// What all of them used, if any did.
    pub(super) fn usage(&self) -> Option<Usage> {
        let mut sum = None;
        for row in &self.0 {
            sum.get_or_insert_with(Usage::default).add(row.usage);
        }
        let mut sum = sum?;
        // The row does not know the difference between none and not told.
        for part in [
            &mut sum.prompt_cache_hit_tokens,
            &mut sum.prompt_cache_write_tokens,
            &mut sum.reasoning_tokens,
        ] {
            *part = part.filter(|tokens| *tokens > 0);
        }
        Some(sum)
    }

    /// What budgets are charged with.
    pub(super) fn tokens(&self) -> u64 {
        let usage = self.usage().unwrap_or_default();
        usage.input_tokens.saturating_add(usage.output_tokens)
    }

    /// Writes it into the record of its turn, which ends.
    #[expect(
        clippy::cast_precision_loss,
        reason = "no turn costs so much that a float loses its cents"
    )]
    pub(super) fn write(&self, batch: &mut Batch, turn: &mut TurnRecord, at: Timestamp) {
        if self.0.is_empty() {
            return;
        }
        let cost: u64 = self.0.iter().map(|row| row.cost_microusd).sum();
        turn.usage = self.usage();
        turn.cost_usd = Some(cost as f64 / 1e6);
        for row in &self.0 {
            batch.put_usage(UsageRow {
                ended_at: at,
                ..row.clone()
            });
        }
    }
}

/// What the goals of trees are charged with, by the threads at their tops.
#[derive(Default)]
pub(super) struct Charges(BTreeMap<ThreadId, u64>);

impl Charges {
    /// Adds what a turn of a thread cost, and charges the goal that its tree works towards.
    pub(super) fn add(
        &mut self,
        batch: &mut Batch,
        thread: &ThreadRecord,
        goal: Option<&GoalId>,
        spent: &Spent,
    ) {
        let (top, tokens) = (top_of(thread), spent.tokens());
        let Some(goal) = goal.filter(|_| tokens > 0) else {
            return;
        };
        let sum = self.0.entry(top.clone()).or_default();
        *sum = sum.saturating_add(tokens);
        batch.spend_on_goal(Spending {
            thread: top.clone(),
            goal: goal.clone(),
            tokens,
            time_ms: 0,
        });
    }

    /// All that a tree is charged with.
    pub(super) fn of(&self, top: &ThreadId) -> u64 {
        self.0.get(top).copied().unwrap_or(0)
    }
}

/// The thread whose goal a thread works towards.
pub(super) fn top_of(thread: &ThreadRecord) -> &ThreadId {
    thread.root_id.as_ref().unwrap_or(&thread.id)
}
