//! Rules that a person, an agent's profile or we ourselves lay down about calls.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::limits::REMEMBERED_BYTES_MAX;
use crate::{Call, Demand, Walls, harm, paths};

/// One rule, as it stands in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The tool it is about.
    pub tool: String,
    /// How the command begins; for a tool that fetches, the host; for a tool of an MCP server, its
    /// input as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Whether the command must be this and nothing more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub command_exact: bool,
    /// A file, or a directory with everything below it. Relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The only workspace it counts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// What becomes of the call.
    #[serde(default)]
    pub action: Action,
}

/// What a rule does with a call. The later ones win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It runs.
    Allow,
    /// Someone is asked.
    #[default]
    Ask,
    /// It does not run.
    Deny,
}

/// Who laid a rule down. The later ones win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Layer {
    /// We did.
    Builtin,
    /// The profile of an agent does.
    Agent,
    /// The user did.
    User,
}

impl Rule {
    /// A rule about a whole tool.
    pub fn about(tool: impl Into<String>, action: Action) -> Self {
        Self {
            tool: tool.into(),
            command: None,
            command_exact: false,
            path: None,
            workspace: None,
            action,
        }
    }

    /// A rule about commands that begin with these words.
    pub fn prefix(tool: impl Into<String>, command: impl Into<String>, action: Action) -> Self {
        Self {
            command: Some(command.into()),
            ..Self::about(tool, action)
        }
    }

    /// The rule that makes an approval of this very call last: exact, and for this workspace only.
    /// `None` for what has to be asked about each time.
    pub fn remembering(call: Call<'_>) -> Option<Self> {
        let rule = Self {
            workspace: Some(call.workspace.to_owned()),
            ..Self::about(canonical(call.tool), Action::Allow)
        };
        match call.demand {
            Demand::Inward | Demand::Read(_) => None,
            Demand::Write(files) => match files.as_slice() {
                [file] if file.inside && !paths::is_guarded(&file.path) => Some(Self {
                    path: Some(file.path.to_str()?.to_owned()),
                    ..rule
                }),
                _ => None,
            },
            Demand::Execute(execution) => {
                let is_usual = execution.walls == Walls::Usual;
                let is_harmful = harm::of(execution, call.workspace).is_some();
                (is_usual && !is_harmful).then(|| Self {
                    command: Some(execution.script.trim().to_owned()),
                    command_exact: true,
                    ..rule
                })
            }
            Demand::Fetch(host) => Some(Self {
                command: Some(host.name.clone()),
                command_exact: true,
                ..rule
            }),
            Demand::Client(input) => (input.len() <= REMEMBERED_BYTES_MAX).then(|| Self {
                command: Some(input.clone()),
                command_exact: true,
                ..rule
            }),
            Demand::Mcp(mcp) => (mcp.input.len() <= REMEMBERED_BYTES_MAX).then(|| Self {
                command: Some(mcp.input.clone()),
                command_exact: true,
                ..rule
            }),
        }
    }

    /// The same rule, for one workspace only.
    #[must_use]
    pub fn within(mut self, workspace: impl Into<PathBuf>) -> Self {
        self.workspace = Some(workspace.into());
        self
    }

    /// Its name in decisions.
    pub fn label(&self) -> String {
        let mut label = format!("tool={}", self.tool);
        let mut add = |key: &str, value: &str| {
            label.push_str(&format!(" {key}={value}"));
        };
        if let Some(command) = &self.command {
            add("command", command);
        }
        if self.command_exact {
            add("command_exact", "true");
        }
        if let Some(path) = &self.path {
            add("path", path);
        }
        if let Some(workspace) = &self.workspace {
            add("workspace", &workspace.to_string_lossy());
        }
        label
    }

    /// Whether it speaks about this tool in this workspace at all.
    pub(crate) fn concerns(&self, tool: &str, workspace: &Path) -> bool {
        let here = |it: &PathBuf| paths::normal(it) == paths::normal(workspace);
        canonical(&self.tool) == canonical(tool) && self.workspace.as_ref().is_none_or(here)
    }

    /// Whether it speaks about a file.
    pub(crate) fn covers_file(&self, file: &Path, workspace: &Path) -> bool {
        if self.command.is_some() {
            return false;
        }
        let base = self.workspace.as_deref().unwrap_or(workspace);
        let within = |path: &String| paths::normal(file).starts_with(paths::join(base, path));
        self.path.as_ref().is_none_or(within)
    }

    /// How closely it describes what it is about.
    pub(crate) fn specificity(&self) -> usize {
        let words = self
            .command
            .as_deref()
            .map_or(0, |it| it.split_whitespace().count());
        let parts = self.path.as_deref().map_or(0, |it| it.split('/').count());
        let exact = usize::from(self.command_exact) * 1000;
        exact + words + parts + usize::from(self.workspace.is_some()) * 100
    }
}

/// The full name of a tool: the short ones are accepted everywhere.
pub(crate) fn canonical(tool: &str) -> &str {
    match tool {
        "bash" | "shell" => "exec_shell",
        "read" => "read_file",
        "write" => "write_file",
        "edit" => "edit_file",
        "fetch" => "fetch_url",
        tool => tool,
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that serde asks for"
)]
fn is_false(value: &bool) -> bool {
    !value
}
