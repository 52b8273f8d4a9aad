//! Trees: what a thread and all agents below it have cost, and what they may.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use codewhale_protocol::runtime::{Bounds, Goal, GoalId, ThreadId, TurnId};
use codewhale_store::{Store, Watch, Watched};

/// What the turns of one tree share while any of them runs.
pub(crate) struct Tree {
    purses: Mutex<Purses>,
    changes: Watched<()>,
}

struct Purses {
    goal: Option<GoalPurse>,
    /// What the sub-agents may cost together, and have.
    agents_budget: Option<u64>,
    agents_used: u64,
    /// The turn that runs at the top.
    top_turn: Option<TurnId>,
    /// What that turn and all below it may use, and have.
    allowance: Allowance,
    tokens_used: u64,
    calls_used: u64,
}

/// What a turn at the top and all agents below it may use together.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Allowance {
    tokens: Option<u64>,
    calls: Option<u64>,
}

impl Allowance {
    pub(crate) fn of(bounds: &Bounds) -> Self {
        Self {
            tokens: bounds.max_tokens,
            calls: bounds.max_tool_calls,
        }
    }
}

struct GoalPurse {
    id: GoalId,
    /// `None` without a budget, and while the goal is not pursued.
    budget: Option<u64>,
    used: u64,
}

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Member {
    Top,
    Below,
}

impl Tree {
    fn read(
        store: &Store,
        root: &ThreadId,
        agents_budget: Option<u64>,
    ) -> Result<Self, codewhale_store::Error> {
        let (goal, tally) = store.read(|reader| Ok((reader.goal(root)?, reader.tally(root)?)))?;
        Ok(Self {
            purses: Mutex::new(Purses {
                goal: goal.as_ref().map(GoalPurse::of),
                agents_budget,
                agents_used: tally.tokens,
                top_turn: None,
                allowance: Allowance::default(),
                tokens_used: 0,
                calls_used: 0,
            }),
            changes: Watched::default(),
        })
    }

    /// Counts what a call cost; answers with the goal it is charged to.
    pub(crate) fn charge(&self, member: Member, tokens: u64) -> Option<GoalId> {
        let mut purses = self.purses();
        purses.tokens_used = purses.tokens_used.saturating_add(tokens);
        if member == Member::Below {
            purses.agents_used = purses.agents_used.saturating_add(tokens);
        }
        let goal = purses.goal.as_mut()?;
        goal.used = goal.used.saturating_add(tokens);
        Some(goal.id.clone())
    }

    /// A turn begins at the top: what it and all below it may use, counted from now.
    pub(crate) fn allow(&self, allowance: Allowance) {
        let mut purses = self.purses();
        purses.allowance = allowance;
        (purses.tokens_used, purses.calls_used) = (0, 0);
    }

    /// Counts a call of a tool.
    pub(crate) fn charge_call(&self) {
        let mut purses = self.purses();
        purses.calls_used = purses.calls_used.saturating_add(1);
    }

    /// Why no more calls are run, once that is so. The one that is being judged counts.
    pub(crate) fn calls_spent(&self) -> Option<String> {
        let purses = self.purses();
        let calls = purses.allowance.calls?;
        (purses.calls_used > calls)
            .then(|| format!("the budget of {calls} calls of tools is used up"))
    }

    /// Why a member may cost nothing more, once that is so.
    pub(crate) fn spent(&self, member: Member) -> Option<String> {
        if let Some(why) = self.calls_spent() {
            return Some(why);
        }
        let purses = self.purses();
        if let Some(tokens) = purses.allowance.tokens
            && purses.tokens_used >= tokens
        {
            return Some(format!("the budget of {tokens} tokens is used up"));
        }
        if let Some(goal) = &purses.goal
            && goal.budget.is_some_and(|budget| goal.used >= budget)
        {
            return Some(format!(
                "the goal's token budget of {} is used up",
                goal.budget.unwrap_or_default()
            ));
        }
        let budget = purses.agents_budget.filter(|_| member == Member::Below)?;
        (purses.agents_used >= budget).then(|| {
            format!("the token budget of {budget} for all sub-agents of this thread is used up")
        })
    }

    /// Whether the budget of the goal is used up.
    pub(crate) fn has_spent_goal(&self) -> bool {
        let purses = self.purses();
        let goal = purses.goal.as_ref();
        goal.is_some_and(|goal| goal.budget.is_some_and(|budget| goal.used >= budget))
    }

    /// The goal has changed.
    pub(crate) fn take_goal(&self, goal: Option<&Goal>) {
        let mut purses = self.purses();
        let known = purses.goal.take();
        purses.goal = goal.map(|goal| {
            let mut purse = GoalPurse::of(goal);
            // What runs has been counted here and is not in the store yet.
            if let Some(known) = known.filter(|known| known.id == purse.id) {
                purse.used = purse.used.max(known.used);
            }
            purse
        });
    }

    /// What the sub-agents may cost together, and have.
    pub(crate) fn agents(&self) -> (Option<u64>, u64) {
        let purses = self.purses();
        (purses.agents_budget, purses.agents_used)
    }

    /// The turn that runs at the top, if one does here.
    pub(crate) fn top_turn(&self) -> Option<TurnId> {
        self.purses().top_turn.clone()
    }

    /// Says which turn runs at the top now.
    pub(crate) fn set_top_turn(&self, turn: Option<TurnId>) {
        self.purses().top_turn = turn;
    }

    /// Tells those who wait that something has happened in the tree.
    pub(crate) fn stir(&self) {
        self.changes.stir();
    }

    /// Sees when something happens in the tree.
    pub(crate) fn watch(&self) -> Watch<()> {
        self.changes.watch()
    }

    fn purses(&self) -> MutexGuard<'_, Purses> {
        self.purses
            .lock()
            .expect("nothing panics while it holds the purses")
    }
}

impl GoalPurse {
    fn of(goal: &Goal) -> Self {
        Self {
            id: goal.goal_id.clone(),
            budget: goal.token_budget.filter(|_| goal.is_active()),
            used: goal.tokens_used,
        }
    }
}

/// The trees that are in use.
#[derive(Default)]
pub(crate) struct Trees(Mutex<BTreeMap<ThreadId, Weak<Tree>>>);

impl Trees {
    /// The tree below a thread.
    pub(crate) fn of(
        &self,
        store: &Store,
        root: &ThreadId,
        agents_budget: Option<u64>,
    ) -> Result<Arc<Tree>, codewhale_store::Error> {
        if let Some(tree) = self.in_use(root) {
            return Ok(tree);
        }
        let read = Arc::new(Tree::read(store, root, agents_budget)?);
        let mut trees = self.lock();
        if let Some(tree) = trees.get(root).and_then(Weak::upgrade) {
            return Ok(tree);
        }
        trees.retain(|_, tree| tree.strong_count() > 0);
        trees.insert(root.clone(), Arc::downgrade(&read));
        Ok(read)
    }

    /// The tree below a thread, if any turn of it runs here.
    pub(crate) fn in_use(&self, root: &ThreadId) -> Option<Arc<Tree>> {
        self.lock().get(root).and_then(Weak::upgrade)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ThreadId, Weak<Tree>>> {
        self.0
            .lock()
            .expect("nothing panics while it holds the trees")
    }
}
