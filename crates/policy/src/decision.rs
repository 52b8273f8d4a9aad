//! What happens to a call, and what is said about it.

use codewhale_protocol::NetworkPolicyAmendment;
use serde::{Deserialize, Serialize};

use crate::Action;

/// What happens to a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Run, ask or refuse.
    pub verdict: Verdict,
    /// Why, for the person or the model that reads it.
    pub reason: String,
    /// The rule that decided, for those who want to change it.
    pub matched_rule: String,
    /// What that rule does, if it was laid down by someone.
    pub matched_action: Option<Action>,
    /// What a person could lay down along with their answer.
    pub amendments: Amendments,
}

/// Rules that a person could accept, so that the same question does not come again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Amendments {
    /// Beginnings of commands.
    pub prefixes: Vec<String>,
    /// Hosts.
    pub network: Vec<NetworkPolicyAmendment>,
}

/// Run, ask or refuse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It runs.
    Allow,
    /// It runs if the answer is yes.
    Ask(Answerer),
    /// It does not run.
    Deny,
}

/// Who answers an approval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answerer {
    /// A person.
    Person,
    /// The posture, with yes: the approval is recorded and granted.
    AlwaysYes,
    /// The posture, with no: it cannot be proven safe and nobody may be asked.
    AlwaysNo,
}

/// A decision as programs read it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecPolicyDecision {
    /// Whether it runs without a question.
    pub allow: bool,
    /// Whether someone is asked first.
    pub requires_approval: bool,
    /// The same in full.
    pub requirement: Requirement,
    /// The rule that decided, if someone laid it down.
    pub matched_rule: Option<String>,
    /// What that rule does.
    pub matched_action: Option<Action>,
}

/// What a call needs before it runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Requirement {
    /// Nothing.
    Skip {
        /// Whether it runs outside the sandbox as well.
        bypass_sandbox: bool,
        /// Prefixes that could be allowed.
        proposed_execpolicy_amendment: Option<ExecPolicyAmendment>,
    },
    /// An answer.
    NeedsApproval {
        /// Why.
        reason: String,
        /// Prefixes that could be allowed.
        proposed_execpolicy_amendment: Option<ExecPolicyAmendment>,
        /// Hosts that could be settled.
        proposed_network_policy_amendments: Vec<NetworkPolicyAmendment>,
    },
    /// It does not run.
    Forbidden {
        /// Why.
        reason: String,
    },
}

/// Beginnings of commands that could be allowed from now on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecPolicyAmendment {
    /// One per command.
    pub prefixes: Vec<String>,
}

impl Decision {
    /// The decision as programs read it. What the posture answers by itself is told as its outcome.
    pub fn to_exec_policy(&self) -> ExecPolicyDecision {
        let prefixes = self.amendments.prefixes.clone();
        let proposed = (!prefixes.is_empty()).then_some(ExecPolicyAmendment { prefixes });
        let requirement = match self.verdict {
            Verdict::Allow | Verdict::Ask(Answerer::AlwaysYes) => Requirement::Skip {
                bypass_sandbox: false,
                proposed_execpolicy_amendment: None,
            },
            Verdict::Ask(Answerer::Person) => Requirement::NeedsApproval {
                reason: self.reason.clone(),
                proposed_execpolicy_amendment: proposed,
                proposed_network_policy_amendments: self.amendments.network.clone(),
            },
            Verdict::Deny | Verdict::Ask(Answerer::AlwaysNo) => Requirement::Forbidden {
                reason: self.reason.clone(),
            },
        };
        ExecPolicyDecision {
            allow: matches!(requirement, Requirement::Skip { .. }),
            requires_approval: matches!(requirement, Requirement::NeedsApproval { .. }),
            requirement,
            matched_rule: self.matched_action.map(|_| self.matched_rule.clone()),
            matched_action: self.matched_action,
        }
    }
}
