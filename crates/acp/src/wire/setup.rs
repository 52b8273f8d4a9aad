//! What a connection and its sessions are opened and set with.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ContentBlock;

/// What `initialize` takes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeParams {
    pub(crate) protocol_version: u64,
    #[serde(default)]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
}

/// What the client can do.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ClientCapabilities {
    pub(crate) fs: Option<FileCapabilities>,
    pub(crate) session: Option<SessionCapabilities>,
    pub(crate) auth: Option<AuthCapabilities>,
    pub(crate) elicitation: Option<ElicitationCapabilities>,
    pub(crate) terminal: bool,
}

#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FileCapabilities {
    pub(crate) read_text_file: bool,
    pub(crate) write_text_file: bool,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SessionCapabilities {
    pub(crate) compaction: Option<Value>,
    pub(crate) notices: Option<Value>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AuthCapabilities {
    pub(crate) terminal: bool,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ElicitationCapabilities {
    pub(crate) form: Option<Value>,
}

impl ClientCapabilities {
    /// Whether lines of information are shown.
    pub(crate) fn shows_notices(&self) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|session| session.notices.is_some())
    }

    /// Whether a conversation that is shortened is shown as such.
    pub(crate) fn shows_compaction(&self) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|session| session.compaction.is_some())
    }

    /// Whether files are read and written there.
    pub(crate) fn lends_files(&self) -> bool {
        let fs = self.fs.as_ref();
        fs.is_some_and(|fs| fs.read_text_file && fs.write_text_file)
    }

    /// Whether programs can be shown in terminals.
    pub(crate) fn has_terminals(&self) -> bool {
        self.terminal
    }

    /// Whether forms are shown.
    pub(crate) fn shows_forms(&self) -> bool {
        let elicitation = self.elicitation.as_ref();
        elicitation.is_some_and(|elicitation| elicitation.form.is_some())
    }

    /// Whether a command for a terminal can be offered as a way to log in.
    pub(crate) fn logs_in_by_terminal(&self) -> bool {
        self.auth.as_ref().is_some_and(|auth| auth.terminal)
    }
}

/// What `session/new` takes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewParams {
    pub(crate) cwd: String,
    #[serde(default)]
    pub(crate) additional_directories: Vec<String>,
    #[serde(default)]
    pub(crate) mcp_servers: Vec<McpServer>,
}

/// What `session/load` and `session/resume` take.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenParams {
    pub(crate) session_id: String,
    #[serde(flatten)]
    pub(crate) place: NewParams,
}

/// A server of tools that the client brings along.
#[derive(Deserialize)]
pub(crate) struct McpServer {
    #[serde(default, rename = "type")]
    pub(crate) wire: Option<String>,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) command: Option<String>,
    #[serde(default)]
    pub(crate) args: Vec<String>,
    #[serde(default)]
    pub(crate) env: Vec<Pair>,
    #[serde(default)]
    pub(crate) url: Option<String>,
    #[serde(default)]
    pub(crate) headers: Vec<Pair>,
}

/// A variable or a header.
#[derive(Deserialize)]
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// What takes nothing but a session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionParams {
    pub(crate) session_id: String,
}

/// What `session/list` takes.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListParams {
    pub(crate) cwd: Option<String>,
    pub(crate) cursor: Option<String>,
}

/// What `session/set_mode` takes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetModeParams {
    pub(crate) session_id: String,
    pub(crate) mode_id: String,
}

/// What `session/set_config_option` takes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetConfigParams {
    pub(crate) session_id: String,
    pub(crate) config_id: String,
    pub(crate) value: ConfigValue,
}

/// What an option is set to.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum ConfigValue {
    Switch(bool),
    Choice(String),
}

/// What `session/prompt` takes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromptParams {
    pub(crate) session_id: String,
    pub(crate) prompt: Vec<ContentBlock>,
}

/// What `$/cancel_request` takes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelParams {
    pub(crate) request_id: Value,
}

/// Why a prompt was answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StopReason {
    EndTurn,
    MaxTokens,
    MaxTurnRequests,
    Refusal,
    Cancelled,
}

/// The modes there are, and the one that holds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Modes {
    pub(crate) current_mode_id: &'static str,
    pub(crate) available_modes: Vec<ShownMode>,
}

/// A mode as it is offered.
#[derive(Serialize)]
pub(crate) struct ShownMode {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

/// Something of a session that can be chosen.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfigOption {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<&'static str>,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) current_value: String,
    pub(crate) options: Vec<ConfigChoice>,
}

/// What it can be.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct ConfigChoice {
    pub(crate) value: String,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}
