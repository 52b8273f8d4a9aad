//! Speaks to the MCP servers a user configured, and makes their tools ours.
//!
//! [`Settings`] are read from `mcp.json`. [`Servers`] starts the enabled ones in the background and
//! keeps each alive on its own: nobody waits for a slow one, one that ends is started again, and
//! what it offered stays listed meanwhile. A server is a stranger: its schemas are checked before a
//! provider sees them, what cannot be used is put aside with a reason, its answers are bounded in
//! size and time, and its word that a tool only reads counts when the user said so.
//!
//! ```text
//! mcp.json ─► Settings ─► Servers ─┬─ one supervisor per server ─► Connection (stdio, HTTP)
//!     Pool: the user's, and over    └─ tools(), health(), resources, prompts
//!     them those of each workspace
//! ```
//!
//! Must not know: models, the store, the engine. Start reading at [`Pool`], then `supervisor.rs`.

mod callers;
mod catalogue;
mod child;
mod connection;
mod content;
mod document;
mod elicitation;
mod error;
mod expand;
mod extra;
mod health;
mod inspect;
mod limits;
mod names;
mod oauth;
mod place;
mod pool;
mod presets;
mod remote;
mod request;
mod schema;
mod servers;
mod settings;
mod sse;
mod startup;
mod supervisor;
mod tool;

pub use catalogue::{Prompt, PromptArgument, Quarantined, Resource, ResourceTemplate};
pub use document::{add, disable, enable, init, init_anew, remove};
pub use error::{Error, NotUp, SettingsError};
pub use health::{Health, Phase};
pub use inspect::{Inspected, Verdict, inspect};
pub use oauth::{
    Attempt, LoginError, Vault, VaultError, Wanted, is_logged_in, is_login, logout, secrets_of,
};
pub use place::{IsShut, Place};
pub use pool::{Ground, Pool};
pub use servers::Servers;
pub use settings::{
    Filter, Oauth, Origin, Program, Reach, Remote, Server, Settings, Timeouts, Wire,
};
pub use startup::Startup;
pub use tool::ListedTool;
