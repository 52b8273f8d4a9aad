//! Whether a question is put to anyone, and who answers it.

use codewhale_protocol::AskForApproval;
use codewhale_protocol::runtime::PermissionPosture;

use crate::{Action, Amendments, Answerer, Authority, Decision, Verdict};

/// Why someone would be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Question {
    /// Nothing proves it harmless. Whether walls hold it while it is tried.
    Unproven { is_held: bool },
    /// A rule wants it.
    Ruled,
    /// It wants wider walls.
    Wider,
    /// It cannot be undone, or may be forbidden: only a person may say yes.
    Grave,
    /// A hook wants a person asked, whatever the posture.
    Hooked,
}

impl Question {
    /// Asks, if the approval policy lets anyone be asked; the posture says who answers.
    pub(crate) fn put(self, matched_rule: &str, reason: &str, authority: &Authority) -> Decision {
        match self.waived(authority) {
            Some(Verdict::Allow) => allow("policy:waived", reason),
            Some(verdict) => decision(
                verdict,
                &format!("policy:nobody-asked {matched_rule}"),
                &format!("{reason}, and nobody may be asked"),
            ),
            None => decision(Verdict::Ask(self.answerer(authority)), matched_rule, reason),
        }
    }

    fn answerer(self, authority: &Authority) -> Answerer {
        match (authority.permission.posture, self) {
            (_, Self::Hooked) => Answerer::Person,
            (PermissionPosture::AutoReview, _) => Answerer::AlwaysNo,
            (PermissionPosture::FullAccess, Self::Grave) | (PermissionPosture::Ask, _) => {
                Answerer::Person
            }
            (PermissionPosture::FullAccess, Self::Unproven { .. } | Self::Ruled | Self::Wider) => {
                Answerer::AlwaysYes
            }
        }
    }

    /// What the approval policy says in place of a question.
    fn waived(self, authority: &Authority) -> Option<Verdict> {
        let reviews = authority.permission.posture == PermissionPosture::AutoReview;
        let is_full = authority.is_full();
        match (authority.approval_policy?, self) {
            (AskForApproval::UnlessTrusted | AskForApproval::OnRequest, _) => None,
            (AskForApproval::OnFailure, Self::Unproven { is_held }) => {
                (is_held && !reviews).then_some(Verdict::Allow)
            }
            (AskForApproval::OnFailure, Self::Ruled | Self::Wider | Self::Grave | Self::Hooked) => {
                None
            }
            (AskForApproval::Never, Self::Unproven { is_held }) => match is_held || is_full {
                true => (!reviews).then_some(Verdict::Allow),
                false => Some(Verdict::Deny),
            },
            (AskForApproval::Never, Self::Wider) if is_full => Some(Verdict::Allow),
            (AskForApproval::Never, Self::Ruled | Self::Wider | Self::Grave | Self::Hooked) => {
                Some(Verdict::Deny)
            }
            (
                AskForApproval::Reject {
                    sandbox_approval, ..
                },
                Self::Wider,
            ) => sandbox_approval.then_some(Verdict::Deny),
            (
                AskForApproval::Reject { rules, .. },
                Self::Unproven { .. } | Self::Ruled | Self::Grave | Self::Hooked,
            ) => rules.then_some(Verdict::Deny),
        }
    }
}

pub(crate) fn allow(matched_rule: &str, reason: &str) -> Decision {
    decision(Verdict::Allow, matched_rule, reason)
}

pub(crate) fn deny(matched_rule: &str, reason: &str) -> Decision {
    decision(Verdict::Deny, matched_rule, reason)
}

fn decision(verdict: Verdict, matched_rule: &str, reason: &str) -> Decision {
    Decision {
        verdict,
        reason: reason.into(),
        matched_rule: matched_rule.into(),
        matched_action: None::<Action>,
        amendments: Amendments::default(),
    }
}
