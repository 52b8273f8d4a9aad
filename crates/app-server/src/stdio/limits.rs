//! The bounds of the line door, each with its unit and its reason.

use std::time::Duration;

/// Longest line a client may send, in bytes: as much as the largest body over HTTP, which is more
/// than twice the others, since text grows when it is escaped.
pub(super) const LINE_BYTES_MAX: usize = crate::limits::ATTACHMENT_BODY_BYTES_MAX;

/// Lines that wait for a client that does not read. Who follows a turn waits behind them; the turn
/// itself does not.
pub(super) const LINES_WAITING_MAX: usize = 64;

/// Requests that wait for their turn. Beyond it a request is refused at once.
pub(super) const REQUESTS_WAITING_MAX: usize = 256;

/// Requests that are being answered at the same time. Beyond it a request is refused at once.
pub(super) const REQUESTS_RUNNING_MAX: usize = 256;

/// How long a client may refuse to read before its stream is closed.
pub(super) const WRITE_STALL: Duration = Duration::from_secs(60);

/// How long the last lines may take when the program is told to end.
pub(super) const LAST_LINES: Duration = Duration::from_secs(2);

/// How long what was asked may go on after the end of input. Nobody can answer a question or stop a
/// turn any more, so it must not be for ever; long work that was piped in should still come through.
pub(super) const FINISH: Duration = Duration::from_secs(30 * 60);

/// How long turns that were told to stop, and requests beside them, may take before the end is told.
pub(super) const STOP: Duration = Duration::from_secs(10);

/// Entries of a history that an answer shows, the newest ones.
pub(super) const HISTORY_MAX: usize = 500;

/// Threads that a list shows when nobody says how many, and most that are told as loaded.
pub(super) const THREADS: u64 = 50;

/// Most threads that a list shows.
pub(super) const THREADS_MAX: u64 = 500;

/// Longest preview of a thread, in characters.
pub(super) const PREVIEW_CHARS_MAX: usize = 120;

/// Answered questions that are remembered, to tell a second answer from one to nothing.
pub(super) const ANSWERED_MAX: usize = 256;
