//! Goals: what a thread keeps working towards after a turn ends, and what that may cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GoalId, ThreadId};
use crate::ThreadGoalStatus;

/// The goal of a thread and what it has cost so far, its sub-agents included.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    /// The thread that pursues it.
    pub thread_id: ThreadId,
    /// Its own id; another goal has another.
    pub goal_id: GoalId,
    /// What should be true in the end.
    pub objective: String,
    /// Whether it is still pursued, and if not, why.
    pub status: ThreadGoalStatus,
    /// How many tokens it may cost; no limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// How many tokens it has cost.
    pub tokens_used: u64,
    /// How many seconds of work it has cost.
    pub time_used_seconds: u64,
    /// How many turns the agent started by itself to get there.
    #[serde(default)]
    pub continuation_count: u64,
    /// When it was set, in seconds since the epoch.
    pub created_at: u64,
    /// When it last changed, in seconds since the epoch.
    pub updated_at: u64,
}

impl Goal {
    /// Whether the agent goes on by itself.
    pub fn is_active(&self) -> bool {
        self.status == ThreadGoalStatus::Active
    }

    /// What is left of the budget; `None` without one.
    pub fn tokens_left(&self) -> Option<u64> {
        Some(self.token_budget?.saturating_sub(self.tokens_used))
    }
}

/// What `goals/set` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GoalsSetParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// What should be true in the end; not blank.
    pub objective: String,
    /// How many tokens it may cost; no limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
}

/// What `goals/set` answers: the goal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct GoalSet {
    /// The goal.
    pub goal: Goal,
    /// Whether it took the place of another one. Told by the status, not by the goal.
    #[serde(skip)]
    pub replaces: bool,
}

/// Payload of `thread_goal_updated`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GoalUpdated {
    /// Always the name of the event.
    pub kind: GoalUpdatedKind,
    /// The goal as it is now.
    pub goal: Goal,
}

/// Payload of `thread_goal_cleared`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GoalCleared {
    /// Always the name of the event.
    pub kind: GoalClearedKind,
    /// The thread that has no goal any more.
    pub thread_id: ThreadId,
}

/// The name of the event, which its payload repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum GoalUpdatedKind {
    /// The one value.
    #[serde(rename = "thread_goal_updated")]
    Updated,
}

/// The name of the event, which its payload repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum GoalClearedKind {
    /// The one value.
    #[serde(rename = "thread_goal_cleared")]
    Cleared,
}

impl From<Goal> for GoalUpdated {
    fn from(goal: Goal) -> Self {
        let kind = GoalUpdatedKind::Updated;
        Self { kind, goal }
    }
}

impl From<ThreadId> for GoalCleared {
    fn from(thread_id: ThreadId) -> Self {
        let kind = GoalClearedKind::Cleared;
        Self { kind, thread_id }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_payloads_repeat_their_event_and_a_goal_without_budget_says_nothing_of_it() {
        let goal = Goal {
            thread_id: ThreadId::from("thr_1"),
            goal_id: GoalId::from("goal-1"),
            objective: "All tests green".to_owned(),
            status: ThreadGoalStatus::BudgetLimited,
            token_budget: None,
            tokens_used: 7,
            time_used_seconds: 2,
            continuation_count: 1,
            created_at: 10,
            updated_at: 11,
        };
        assert_eq!(goal.tokens_left(), None);
        let payload = serde_json::to_value(GoalUpdated::from(goal)).unwrap();
        assert_eq!(
            payload,
            json!({"kind": "thread_goal_updated", "goal": {
                "thread_id": "thr_1", "goal_id": "goal-1", "objective": "All tests green",
                "status": "budget_limited", "tokens_used": 7, "time_used_seconds": 2,
                "continuation_count": 1, "created_at": 10, "updated_at": 11,
            }})
        );
        let cleared = GoalCleared::from(ThreadId::from("thr_1"));
        assert_eq!(
            serde_json::to_value(cleared).unwrap(),
            json!({"kind": "thread_goal_cleared", "thread_id": "thr_1"})
        );
    }
}
