//! Who else works for a turn: sub-agents, and the goal of the thread. The owner of the turn brings
//! both; tools only ask.

use std::fmt;

use codewhale_protocol::runtime::{AgentRole, AgentRun, Goal};
use codewhale_protocol::service::BoxFuture;

/// Why something was not done, in words for the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

impl From<&str> for Refusal {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// What a new sub-agent is to do.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Order {
    /// The task, whole: it knows nothing else of the conversation.
    pub prompt: String,
    /// A short name.
    pub name: Option<String>,
    /// What it is for.
    pub role: AgentRole,
    /// Whether it goes on when its parent is stopped.
    pub detached: bool,
}

/// What to say to a sub-agent, and when it hears it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub enum Manner {
    /// While it works.
    Add,
    /// As its next task, after it has ended.
    FollowUp,
}

/// How to stop a sub-agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub enum Halt {
    /// It can be told to go on.
    Interrupt,
    /// For good.
    Cancel,
}

/// What to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub enum Until {
    /// One of them has ended.
    Completion,
    /// All of them have ended.
    All,
    /// One of them has done something.
    Activity,
}

/// The sub-agents of a turn.
pub trait Agents: Send + Sync {
    /// Starts one.
    fn start(&self, order: Order) -> BoxFuture<'_, Result<AgentRun, Refusal>>;

    /// Tells of one, or of all that this thread started.
    fn look(&self, agent: Option<String>) -> BoxFuture<'_, Result<Vec<AgentRun>, Refusal>>;

    /// What one said and did last, in lines.
    fn peek(&self, agent: String) -> BoxFuture<'_, Result<Vec<String>, Refusal>>;

    /// Says something to one.
    fn say(
        &self,
        agent: String,
        text: String,
        manner: Manner,
    ) -> BoxFuture<'_, Result<AgentRun, Refusal>>;

    /// Stops one.
    fn stop(&self, agent: String, halt: Halt) -> BoxFuture<'_, Result<AgentRun, Refusal>>;

    /// Waits for one, or for all that this thread started; bounded. Dropping the future ends the
    /// wait and nothing else.
    fn wait(
        &self,
        agent: Option<String>,
        until: Until,
    ) -> BoxFuture<'_, Result<Vec<AgentRun>, Refusal>>;
}

/// How the agent judges its goal.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub enum Verdict {
    /// It is reached; what shows that.
    Complete {
        /// What shows it.
        evidence: String,
    },
    /// It cannot be reached without help.
    Blocked {
        /// What stands in the way.
        blocker: String,
    },
    /// A remark; the goal stays as it is.
    Advisory {
        /// The remark.
        remark: String,
    },
}

/// The goal of a thread.
pub trait Goals: Send + Sync {
    /// The goal, if there is one.
    fn get(&self) -> BoxFuture<'_, Result<Option<Goal>, Refusal>>;

    /// Sets one where none is pursued.
    fn create(
        &self,
        objective: String,
        token_budget: Option<u64>,
    ) -> BoxFuture<'_, Result<Goal, Refusal>>;

    /// Writes down how the agent judges it.
    fn judge(&self, verdict: Verdict) -> BoxFuture<'_, Result<Goal, Refusal>>;
}

/// For turns that have neither.
pub(crate) struct Alone;

const NO_AGENTS: &str = "there are no sub-agents here; do the work yourself";
const NO_GOALS: &str = "this thread cannot have a goal; finish the task and report";

fn refused<T: Send + 'static>(why: &'static str) -> BoxFuture<'static, Result<T, Refusal>> {
    Box::pin(async move { Err(why.into()) })
}

impl Agents for Alone {
    fn start(&self, _: Order) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        refused(NO_AGENTS)
    }

    fn look(&self, _: Option<String>) -> BoxFuture<'_, Result<Vec<AgentRun>, Refusal>> {
        refused(NO_AGENTS)
    }

    fn peek(&self, _: String) -> BoxFuture<'_, Result<Vec<String>, Refusal>> {
        refused(NO_AGENTS)
    }

    fn say(&self, _: String, _: String, _: Manner) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        refused(NO_AGENTS)
    }

    fn stop(&self, _: String, _: Halt) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        refused(NO_AGENTS)
    }

    fn wait(&self, _: Option<String>, _: Until) -> BoxFuture<'_, Result<Vec<AgentRun>, Refusal>> {
        refused(NO_AGENTS)
    }
}

impl Goals for Alone {
    fn get(&self) -> BoxFuture<'_, Result<Option<Goal>, Refusal>> {
        refused(NO_GOALS)
    }

    fn create(&self, _: String, _: Option<u64>) -> BoxFuture<'_, Result<Goal, Refusal>> {
        refused(NO_GOALS)
    }

    fn judge(&self, _: Verdict) -> BoxFuture<'_, Result<Goal, Refusal>> {
        refused(NO_GOALS)
    }
}

impl fmt::Debug for dyn Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Agents")
    }
}

impl fmt::Debug for dyn Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Goals")
    }
}
