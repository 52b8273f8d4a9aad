//! Trust: whether what a repository brings along (tools, hooks, servers, skills) may do anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a workspace brings along, and whether the user has said yes to exactly that.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceTrust {
    /// The directory.
    pub workspace: String,
    /// Whether what it brings along counts. Always false when it brings nothing.
    pub trusted: bool,
    /// SHA-256 over everything it brings along; nothing when that is nothing.
    pub digest: Option<String>,
    /// The files that count, relative to the workspace.
    pub files: Vec<String>,
}

/// What `workspaces/trust` takes.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkspaceTrustParams {
    /// The directory; the server's own when left out.
    pub workspace: Option<String>,
}

/// What `workspaces/set-trust` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceSetTrustParams {
    /// The directory; the server's own when left out.
    #[serde(default)]
    pub workspace: Option<String>,
    /// Whether what it brings along counts from now on.
    pub trusted: bool,
    /// The digest that was looked at; needed to say yes.
    #[serde(default)]
    pub digest: Option<String>,
}
