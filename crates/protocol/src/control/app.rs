//! Requests about the program itself: its abilities, settings and models.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EventFrame;

/// Everything that can be asked without naming a thread.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AppRequest {
    /// What can this server do?
    Capabilities,
    /// What is a setting set to?
    ConfigGet {
        /// The setting.
        key: String,
    },
    /// Change a setting.
    ConfigSet {
        /// The setting.
        key: String,
        /// Its new value, as text.
        value: String,
    },
    /// Let a setting fall back to its default.
    ConfigUnset {
        /// The setting.
        key: String,
    },
    /// What are all settings set to?
    ConfigList,
    /// Which models can be talked to?
    Models,
    /// Which threads are open in this process?
    ThreadLoadedList,
}

/// What became of an [`AppRequest`].
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct AppResponse {
    /// False for a refusal; `data` then says why.
    pub ok: bool,
    /// The answer; its shape depends on the kind of request.
    pub data: Value,
    /// What happened on the way.
    #[serde(default)]
    pub events: Vec<EventFrame>,
}
