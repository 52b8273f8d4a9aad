//! Work that may change some paths only: everything that could change others is refused, whatever
//! the posture and the rules.

use std::path::PathBuf;
use std::sync::Arc;

use codewhale_policy::{
    Action, Authority, Confinement, Demand, Execution, Law, Layer, McpCall, NetworkPolicy, Rule,
    Verdict, Walls,
};
use codewhale_protocol::runtime::PermissionPosture::{self, Ask, FullAccess};

use super::bench::{WORKSPACE, authority, judge};

/// A law that allows everything, in one place.
fn law() -> Law {
    let tools = ["write_file", "exec_shell", "mcp_tool"];
    let rules = tools.map(|tool| (Layer::User, Rule::about(tool, Action::Allow)));
    let place: Arc<[PathBuf]> = Arc::from([PathBuf::from(WORKSPACE).join("src")]);
    Law::new(rules, NetworkPolicy::default()).with_writable(place)
}

/// Full access that still has its walls.
fn held(posture: PermissionPosture) -> Authority {
    Authority {
        confinement: Confinement::WorkspaceWrite,
        ..authority(posture)
    }
}

fn write(path: &str) -> Demand {
    Demand::write(PathBuf::from(WORKSPACE).join(path), true)
}

fn run(walls: Walls) -> Demand {
    Demand::Execute(Execution {
        walls,
        ..Execution::within("make", WORKSPACE)
    })
}

fn is_refused(tool: &str, demand: &Demand, authority: &Authority) -> bool {
    let decision = judge(tool, demand, authority, &law());
    let is_bound = decision.matched_rule == "bounds:writable-paths";
    assert_eq!(is_bound, decision.verdict == Verdict::Deny, "{decision:?}");
    is_bound
}

#[test]
fn files_change_below_the_places_alone() {
    for posture in [Ask, FullAccess] {
        for (path, refused) in [
            ("src/a.rs", false),
            ("src", false),
            ("srcs/a.rs", true),
            ("a.rs", true),
        ] {
            assert_eq!(
                is_refused("write_file", &write(path), &held(posture)),
                refused,
                "{path}"
            );
        }
    }
}

#[test]
fn commands_run_within_walls_or_not_at_all() {
    for posture in [Ask, FullAccess] {
        assert!(!is_refused(
            "exec_shell",
            &run(Walls::Usual),
            &held(posture)
        ));
        assert!(is_refused(
            "exec_shell",
            &run(Walls::Without),
            &held(posture)
        ));
        assert!(is_refused(
            "exec_shell",
            &run(Walls::Network),
            &held(posture)
        ));
        let open = Authority {
            confined: false,
            ..held(posture)
        };
        assert!(is_refused("exec_shell", &run(Walls::Usual), &open));
        let free = Authority {
            confinement: Confinement::FullAccess,
            ..held(posture)
        };
        assert!(is_refused("exec_shell", &run(Walls::Usual), &free));
    }
}

#[test]
fn tools_of_the_client_do_nothing() {
    let call = Demand::Client("{}".into());
    assert!(is_refused("client_tool", &call, &held(FullAccess)));
}

#[test]
fn servers_may_look_and_do_nothing() {
    let call = |only_looks| {
        Demand::Mcp(McpCall {
            input: "{}".into(),
            host: None,
            only_looks,
            of_workspace: false,
        })
    };
    assert!(is_refused("mcp_tool", &call(false), &held(FullAccess)));
    assert!(!is_refused("mcp_tool", &call(true), &held(FullAccess)));
}
