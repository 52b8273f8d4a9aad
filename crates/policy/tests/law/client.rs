//! Tools that the client of a turn runs itself: nobody else is asked, and rules still count.

use codewhale_policy::{
    Act, Action, Answerer, Authority, Decision, Demand, Law, Layer, NetworkPolicy, Rule, Verdict,
    offers,
};
use codewhale_protocol::runtime::PermissionPosture::{self, Ask, AutoReview, FullAccess};
use codewhale_protocol::runtime::{Mode, Permission};

use super::bench::judge;

const TOOL: &str = "ide__open";

fn authority(mode: Mode, posture: PermissionPosture) -> Authority {
    Authority::plain(Permission { mode, posture })
}

fn decide(authority: &Authority, rules: impl IntoIterator<Item = Rule>) -> Decision {
    let rules = rules.into_iter().map(|rule| (Layer::User, rule));
    let law = Law::new(rules, NetworkPolicy::default());
    let demand = Demand::Client(r#"{"path":"a.rs"}"#.to_owned());
    judge(TOOL, &demand, authority, &law)
}

#[test]
fn a_call_goes_to_the_client_under_every_posture() {
    for posture in [Ask, AutoReview, FullAccess] {
        let decision = decide(&authority(Mode::Agent, posture), []);
        assert_eq!(decision.verdict, Verdict::Allow);
        assert_eq!(decision.matched_rule, "builtin:client-tool");
    }
}

#[test]
fn in_plan_mode_it_is_neither_offered_nor_let_through() {
    let plan = authority(Mode::Plan, FullAccess);
    assert!(!offers(Act::Client, &plan) && offers(Act::Client, &authority(Mode::Agent, Ask)));
    let allowed = Rule::about(TOOL, Action::Allow);
    let decision = decide(&plan, [allowed]);
    assert_eq!(
        (decision.verdict, &*decision.matched_rule),
        (Verdict::Deny, "mode:plan")
    );
}

#[test]
fn a_rule_can_forbid_it_or_have_a_person_asked() {
    let agent = authority(Mode::Agent, Ask);
    let decision = decide(&agent, [Rule::about(TOOL, Action::Deny)]);
    assert_eq!(decision.verdict, Verdict::Deny);
    let decision = decide(&agent, [Rule::about(TOOL, Action::Ask)]);
    assert_eq!(decision.verdict, Verdict::Ask(Answerer::Person));
    let other = Rule::prefix(TOOL, r#"{"path":"b"#, Action::Deny);
    assert_eq!(decide(&agent, [other]).verdict, Verdict::Allow);
    let this = Rule::prefix(TOOL, r#"{"path":"a"#, Action::Deny);
    assert_eq!(decide(&agent, [this]).verdict, Verdict::Deny);
}
