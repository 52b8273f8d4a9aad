//! Tools of MCP servers: an act of their own, with rules of their own.

use codewhale_policy::{
    Act, Action, Answerer, Authority, Call, Decision, Demand, Law, Layer, McpCall, NetworkDefault,
    NetworkPolicy, Rule, Verdict, offers,
};
use codewhale_protocol::runtime::PermissionPosture::{self, Ask, AutoReview, FullAccess};
use codewhale_protocol::runtime::{Mode, Permission};

use super::bench::{WORKSPACE, judge};

const TOOL: &str = "mcp_hub_send";
const PERSON: Verdict = Verdict::Ask(Answerer::Person);

/// Agent mode without a shell.
fn plain(posture: PermissionPosture) -> Authority {
    let mode = Mode::Agent;
    Authority::plain(Permission { mode, posture })
}

fn call() -> McpCall {
    McpCall {
        input: r#"{"to":"ada"}"#.into(),
        host: None,
        only_looks: false,
        of_workspace: false,
    }
}

fn law(rules: impl IntoIterator<Item = Rule>) -> Law {
    let rules = rules.into_iter().map(|rule| (Layer::User, rule));
    Law::new(rules, NetworkPolicy::default())
}

fn decide(call: McpCall, authority: &Authority, law: &Law) -> Decision {
    judge(TOOL, &Demand::Mcp(call), authority, law)
}

#[test]
fn a_tool_is_offered_without_a_shell_and_in_plan_mode_only_if_it_looks() {
    let plan = Authority::plain(Permission {
        mode: Mode::Plan,
        posture: FullAccess,
    });
    assert!(offers(Act::McpCall, &plain(Ask)) && offers(Act::McpLook, &plain(Ask)));
    assert!(!offers(Act::McpCall, &plan) && offers(Act::McpLook, &plan));
    let law = Law::default();
    let looks = McpCall {
        only_looks: true,
        ..call()
    };
    assert_eq!(decide(looks, &plan, &law).verdict, Verdict::Allow);
    let refused = decide(call(), &plan, &law);
    assert_eq!(
        (refused.verdict, &*refused.matched_rule),
        (Verdict::Deny, "mode:plan")
    );
}

#[test]
fn rules_decide_over_a_tool_by_its_name_and_its_input() {
    let about = |action| Rule::about(TOOL, action);
    let exact = |input: &str, action| Rule {
        command_exact: true,
        ..Rule::prefix(TOOL, input, action)
    };
    let sent = r#"{"to":"ada"}"#;
    #[rustfmt::skip]
    let table = [
        (vec![],                                                       [PERSON, Verdict::Ask(Answerer::AlwaysNo), Verdict::Ask(Answerer::AlwaysYes)]),
        (vec![about(Action::Allow)],                                   [Verdict::Allow; 3]),
        (vec![about(Action::Deny)],                                    [Verdict::Deny; 3]),
        (vec![about(Action::Ask)],                                     [PERSON, Verdict::Ask(Answerer::AlwaysNo), Verdict::Ask(Answerer::AlwaysYes)]),
        (vec![about(Action::Allow), about(Action::Deny)],              [Verdict::Deny; 3]),
        (vec![exact(sent, Action::Allow)],                             [Verdict::Allow; 3]),
        (vec![exact("{}", Action::Allow)],                             [PERSON, Verdict::Ask(Answerer::AlwaysNo), Verdict::Ask(Answerer::AlwaysYes)]),
        // The beginning of an input says nothing about its end.
        (vec![Rule::prefix(TOOL, r#"{"to":"#, Action::Allow)],         [PERSON, Verdict::Ask(Answerer::AlwaysNo), Verdict::Ask(Answerer::AlwaysYes)]),
        (vec![Rule::prefix(TOOL, r#"{"to":"#, Action::Deny)],          [Verdict::Deny; 3]),
        (vec![Rule::about("mcp_hub_other", Action::Allow)],            [PERSON, Verdict::Ask(Answerer::AlwaysNo), Verdict::Ask(Answerer::AlwaysYes)]),
    ];
    for (rules, expected) in table {
        let law = law(rules.clone());
        let seen = [Ask, AutoReview, FullAccess].map(|it| decide(call(), &plain(it), &law).verdict);
        assert_eq!(seen, expected, "{rules:?}");
    }
}

#[test]
fn a_rule_binds_what_only_looks_too() {
    let looks = || McpCall {
        only_looks: true,
        ..call()
    };
    let denied = law([Rule::about(TOOL, Action::Deny)]);
    assert_eq!(decide(looks(), &plain(Ask), &denied).verdict, Verdict::Deny);
    let asked = law([Rule::about(TOOL, Action::Ask)]);
    assert_eq!(decide(looks(), &plain(Ask), &asked).verdict, PERSON);
}

#[test]
fn a_remembered_yes_is_for_this_input_in_this_workspace() {
    let demand = Demand::Mcp(call());
    let judged = Call {
        tool: TOOL,
        demand: &demand,
        workspace: WORKSPACE.as_ref(),
    };
    let rule = Rule::remembering(judged).unwrap();
    assert_eq!(
        rule.label(),
        format!(r#"tool={TOOL} command={{"to":"ada"}} command_exact=true workspace={WORKSPACE}"#)
    );
    let law = law([rule]);
    assert_eq!(decide(call(), &plain(Ask), &law).verdict, Verdict::Allow);
    let other = McpCall {
        input: r#"{"to":"bob"}"#.into(),
        ..call()
    };
    assert_eq!(decide(other, &plain(Ask), &law).verdict, PERSON);
    let long = Demand::Mcp(McpCall {
        input: "x".repeat(5000),
        ..call()
    });
    let judged = Call {
        demand: &long,
        ..judged
    };
    assert_eq!(Rule::remembering(judged), None);
}

#[test]
fn a_server_of_a_workspace_does_not_inherit_what_its_namesake_was_allowed() {
    let brought = || McpCall {
        of_workspace: true,
        ..call()
    };
    let everywhere = Rule::about(TOOL, Action::Allow);
    let here = everywhere.clone().within(WORKSPACE);
    let verdict = |rule: Rule| decide(brought(), &plain(Ask), &law([rule])).verdict;
    assert_eq!(verdict(everywhere), PERSON);
    assert_eq!(verdict(here), Verdict::Allow);
    assert_eq!(verdict(Rule::about(TOOL, Action::Deny)), Verdict::Deny);
}

#[test]
fn the_network_policy_counts_for_the_host_of_a_server_and_for_no_process() {
    let network = |default, deny: &str| NetworkPolicy {
        default,
        allow: vec!["open.org".into()],
        deny: vec![deny.into()],
    };
    let allowed = law([Rule::about(TOOL, Action::Allow)]);
    #[rustfmt::skip]
    let table = [
        (None,             NetworkDefault::Deny,   "",         Verdict::Allow),
        (Some("open.org"), NetworkDefault::Deny,   "",         Verdict::Allow),
        (Some("hub.org"),  NetworkDefault::Deny,   "",         Verdict::Deny),
        (Some("hub.org"),  NetworkDefault::Prompt, "",         Verdict::Allow),
        (Some("hub.org"),  NetworkDefault::Allow,  "hub.org",  Verdict::Deny),
        (Some("open.org"), NetworkDefault::Allow,  "open.org", Verdict::Deny),
    ];
    for (host, default, deny, expected) in table {
        for only_looks in [false, true] {
            let call = McpCall {
                host: host.map(str::to_owned),
                only_looks,
                ..call()
            };
            let law = allowed.clone().with_network(network(default, deny));
            let seen = decide(call, &plain(Ask), &law).verdict;
            assert_eq!(seen, expected, "{host:?} {default:?} {deny}");
        }
    }
}
