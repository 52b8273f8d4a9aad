//! The bounds of a turn, each with its unit and its reason.

/// Calls of the model in one turn. A turn that needs more has lost its way.
pub const STEPS_MAX: u32 = 200;

/// Chunks taken in a row before other tasks get their chance.
pub(crate) const CHUNKS_PER_BREATH: u32 = 64;

/// Pieces of a call's output that wait to be shown: one is shown while the next is read.
pub(crate) const PIECES_WAITING_MAX: usize = 4;

/// The window that is assumed where nobody knows it, in tokens.
pub(crate) const WINDOW_ASSUMED: u64 = 800_000;

/// Share of the window above which the conversation is shortened, in percent: an answer and its
/// calls still fit behind it.
pub(crate) const COMPACT_PERCENT: u64 = 80;

/// Share of the window that the request for a summary may take, in percent.
pub(crate) const SUMMARY_REQUEST_PERCENT: u64 = 90;

/// What is left of a text that has to make room in the request for a summary, in bytes.
pub(crate) const TEXT_BYTES_LEFT: usize = 1_000;

/// What a picture or a sound takes of the window, in tokens: what providers count for a large
/// picture.
pub(crate) const ATTACHMENT_TOKENS: usize = 1_600;

/// How often the request for a summary is halved when the provider finds it too long: a thousandth
/// of what we took for its window is smaller than any.
pub(crate) const SUMMARY_HALVINGS_MAX: u32 = 10;

/// What is repeated of the latest request behind a summary, in bytes.
pub(crate) const REQUEST_BYTES_KEPT: usize = 8 * 1024;

/// What a hook may say, in bytes: room for the content of a file it put into a call.
pub(crate) const HOOK_OUTPUT_BYTES_MAX: usize = 256 * 1024;

/// One variable of a hook, in bytes: the system takes 128 KiB at most, and there are several.
pub(crate) const HOOK_VARIABLE_BYTES_MAX: usize = 32 * 1024;

/// What a hook reads, in bytes.
pub(crate) const HOOK_PAYLOAD_BYTES_MAX: usize = 32 * 1024;

/// What a model or a person reads of a hook's words, in bytes: a remark, not a document.
pub(crate) const HOOK_WORDS_BYTES_MAX: usize = 8 * 1024;

/// What stands for a hook that has no name, in characters of its command.
pub(crate) const HOOK_LABEL_CHARS: usize = 60;

/// Variables that one hook adds to a command.
pub(crate) const HOOK_SHELL_VARIABLES_MAX: usize = 64;

/// One of them, in bytes: a long path list, not a file.
pub(crate) const HOOK_SHELL_VARIABLE_BYTES_MAX: usize = 16 * 1024;
