//! Files, environment and flags, read into one immutable [`Config`].
//!
//! Each value is a [`Setting`]: it knows its [`Origin`], so that a person can be told why something
//! is as it is. A stronger source wins: default, file, profile, environment, flag.
//!
//! ```text
//! Environment::of_process() ─┐
//! Flags (command line) ──────┼─► Config::load ─► Config (values, warnings, secrets)
//! KnownProvider (catalogue) ─┘        └─ reads one TOML file, writes nothing
//! Editor (`config set`) ───── changes that file, keeping its comments and its order
//! ```
//!
//! This is the only crate that reads the environment, in `env.rs`; the keys of the file are a table
//! in `schema.rs`. Must not know: anything but the protocol. Start reading at [`Config::load`].

mod check;
mod children;
mod config;
mod edit;
mod env;
mod error;
mod file;
mod flags;
mod headers;
mod home;
mod hooks;
mod keys;
mod layers;
mod limits;
mod mcp_server;
mod pricing;
mod providers;
mod schema;
mod setting;
mod shape;
mod values;
mod warning;

pub use config::{
    Approvals, Config, GoalPursuit, McpOauth, Permissions, Retry, RuntimeApi, Snapshots, Store,
    Stream, Subagents,
};
pub use edit::Editor;
pub use env::Environment;
pub use error::Error;
pub use flags::Flags;
pub use headers::Headers;
pub use hooks::{HOOK_EVENTS, HookCondition, HookFile, HookSettings, hooks_of_file};
pub use keys::KeyFile;
pub use mcp_server::McpServer;
pub use pricing::Pricing;
pub use providers::{Fallback, KnownProvider, ProviderSettings};
pub use schema::{CUSTOM_KIND, OFFLINE};
pub use setting::{Origin, Setting};
pub use values::{Shown, values};
pub use warning::Warning;
