//! What the tables share: a workspace, a few authorities, a short way to ask.

use std::path::Path;

use codewhale_policy::{
    Action, Authority, Call, Decision, Demand, Execution, Law, Layer, NetworkPolicy, Rule, Verdict,
    decide,
};
use codewhale_protocol::runtime::{Mode, Permission, PermissionPosture};

pub(crate) const WORKSPACE: &str = "/home/you/app";

/// Agent mode with a shell and walls that hold.
pub(crate) fn authority(posture: PermissionPosture) -> Authority {
    let permission = Permission {
        mode: Mode::Agent,
        posture,
    };
    Authority {
        confined: true,
        ..Authority::plain(permission).with_shell()
    }
}

pub(crate) fn law(rules: &[(Action, &str)]) -> Law {
    let rule = |(action, command): &(Action, &str)| {
        (Layer::User, Rule::prefix("exec_shell", *command, *action))
    };
    Law::new(rules.iter().map(rule), NetworkPolicy::default())
}

pub(crate) fn run(script: &str, authority: &Authority, law: &Law) -> Decision {
    let demand = Demand::Execute(Execution::within(script, WORKSPACE));
    judge("exec_shell", &demand, authority, law)
}

pub(crate) fn judge(tool: &str, demand: &Demand, authority: &Authority, law: &Law) -> Decision {
    let call = Call {
        tool,
        demand,
        workspace: Path::new(WORKSPACE),
    };
    decide(call, authority, law)
}

pub(crate) fn verdict(script: &str, posture: PermissionPosture, law: &Law) -> Verdict {
    run(script, &authority(posture), law).verdict
}
