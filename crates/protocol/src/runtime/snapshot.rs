//! Snapshots: files as they were, and going back to them together with the conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DynamicTool, InputPart, ThreadId, ThreadRecord, TurnRecord};

/// A restore point of a workspace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotSummary {
    /// The snapshot; opaque.
    pub id: String,
    /// What it was taken for: `pre-turn:<n>`, `post-turn:<n>` or `pre-restore:<id>`.
    pub label: String,
    /// When, in seconds since the epoch.
    pub timestamp: i64,
}

/// What `snapshots/list` takes.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SnapshotsListParams {
    /// How many, 1 to 100; 20 when left out.
    #[schemars(range(min = 1, max = 100), extend("default" = 20))]
    pub limit: Option<u64>,
    /// The directory; the server's own when left out.
    pub workspace: Option<String>,
}

/// What `snapshots/restore` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotsRestoreParams {
    /// The snapshot.
    pub snapshot_id: String,
}

/// What `snapshots/restore` did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotRestored {
    /// The snapshot that the files are as now.
    pub restored: String,
    /// The snapshot of how they were before, to go back to.
    pub previous: String,
    /// The files that moved, relative to the workspace; the first thousand.
    pub files: Vec<String>,
    /// The conversation that belongs to the files, as a copy, when they are those of a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadRecord>,
}

/// What `threads/undo` and `threads/patch-undo` take.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsUndoParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// How many messages of people before the newest to go back; the newest when left out.
    #[serde(default)]
    pub depth: u64,
    /// Whether files go back that were changed since by someone else. What they are now is kept.
    #[serde(default)]
    pub force: bool,
}

/// What `threads/retry` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsRetryParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// How many messages of people before the newest to go back; the newest when left out.
    #[serde(default)]
    pub depth: u64,
    /// What the agent is asked instead; the same again when left out.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Tools that the client runs itself, for the new turn only.
    #[serde(default)]
    pub dynamic_tools: Option<Vec<DynamicTool>>,
    /// Whether files go back that were changed since by someone else. What they are now is kept.
    #[serde(default)]
    pub force: bool,
}

/// What became of the files.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PatchResult {
    /// Whether files went back.
    pub files_restored: bool,
    /// The same in words, with the reason when they did not.
    pub summary: Option<String>,
    /// The label of the snapshot before what was undone.
    pub snapshot_label: Option<String>,
    /// The snapshot of how files were before, to go back to.
    pub previous: Option<String>,
    /// The files that moved, relative to the workspace; the first thousand.
    pub files: Vec<String>,
}

/// A thread without its last turns, and the files as they were before them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Undone {
    /// What became of the files.
    pub patch_result: PatchResult,
    /// The copy that ends before what was undone. The thread itself is as it was.
    pub thread: ThreadRecord,
    /// What had been asked.
    pub original_user_text: Option<String>,
    /// The same in its parts, where it was more than a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_input: Option<Vec<InputPart>>,
}

/// A turn that is tried again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Retried {
    /// The copy that ends before what was undone, with the new turn.
    pub thread: ThreadRecord,
    /// The new turn.
    pub turn: TurnRecord,
    /// What became of the files.
    pub patch_result: PatchResult,
}
