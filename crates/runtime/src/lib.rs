//! The runtime: durable threads, served to whoever asks.
//!
//! [`Runtime`] implements [`codewhale_protocol::Service`] in this process: `call` does one
//! operation of the table, `events` follows a thread. Behind it, each thread in use is an actor,
//! the only one that changes it; a turn is a child task of its actor and speaks to it through the
//! engine's `Host`. Everything is committed to the store first and shown afterwards.
//!
//! One file or folder per capability: `threads`, `turns`, `approvals`, `rooms`, `recovery`, each
//! with its handlers.
//!
//! Must not know: any door. It takes configuration as plain values. Start reading at [`Runtime`],
//! then `actor.rs`.
#![warn(missing_docs)]

mod activity;
mod actor;
mod agents;
mod approvals;
mod attachments;
mod bounds;
mod calls;
mod client_tools;
mod env;
mod errands;
mod error;
mod fleet;
mod gate;
mod goals;
mod hands;
mod hooks;
mod host;
mod lent;
mod limits;
mod mcp;
mod memory;
mod once;
mod options;
mod people;
mod queue;
mod recovery;
mod rooms;
mod rules;
mod runtime;
mod schedule;
mod serve;
mod sessions;
mod settings;
mod shelf;
mod snapshots;
mod spill;
mod tasks;
mod threads;
mod tools;
mod trust;
mod turns;
mod usage;
mod user_input;
mod walls;
mod workspace;

pub use agents::AgentSettings;
pub use env::Env;
pub use error::Error;
pub use fleet::{FleetProgram, FleetSettings, FleetWorkers, WorkEnd, WorkOrder};
pub use goals::GoalSettings;
pub use hands::LibrarySettings;
pub use hooks::{HookReader, HookSettings};
pub use jiff::tz::TimeZone;
pub use mcp::{McpSettings, ReadAgain};
pub use options::Options;
pub use rules::{RuleBook, RulesError};
pub use runtime::Runtime;
pub use settings::{Check, Preferences, Settings, SettingsError};
pub use snapshots::{BeforeStep, SnapshotSettings};
pub use walls::WallSettings;
