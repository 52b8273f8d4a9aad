//! Sub-agents: the receipt of a child at work, as clients and the parent read it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ThreadId, TurnItemRecord};

/// What a sub-agent is for. Decides what it may do, within what its parent may.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentRole {
    /// Does a piece of work.
    #[default]
    Worker,
    /// Looks around and reports.
    Scout,
    /// Thinks out how something is done.
    Planner,
    /// Reads what others did and judges it.
    Reviewer,
    /// Writes code.
    Builder,
    /// Runs tests and reports; edits nothing.
    Verifier,
    /// Gives advice.
    Consultant,
    /// Whatever its prompt says.
    Custom,
}

impl AgentRole {
    /// Every role.
    pub const ALL: [AgentRole; 8] = [
        Self::Worker,
        Self::Scout,
        Self::Planner,
        Self::Reviewer,
        Self::Builder,
        Self::Verifier,
        Self::Consultant,
        Self::Custom,
    ];

    /// Reads a role, also by one of its other names.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.trim().to_ascii_lowercase().as_str() {
            "worker" | "general" | "default" => Self::Worker,
            "scout" | "explore" | "explorer" => Self::Scout,
            "planner" | "plan" | "awaiter" => Self::Planner,
            "reviewer" | "review" | "code-review" => Self::Reviewer,
            "builder" | "implementer" => Self::Builder,
            "verifier" | "verify" | "tester" => Self::Verifier,
            "consultant" | "oracle" | "advisor" => Self::Consultant,
            "custom" => Self::Custom,
            _ => return None,
        })
    }

    /// The canonical word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Scout => "scout",
            Self::Planner => "planner",
            Self::Reviewer => "reviewer",
            Self::Builder => "builder",
            Self::Verifier => "verifier",
            Self::Consultant => "consultant",
            Self::Custom => "custom",
        }
    }

    /// Whether it changes nothing, whatever its parent may.
    pub fn only_reads(self) -> bool {
        match self {
            Self::Scout | Self::Planner | Self::Reviewer | Self::Consultant => true,
            Self::Worker | Self::Builder | Self::Verifier | Self::Custom => false,
        }
    }
}

/// Where a sub-agent stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentRunStatus {
    /// Admitted, not begun.
    Queued,
    /// About to begin.
    Starting,
    /// At work.
    Running,
    /// A person must answer first.
    WaitingForUser,
    /// The model is thinking.
    ModelWait,
    /// A call runs.
    RunningTool,
    /// It has reported.
    Completed,
    /// It could not go on.
    Failed,
    /// It was called off for good.
    Cancelled,
    /// It was stopped; it can be told to go on.
    Interrupted,
}

impl AgentRunStatus {
    /// The word on the wire and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::WaitingForUser => "waiting_for_user",
            Self::ModelWait => "model_wait",
            Self::RunningTool => "running_tool",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether nothing more comes by itself.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled | Self::Interrupted => true,
            Self::Queued
            | Self::Starting
            | Self::Running
            | Self::WaitingForUser
            | Self::ModelWait
            | Self::RunningTool => false,
        }
    }
}

/// The receipt of a sub-agent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentRun {
    /// What it was asked to be and do.
    pub spec: AgentSpec,
    /// The thread at the top of its tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_session_id: Option<String>,
    /// Always `subagent`.
    pub actor_kind: String,
    /// The run that started it, when that is a sub-agent too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// How its parent speaks to it again.
    pub follow_up: AgentFollowUp,
    /// How a person takes over.
    pub takeover: AgentTakeover,
    /// What it left behind.
    pub artifacts: Vec<AgentArtifact>,
    /// What it cost.
    pub usage: AgentUsage,
    /// Who has checked its work.
    pub verification: AgentVerification,
    /// What to do next.
    pub recommended_action: AgentAdvice,
    /// Where it stands.
    pub status: AgentRunStatus,
    /// When it was made, in milliseconds since the epoch.
    pub created_at_ms: u64,
    /// When it last changed.
    pub updated_at_ms: u64,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at_ms: Option<u64>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at_ms: Option<u64>,
    /// What it said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_message: Option<String>,
    /// What came of it, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_summary: Option<String>,
    /// Why it could not go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How many calls it has made.
    pub steps_taken: u64,
    /// What happened to it, the newest so many.
    pub events: Vec<AgentRunEvent>,
}

/// What a sub-agent was asked to be and do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentSpec {
    /// The agent; lasts as long as its thread.
    pub worker_id: String,
    /// The run.
    pub run_id: String,
    /// The run that started it, when that is a sub-agent too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// The name its parent gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    /// What it is to do.
    pub objective: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<AgentRole>,
    /// The same, under its older name.
    pub agent_type: AgentRole,
    /// The model.
    pub model: String,
    /// Where it works.
    pub workspace: String,
    /// What it knows at the start; always `fresh`.
    pub context_mode: String,
    /// Whether it began with its parent's conversation.
    pub fork_context: bool,
    /// Always `inherited`: its tools are those of its parent that its role leaves.
    pub tool_profile: String,
    /// What it may do.
    pub runtime_profile: Value,
    /// The most calls of the model in one turn.
    pub max_steps: u64,
    /// How far below the top of its tree it is.
    pub spawn_depth: u64,
    /// How far below the top agents may be.
    pub max_spawn_depth: u64,
}

/// How a parent speaks to its sub-agent again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentFollowUp {
    /// The tool.
    pub tool: String,
    /// The agent.
    pub agent_id: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    /// In which states it listens.
    pub accepted_statuses: Vec<AgentRunStatus>,
}

/// How a person takes over from a sub-agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentTakeover {
    /// Always `thread`: it has one like any other.
    pub kind: String,
    /// Always true.
    pub supported: bool,
    /// The agent.
    pub agent_id: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    /// The thread to open.
    pub thread_id: ThreadId,
    /// What to do, in words.
    pub instructions: String,
}

/// Something a sub-agent left behind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentArtifact {
    /// What it is.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub target: String,
    /// What is in it.
    pub description: String,
}

/// What a sub-agent cost.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentUsage {
    /// `reported` once the provider has said something, `unknown` before.
    pub status: String,
    /// Tokens read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// How many tokens the sub-agents of its tree may cost together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// How many they have cost together, when this was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_spent_tokens: Option<u64>,
    /// What is left of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_remaining_tokens: Option<u64>,
    /// Whose budget it is: `tree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_scope: Option<String>,
    /// A word for people.
    pub note: String,
}

/// Who has checked the work of a sub-agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentVerification {
    /// `self_report_only`: nobody but itself.
    pub status: String,
    /// In words.
    pub summary: String,
}

/// What to do next with a sub-agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentAdvice {
    /// One word.
    pub action: String,
    /// The tool for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Why.
    pub reason: String,
}

/// Something that happened to a sub-agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentRunEvent {
    /// Its number in the run.
    pub seq: u64,
    /// The agent.
    pub worker_id: String,
    /// Where it stood then.
    pub status: AgentRunStatus,
    /// When, in milliseconds since the epoch.
    pub timestamp_ms: u64,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// All runs that a caller may see.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentRuns {
    /// The newest first.
    pub runs: Vec<AgentRun>,
}

/// What `agent-runs/list` takes.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentRunsListParams {
    /// Only those below this thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// How many, brought into 1 to 500; 50 when absent.
    #[schemars(extend("default" = 50))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// What `agent-runs/get` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentRunParams {
    /// The run, or the agent.
    pub run_id: String,
}

/// Payload of `agent.spawned` and `agent.completed`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentNews {
    /// A line in the turn of the parent; none when no turn runs there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<TurnItemRecord>,
    /// The agent.
    pub agent_id: String,
    /// Its thread.
    pub agent_thread_id: ThreadId,
    /// The thread that started it.
    pub parent_thread_id: ThreadId,
    /// What it is for.
    pub role: AgentRole,
    /// The provider it began with.
    pub provider: String,
    /// The model it began with.
    pub model: String,
    /// Where it stands.
    pub status: AgentRunStatus,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_found_by_all_its_names_and_by_no_other() {
        for role in AgentRole::ALL {
            assert_eq!(AgentRole::parse(role.as_str()), Some(role));
            assert_eq!(
                serde_json::to_value(role).unwrap(),
                Value::from(role.as_str())
            );
        }
        for (word, role) in [
            ("General", AgentRole::Worker),
            ("explorer", AgentRole::Scout),
            ("awaiter", AgentRole::Planner),
            ("code-review", AgentRole::Reviewer),
            ("implementer", AgentRole::Builder),
            ("tester", AgentRole::Verifier),
            ("oracle", AgentRole::Consultant),
        ] {
            assert_eq!(AgentRole::parse(word), Some(role), "{word}");
        }
        assert_eq!(AgentRole::parse("admin"), None);
    }
}
