//! The bounds of `exec`, each with its unit and its reason.

use std::time::Duration;

/// A prompt, in bytes: more than any model reads at once.
pub(super) const PROMPT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Lines of input that wait to be taken. Whoever sends faster waits.
pub(super) const LINES_WAITING_MAX: usize = 64;

/// How long a question waits where nobody can answer it: only those wait at all that are not
/// answered with no at once.
pub(super) const NOBODY_ANSWERS: Duration = Duration::from_secs(5);

/// Sessions that are looked through for the beginning of an id, and for the newest of a workspace:
/// the most that a list shows.
pub(super) const SESSIONS_MAX: u64 = 500;

/// What is told of a result on standard error, in characters: one line.
pub(super) const RESULT_CHARS_TOLD: usize = 200;

/// How deep a schema may be nested. Those that people write are far from it.
pub(super) const SCHEMA_DEPTH_MAX: usize = 64;

/// How many steps of a schema lead to one value: more means that it refers to itself.
pub(super) const SCHEMA_STEPS_MAX: usize = 256;
