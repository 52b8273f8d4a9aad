//! Identifiers. Opaque text to clients: a prefix that names the kind, then a time-ordered random part.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        #[schemars(extend("examples" = [concat!($prefix, "019a86c4f2b07d3e8c5a1b9d4e6f7082")]))]
        pub struct $name(#[schemars(with = "String")] Arc<str>);

        impl $name {
            /// What every id of this kind starts with.
            pub const PREFIX: &'static str = $prefix;

            /// A fresh id around a UUID that the caller drew.
            pub fn new(uuid: Uuid) -> Self {
                Self(format!(concat!($prefix, "{}"), uuid.simple()).into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// A thread: one conversation with an agent.
    ThreadId = "thr_";
    /// A turn: one request to the agent and everything it led to.
    TurnId = "turn_";
    /// An item: one visible piece of a turn.
    ItemId = "item_";
    /// A question to a person whether a tool call may run.
    ApprovalId = "appr_";
    /// Questions of an agent to a person, asked in one go.
    UserInputId = "uinp_";
    /// A call of a tool that a client runs.
    ClientCallId = "ccall_";
    /// What a thread works towards.
    GoalId = "goal-";
    /// A workroom. Every thread lives in exactly one.
    RoomId = "wr_";
    /// Someone who can ask: today the one operator of the store.
    PrincipalId = "prn_";
    /// A background task.
    TaskId = "task_";
    /// Work that begins by the clock.
    AutomationId = "auto_";
    /// One beginning of an automation.
    AutomationRunId = "arun_";
    /// A fleet run.
    FleetRunId = "run_";
    /// A running process that owns turns.
    OwnerId = "owner_";
    /// A picture or sound of a thread. The rest is not random: it is the digest of the content.
    AttachmentId = "att_";
    /// A request that one process leaves for another.
    ErrandId = "errand_";
}

impl ThreadId {
    /// The agent at work in the thread; it lasts as long as the thread.
    pub fn agent_id(&self) -> String {
        format!("{AGENT}{}", self.as_str().trim_start_matches(Self::PREFIX))
    }

    /// The run of the sub-agent that has this thread.
    pub fn run_id(&self) -> String {
        format!("{RUN}{}", self.as_str().trim_start_matches(Self::PREFIX))
    }

    /// The thread of an agent or a run; `None` for other text.
    pub fn of_agent(id: &str) -> Option<ThreadId> {
        let hex = id.strip_prefix(AGENT).or_else(|| id.strip_prefix(RUN))?;
        Some(Self::from(&*format!("{}{hex}", Self::PREFIX)))
    }
}

/// What ids of agents start with.
const AGENT: &str = "agt_";
/// What ids of their runs start with.
const RUN: &str = "run_";

/// A stream of the one log: a thread, a room, a task, a fleet run, or the store itself.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum StreamId {
    /// The events of one thread.
    Thread(ThreadId),
    /// The events of one workroom.
    Room(RoomId),
    /// The events of one background task.
    Task(TaskId),
    /// The events of one automation.
    Automation(AutomationId),
    /// The events of one fleet run.
    Run(FleetRunId),
    /// Facts about the store as a whole.
    Store,
}

impl StreamId {
    /// The name under which the store keeps the stream.
    pub fn as_str(&self) -> &str {
        match self {
            StreamId::Thread(id) => id.as_str(),
            StreamId::Room(id) => id.as_str(),
            StreamId::Task(id) => id.as_str(),
            StreamId::Automation(id) => id.as_str(),
            StreamId::Run(id) => id.as_str(),
            StreamId::Store => "store",
        }
    }
}

/// A position in the log. One counter for the whole store: it only grows and is never reused.
#[derive(
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Debug,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// Before the first event of any store.
    pub const ZERO: Seq = Seq(0);

    /// The next position.
    pub fn next(self) -> Seq {
        Seq(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_prefix_and_the_bare_uuid() {
        let id = ThreadId::new(Uuid::from_u128(0xab));
        assert_eq!(id.as_str(), "thr_000000000000000000000000000000ab");
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{id}\""));
    }

    #[test]
    fn any_text_reads_as_an_id_so_that_a_wrong_one_is_merely_unknown() {
        let id: TurnId = serde_json::from_str("\"../etc\"").unwrap();
        assert_eq!(id.as_str(), "../etc");
    }
}
