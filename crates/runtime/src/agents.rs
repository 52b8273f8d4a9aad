//! Sub-agents: threads that agents start, in trees below the threads of people.
//!
//! ```text
//!   root ── turn ── agent tool ──► Crew ──► a thread with a parent, its own actor, its own turns
//!     │                                          │ asks a person: shown on the root as well
//!     └── Tree: what all of them may cost ◄──────┘ ends: receipt, event on the parent
//! ```
//!
//! A sub-agent may do what its parent's turn may, less what its role forbids. How deep, how many
//! and how dear they get is bounded for the whole tree. Every one leaves a receipt.

mod crew;
mod export;
mod news;
mod receipts;
mod role;
mod root;
mod run;
mod serve;
mod tree;
mod wait;

pub(crate) use crew::Crew;
pub(crate) use news::tell_parent;
pub(crate) use role::withheld;
pub(crate) use root::{Root, tell};
pub(crate) use run::{Ended, beginning, charge, ended, lost};
pub(crate) use tree::{Allowance, Member, Tree, Trees};

/// How far trees of agents may grow, as plain values.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    /// How far below the thread of a person.
    pub depth_max: u64,
    /// How many of a tree may be at work at once.
    pub live_max: u64,
    /// How many a tree may ever have.
    pub admitted_max: u64,
    /// How many tokens the sub-agents of a tree may cost together; no bound without.
    pub token_budget: Option<u64>,
    /// Whether receipts are written into the workspace as well.
    pub export: bool,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            depth_max: 3,
            live_max: 64,
            admitted_max: 1024,
            token_budget: None,
            export: false,
        }
    }
}
