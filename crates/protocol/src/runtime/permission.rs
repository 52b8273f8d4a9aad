//! Mode and posture: how far an agent may go before a person is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of work a thread is set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Ordinary work: reads, writes and commands, under the posture.
    Agent,
    /// Looking and thinking only: no writes, no commands.
    Plan,
    /// The authority of `agent`, with a preference for background workers.
    Operate,
}

/// Who answers when a call needs approval.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionPosture {
    /// A person.
    Ask,
    /// The engine by itself; what it cannot prove safe is refused.
    AutoReview,
    /// Nobody: every approval is recorded and granted.
    FullAccess,
}

/// A word that names nothing of its kind.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown {what} {text:?}: use one of {accepted}")]
pub struct UnknownSpelling {
    what: &'static str,
    text: String,
    accepted: &'static str,
}

impl UnknownSpelling {
    pub(super) fn new(what: &'static str, text: &str, accepted: &'static str) -> Self {
        Self {
            what,
            text: text.to_owned(),
            accepted,
        }
    }
}

/// Mode and posture together, as they hold for a thread or a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permission {
    /// What kind of work.
    pub mode: Mode,
    /// Who answers.
    pub posture: PermissionPosture,
}

impl Permission {
    /// What a new thread starts from.
    pub const DEFAULT: Permission = Permission {
        mode: Mode::Agent,
        posture: PermissionPosture::Ask,
    };

    /// What a request changes about `self`. A named posture wins; else a mode that implies full
    /// access or `auto_approve: true` grants it, `auto_approve: false` takes it back, and silence
    /// inherits.
    pub fn amended(
        self,
        mode: Option<&str>,
        posture: Option<&str>,
        auto_approve: Option<bool>,
    ) -> Result<Permission, UnknownSpelling> {
        let spelled = mode.map(ModeSpelling::parse).transpose()?;
        let implied = spelled.is_some_and(|s| s.full_access);
        let posture = match (posture, auto_approve) {
            (Some(text), _) => PermissionPosture::parse(text)?,
            (None, Some(true)) => PermissionPosture::FullAccess,
            (None, _) if implied => PermissionPosture::FullAccess,
            (None, Some(false)) => PermissionPosture::Ask,
            (None, None) => self.posture,
        };
        let mode = spelled.map_or(self.mode, |s| s.mode);
        Ok(Permission { mode, posture })
    }

    /// What both this and another allow.
    #[must_use]
    pub fn within(self, other: Permission) -> Permission {
        use PermissionPosture::{Ask, AutoReview, FullAccess};
        let mode = match (self.mode, other.mode) {
            (_, Mode::Plan) => Mode::Plan,
            (own, Mode::Agent | Mode::Operate) => own,
        };
        let posture = match (self.posture, other.posture) {
            (AutoReview, _) | (_, AutoReview) => AutoReview,
            (Ask, _) | (_, Ask) => Ask,
            (FullAccess, FullAccess) => FullAccess,
        };
        Permission { mode, posture }
    }

    /// Whether this lets an agent do something that `before` did not.
    pub fn loosens(self, before: Permission) -> bool {
        self.posture.latitude() > before.posture.latitude()
            || (before.mode == Mode::Plan && self.mode != Mode::Plan)
    }
}

struct ModeSpelling {
    mode: Mode,
    full_access: bool,
}

impl Copy for ModeSpelling {}
impl Clone for ModeSpelling {
    fn clone(&self) -> Self {
        *self
    }
}

impl ModeSpelling {
    fn parse(text: &str) -> Result<Self, UnknownSpelling> {
        let (mode, full_access) = match text.trim().to_ascii_lowercase().as_str() {
            "agent" | "act" | "work" | "auto" | "normal" | "1" => (Mode::Agent, false),
            "plan" | "2" => (Mode::Plan, false),
            "operate" | "operation" | "ops" | "multitask" | "3" => (Mode::Operate, false),
            "yolo" | "bypass" | "bypass-permissions" | "bypasspermissions" | "4" => {
                (Mode::Agent, true)
            }
            _ => {
                let accepted = "agent, plan, operate, yolo";
                return Err(UnknownSpelling::new("mode", text, accepted));
            }
        };
        Ok(Self { mode, full_access })
    }
}

impl Mode {
    /// The canonical word.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Agent => "agent",
            Mode::Plan => "plan",
            Mode::Operate => "operate",
        }
    }
}

impl PermissionPosture {
    /// Reads any accepted spelling. `never` and its kin are not postures over the API.
    pub fn parse(text: &str) -> Result<Self, UnknownSpelling> {
        Ok(match text.trim().to_ascii_lowercase().as_str() {
            "ask" | "suggest" | "suggested" | "on-request" | "untrusted" => Self::Ask,
            "auto_review" | "auto" | "auto-review" => Self::AutoReview,
            "full_access" | "full-access" | "full" | "bypass" | "yolo" | "dontask" | "dont_ask"
            | "bypass-permissions" | "bypasspermissions" => Self::FullAccess,
            _ => {
                let accepted = "ask, auto_review, full_access";
                return Err(UnknownSpelling::new("permission posture", text, accepted));
            }
        })
    }

    /// The canonical word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::AutoReview => "auto_review",
            Self::FullAccess => "full_access",
        }
    }

    /// The approval policy that this posture amounts to, in configuration words.
    pub fn approval_policy(self) -> &'static str {
        match self {
            Self::Ask => "on-request",
            Self::AutoReview => "auto",
            Self::FullAccess => "bypass",
        }
    }

    fn latitude(self) -> u8 {
        match self {
            // Auto-review refuses what it cannot prove safe, so it grants nothing that a person
            // under `ask` had not granted first.
            Self::Ask | Self::AutoReview => 0,
            Self::FullAccess => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN_ASK: Permission = Permission {
        mode: Mode::Plan,
        posture: PermissionPosture::Ask,
    };
    const FULL: Permission = Permission {
        mode: Mode::Agent,
        posture: PermissionPosture::FullAccess,
    };

    #[track_caller]
    fn check(
        base: Permission,
        request: (Option<&str>, Option<&str>, Option<bool>),
        expect: (&str, &str),
    ) {
        let (mode, posture, auto) = request;
        let got = base.amended(mode, posture, auto).unwrap();
        assert_eq!((got.mode.as_str(), got.posture.as_str()), expect);
    }

    #[test]
    fn what_two_allow_is_never_more_than_either() {
        let postures = [
            PermissionPosture::Ask,
            PermissionPosture::AutoReview,
            PermissionPosture::FullAccess,
        ];
        let modes = [Mode::Agent, Mode::Plan, Mode::Operate];
        let all = || {
            let pairs = modes
                .iter()
                .flat_map(|mode| postures.iter().map(move |it| (mode, it)));
            pairs.map(|(&mode, &posture)| Permission { mode, posture })
        };
        for (one, other) in all().flat_map(|one| all().map(move |other| (one, other))) {
            let both = one.within(other);
            assert!(
                !both.loosens(one) && !both.loosens(other),
                "{one:?} {other:?}"
            );
            assert_eq!(one.within(one), one);
        }
    }

    #[test]
    fn silence_inherits_and_each_word_changes_only_its_own_side() {
        check(PLAN_ASK, (None, None, None), ("plan", "ask"));
        check(FULL, (Some("plan"), None, None), ("plan", "full_access"));
        check(FULL, (None, None, Some(false)), ("agent", "ask"));
        check(PLAN_ASK, (None, None, Some(true)), ("plan", "full_access"));
        check(PLAN_ASK, (Some(" OPS "), None, None), ("operate", "ask"));
    }

    #[test]
    fn yolo_means_agent_with_full_access_unless_a_posture_is_named() {
        check(
            PLAN_ASK,
            (Some("yolo"), None, None),
            ("agent", "full_access"),
        );
        check(
            PLAN_ASK,
            (Some("4"), None, Some(false)),
            ("agent", "full_access"),
        );
        check(
            PLAN_ASK,
            (Some("bypass"), Some("ask"), Some(true)),
            ("agent", "ask"),
        );
    }

    #[test]
    fn never_is_not_a_posture_and_nonsense_is_named() {
        for text in ["never", "deny", "denied", "", "maybe"] {
            assert!(PermissionPosture::parse(text).is_err(), "{text}");
        }
        let error = Permission::DEFAULT
            .amended(Some("swim"), None, None)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown mode \"swim\": use one of agent, plan, operate, yolo"
        );
    }

    #[test]
    fn loosening_is_more_access_or_leaving_plan() {
        assert!(FULL.loosens(Permission::DEFAULT));
        assert!(Permission::DEFAULT.loosens(PLAN_ASK));
        assert!(!PLAN_ASK.loosens(FULL));
        assert!(!Permission::DEFAULT.loosens(Permission::DEFAULT));
    }
}
