//! Who asks, who acts, and through which door.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::runtime::{PrincipalId, ThreadId};

/// The door a request came through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The Runtime API.
    Http,
    /// JSON-RPC on stdio.
    Stdio,
    /// Agent Client Protocol, for editors.
    Acp,
    /// Agent Communication Protocol, for other agents.
    AcpRest,
    /// Model Context Protocol.
    Mcp,
    /// The page in a browser.
    Web,
    /// The page on a phone.
    Mobile,
    /// The terminal.
    Tui,
    /// The command line.
    Cli,
    /// A chat.
    Bridge,
    /// A schedule.
    Scheduler,
    /// A fleet run.
    Fleet,
    /// The runtime itself: recovery, expiry.
    Runtime,
}

/// What a token allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Look.
    Read,
    /// Start and steer work.
    Run,
    /// Answer approvals.
    Approve,
    /// Loosen permissions and manage others.
    Admin,
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scopes(u8);

impl Scopes {
    /// Every scope, what the operator's own token has.
    pub const ALL: Scopes = Scopes(0b1111);

    /// Just these.
    pub fn of(scopes: &[Scope]) -> Scopes {
        Scopes(scopes.iter().fold(0, |set, scope| set | bit(*scope)))
    }

    /// Whether `scope` is among them.
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & bit(scope) != 0
    }
}

fn bit(scope: Scope) -> u8 {
    match scope {
        Scope::Read => 1,
        Scope::Run => 2,
        Scope::Approve => 4,
        Scope::Admin => 8,
    }
}

/// Who asks. No operation runs without one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Caller {
    /// The person, agent or service.
    pub principal: PrincipalId,
    /// What their token allows.
    pub scopes: Scopes,
    /// Which token; the id, never the token.
    pub token_id: Option<Arc<str>>,
    /// Which device.
    pub device_id: Option<Arc<str>>,
    /// Through which door.
    pub surface: Surface,
    /// For whom, when a service asks for someone else.
    pub on_behalf_of: Option<PrincipalId>,
}

/// What kind of someone acted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A person.
    Human,
    /// A model at work.
    Agent,
    /// A schedule or trigger.
    Automation,
    /// A bridge or webhook.
    Service,
    /// The runtime itself.
    System,
}

/// Who did something, as every event tells it. Token and device stay behind in the store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Actor {
    /// What kind of someone.
    pub kind: ActorKind,
    /// Who: a principal, an agent, or the part of the runtime.
    pub id: String,
    /// Which model, for agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentIdentity>,
    /// Through which door.
    pub surface: Surface,
}

/// Which model an agent is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentIdentity {
    /// The agent; lasts as long as its thread.
    pub agent_id: String,
    /// The provider that served the call.
    pub provider: String,
    /// The model that served it.
    pub model: String,
}

impl Actor {
    /// A part of the runtime that acts by itself.
    pub fn system(part: &str) -> Actor {
        Actor {
            kind: ActorKind::System,
            id: part.to_owned(),
            agent: None,
            surface: Surface::Runtime,
        }
    }
}

/// Everything the store keeps about who did something. Events show the public part alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ActorRecord {
    /// The public part.
    #[serde(flatten)]
    pub actor: Actor,
    /// For whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<PrincipalId>,
    /// With which token; the id, never the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_id: Option<Arc<str>>,
    /// From which device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_id: Option<Arc<str>>,
}

impl From<Actor> for ActorRecord {
    fn from(actor: Actor) -> Self {
        Self {
            actor,
            on_behalf_of: None,
            token_id: None,
            device_id: None,
        }
    }
}

impl From<&Caller> for ActorRecord {
    fn from(caller: &Caller) -> Self {
        Self {
            actor: Actor::from(caller),
            on_behalf_of: caller.on_behalf_of.clone(),
            token_id: caller.token_id.clone(),
            device_id: caller.device_id.clone(),
        }
    }
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Actor {
        Actor {
            kind: ActorKind::Human,
            id: caller.principal.to_string(),
            agent: None,
            surface: caller.surface,
        }
    }
}

/// Names one exact actor, token and device included: a digest of what the store keeps about it.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ActorId(#[schemars(with = "String")] Arc<str>);

impl ActorId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ActorId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a thread or turn came from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The door.
    pub surface: Surface,
    /// Names the piece of work it is for, where someone counts them: run, task and attempt of a
    /// fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedupe_key: Option<String>,
    /// Who does that work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_id: Option<String>,
    /// The thread that the work was given out from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_thread_id: Option<ThreadId>,
}

impl Origin {
    /// A door, and nothing more to say.
    pub fn of(surface: Surface) -> Self {
        Self {
            surface,
            dedupe_key: None,
            worker_id: None,
            parent_thread_id: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_set_holds_what_it_was_given() {
        let set = Scopes::of(&[Scope::Read, Scope::Approve]);
        assert!(set.contains(Scope::Read) && set.contains(Scope::Approve));
        assert!(!set.contains(Scope::Run) && !set.contains(Scope::Admin));
        assert!(Scopes::ALL.contains(Scope::Admin));
    }
}
