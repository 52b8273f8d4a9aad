//! The decision over one call.

use codewhale_protocol::runtime::{Mode, Permission, PermissionPosture};

use crate::Demand;

/// What a turn may do, taken from its thread and its own overrides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Authority {
    /// Mode and posture.
    pub permission: Permission,
    /// Whether the shell is offered.
    pub allow_shell: bool,
    /// Whether paths outside the workspace are in reach.
    pub trust_mode: bool,
}

/// What happens to a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Run, ask or refuse.
    pub verdict: Verdict,
    /// Why, for the person or the model that reads it.
    pub reason: String,
    /// The rule that decided, for those who want to change it.
    pub matched_rule: &'static str,
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

/// Whether a tool with this demand is shown to the model at all.
pub fn offers(demand: Demand, authority: &Authority) -> bool {
    match demand {
        Demand::Read | Demand::ReadOutside => true,
        Demand::Write | Demand::WriteOutside => authority.permission.mode != Mode::Plan,
        Demand::Execute => authority.permission.mode != Mode::Plan && authority.allow_shell,
    }
}

/// Decides over one call.
pub fn decide(demand: Demand, authority: &Authority) -> Decision {
    if authority.permission.mode == Mode::Plan && !reads(demand) {
        return deny(
            "mode:plan",
            "the thread is in plan mode, where nothing is written or run; describe the change instead",
        );
    }
    match demand {
        Demand::Read => allow("builtin:read-in-workspace"),
        Demand::ReadOutside | Demand::WriteOutside if !authority.trust_mode => deny(
            "builtin:stay-in-workspace",
            "the path is outside the workspace; use a path inside it, or ask the user to turn trust mode on",
        ),
        Demand::ReadOutside => allow("trust-mode:read-outside"),
        Demand::Execute if !authority.allow_shell => deny(
            "thread:no-shell",
            "the shell is not enabled for this thread; the user can set allow_shell",
        ),
        Demand::Write => ask("builtin:ask-before-write", "files would change", authority),
        Demand::WriteOutside => ask(
            "builtin:ask-before-write",
            "files outside the workspace would change",
            authority,
        ),
        Demand::Execute => ask("builtin:ask-before-run", "a command would run", authority),
    }
}

fn reads(demand: Demand) -> bool {
    matches!(demand, Demand::Read | Demand::ReadOutside)
}

fn allow(matched_rule: &'static str) -> Decision {
    Decision {
        verdict: Verdict::Allow,
        reason: "reading is free".into(),
        matched_rule,
    }
}

fn deny(matched_rule: &'static str, reason: &str) -> Decision {
    Decision {
        verdict: Verdict::Deny,
        reason: reason.into(),
        matched_rule,
    }
}

fn ask(matched_rule: &'static str, reason: &str, authority: &Authority) -> Decision {
    let answerer = match authority.permission.posture {
        PermissionPosture::Ask => Answerer::Person,
        PermissionPosture::FullAccess => Answerer::AlwaysYes,
        PermissionPosture::AutoReview => Answerer::AlwaysNo,
    };
    Decision {
        verdict: Verdict::Ask(answerer),
        reason: reason.into(),
        matched_rule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEMANDS: [Demand; 5] = [
        Demand::Read,
        Demand::ReadOutside,
        Demand::Write,
        Demand::WriteOutside,
        Demand::Execute,
    ];

    fn authority(mode: Mode, posture: PermissionPosture) -> Authority {
        Authority {
            permission: Permission { mode, posture },
            allow_shell: true,
            trust_mode: false,
        }
    }

    fn verdicts(authority: &Authority) -> [Verdict; 5] {
        DEMANDS.map(|demand| decide(demand, authority).verdict)
    }

    #[test]
    fn each_posture_answers_in_its_own_way() {
        use Verdict::{Allow, Ask, Deny};
        let by = |posture| verdicts(&authority(Mode::Agent, posture));
        let person = Ask(Answerer::Person);
        assert_eq!(
            by(PermissionPosture::Ask),
            [Allow, Deny, person, Deny, person]
        );
        let yes = Ask(Answerer::AlwaysYes);
        assert_eq!(
            by(PermissionPosture::FullAccess),
            [Allow, Deny, yes, Deny, yes]
        );
        let no = Ask(Answerer::AlwaysNo);
        assert_eq!(
            by(PermissionPosture::AutoReview),
            [Allow, Deny, no, Deny, no]
        );
    }

    #[test]
    fn plan_mode_refuses_effects_whatever_the_posture() {
        let plan = authority(Mode::Plan, PermissionPosture::FullAccess);
        for demand in [Demand::Write, Demand::WriteOutside, Demand::Execute] {
            let decision = decide(demand, &plan);
            assert_eq!(
                (decision.verdict, decision.matched_rule),
                (Verdict::Deny, "mode:plan")
            );
            assert!(!offers(demand, &plan));
        }
        assert_eq!(decide(Demand::Read, &plan).verdict, Verdict::Allow);
    }

    #[test]
    fn trust_opens_paths_outside_but_writing_there_still_asks() {
        let trusted = Authority {
            trust_mode: true,
            ..authority(Mode::Agent, PermissionPosture::Ask)
        };
        assert_eq!(
            decide(Demand::ReadOutside, &trusted).verdict,
            Verdict::Allow
        );
        let write = decide(Demand::WriteOutside, &trusted);
        assert_eq!(write.verdict, Verdict::Ask(Answerer::Person));
    }

    #[test]
    fn without_the_shell_a_command_is_neither_offered_nor_run() {
        let closed = Authority {
            allow_shell: false,
            ..authority(Mode::Agent, PermissionPosture::FullAccess)
        };
        assert!(!offers(Demand::Execute, &closed));
        assert_eq!(decide(Demand::Execute, &closed).verdict, Verdict::Deny);
    }

    #[test]
    fn every_decision_names_its_rule_and_no_restriction_ever_widens() {
        for mode in [Mode::Agent, Mode::Plan, Mode::Operate] {
            for posture in [
                PermissionPosture::Ask,
                PermissionPosture::AutoReview,
                PermissionPosture::FullAccess,
            ] {
                for demand in DEMANDS {
                    let open = Authority {
                        trust_mode: true,
                        ..authority(mode, posture)
                    };
                    let tight = Authority {
                        trust_mode: false,
                        allow_shell: false,
                        ..open
                    };
                    let (open, tight) = (decide(demand, &open), decide(demand, &tight));
                    assert!(!open.matched_rule.is_empty() && !tight.matched_rule.is_empty());
                    if open.verdict == Verdict::Deny {
                        assert_eq!(
                            tight.verdict,
                            Verdict::Deny,
                            "{mode:?} {posture:?} {demand:?}"
                        );
                    }
                }
            }
        }
    }
}
