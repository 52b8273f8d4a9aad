//! Approvals: questions to a person whether a call may run, kept as records of their own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApprovalId, Seq, ThreadId, Timestamp, TurnId};
use crate::{Actor, NetworkPolicyAmendment, ReviewDecision};

/// Where an approval stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// Nobody has answered yet.
    Pending,
    /// Someone, or a rule, has.
    Decided,
    /// Its time ran out, or its process died.
    Expired,
}

impl ApprovalStatus {
    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            ApprovalStatus::Pending => "pending",
            ApprovalStatus::Decided => "decided",
            ApprovalStatus::Expired => "expired",
        }
    }
}

/// Yes or no.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    /// The call runs.
    Allow,
    /// It does not.
    Deny,
}

/// What is asked: enough to decide by, redacted like everything stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalDetail {
    /// The tool.
    pub tool_name: String,
    /// The model's id of the call.
    pub call_id: String,
    /// What would happen, in a sentence.
    pub description: String,
    /// What it is for, when the model said so.
    pub intent_summary: Option<String>,
    /// The exact command, for a shell call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Where it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The file it would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The change to that file as a unified diff, cut when long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Why a person is asked.
    pub reason: String,
    /// The rule that demanded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched_rule: Option<String>,
    /// Beginnings of commands that could be allowed from now on, along with a yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed_execpolicy_amendment: Vec<String>,
    /// Hosts that could be settled, along with a yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub proposed_network_policy_amendments: Vec<NetworkPolicyAmendment>,
    /// Whether it wants wider walls than its thread has.
    #[serde(default, skip_serializing_if = "is_false")]
    pub wider_walls: bool,
    /// The rule that `remember` would lay down; without one, `remember` is only recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered_as: Option<String>,
    /// SHA-256 over exactly what will run; the answer holds for nothing else.
    pub digest: String,
    /// The answers that are open.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub available_decisions: Vec<ReviewDecision>,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The durable record of one question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRecord {
    /// The approval.
    pub id: ApprovalId,
    /// The thread that waits.
    pub thread_id: ThreadId,
    /// The turn that waits.
    pub turn_id: TurnId,
    /// What is asked.
    pub detail: ApprovalDetail,
    /// Who wants to run it.
    pub requested_by: Actor,
    /// The least role that may answer.
    pub needed_role: String,
    /// How many have to agree.
    pub needed_count: u32,
    /// Sources of the turn's input that are not to be trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taint: Vec<String>,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When it counts as refused.
    pub expires_at: Timestamp,
    /// Where it stands.
    pub status: ApprovalStatus,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<ApprovalDecision>,
    /// Whether the answer is to hold for the same call again.
    #[serde(default)]
    pub remember: bool,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Actor>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// The event that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_seq: Option<Seq>,
    /// Why, where the answer was not a person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_reason: Option<String>,
}

/// A question that waits, as the snapshot of a thread shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PendingApproval {
    /// The approval.
    pub id: ApprovalId,
    /// The turn that waits.
    pub turn_id: TurnId,
    /// What is asked.
    #[serde(flatten)]
    pub detail: ApprovalDetail,
    /// When it counts as refused.
    pub expires_at: Timestamp,
    /// Who asks, when it is a sub-agent of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<AskedBy>,
}

impl PendingApproval {
    /// How a thread shows an approval that waits: its own, or one of a sub-agent.
    pub fn shown_on(thread: &ThreadId, record: &ApprovalRecord) -> Self {
        let asked_by = AskedBy {
            agent_id: record.requested_by.id.clone(),
            thread_id: record.thread_id.clone(),
            turn_id: record.turn_id.clone(),
        };
        PendingApproval {
            id: record.id.clone(),
            turn_id: record.turn_id.clone(),
            detail: record.detail.clone(),
            expires_at: record.expires_at,
            asked_by: Some(asked_by).filter(|by| by.thread_id != *thread),
        }
    }
}

/// A sub-agent that asks a person, on the thread at the top of its tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AskedBy {
    /// The agent.
    pub agent_id: String,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Its turn, which waits.
    pub turn_id: TurnId,
}

/// What `approvals/decide` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalsDecideParams {
    /// The approval.
    pub approval_id: ApprovalId,
    /// `allow` or `deny`; the control protocol's words are understood too.
    #[schemars(example = &"allow")]
    pub decision: String,
    /// Whether to hold the same answer for the same call again.
    #[serde(default)]
    pub remember: Option<bool>,
    /// Why, where no person answers; the agent reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a person can answer, whatever words they use for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApprovalAnswer {
    /// Run it.
    Allow,
    /// Run it, and the same again in this thread without asking.
    AllowForSession,
    /// Run it, and lay down the prefixes that were proposed.
    AllowPrefixes,
    /// Run it, and open the hosts that were proposed.
    AllowHosts,
    /// Do not run it.
    Deny,
    /// Do not run it, and end the turn.
    Abort,
}

impl ApprovalAnswer {
    /// Reads `allow`, `deny` and the control protocol's words.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "allow" | "approved" => Self::Allow,
            "approved_execpolicy_amendment" => Self::AllowPrefixes,
            "network_policy_amendment" => Self::AllowHosts,
            "approved_for_session" => Self::AllowForSession,
            "deny" | "denied" => Self::Deny,
            "abort" => Self::Abort,
            _ => return None,
        })
    }

    /// Yes or no.
    pub fn decision(self) -> ApprovalDecision {
        match self {
            Self::Allow | Self::AllowForSession | Self::AllowPrefixes | Self::AllowHosts => {
                ApprovalDecision::Allow
            }
            Self::Deny | Self::Abort => ApprovalDecision::Deny,
        }
    }
}

/// The answer to an answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalReceipt {
    /// Always true; failures are errors.
    pub ok: bool,
    /// The approval.
    pub approval_id: ApprovalId,
    /// What was recorded.
    pub decision: ApprovalDecision,
    /// Whether it reached the waiting call.
    pub delivered: bool,
}
