//! The goal of a thread: set, judged, paid for, and pursued by turns that nobody had to ask for.
//!
//! A goal is active until the agent or a person says otherwise, a turn is stopped or fails, or its
//! budget is used up. While it is active, a turn that completes is followed by another.

use std::sync::Arc;

use codewhale_engine::TurnEnd;
use codewhale_protocol::ThreadGoalStatus as Status;
use codewhale_protocol::runtime::{
    Event, FailureClass, Goal, GoalCleared, GoalId, GoalUpdated, Timestamp,
};
use codewhale_store::{About, Batch, Durability, Stamp};
use codewhale_tools::Verdict;
use tokio::time::Instant;

use super::start::Work;
use super::{Active, Asker, ThreadActor};
use crate::{Error, limits};

/// What can be done to a goal.
pub(crate) enum GoalChange {
    /// Set by someone through a door: takes the place of any other.
    Set {
        objective: String,
        token_budget: Option<u64>,
    },
    /// Set by the agent: only where none is pursued.
    Create {
        objective: String,
        token_budget: Option<u64>,
    },
    /// Judged by the agent.
    Judge(Verdict),
    /// Called reached.
    Complete,
    /// Called blocked.
    Block,
    /// Taken away.
    Clear,
}

/// What came of a change.
pub(crate) struct GoalChanged {
    /// The goal there is now.
    pub(crate) now: Option<Goal>,
    /// Whether there was one before.
    pub(crate) had_one: bool,
}

const NONE: Error = Error::NotFound { what: "goal" };

impl ThreadActor {
    /// Changes the goal; answers with what it is now.
    pub(super) async fn change_goal(
        &mut self,
        asker: &Asker,
        change: GoalChange,
    ) -> Result<GoalChanged, Error> {
        if self.state.thread.parent_id.is_some() {
            let message = "the thread of a sub-agent has no goal; give one to the thread above it";
            return Err(Error::Invalid(message.into()));
        }
        let by = match &self.active {
            // What the agent decides is the agent's.
            Some(active) if matches!(change, GoalChange::Create { .. } | GoalChange::Judge(_)) => {
                Arc::clone(&active.desk.agents().talker)
            }
            _ => asker.stamp(&self.core),
        };
        for _ in 0..limits::CHANGE_ATTEMPTS {
            if self.active.is_none() {
                self.check_owner().await?;
                self.reload()?;
            }
            let known = self.core.store.read(|reader| reader.goal(&self.id))?;
            let (now, had_one) = (self.core.env.now(), known.is_some());
            let goal = self.changed(known, &change, now)?;
            let mut batch = self.batch(Durability::Synced);
            write(&mut batch, self, goal.as_ref(), &change, (&by, now));
            match self.commit(batch).await {
                Ok(_) => {
                    self.core.goal_changed(&self.id, goal.as_ref());
                    return Ok(GoalChanged { now: goal, had_one });
                }
                Err(codewhale_store::Error::Guard(_)) if self.active.is_none() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    fn changed(
        &self,
        known: Option<Goal>,
        change: &GoalChange,
        now: Timestamp,
    ) -> Result<Option<Goal>, Error> {
        let moved = |goal: Option<Goal>, status| {
            let goal = goal.ok_or(NONE)?;
            if goal.status == Status::Complete {
                return Err(Error::GoalComplete);
            }
            let updated_at = seconds(now);
            Ok(Some(Goal {
                status,
                updated_at,
                ..goal
            }))
        };
        match change {
            GoalChange::Set {
                objective,
                token_budget,
            } => self.new_goal(objective, *token_budget, now).map(Some),
            GoalChange::Create {
                objective,
                token_budget,
            } => match known {
                Some(goal) if goal.status != Status::Complete => Err(Error::Invalid(format!(
                    "this thread has a goal already, which is not reached: {}",
                    goal.objective
                ))),
                _ => self.new_goal(objective, *token_budget, now).map(Some),
            },
            GoalChange::Judge(Verdict::Advisory { .. }) => known.ok_or(NONE).map(Some),
            GoalChange::Judge(Verdict::Complete { .. }) | GoalChange::Complete => {
                moved(known, Status::Complete)
            }
            GoalChange::Judge(Verdict::Blocked { .. }) | GoalChange::Block => {
                moved(known, Status::Blocked)
            }
            GoalChange::Clear => known.ok_or(NONE).map(|_| None),
        }
    }

    fn new_goal(
        &self,
        objective: &str,
        token_budget: Option<u64>,
        now: Timestamp,
    ) -> Result<Goal, Error> {
        let objective = objective.trim();
        if objective.is_empty() {
            let message = "the objective is blank; say what shall be true in the end";
            return Err(Error::Invalid(message.into()));
        }
        if objective.len() > limits::OBJECTIVE_BYTES_MAX {
            let most = limits::OBJECTIVE_BYTES_MAX;
            return Err(Error::Invalid(format!(
                "the objective is longer than {most} bytes"
            )));
        }
        if token_budget == Some(0) {
            let message = "a token budget of 0 allows nothing; leave it out for no limit";
            return Err(Error::Invalid(message.into()));
        }
        Ok(Goal {
            thread_id: self.id.clone(),
            goal_id: GoalId::new(self.core.env.uuid()),
            objective: objective.to_owned(),
            status: Status::Active,
            token_budget,
            tokens_used: 0,
            time_used_seconds: 0,
            continuation_count: 0,
            created_at: seconds(now),
            updated_at: seconds(now),
        })
    }

    /// A turn that someone asked for wakes a goal that rests.
    pub(super) fn wake_goal(&self, batch: &mut Batch, by: &Arc<Stamp>, now: Timestamp) {
        let Some(goal) = self.goal_now() else { return };
        let rests = matches!(
            goal.status,
            Status::Paused | Status::Blocked | Status::UsageLimited
        );
        if rests {
            self.move_goal(batch, goal, Status::Active, (by, now));
        }
    }

    /// How the goal stands after a turn. Adds that to the end of the turn.
    pub(super) fn goal_after(
        &self,
        active: &Active,
        end: &TurnEnd,
        charged: &[(GoalId, u64)],
        now: Timestamp,
    ) -> Option<Goal> {
        let goal = self.goal_now()?;
        let spent: u64 = charged
            .iter()
            .filter(|(id, _)| *id == goal.goal_id)
            .map(|(_, n)| n)
            .sum();
        let time_ms = now.ms_since(active.turn.created_at);
        let status = match goal.status {
            Status::Active => self.status_after(active, &goal, end),
            resting => resting,
        };
        Some(Goal {
            status,
            tokens_used: goal.tokens_used.saturating_add(spent),
            time_used_seconds: goal.time_used_seconds.saturating_add(time_ms / 1000),
            updated_at: seconds(now),
            ..goal
        })
    }

    fn status_after(&self, active: &Active, goal: &Goal, end: &TurnEnd) -> Status {
        if active.desk.tree.has_spent_goal() {
            return Status::BudgetLimited;
        }
        let continuations_max = match self.core.goals.continuations_max {
            0 => limits::CONTINUATIONS_MAX,
            most => most,
        };
        match end {
            TurnEnd::Interrupted => Status::Paused,
            TurnEnd::Failed(failure) => match failure.class {
                FailureClass::RateLimit => Status::UsageLimited,
                _ => Status::Paused,
            },
            TurnEnd::Completed if goal.continuation_count >= continuations_max => {
                Status::UsageLimited
            }
            TurnEnd::Completed => Status::Active,
        }
    }

    /// Plans the next turn towards an active goal.
    pub(super) fn plan_continuation(&mut self, goal: Option<&Goal>, asker: &Asker) {
        let goes_on = goal.is_some_and(Goal::is_active);
        let at = Instant::now() + self.core.goals.continuation_delay;
        self.next = goes_on.then(|| (at, asker.clone()));
    }

    /// Begins the turn that was planned, if the goal is still pursued.
    pub(super) async fn continue_to_goal(&mut self, asker: &Asker) {
        let Some(goal) = self.goal_now().filter(Goal::is_active) else {
            return;
        };
        let work = Work::Continue(continuation(&goal));
        let overrides = codewhale_protocol::runtime::TurnOverrides::default();
        if let Err(error) = self.launch(asker, &work, overrides, None).await {
            tracing::warn!(%error, thread = %self.id, "the goal is not pursued further");
        }
    }

    pub(super) fn goal_now(&self) -> Option<Goal> {
        if self.state.thread.parent_id.is_some() {
            return None;
        }
        let goal = self.core.store.read(|reader| reader.goal(&self.id));
        goal.ok().flatten()
    }

    fn move_goal(
        &self,
        batch: &mut Batch,
        goal: Goal,
        status: Status,
        (by, now): (&Arc<Stamp>, Timestamp),
    ) {
        let goal = Goal {
            status,
            updated_at: seconds(now),
            ..goal
        };
        batch.move_goal(&self.id, status, now);
        tell_goal(batch, self, &goal, (by, now));
        self.core.goal_changed(&self.id, Some(&goal));
    }
}

/// Adds a goal as it is now to a batch, for those who follow the thread.
pub(super) fn tell_goal(
    batch: &mut Batch,
    actor: &ThreadActor,
    goal: &Goal,
    (by, at): (&Arc<Stamp>, Timestamp),
) {
    let event = Event::GoalUpdated(GoalUpdated::from(goal.clone()));
    batch.event(about(actor, by, at), &event);
}

fn write(
    batch: &mut Batch,
    actor: &ThreadActor,
    goal: Option<&Goal>,
    change: &GoalChange,
    (by, now): (&Arc<Stamp>, Timestamp),
) {
    match (goal, change) {
        (None, _) => {
            batch.clear_goal(&actor.id);
            let event = Event::GoalCleared(GoalCleared::from(actor.id.clone()));
            batch.event(about(actor, by, now), &event);
            return;
        }
        (Some(goal), GoalChange::Set { .. } | GoalChange::Create { .. }) => {
            batch.set_goal(goal, by, now);
        }
        (Some(goal), _) => batch.move_goal(&actor.id, goal.status, now),
    }
    if let Some(goal) = goal {
        tell_goal(batch, actor, goal, (by, now));
    }
}

fn about<'a>(actor: &'a ThreadActor, by: &'a Arc<Stamp>, at: Timestamp) -> About<'a> {
    About {
        stream: &actor.state.stream,
        turn_id: None,
        item_id: None,
        at,
        by,
    }
}

/// What the agent is told when it goes on by itself.
fn continuation(goal: &Goal) -> String {
    let budget = match goal.tokens_left() {
        Some(left) => format!("\nTokens left in its budget: {left}."),
        None => String::new(),
    };
    format!(
        "Go on towards the goal of this thread:\n{}\n{budget}\nDo the next piece of work. When the \
         goal is reached, check it and call update_goal with status complete and the evidence; when \
         it cannot be reached without help, call update_goal with status blocked and say what is in \
         the way.",
        goal.objective
    )
}

fn seconds(at: Timestamp) -> u64 {
    u64::try_from(at.as_ms() / 1000).unwrap_or(0)
}
