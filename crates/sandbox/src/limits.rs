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

/// What a listener gets at once of a command that says much.
pub(crate) const PIECE_BYTES: usize = 16 * 1024;

/// How long a command that says little is listened to before the next piece of it is told: short for
/// who watches, and a loop that prints dots does not become thousands of pieces.
pub(crate) const PIECE_PAUSE: Duration = Duration::from_millis(50);

/// What may wait for a slow listener before the command has to: two fillings of its pipe.
pub(crate) const UNTOLD_BYTES_MAX: usize = 128 * 1024;

/// Processes and threads of one confined command: more than a wide build on a large machine, less
/// than a fork bomb needs to take the machine along.
pub(crate) const PROCESSES_MAX: u64 = 2048;

/// What a confined command may put into memory through its fresh directories: a build's temporary
/// files, not the machine.
pub(crate) const FRESH_BYTES_MAX: u64 = 1 << 30;

/// Grants that the kernel is given for one command without namespaces: each costs two calls.
pub(crate) const GRANTS_MAX: usize = 4096;

/// Placed directories and files of one command in a namespace: each costs five calls.
pub(crate) const PLACES_MAX: usize = 512;

/// Lines at the end of an output that are searched for words of refusal.
pub(crate) const DENIAL_LINES_MAX: usize = 40;

/// What is kept of such a line.
pub(crate) const EVIDENCE_BYTES_MAX: usize = 300;

/// Commands in the background of one thread: a server, a watcher and some builds.
pub const JOBS_RUNNING_MAX: usize = 16;

/// Ended ones that can still be asked about.
pub(crate) const JOBS_ENDED_MAX: usize = 32;

/// How long a command in the background may run: a working day. Nobody waits for it, and who
/// wants it longer starts it outside.
pub const JOB_WALL_TIME: Duration = Duration::from_secs(12 * 60 * 60);

/// How long a command may take to read what is written to it, once its pipe is full.
pub const INPUT_WAIT: Duration = Duration::from_secs(5);

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
