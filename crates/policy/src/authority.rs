//! What a turn may do, and what holds it.

use codewhale_protocol::AskForApproval;
use codewhale_protocol::runtime::{Mode, Permission, PermissionPosture};

/// What a turn may do, taken from its thread and its own overrides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Authority {
    /// Mode and posture.
    pub permission: Permission,
    /// Whether the shell is offered.
    pub allow_shell: bool,
    /// Whether paths outside the workspace are in reach.
    pub trust_mode: bool,
    /// When someone is asked; by the posture alone where it says nothing.
    pub approval_policy: Option<AskForApproval>,
    /// What commands are held in.
    pub confinement: Confinement,
    /// Whether commands reach the network.
    pub network: bool,
    /// Whether the system can really hold them. Where it cannot, nothing counts as harmless.
    pub confined: bool,
}

/// How far a command reaches. The later ones reach further.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Confinement {
    /// It changes nothing.
    ReadOnly,
    /// It changes the workspace.
    WorkspaceWrite,
    /// Nothing holds it.
    FullAccess,
}

impl Authority {
    /// The least: no shell, no trust, nothing that holds commands for sure.
    pub fn plain(permission: Permission) -> Self {
        Self {
            permission,
            allow_shell: false,
            trust_mode: false,
            approval_policy: None,
            confinement: Confinement::of(permission),
            network: false,
            confined: false,
        }
    }

    /// The same with the shell.
    #[must_use]
    pub fn with_shell(self) -> Self {
        Self {
            allow_shell: true,
            ..self
        }
    }

    /// What both this and another allow: nothing more than either.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        Self {
            permission: self.permission.within(other.permission),
            allow_shell: self.allow_shell && other.allow_shell,
            trust_mode: self.trust_mode && other.trust_mode,
            approval_policy: self.approval_policy,
            confinement: self.confinement.min(other.confinement),
            network: self.network && other.network,
            confined: self.confined,
        }
    }

    /// Whether walls stand around a command that asks for nothing more.
    pub(crate) fn holds(&self) -> bool {
        self.confined && self.confinement != Confinement::FullAccess
    }

    pub(crate) fn is_full(&self) -> bool {
        self.permission.posture == PermissionPosture::FullAccess
    }
}

impl Confinement {
    /// What goes with a mode and a posture.
    pub fn of(permission: Permission) -> Self {
        match (permission.mode, permission.posture) {
            (Mode::Plan, _) => Self::ReadOnly,
            (Mode::Agent | Mode::Operate, PermissionPosture::FullAccess) => Self::FullAccess,
            (
                Mode::Agent | Mode::Operate,
                PermissionPosture::Ask | PermissionPosture::AutoReview,
            ) => Self::WorkspaceWrite,
        }
    }

    /// Reads the words of the command line and the API. What another program holds, we do not.
    pub fn read(word: &str) -> Option<Self> {
        Some(match word {
            "read-only" => Self::ReadOnly,
            "workspace-write" => Self::WorkspaceWrite,
            "danger-full-access" | "external-sandbox" => Self::FullAccess,
            _ => return None,
        })
    }

    /// The same under a configured bound, which only narrows.
    #[must_use]
    pub fn narrowed(self, configured: Option<Self>) -> Self {
        configured.map_or(self, |it| it.min(self))
    }
}
