//! A hook that wants a person asked: it tightens, and nothing else.

use codewhale_policy::{Amendments, Answerer, Authority, Decision, Verdict, decide_with_person};
use codewhale_protocol::AskForApproval;
use codewhale_protocol::runtime::{Mode, Permission, PermissionPosture};

fn decided(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        reason: "because".into(),
        matched_rule: "rule".into(),
        matched_action: None,
        amendments: Amendments::default(),
    }
}

fn authority(posture: PermissionPosture, policy: Option<AskForApproval>) -> Authority {
    let mode = Mode::Agent;
    Authority {
        approval_policy: policy,
        ..Authority::plain(Permission { mode, posture })
    }
}

#[test]
fn what_would_run_is_asked_about_in_every_posture_and_what_would_not_stays_refused() {
    use PermissionPosture::{Ask, AutoReview, FullAccess};
    let person = Verdict::Ask(Answerer::Person);
    for posture in [Ask, AutoReview, FullAccess] {
        for (before, after) in [
            (Verdict::Allow, person),
            (Verdict::Ask(Answerer::AlwaysYes), person),
            (person, person),
            (
                Verdict::Ask(Answerer::AlwaysNo),
                Verdict::Ask(Answerer::AlwaysNo),
            ),
            (Verdict::Deny, Verdict::Deny),
        ] {
            let authority = authority(posture, None);
            let decision = decide_with_person(decided(before), "look at it", &authority);
            assert_eq!(decision.verdict, after, "{posture:?} {before:?}");
        }
    }
}

#[test]
fn where_nobody_may_be_asked_the_call_is_refused() {
    let reject = AskForApproval::Reject {
        sandbox_approval: false,
        rules: true,
        mcp_elicitations: false,
    };
    for policy in [AskForApproval::Never, reject] {
        let authority = authority(PermissionPosture::FullAccess, Some(policy));
        let decision = decide_with_person(decided(Verdict::Allow), "look at it", &authority);
        assert_eq!(decision.verdict, Verdict::Deny);
        assert_eq!(decision.reason, "look at it, and nobody may be asked");
    }
}
