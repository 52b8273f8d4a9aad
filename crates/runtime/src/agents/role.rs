//! Roles: what they leave of the parent's authority, and what they are told.

use codewhale_policy::Authority;
use codewhale_protocol::runtime::{AgentRole, Mode, Permission};

/// What a sub-agent may do: what its parent may, less what its role forbids.
pub(super) fn authority_of(role: AgentRole, parent: Authority) -> Authority {
    let mode = match role.only_reads() {
        true => Mode::Plan,
        false => parent.permission.mode,
    };
    let posture = parent.permission.posture;
    let wished = Authority {
        allow_shell: !role.only_reads(),
        permission: Permission { mode, posture },
        ..parent
    };
    wished.within(parent)
}

/// Tools that a role does not get, whatever its authority: one that judges must not mend.
pub(crate) fn withheld(role: AgentRole) -> &'static [&'static str] {
    match role {
        AgentRole::Verifier => &["apply_patch", "edit_file", "remember", "write_file"],
        AgentRole::Worker
        | AgentRole::Scout
        | AgentRole::Planner
        | AgentRole::Reviewer
        | AgentRole::Builder
        | AgentRole::Consultant
        | AgentRole::Custom => &[],
    }
}

/// The standing instructions of a sub-agent.
pub(super) fn instructions(role: AgentRole) -> String {
    let duty = match role {
        AgentRole::Worker | AgentRole::Custom => {
            "Do the task you are given, and nothing beside it."
        }
        AgentRole::Scout => {
            "Look around and report what you find, with paths and line numbers. Change nothing."
        }
        AgentRole::Planner => {
            "Think out how the task is done best: the steps, the files, the risks. Change nothing."
        }
        AgentRole::Reviewer => {
            "Judge the work you are shown: what is wrong, where, how grave. Change nothing."
        }
        AgentRole::Builder => "Build what you are asked for, and check that it works.",
        AgentRole::Verifier => {
            "Find out whether the claim holds: run what shows it. Mend nothing; report what you saw."
        }
        AgentRole::Consultant => "Give advice on the question, with reasons. Change nothing.",
    };
    format!(
        "You are a sub-agent ({}). {duty} You know only what you are told here; nobody reads along. \
         Your last message is your report to the agent that started you: say what you did, what you \
         found, what is not done, and how sure you are.",
        role.as_str()
    )
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::runtime::PermissionPosture;

    use super::*;

    #[test]
    fn no_role_gets_more_than_its_parent() {
        let postures = [
            PermissionPosture::Ask,
            PermissionPosture::AutoReview,
            PermissionPosture::FullAccess,
        ];
        for role in AgentRole::ALL {
            for posture in postures {
                for mode in [Mode::Agent, Mode::Plan, Mode::Operate] {
                    for allow_shell in [true, false] {
                        let parent = Authority {
                            allow_shell,
                            ..Authority::plain(Permission { mode, posture })
                        };
                        let child = authority_of(role, parent);
                        assert!(!child.permission.loosens(parent.permission), "{role:?}");
                        assert!(child.allow_shell <= parent.allow_shell, "{role:?}");
                        assert_eq!(child.permission.posture, posture, "approvals are inherited");
                        assert_eq!(
                            child.permission.mode == Mode::Plan,
                            role.only_reads() || mode == Mode::Plan
                        );
                    }
                }
            }
        }
    }
}
