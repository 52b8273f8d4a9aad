//! Approvals: when a person is asked, what they are shown, and what they may answer.

use serde::{Deserialize, Serialize};

/// When a person is asked before the agent acts.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum AskForApproval {
    /// For everything that is not known to be harmless.
    UnlessTrusted,
    /// Once a confined attempt has not worked out.
    OnFailure,
    /// Whenever the agent wants more than it has.
    OnRequest,
    /// Nobody is asked, and what would need asking is refused, by kind.
    Reject {
        /// Whether leaving the sandbox is refused.
        sandbox_approval: bool,
        /// Whether what a rule wants confirmed is refused.
        rules: bool,
        /// Whether questions of MCP servers are refused.
        mcp_elicitations: bool,
    },
    /// Nobody is asked, and everything runs.
    Never,
}

/// What becomes of connections to a host.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum NetworkPolicyRuleAction {
    /// They are let through.
    Allow,
    /// They are cut off.
    Deny,
}

/// A network rule that could be written down along with the answer.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct NetworkPolicyAmendment {
    /// The host it is about.
    pub host: String,
    /// What becomes of connections to it.
    pub action: NetworkPolicyRuleAction,
}

/// What a person may answer.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReviewDecision {
    /// Yes, this once.
    Approved,
    /// Yes, and write down a rule that says so.
    ApprovedExecpolicyAmendment,
    /// Yes, until the session ends.
    ApprovedForSession,
    /// Settle the host it wants to reach, one way or the other.
    NetworkPolicyAmendment {
        /// The host.
        host: String,
        /// What becomes of connections to it.
        action: NetworkPolicyRuleAction,
    },
    /// No; the agent goes on without it.
    Denied,
    /// No, and the turn is over.
    Abort,
}

/// The connection that raised the question.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct NetworkApprovalContext {
    /// Where it goes.
    pub host: String,
    /// What it speaks, such as `https`.
    pub protocol: String,
}

/// A question to a person: may this command run, or this patch land?
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ExecApprovalRequestEvent {
    /// The model's id of the call that waits.
    pub call_id: String,
    /// The id to answer to.
    pub approval_id: String,
    /// The turn that waits.
    pub turn_id: String,
    /// What would run.
    pub command: String,
    /// Where.
    pub cwd: String,
    /// Why someone is asked.
    pub reason: String,
    /// The rule that demands it, where one does. Boxed text, because code outside names the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched_rule: Option<Box<str>>,
    /// The connection in question, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_approval_context: Option<NetworkApprovalContext>,
    /// Command prefixes that a rule could allow from now on.
    #[serde(default)]
    pub proposed_execpolicy_amendment: Vec<String>,
    /// Network rules that could be written down.
    #[serde(default)]
    pub proposed_network_policy_amendments: Vec<NetworkPolicyAmendment>,
    /// What it wants beyond the sandbox.
    #[serde(default)]
    pub additional_permissions: Vec<String>,
    /// The answers that are open, in the order to offer them.
    #[serde(default)]
    pub available_decisions: Vec<ReviewDecision>,
}

/// The answer. Free text on the wire, since doors differ in their words:
/// [`runtime::ApprovalAnswer`](crate::runtime::ApprovalAnswer) reads them all.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct ApprovalDecisionRequest {
    /// The answer, such as `allow` or `denied`.
    pub decision: String,
    /// Whether it holds for the same question again.
    #[serde(default)]
    pub remember: bool,
}
