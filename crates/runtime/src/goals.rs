//! Goals: giving a thread one, looking at it, ending it.

use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{GoalsBlock, GoalsClear, GoalsComplete, GoalsGet, GoalsSet};
use codewhale_protocol::runtime::{Goal, GoalSet, GoalsSetParams, ThreadId, ThreadParams};

use crate::Error;
use crate::actor::{Asker, Command, GoalChange, GoalChanged};
use crate::runtime::Core;
use crate::serve::Handler;

/// How goals are pursued, as plain values.
#[derive(Clone, Default, Debug)]
pub struct GoalSettings {
    /// Turns that follow each other by themselves, until someone asks for another; 0 for the most.
    pub continuations_max: u64,
    /// How long each waits.
    pub continuation_delay: Duration,
}

const NONE: Error = Error::NotFound { what: "goal" };

impl Core {
    async fn change_goal(
        self: &Arc<Self>,
        caller: &Caller,
        thread: &ThreadId,
        change: GoalChange,
    ) -> Result<GoalChanged, Error> {
        let asker = Asker::from(caller.clone());
        self.ask_thread(thread, |reply| Command::Goal {
            asker,
            change,
            reply,
        })
        .await
    }

    /// Tells the turns that run what they may cost from now on.
    pub(crate) fn goal_changed(&self, thread: &ThreadId, goal: Option<&Goal>) {
        if let Some(tree) = self.trees.in_use(thread) {
            tree.take_goal(goal);
        }
    }
}

impl Handler<GoalsGet> for Arc<Core> {
    async fn handle(&self, _: &Caller, params: ThreadParams) -> Result<Goal, Error> {
        let goal = self.store.read(|reader| reader.goal(&params.thread_id))?;
        goal.ok_or(NONE)
    }
}

impl Handler<GoalsSet> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: GoalsSetParams) -> Result<GoalSet, Error> {
        let change = GoalChange::Set {
            objective: params.objective,
            token_budget: params.token_budget,
        };
        let changed = self.change_goal(caller, &params.thread_id, change).await?;
        Ok(GoalSet {
            goal: changed.now.ok_or(NONE)?,
            replaces: changed.had_one,
        })
    }

    fn made(set: &GoalSet) -> bool {
        !set.replaces
    }
}

impl Handler<GoalsClear> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadParams) -> Result<(), Error> {
        let cleared = self.change_goal(caller, &params.thread_id, GoalChange::Clear);
        cleared.await.map(drop)
    }
}

impl Handler<GoalsComplete> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadParams) -> Result<Goal, Error> {
        let change = self.change_goal(caller, &params.thread_id, GoalChange::Complete);
        change.await?.now.ok_or(NONE)
    }
}

impl Handler<GoalsBlock> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadParams) -> Result<Goal, Error> {
        let change = self.change_goal(caller, &params.thread_id, GoalChange::Block);
        change.await?.now.ok_or(NONE)
    }
}
