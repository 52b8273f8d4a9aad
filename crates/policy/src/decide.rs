//! The decision over one call.

use codewhale_protocol::runtime::{Mode, Permission, PermissionPosture};

use crate::{Act, Demand, Law};

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
    pub matched_rule: String,
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

/// A call that is to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The tool.
    pub tool: &'a str,
    /// What it would do.
    pub demand: &'a Demand,
}

/// Whether a tool with this act is shown to the model at all.
pub fn offers(act: Act, authority: &Authority) -> bool {
    match act {
        Act::Inward | Act::Read | Act::Fetch => true,
        Act::Write => authority.permission.mode != Mode::Plan,
        Act::Execute => authority.permission.mode != Mode::Plan && authority.allow_shell,
    }
}

/// Decides over one call.
pub fn decide(call: Call<'_>, authority: &Authority, _law: &Law) -> Decision {
    let demand = call.demand;
    let changes = matches!(demand.act(), Act::Write | Act::Execute);
    if authority.permission.mode == Mode::Plan && changes {
        return deny(
            "mode:plan",
            "the thread is in plan mode, where nothing is written or run; describe the change instead",
        );
    }
    if demand.is_outside() && !authority.trust_mode {
        return deny(
            "builtin:stay-in-workspace",
            "the path is outside the workspace; use a path inside it, or ask the user to turn trust mode on",
        );
    }
    match demand {
        Demand::Inward => allow("builtin:inward"),
        Demand::Read(_) if demand.is_outside() => allow("trust-mode:read-outside"),
        Demand::Read(_) => allow("builtin:read-in-workspace"),
        Demand::Write(_) if demand.is_outside() => ask(
            "builtin:ask-before-write",
            "files outside the workspace would change",
            authority,
        ),
        Demand::Write(_) => ask("builtin:ask-before-write", "files would change", authority),
        Demand::Execute(_) if !authority.allow_shell => deny(
            "thread:no-shell",
            "the shell is not enabled for this thread; the user can set allow_shell",
        ),
        Demand::Execute(_) => ask("builtin:ask-before-run", "a command would run", authority),
        Demand::Fetch(_) => ask(
            "builtin:ask-before-fetch",
            "a host would be spoken to",
            authority,
        ),
    }
}

fn allow(matched_rule: &str) -> Decision {
    Decision {
        verdict: Verdict::Allow,
        reason: "nothing changes".into(),
        matched_rule: matched_rule.into(),
    }
}

fn deny(matched_rule: &str, reason: &str) -> Decision {
    Decision {
        verdict: Verdict::Deny,
        reason: reason.into(),
        matched_rule: matched_rule.into(),
    }
}

fn ask(matched_rule: &str, reason: &str, authority: &Authority) -> Decision {
    let answerer = match authority.permission.posture {
        PermissionPosture::Ask => Answerer::Person,
        PermissionPosture::FullAccess => Answerer::AlwaysYes,
        PermissionPosture::AutoReview => Answerer::AlwaysNo,
    };
    Decision {
        verdict: Verdict::Ask(answerer),
        reason: reason.into(),
        matched_rule: matched_rule.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Execution;

    fn demands() -> [Demand; 5] {
        [
            Demand::read("/w/a".into(), true),
            Demand::read("/a".into(), false),
            Demand::write("/w/a".into(), true),
            Demand::write("/a".into(), false),
            Demand::Execute(Execution::within("make", "/w")),
        ]
    }

    fn judge(demand: &Demand, authority: &Authority) -> Decision {
        let call = Call { tool: "t", demand };
        decide(call, authority, &Law::default())
    }

    fn authority(mode: Mode, posture: PermissionPosture) -> Authority {
        Authority {
            permission: Permission { mode, posture },
            allow_shell: true,
            trust_mode: false,
        }
    }

    fn verdicts(authority: &Authority) -> [Verdict; 5] {
        demands().map(|demand| judge(&demand, authority).verdict)
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
        for demand in &demands()[2..] {
            let decision = judge(demand, &plan);
            assert_eq!(
                (decision.verdict, decision.matched_rule.as_str()),
                (Verdict::Deny, "mode:plan")
            );
            assert!(!offers(demand.act(), &plan));
        }
        assert_eq!(judge(&demands()[0], &plan).verdict, Verdict::Allow);
    }

    #[test]
    fn trust_opens_paths_outside_but_writing_there_still_asks() {
        let trusted = Authority {
            trust_mode: true,
            ..authority(Mode::Agent, PermissionPosture::Ask)
        };
        let [_, read, _, write, _] = demands();
        assert_eq!(judge(&read, &trusted).verdict, Verdict::Allow);
        let write = judge(&write, &trusted);
        assert_eq!(write.verdict, Verdict::Ask(Answerer::Person));
    }

    #[test]
    fn without_the_shell_a_command_is_neither_offered_nor_run() {
        let closed = Authority {
            allow_shell: false,
            ..authority(Mode::Agent, PermissionPosture::FullAccess)
        };
        assert!(!offers(Act::Execute, &closed));
        assert_eq!(judge(&demands()[4], &closed).verdict, Verdict::Deny);
    }

    #[test]
    fn every_decision_names_its_rule_and_no_restriction_ever_widens() {
        for mode in [Mode::Agent, Mode::Plan, Mode::Operate] {
            for posture in [
                PermissionPosture::Ask,
                PermissionPosture::AutoReview,
                PermissionPosture::FullAccess,
            ] {
                for demand in demands() {
                    let open = Authority {
                        trust_mode: true,
                        ..authority(mode, posture)
                    };
                    let tight = Authority {
                        trust_mode: false,
                        allow_shell: false,
                        ..open
                    };
                    let (open, tight) = (judge(&demand, &open), judge(&demand, &tight));
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
