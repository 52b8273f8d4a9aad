//! The whole table of settings: what a mode, a posture and an approval policy make of each act.

use codewhale_policy::{
    Act, Action, Answerer, Authority, Confinement, Demand, Execution, Host, Law, Layer, McpCall,
    NetworkPolicy, Rule, Verdict, Walls, offers,
};
use codewhale_protocol::AskForApproval;
use codewhale_protocol::runtime::PermissionPosture::{self, Ask, AutoReview, FullAccess};
use codewhale_protocol::runtime::{Mode, Permission};

use super::bench::{WORKSPACE, authority, judge};

/// One letter per act, in the order of [`acts`]: `A` runs, `P` asks a person, `Y` and `N` are
/// answered by the posture, `D` is refused.
///
/// ```text
/// inward read | write | look run | ask-rule | wider walls | grave | deny-rule | MCP | fetch | MCP look
/// ```
#[rustfmt::skip]
const TABLE: &[(PermissionPosture, Policy, &str)] = &[
    (Ask,        Policy::ByPosture,     "AA P AP P P P D P P A"),
    (Ask,        Policy::UnlessTrusted, "AA P AP P P P D P P A"),
    (Ask,        Policy::OnRequest,     "AA P AP P P P D P P A"),
    (Ask,        Policy::OnFailure,     "AA A AA P P P D P P A"),
    (Ask,        Policy::Never,         "AA A AA D D D D D D A"),
    (Ask,        Policy::RejectRules,   "AA D AD D P D D D D A"),
    (Ask,        Policy::RejectSandbox, "AA P AP P D P D P P A"),
    (AutoReview, Policy::ByPosture,     "AA N AN N N N D N N A"),
    (AutoReview, Policy::UnlessTrusted, "AA N AN N N N D N N A"),
    (AutoReview, Policy::OnRequest,     "AA N AN N N N D N N A"),
    (AutoReview, Policy::OnFailure,     "AA N AN N N N D N N A"),
    (AutoReview, Policy::Never,         "AA N AN D D D D D D A"),
    (AutoReview, Policy::RejectRules,   "AA D AD D N D D D D A"),
    (AutoReview, Policy::RejectSandbox, "AA N AN N D N D N N A"),
    (FullAccess, Policy::ByPosture,     "AA Y YY Y Y P D Y Y A"),
    (FullAccess, Policy::UnlessTrusted, "AA Y YY Y Y P D Y Y A"),
    (FullAccess, Policy::OnRequest,     "AA Y YY Y Y P D Y Y A"),
    (FullAccess, Policy::OnFailure,     "AA A YY Y Y P D Y Y A"),
    (FullAccess, Policy::Never,         "AA A AA D A D D A A A"),
    (FullAccess, Policy::RejectRules,   "AA D DD D D D D D D A"),
    (FullAccess, Policy::RejectSandbox, "AA Y YY Y Y P D Y Y A"),
];

#[derive(Clone, Copy, Debug)]
enum Policy {
    ByPosture,
    UnlessTrusted,
    OnRequest,
    OnFailure,
    Never,
    RejectRules,
    RejectSandbox,
}

impl Policy {
    fn value(self) -> Option<AskForApproval> {
        let reject = |sandbox_approval, rules| AskForApproval::Reject {
            sandbox_approval,
            rules,
            mcp_elicitations: false,
        };
        match self {
            Self::ByPosture => None,
            Self::UnlessTrusted => Some(AskForApproval::UnlessTrusted),
            Self::OnRequest => Some(AskForApproval::OnRequest),
            Self::OnFailure => Some(AskForApproval::OnFailure),
            Self::Never => Some(AskForApproval::Never),
            Self::RejectRules => Some(reject(false, true)),
            Self::RejectSandbox => Some(reject(true, false)),
        }
    }
}

fn acts() -> [(&'static str, Demand); 12] {
    let run = |script: &str| Demand::Execute(Execution::within(script, WORKSPACE));
    let file = format!("{WORKSPACE}/a");
    let wider = Execution {
        walls: Walls::Network,
        ..Execution::within("make", WORKSPACE)
    };
    let host = Host {
        name: "x.org".into(),
        port: 443,
    };
    let mcp = |only_looks| {
        Demand::Mcp(McpCall {
            input: "{}".into(),
            host: None,
            only_looks,
            of_workspace: false,
        })
    };
    [
        ("note", Demand::Inward),
        ("read_file", Demand::read(file.clone().into(), true)),
        ("write_file", Demand::write(file.into(), true)),
        ("exec_shell", run("ls -la")),
        ("exec_shell", run("make")),
        ("exec_shell", run("npm test")),
        ("exec_shell", Demand::Execute(wider)),
        ("exec_shell", run("rm -rf /")),
        ("exec_shell", run("git push")),
        ("mcp_hub_send", mcp(false)),
        ("fetch_url", Demand::Fetch(host)),
        ("mcp_hub_look", mcp(true)),
    ]
}

fn rules() -> Law {
    let rule = |command, action| (Layer::User, Rule::prefix("bash", command, action));
    let rules = [
        rule("npm test", Action::Ask),
        rule("git push", Action::Deny),
    ];
    Law::new(rules, NetworkPolicy::default())
}

fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Allow => 'A',
        Verdict::Ask(Answerer::Person) => 'P',
        Verdict::Ask(Answerer::AlwaysYes) => 'Y',
        Verdict::Ask(Answerer::AlwaysNo) => 'N',
        Verdict::Deny => 'D',
    }
}

fn row(authority: &Authority) -> String {
    let law = rules();
    let decide = |(tool, demand): (&str, Demand)| {
        let decision = judge(tool, &demand, authority, &law);
        assert!(
            !decision.matched_rule.is_empty() && !decision.reason.is_empty(),
            "{decision:?}"
        );
        letter(decision.verdict)
    };
    acts().into_iter().map(decide).collect()
}

#[test]
fn mode_and_posture_and_policy_make_of_each_act_what_the_table_says() {
    let mut wrong = Vec::new();
    for (posture, policy, expected) in TABLE {
        let expected = expected.replace(' ', "");
        for mode in [Mode::Agent, Mode::Operate, Mode::Plan] {
            let permission = Permission {
                mode,
                posture: *posture,
            };
            let authority = Authority {
                approval_policy: policy.value(),
                confined: true,
                ..Authority::plain(permission).with_shell()
            };
            // Plan mode reads and fetches as the others do, and has no effects.
            let expected = match mode {
                Mode::Agent | Mode::Operate => expected.clone(),
                Mode::Plan => format!("{}DDDDDDDD{}", &expected[..2], &expected[10..]),
            };
            let seen = row(&authority);
            if seen != expected {
                wrong.push(format!(
                    "{mode:?} {posture:?} {policy:?}: {seen}, not {expected}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(TABLE.len(), 21);
}

#[test]
fn yolo_is_agent_with_full_access() {
    let yolo = Permission::DEFAULT
        .amended(Some("yolo"), None, None)
        .unwrap();
    assert_eq!((yolo.mode, yolo.posture), (Mode::Agent, FullAccess));
    assert_eq!(
        row(&Authority::plain(yolo).with_shell()),
        row(&authority(FullAccess))
    );
}

#[test]
fn nothing_that_the_system_cannot_hold_is_waived() {
    let loose = |policy| Authority {
        confined: false,
        approval_policy: Some(policy),
        ..authority(Ask)
    };
    assert_eq!(&row(&loose(AskForApproval::OnFailure))[3..5], "PP");
    assert_eq!(&row(&loose(AskForApproval::Never))[3..5], "DD");
}

#[test]
fn walls_follow_the_mode_and_a_configured_bound_only_narrows() {
    use Confinement::{FullAccess as Open, ReadOnly, WorkspaceWrite};
    let of = |mode, posture| Confinement::of(Permission { mode, posture });
    assert_eq!(of(Mode::Plan, FullAccess), ReadOnly);
    assert_eq!(of(Mode::Agent, Ask), WorkspaceWrite);
    assert_eq!(of(Mode::Operate, FullAccess), Open);
    assert_eq!(WorkspaceWrite.narrowed(Some(Open)), WorkspaceWrite);
    assert_eq!(Open.narrowed(Some(ReadOnly)), ReadOnly);
    let narrow = Authority {
        confinement: ReadOnly,
        ..authority(Ask)
    };
    assert_eq!(&row(&narrow)[2..5], "DAP");
}

#[test]
fn a_network_that_is_open_already_is_no_wish() {
    let online = Authority {
        network: true,
        ..authority(Ask)
    };
    let decision = judge("exec_shell", &acts()[6].1, &online, &rules());
    assert_eq!(decision.matched_rule, "builtin:ask-before-run");
    let shut = NetworkPolicy {
        default: codewhale_policy::NetworkDefault::Deny,
        ..NetworkPolicy::default()
    };
    let decision = judge(
        "exec_shell",
        &acts()[6].1,
        &authority(Ask),
        &rules().with_network(shut),
    );
    assert_eq!(
        (decision.verdict, decision.matched_rule.as_str()),
        (Verdict::Deny, "network:default=deny")
    );
}

#[test]
fn outside_the_workspace_needs_trust_and_writing_there_still_asks() {
    let trusted = Authority {
        trust_mode: true,
        ..authority(Ask)
    };
    let (read, write) = (
        Demand::read("/a".into(), false),
        Demand::write("/a".into(), false),
    );
    let ask = |demand: &Demand, authority: &Authority| {
        judge("read_file", demand, authority, &Law::default()).verdict
    };
    assert_eq!(ask(&read, &authority(FullAccess)), Verdict::Deny);
    assert_eq!(ask(&write, &authority(FullAccess)), Verdict::Deny);
    assert_eq!(ask(&read, &trusted), Verdict::Allow);
    assert_eq!(ask(&write, &trusted), Verdict::Ask(Answerer::Person));
    let on_failure = Authority {
        approval_policy: Some(AskForApproval::OnFailure),
        ..trusted
    };
    assert_eq!(ask(&write, &on_failure), Verdict::Ask(Answerer::Person));
}

#[test]
fn without_the_shell_a_command_is_neither_offered_nor_run() {
    let closed = Authority {
        allow_shell: false,
        ..authority(FullAccess)
    };
    assert!(!offers(Act::Execute, &closed));
    let decision = judge("exec_shell", &acts()[3].1, &closed, &Law::default());
    assert_eq!(
        (decision.verdict, decision.matched_rule.as_str()),
        (Verdict::Deny, "thread:no-shell")
    );
    let plan = Authority::plain(Permission {
        mode: Mode::Plan,
        posture: FullAccess,
    });
    assert!(!offers(Act::Write, &plan) && !offers(Act::Execute, &plan) && offers(Act::Read, &plan));
}
