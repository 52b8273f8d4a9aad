//! A goal that also counts how often the agent went on by itself.

use serde::{Deserialize, Serialize};

use crate::ThreadGoalStatus;

/// A goal and what it has cost so far.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadGoal {
    /// The thread that pursues it.
    pub thread_id: String,
    /// Its own id.
    pub goal_id: String,
    /// What should be true in the end, in the user's words.
    pub objective: String,
    /// Whether it is still pursued.
    pub status: ThreadGoalStatus,
    /// How many tokens it may cost; no limit when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<i64>,
    /// How many tokens it has cost.
    pub tokens_used: i64,
    /// How many seconds of work it has cost.
    pub time_used_seconds: i64,
    /// How many turns the agent started by itself to get there. Writers of the root type do not
    /// count, so a goal without the member is at zero.
    #[serde(default)]
    pub continuation_count: i64,
    /// When it was set, in seconds since the epoch.
    pub created_at: i64,
    /// When it last changed, in seconds since the epoch.
    pub updated_at: i64,
}

impl From<crate::ThreadGoal> for ThreadGoal {
    fn from(goal: crate::ThreadGoal) -> Self {
        ThreadGoal {
            thread_id: goal.thread_id,
            goal_id: goal.goal_id,
            objective: goal.objective,
            status: goal.status,
            token_budget: goal.token_budget,
            tokens_used: goal.tokens_used,
            time_used_seconds: goal.time_used_seconds,
            continuation_count: 0,
            created_at: goal.created_at,
            updated_at: goal.updated_at,
        }
    }
}

/// Adds to what a goal has cost. Differences, so that two reports cannot overwrite each other.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadGoalProgressParams {
    /// The thread whose goal it is.
    pub thread_id: String,
    /// Tokens to add.
    #[serde(default)]
    pub token_delta: i64,
    /// Seconds of work to add.
    #[serde(default)]
    pub time_delta_seconds: i64,
    /// Whether to count one continuation.
    #[serde(default)]
    pub record_continuation: bool,
}
