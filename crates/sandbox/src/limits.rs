//! How long a command may run and how much it may say.

use std::time::Duration;

/// Long enough for a build step or a test suite, short enough that a command waiting for input
/// that never comes does not hold up the work.
pub const WALL_TIME: Duration = Duration::from_secs(120);

/// About 8,000 tokens: what one command may take of a model's attention.
pub const OUTPUT_BYTES_MAX: usize = 30_000;

/// Between the polite signal and the deadly one: enough to remove lock and temporary files.
pub const KILL_GRACE: Duration = Duration::from_millis(500);

/// How long to listen for last words once the leader is gone, when somebody else still holds its
/// output open.
pub const OUTPUT_DRAIN: Duration = Duration::from_millis(200);

/// How long a killed process may take to disappear. Only one that hangs in the kernel takes
/// longer; it is then left to the collector of orphans.
pub(crate) const REAP_WAIT: Duration = Duration::from_secs(1);

/// The part of the kept output that shows how it began; the rest shows how it ended, where
/// errors are.
pub(crate) const HEAD_PERCENT: usize = 20;

/// What one read takes from the pipe: its usual capacity.
pub(crate) const READ_BYTES: usize = 64 * 1024;

/// The bounds of one command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How long it may run.
    pub wall_time: Duration,
    /// How much of its output is kept.
    pub output_bytes_max: usize,
    /// How long it may take to end after it is asked to.
    pub kill_grace: Duration,
    /// How long to read on after the leader has ended.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_time: WALL_TIME,
            output_bytes_max: OUTPUT_BYTES_MAX,
            kill_grace: KILL_GRACE,
            drain: OUTPUT_DRAIN,
        }
    }
}
