//! Rules: how they are written, which of them wins, and what an approval leaves behind.

use codewhale_policy::{
    Action, Answerer, Call, Decision, Demand, Execution, File, Host, Law, Layer, NetworkPolicy,
    Rule, Verdict, Walls, decide,
};
use codewhale_protocol::runtime::PermissionPosture::{Ask, FullAccess};
use codewhale_protocol::{NetworkPolicyAmendment, NetworkPolicyRuleAction};

use super::bench::{WORKSPACE, authority, judge, law, run, verdict};

fn read_rule(json: &str) -> Result<Rule, serde_json::Error> {
    serde_json::from_str(json)
}

fn layered(rules: &[(Layer, Action, &str)]) -> Law {
    let rule = |(layer, action, command): &(Layer, Action, &str)| {
        (*layer, Rule::prefix("exec_shell", *command, *action))
    };
    Law::new(rules.iter().map(rule), NetworkPolicy::default())
}

fn call(demand: &Demand) -> Call<'_> {
    Call {
        tool: "exec_shell",
        demand,
        workspace: WORKSPACE.as_ref(),
    }
}

fn shell(script: &str) -> Demand {
    Demand::Execute(Execution::within(script, WORKSPACE))
}

#[test]
fn a_rule_asks_unless_it_says_more_and_knows_its_members() {
    let rule = read_rule(r#"{"tool":"exec_shell","command":"git push"}"#).unwrap();
    assert_eq!(rule, Rule::prefix("exec_shell", "git push", Action::Ask));
    assert!(read_rule(r#"{"tool":"exec_shell","comand":"git push"}"#).is_err());
    assert!(read_rule(r#"{"tool":"exec_shell","action":"perhaps"}"#).is_err());
    assert!(read_rule(r#"{"command":"git push"}"#).is_err());
    let json = serde_json::to_string(&rule).unwrap();
    assert_eq!(
        json,
        r#"{"tool":"exec_shell","command":"git push","action":"ask"}"#
    );
}

#[test]
fn a_label_names_every_member_that_is_set() {
    let rule = read_rule(
        r#"{"tool":"t","command":"a b","command_exact":true,"path":"p","workspace":"/w","action":"deny"}"#,
    );
    assert_eq!(
        rule.unwrap().label(),
        "tool=t command=a b command_exact=true path=p workspace=/w"
    );
}

#[test]
fn layer_wins_over_action_and_action_over_closeness() {
    use Action::{Allow, Deny};
    use Layer::{Agent, Builtin, User};
    for (rules, expected) in [
        (
            vec![(User, Allow, "make x"), (Agent, Deny, "make x")],
            Verdict::Allow,
        ),
        (
            vec![(Builtin, Allow, "make x"), (Agent, Deny, "make x")],
            Verdict::Deny,
        ),
        (
            vec![(User, Allow, "make x"), (User, Deny, "make")],
            Verdict::Deny,
        ),
        (
            vec![(User, Allow, "make x"), (User, Action::Ask, "make")],
            Verdict::Ask(Answerer::Person),
        ),
        (
            vec![(User, Allow, "make x"), (Builtin, Action::Ask, "make")],
            Verdict::Allow,
        ),
    ] {
        assert_eq!(
            verdict("make x", Ask, &layered(&rules)),
            expected,
            "{rules:?}"
        );
    }
}

#[test]
fn a_deny_in_any_part_of_a_chain_forbids_all_of_it() {
    let law = law(&[(Action::Allow, "make x"), (Action::Deny, "git push")]);
    assert_eq!(verdict("make x", FullAccess, &law), Verdict::Allow);
    let decision = run("make x && (ls; git push)", &authority(FullAccess), &law);
    assert_eq!(decision.verdict, Verdict::Deny);
    assert_eq!(decision.matched_rule, "tool=exec_shell command=git push");
    assert_eq!(decision.matched_action, Some(Action::Deny));
}

#[test]
fn a_rule_about_a_whole_tool_covers_everything_but_the_grave() {
    let rule = Rule::about("bash", Action::Allow);
    let law = Law::default().with_rule(Layer::User, rule);
    assert_eq!(
        verdict("make $X > log; python -c 1", Ask, &law),
        Verdict::Allow
    );
    assert_eq!(
        verdict("rm -rf /", Ask, &law),
        Verdict::Ask(Answerer::Person)
    );
    let closed = Law::default().with_rule(Layer::User, Rule::about("exec_shell", Action::Deny));
    for script in ["ls", "", "# nothing", "$X", "\""] {
        assert_eq!(
            verdict(script, FullAccess, &closed),
            Verdict::Deny,
            "{script:?}"
        );
    }
}

#[test]
fn a_remembered_approval_is_exact_and_stays_in_its_workspace() {
    for script in [
        "make x",
        "make x > log && python -c 'print(1)'",
        "for f in *; do make $f; done",
    ] {
        let demand = shell(script);
        let rule = Rule::remembering(call(&demand)).unwrap();
        assert_eq!(
            (rule.command.as_deref(), rule.command_exact),
            (Some(script), true)
        );
        let law = Law::default()
            .with_rule(Layer::User, rule.clone())
            .with_rule(Layer::User, rule);
        assert_eq!(law.rules().count(), 1);
        assert_eq!(verdict(script, Ask, &law), Verdict::Allow, "{script}");
        assert_eq!(
            verdict(&format!("  {script}\n"), Ask, &law),
            Verdict::Allow,
            "{script}"
        );
        for other in [
            format!("{script} y"),
            format!("make y; {script}"),
            format!("sudo {script}"),
        ] {
            assert_ne!(verdict(&other, Ask, &law), Verdict::Allow, "{other}");
        }
        let elsewhere = Call {
            workspace: "/other".as_ref(),
            ..call(&demand)
        };
        assert_ne!(
            decide(elsewhere, &authority(Ask), &law).verdict,
            Verdict::Allow
        );
    }
}

#[test]
fn an_exact_command_counts_inside_a_chain_of_what_is_allowed() {
    let demand = shell("make x");
    let rule = Rule::remembering(call(&demand)).unwrap();
    let law = Law::default().with_rule(Layer::User, rule);
    assert_eq!(
        verdict("cd src && make x | tail -5", Ask, &law),
        Verdict::Allow
    );
    assert_ne!(verdict("make x && make y", Ask, &law), Verdict::Allow);
    assert_ne!(verdict("make x > log", Ask, &law), Verdict::Allow);
}

#[test]
fn a_wish_for_wider_walls_is_neither_remembered_nor_covered() {
    let wider = Demand::Execute(Execution {
        walls: Walls::Without,
        ..Execution::within("make x", WORKSPACE)
    });
    assert_eq!(Rule::remembering(call(&wider)), None);
    let law = law(&[(Action::Allow, "make x")]);
    let decision = decide(call(&wider), &authority(Ask), &law);
    assert_eq!(decision.verdict, Verdict::Ask(Answerer::Person));
    assert_eq!(decision.matched_rule, "builtin:ask-before-leaving-walls");
}

fn write(path: &str, law: &Law) -> Decision {
    judge(
        "write_file",
        &Demand::write(path.into(), true),
        &authority(Ask),
        law,
    )
}

#[test]
fn a_path_covers_itself_and_what_is_below_it_by_whole_names() {
    let rule = Rule {
        path: Some("src/./gen".into()),
        ..Rule::about("write", Action::Allow)
    };
    let law = Law::default().with_rule(Layer::User, rule);
    assert_eq!(
        write("/home/you/app/src/gen/a.rs", &law).verdict,
        Verdict::Allow
    );
    assert_eq!(write("/home/you/app/src/gen", &law).verdict, Verdict::Allow);
    for other in [
        "/home/you/app/src/generated",
        "/home/you/app/src",
        "/home/you/app/src/gen/../a",
    ] {
        assert_ne!(write(other, &law).verdict, Verdict::Allow, "{other}");
    }
}

#[test]
fn several_files_are_allowed_only_together_and_refused_by_one() {
    let rule = |path: &str, action| Rule {
        path: Some(path.into()),
        ..Rule::about("edit_file", action)
    };
    let law = Law::default()
        .with_rule(Layer::User, rule("a", Action::Allow))
        .with_rule(Layer::User, rule("b", Action::Deny));
    let edit = |names: &[&str]| {
        let file = |name: &&str| File {
            path: format!("{WORKSPACE}/{name}").into(),
            inside: true,
        };
        let demand = Demand::Write(names.iter().map(file).collect());
        judge("edit", &demand, &authority(Ask), &law).verdict
    };
    assert_eq!(edit(&["a"]), Verdict::Allow);
    assert_eq!(edit(&["a", "c"]), Verdict::Ask(Answerer::Person));
    assert_eq!(edit(&["a", "b"]), Verdict::Deny);
}

#[test]
fn a_remembered_write_is_for_that_file_and_reading_can_be_forbidden() {
    let demand = Demand::write(format!("{WORKSPACE}/a.rs").into(), true);
    let wrote = Call {
        tool: "write",
        ..call(&demand)
    };
    let rule = Rule::remembering(wrote).unwrap();
    assert_eq!(rule.tool, "write_file");
    let law = Law::default().with_rule(Layer::User, rule);
    assert_eq!(write("/home/you/app/a.rs", &law).verdict, Verdict::Allow);
    assert_ne!(write("/home/you/app/b.rs", &law).verdict, Verdict::Allow);
    let secret = Rule {
        path: Some(".env".into()),
        ..Rule::about("read_file", Action::Deny)
    };
    let law = law.with_rule(Layer::User, secret);
    let read = Demand::read(format!("{WORKSPACE}/.env").into(), true);
    assert_eq!(
        judge("read_file", &read, &authority(FullAccess), &law).verdict,
        Verdict::Deny
    );
}

fn fetch(host: &str, law: &Law) -> Decision {
    let demand = Demand::Fetch(Host {
        name: host.into(),
        port: 443,
    });
    judge("fetch_url", &demand, &authority(Ask), law)
}

#[test]
fn the_network_policy_judges_hosts_and_learns_from_amendments() {
    let policy = NetworkPolicy {
        allow: vec!["docs.rs".into(), "*.wiki.org".into()],
        deny: vec!["bad.wiki.org".into()],
        ..NetworkPolicy::default()
    };
    let law = Law::default().with_network(policy);
    assert_eq!(fetch("docs.rs", &law).matched_rule, "network:allow=docs.rs");
    assert_eq!(fetch("bad.wiki.org", &law).verdict, Verdict::Deny);
    let asked = fetch("new.org", &law);
    assert_eq!(asked.verdict, Verdict::Ask(Answerer::Person));
    let allow = NetworkPolicyAmendment {
        host: "new.org".into(),
        action: NetworkPolicyRuleAction::Allow,
    };
    assert_eq!(asked.amendments.network[0], allow);
    let network = law.network().clone().amended(&allow);
    assert_eq!(
        fetch("new.org", &law.with_network(network)).verdict,
        Verdict::Allow
    );
}

#[test]
fn a_remembered_host_is_a_rule_and_the_deny_list_still_wins() {
    let demand = Demand::Fetch(Host {
        name: "x.org".into(),
        port: 443,
    });
    let fetched = Call {
        tool: "fetch_url",
        ..call(&demand)
    };
    let law = Law::default().with_rule(Layer::User, Rule::remembering(fetched).unwrap());
    assert_eq!(fetch("x.org", &law).verdict, Verdict::Allow);
    assert_ne!(fetch("y.x.org", &law).verdict, Verdict::Allow);
    let shut = NetworkPolicy {
        deny: vec!["x.org".into()],
        ..NetworkPolicy::default()
    };
    assert_eq!(
        fetch("x.org", &law.with_network(shut)).verdict,
        Verdict::Deny
    );
}

#[test]
fn programs_read_a_decision_in_the_agreed_shape() {
    let law = law(&[(Action::Deny, "git push"), (Action::Allow, "make x")]);
    let json = |script: &str| {
        serde_json::to_string(&run(script, &authority(Ask), &law).to_exec_policy()).unwrap()
    };
    assert_eq!(
        json("npm publish"),
        r#"{"allow":false,"requires_approval":true,"requirement":{"NeedsApproval":{"reason":"a command would run","proposed_execpolicy_amendment":{"prefixes":["npm publish"]},"proposed_network_policy_amendments":[]}},"matched_rule":null,"matched_action":null}"#
    );
    assert_eq!(
        json("git push"),
        r#"{"allow":false,"requires_approval":false,"requirement":{"Forbidden":{"reason":"a rule forbids it; do something else, or ask the user to change the rule"}},"matched_rule":"tool=exec_shell command=git push","matched_action":"deny"}"#
    );
    assert_eq!(
        json("make x"),
        r#"{"allow":true,"requires_approval":false,"requirement":{"Skip":{"bypass_sandbox":false,"proposed_execpolicy_amendment":null}},"matched_rule":"tool=exec_shell command=make x","matched_action":"allow"}"#
    );
}

#[test]
fn what_makes_others_run_things_is_written_only_after_a_person_said_so() {
    let everything = Rule::about("write_file", Action::Allow);
    let law = Law::new([(Layer::User, everything)], NetworkPolicy::default());
    let verdict = |path: &str, posture| {
        let demand = Demand::write(format!("{WORKSPACE}/{path}").into(), true);
        let call = Call {
            tool: "write_file",
            ..call(&demand)
        };
        assert_eq!(Rule::remembering(call).is_none(), path != "src/git.rs");
        decide(call, &authority(posture), &law).verdict
    };
    for posture in [Ask, FullAccess] {
        for path in [
            ".git/hooks/pre-commit",
            ".git/config",
            "sub/.git/config",
            ".codewhale/tools/x.json",
        ] {
            assert_eq!(
                verdict(path, posture),
                Verdict::Ask(Answerer::Person),
                "{path}"
            );
        }
        assert_eq!(verdict("src/git.rs", posture), Verdict::Allow);
    }
}
