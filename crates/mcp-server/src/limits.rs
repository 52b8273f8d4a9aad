//! How much a client may send, and how long it is waited for.

use std::time::Duration;

/// The longest line on stdio, in bytes: a whole file in one call. Longer ones are passed over.
pub(crate) const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Requests of a client on stdio whose answers it has not read: more than any client waits for. Each is a
/// task, or an answer in memory.
pub(crate) const REQUESTS_UNDER_WAY_MAX: usize = 256;

/// Refusals that wait for a client on stdio to read them; who reads none gets no more of them.
pub(crate) const REFUSALS_UNREAD_MAX: usize = 64;

/// The longest body of a request over HTTP, in bytes.
pub(crate) const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Sessions over HTTP at once. Each holds some buffers; a person has a handful of clients.
pub(crate) const SESSIONS_MAX: usize = 256;

/// How long a session over HTTP lives without a message: longer than any turn keeps still.
pub(crate) const SESSION_IDLE: Duration = Duration::from_secs(2 * 60 * 60);

/// Threads for tool calls that are remembered, one per session. A forgotten session gets another.
pub(crate) const TOOL_THREADS_MAX: usize = 256;

/// Calls of tools that are under way at once, over all sessions. Each is a turn that someone waits for.
pub(crate) const CALLS_UNDER_WAY_MAX: usize = 512;

/// Tool calls of a session that may wait for their turn; a thread runs one at a time.
pub(crate) const CALLS_WAITING_MAX: usize = 64;

/// How long a notice of progress may take to be sent. A client that does not read gets no more of them;
/// its turn goes on.
pub(crate) const PROGRESS_WAIT: Duration = Duration::from_secs(2);

/// How long the end of a turn is waited for that was told to stop: less than what the connection is kept
/// for after its input has ended.
pub(crate) const STOP_WAIT: Duration = Duration::from_secs(4);

/// How long a connection may take to end once its input has: what is under way is told to stop, and
/// a client that does not read any more is not waited for.
pub(crate) const CLOSE_WAIT: Duration = Duration::from_secs(8);

/// How long a question to the person may stand in the client: as long as any approval may be open.
pub(crate) const ELICIT_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest part of a question, in characters: a person reads it in a dialog.
pub(crate) const QUESTION_CHARS_MAX: usize = 4_000;

/// Threads that a session hears of. Each is a cursor into the log.
pub(crate) const SUBSCRIPTIONS_MAX: usize = 64;

/// Entries on one page of a list.
pub(crate) const PAGE: usize = 100;

/// Threads and receipts that are listed at all; the most that one operation answers with.
pub(crate) const LISTED_MAX: u64 = 500;

/// The text of items on one page of a thread, in bytes: what fits a model's context with room to spare.
pub(crate) const PAGE_BYTES_MAX: usize = 128 * 1024;

/// The longest text of one item on such a page, in bytes.
pub(crate) const ITEM_BYTES_MAX: usize = 16 * 1024;

/// The longest name of a client that is shown, in characters.
pub(crate) const CLIENT_NAME_CHARS_MAX: usize = 60;
