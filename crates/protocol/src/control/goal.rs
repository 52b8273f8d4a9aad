//! Goals: what a thread keeps working towards after a turn ends. The newer goal, which also counts
//! its continuations, is [`ext::ThreadGoal`](crate::ext::ThreadGoal).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a goal is still pursued, and if not, why.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadGoalStatus {
    /// The agent works on it.
    Active,
    /// A person put it on hold.
    Paused,
    /// The agent cannot go on without help.
    Blocked,
    /// The provider's allowance ran out.
    UsageLimited,
    /// The goal's own token budget ran out.
    BudgetLimited,
    /// It is reached.
    Complete,
}

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
    /// When it was set, in seconds since the epoch.
    pub created_at: i64,
    /// When it last changed, in seconds since the epoch.
    pub updated_at: i64,
}

/// Gives a thread a goal, in place of the one it has.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadGoalSetParams {
    /// The thread.
    pub thread_id: String,
    /// What should be true in the end.
    pub objective: String,
    /// How many tokens it may cost; no limit when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<i64>,
}

/// Asks for the goal of a thread.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadGoalGetParams {
    /// The thread.
    pub thread_id: String,
}

/// Takes the goal away from a thread.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ThreadGoalClearParams {
    /// The thread.
    pub thread_id: String,
}
