//! The bounds of a turn, each with its unit and its reason.

/// Calls of the model in one turn. A turn that needs more has lost its way.
pub(crate) const STEPS_MAX: u32 = 200;

/// Chunks taken in a row before other tasks get their chance.
pub(crate) const CHUNKS_PER_BREATH: u32 = 64;

/// The window that is assumed where nobody knows it, in tokens.
pub(crate) const WINDOW_ASSUMED: u64 = 800_000;

/// Share of the window above which the conversation is shortened, in percent: an answer and its
/// calls still fit behind it.
pub(crate) const COMPACT_PERCENT: u64 = 80;

/// Share of the window that the request for a summary may take, in percent.
pub(crate) const SUMMARY_REQUEST_PERCENT: u64 = 90;

/// What is left of a text that has to make room in the request for a summary, in bytes.
pub(crate) const TEXT_BYTES_LEFT: usize = 1_000;

/// How often the request for a summary is halved when the provider finds it too long: a thousandth
/// of what we took for its window is smaller than any.
pub(crate) const SUMMARY_HALVINGS_MAX: u32 = 10;

/// What is repeated of the latest request behind a summary, in bytes.
pub(crate) const REQUEST_BYTES_KEPT: usize = 8 * 1024;
