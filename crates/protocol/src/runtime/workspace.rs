//! What is to be found in a workspace: its repository, and the skills that count there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names a workspace.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceParams {
    /// Its absolute path; the workspace of the server when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

/// How the repository of a workspace stands.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceStatus {
    /// The workspace.
    pub workspace: String,
    /// Whether it is part of a repository. Without one everything below is empty.
    pub git_repo: bool,
    /// The branch, or `detached@` and the commit.
    pub branch: Option<String>,
    /// The commit, shortened.
    pub head: Option<String>,
    /// Whether anything is staged, changed or new.
    pub dirty: bool,
    /// Files with changes that the next commit takes.
    pub staged: u64,
    /// Files with changes that it does not take.
    pub unstaged: u64,
    /// Files that are new.
    pub untracked: u64,
    /// Commits that the upstream branch lacks; none without one.
    pub ahead: Option<u64>,
    /// Commits of the upstream branch that are lacking here; none without one.
    pub behind: Option<u64>,
}

/// A skill that counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SkillInfo {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its file.
    pub path: Option<String>,
    /// Where it is from; `native` for all there are.
    pub source: String,
    /// The plugin that brings it.
    pub plugin_id: Option<String>,
    /// Counts the versions of the plugin, where that is known.
    pub plugin_generation: Option<u64>,
    /// The content of the plugin, where that is known.
    pub plugin_content_hash: Option<String>,
    /// Whether agents may use it.
    pub enabled: bool,
    /// Whether it came with the program.
    pub is_bundled: bool,
}

/// What `skills/list` answers.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SkillList {
    /// Where the user's own skills belong.
    pub directory: String,
    /// All directories that were looked into, the first one of a name counts.
    pub directories: Vec<String>,
    /// What should be a skill and is none, a sentence each.
    pub warnings: Vec<String>,
    /// The skills.
    pub skills: Vec<SkillInfo>,
}
