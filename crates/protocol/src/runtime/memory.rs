//! Memory: notes that agents and people keep for later threads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a note holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryScope {
    /// Everywhere.
    Global,
    /// In the workspace of the server.
    Workspace,
}

/// Which notes are meant.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryReach {
    /// All of them.
    #[default]
    All,
    /// Those that hold everywhere.
    Global,
    /// Those of the workspace of the server.
    Workspace,
}

impl MemoryReach {
    /// Whether notes of this scope are meant.
    pub fn includes(self, scope: MemoryScope) -> bool {
        match self {
            MemoryReach::All => true,
            MemoryReach::Global => scope == MemoryScope::Global,
            MemoryReach::Workspace => scope == MemoryScope::Workspace,
        }
    }
}

/// What `memory/list` takes.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryListParams {
    /// Which notes; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryReach>,
    /// Only notes with all of these words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// How many at most, 1 to 200; 50 when absent.
    #[schemars(range(min = 1, max = 200), extend("default" = 50))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// What `memory/get` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryGetParams {
    /// The id of the note.
    pub memory_id: String,
}

/// What `memory/add` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryAddParams {
    /// The note, a sentence or two.
    pub text: String,
    /// Where it holds; everywhere when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
}

/// What `memory/clear` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryClearParams {
    /// Which notes go.
    pub scope: MemoryReach,
}

/// A note.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryEntry {
    /// Made of its text, so that it stays as long as the text does.
    pub id: u64,
    /// Where it holds.
    pub scope: MemoryScope,
    /// Which workspace that is.
    pub workspace_id: Option<String>,
    /// What it says, at most 300 characters of it.
    pub summary: String,
    /// Whether it no longer holds. Such notes are removed, so none does.
    pub stale: bool,
    /// Its first line in the file.
    pub line_start: u64,
    /// Its last line.
    pub line_end: u64,
    /// The same as `stale`, in a word: `active`.
    pub status: String,
}

/// What `memory/list` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryList {
    /// The notes, in the order of their files.
    pub entries: Vec<MemoryEntry>,
    /// How many there are without the limit.
    pub total: u64,
}

/// One note, as `memory/get` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryFound {
    /// The note.
    pub entry: MemoryEntry,
}

/// What `memory/add` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryAdded {
    /// The note.
    pub entry: MemoryEntry,
    /// Whether it was there before. Told by the status, not by the note.
    #[serde(skip)]
    pub was_known: bool,
}

/// What `memory/clear` answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryCleared {
    /// That they are gone.
    pub cleared: bool,
}
