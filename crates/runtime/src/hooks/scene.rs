//! A thread as hooks are told of it.

use std::path::PathBuf;

use codewhale_model::Route;
use codewhale_model::catalogue::prices::{Asked, rates};
use codewhale_protocol::runtime::{Permission, ThreadId, ThreadRecord, Timestamp, Usage};

/// Where hooks are and what they are told in any case.
#[derive(Clone, Debug)]
pub(crate) struct HookScene {
    pub(crate) thread: ThreadId,
    pub(crate) workspace: PathBuf,
    pub(crate) model: String,
    pub(crate) permission: Permission,
    /// Not known to those who only pass by.
    pub(crate) spent: Option<Spent>,
}

impl HookScene {
    /// A thread between turns.
    pub(crate) fn of(thread: &ThreadRecord, spent: Option<Spent>) -> Self {
        Self {
            thread: thread.id.clone(),
            workspace: thread.workspace.clone().into(),
            model: thread.model.clone(),
            permission: thread.permission(),
            spent,
        }
    }
}

/// What the turns of a session have used so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spent {
    pub(crate) usage: Usage,
    /// Nothing when the price of a turn is not known.
    microdollars: Option<u64>,
}

impl Default for Spent {
    fn default() -> Self {
        Self {
            usage: Usage::default(),
            microdollars: Some(0),
        }
    }
}

impl Spent {
    /// Adds a turn.
    pub(crate) fn add(&mut self, usage: Usage, route: &Route, at: Timestamp) {
        self.usage.add(usage);
        if usage == Usage::default() {
            return;
        }
        let hour = (at.as_ms() / 3_600_000).rem_euclid(24);
        let rates = rates(&Asked {
            provider: &route.provider,
            model: &route.model,
            input_tokens: usage.input_tokens,
            hour: u8::try_from(hour).unwrap_or(0),
        });
        let cost = rates.map(|rates| rates.cost(&usage));
        self.microdollars = self.microdollars.zip(cost).map(|(before, it)| before + it);
    }

    pub(crate) fn tokens(&self) -> u64 {
        self.usage.input_tokens + self.usage.output_tokens
    }

    pub(crate) fn dollars(&self) -> Option<String> {
        let cost = self.microdollars?;
        Some(format!("{}.{:06}", cost / 1_000_000, cost % 1_000_000))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use codewhale_model::OfflineModel;

    use super::*;

    fn route(provider: &str, model: &str) -> Route {
        Route {
            provider: provider.into(),
            provider_id: None,
            model: model.into(),
            context_window: None,
            client: Arc::new(OfflineModel),
        }
    }

    #[test]
    fn tokens_and_dollars_add_up_until_a_price_is_not_known() {
        let mut spent = Spent::default();
        assert_eq!(
            (spent.tokens(), spent.dollars().as_deref()),
            (0, Some("0.000000"))
        );
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 500_000,
            ..Usage::default()
        };
        let at = Timestamp::from_ms(0);
        spent.add(usage, &route("fireworks", "deepseek-v4-flash"), at);
        assert_eq!(spent.tokens(), 1_500_000);
        assert_eq!(spent.dollars().as_deref(), Some("0.280000"));
        spent.add(usage, &route("script", "scripted"), at);
        assert_eq!((spent.tokens(), spent.dollars()), (3_000_000, None));
    }
}
