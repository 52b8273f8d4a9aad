//! The bounds of snapshots, each with its unit and its reason.

use std::time::Duration;

/// Snapshots that are kept of one workspace: the turns of a long day.
pub const SNAPSHOTS_KEPT_MAX: usize = 50;

/// How long they are kept.
pub(crate) const AGE_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What the repository may take on the disk before the oldest snapshots go, and where that stops:
/// apart, so that it does not begin again at once.
pub(crate) const DISK_BYTES_HIGH: u64 = 500 * 1000 * 1000;
pub(crate) const DISK_BYTES_LOW: u64 = 400 * 1000 * 1000;

/// What a workspace may hold. Reading more would hold up the first turn for minutes.
pub(crate) const WORKSPACE_BYTES_MAX: u64 = 2 * 1000 * 1000 * 1000;

/// Files a workspace may hold.
pub(crate) const ENTRIES_MAX: usize = 200_000;

/// Larger files are left out: nobody edits them by hand, and each change would keep a copy.
pub(crate) const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Taken snapshots between two rounds of tidying, which reads the whole repository.
pub(crate) const TIDY_EVERY: u64 = 16;

/// How long one run of git may take: the first look at a large workspace.
pub(crate) const GIT_TIME: Duration = Duration::from_secs(60);

/// How long all of the files may take to be read, before a turn goes on without.
pub(crate) const READ_TIME: Duration = Duration::from_secs(60);

/// Files that one run of git looks at. What it found is kept when it ends.
pub(crate) const NAMES_AT_ONCE: usize = 4_000;

/// How long the plan of a move is kept that nobody has let go, in seconds: a day.
pub(crate) const PLAN_AGE_SECS_MAX: i64 = 24 * 60 * 60;

/// What is kept of git's complaints.
pub(crate) const SAID_BYTES_MAX: usize = 2_000;

/// How long to wait for another process that works on the same snapshots, and how often to look.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(15);
pub(crate) const LOCK_LOOK: Duration = Duration::from_millis(10);

/// Longest label, in characters.
pub(crate) const LABEL_CHARS_MAX: usize = 200;

/// How much is kept, and of what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How many snapshots.
    pub snapshots_max: usize,
    /// For how long.
    pub age_max: Duration,
    /// What they may take on the disk before the oldest go.
    pub disk_bytes_high: u64,
    /// Where that stops.
    pub disk_bytes_low: u64,
    /// What a workspace may hold.
    pub workspace_bytes_max: u64,
    /// How many files it may hold.
    pub entries_max: usize,
    /// The size from which files are left out.
    pub file_bytes_max: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            snapshots_max: SNAPSHOTS_KEPT_MAX,
            age_max: AGE_MAX,
            disk_bytes_high: DISK_BYTES_HIGH,
            disk_bytes_low: DISK_BYTES_LOW,
            workspace_bytes_max: WORKSPACE_BYTES_MAX,
            entries_max: ENTRIES_MAX,
            file_bytes_max: FILE_BYTES_MAX,
        }
    }
}
