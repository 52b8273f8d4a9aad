//! A thread as hooks are told of it.

use std::path::PathBuf;

use codewhale_protocol::runtime::{Permission, ThreadId, ThreadRecord, Usage};

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
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Spent {
    pub(crate) usage: Usage,
    /// Tokens without a known price cost nothing here.
    dollars: f64,
}

impl Spent {
    /// Adds a turn.
    pub(crate) fn add(&mut self, usage: Usage, cost_usd: Option<f64>) {
        self.usage.add(usage);
        self.dollars += cost_usd.unwrap_or_default();
    }

    pub(crate) fn tokens(&self) -> u64 {
        self.usage.input_tokens + self.usage.output_tokens
    }

    pub(crate) fn dollars(&self) -> String {
        format!("{:.6}", self.dollars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_dollars_add_up() {
        let mut spent = Spent::default();
        assert_eq!((spent.tokens(), &*spent.dollars()), (0, "0.000000"));
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 500_000,
            ..Usage::default()
        };
        spent.add(usage, Some(0.28));
        assert_eq!((spent.tokens(), &*spent.dollars()), (1_500_000, "0.280000"));
        spent.add(usage, None);
        assert_eq!((spent.tokens(), &*spent.dollars()), (3_000_000, "0.280000"));
    }
}
