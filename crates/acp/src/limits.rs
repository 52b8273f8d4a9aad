//! Every bound of the door for editors, with its reason.

use std::time::Duration;

/// The longest message. A prompt with an embedded file of some size fits; a stream without line ends
/// does not fill the memory.
pub const LINE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Messages that wait for an editor to read them. When they are full, whoever has something to tell
/// waits: the log keeps it meanwhile.
pub const OUTBOX_MESSAGES_MAX: usize = 256;

/// Requests of the editor that are answered at once. A person causes a handful.
pub const REQUESTS_MAX: usize = 256;

/// Refusals of broken messages that wait for an editor to read them. Behind these nothing more is
/// read from one that sends nonsense and does not listen.
pub const REFUSALS_MAX: usize = 64;

/// Prompts that wait behind the one that runs, per session. More is a client that does not wait.
pub const PROMPTS_WAITING_MAX: u64 = 8;

/// Ends of turns that a session remembers, for the prompt that is about to ask for one.
pub const ENDS_KEPT_MAX: usize = 16;

/// Sessions that are open in one editor. Each costs a follower of its thread.
pub const SESSIONS_MAX: usize = 256;

/// What is shown of the result of a tool. The whole of it is in the log.
pub const RESULT_BYTES_MAX: usize = 32 * 1024;

/// Sessions on one page of a list.
pub const PAGE_SESSIONS: usize = 50;

/// The newest so many sessions can be listed: the most that one question to the service gives.
pub const LISTED_SESSIONS_MAX: u64 = 500;

/// How long turns may take to end after the editor is gone or said stop. The runtime writes their
/// ends well within it.
pub const END_WAIT: Duration = Duration::from_secs(8);

/// How long the last messages may take to be read by an editor that has closed its side.
pub const LAST_WORDS_WAIT: Duration = Duration::from_secs(2);

/// How long a command runs before it is shown in a terminal. Most are over by then, and a terminal for
/// those would only flash.
pub const TERMINAL_PATIENCE: Duration = Duration::from_millis(100);

/// What an editor keeps of what a terminal shows: everything that is told of a call, and its result.
pub const TERMINAL_BYTES_MAX: u64 = 256 * 1024;

/// How long a view may take to end after its call, and a call to end after its view, before something
/// must have gone wrong: both read the same log.
pub const VIEW_END_WAIT: Duration = Duration::from_secs(2);

/// How long an editor may take to end or release a terminal. Nothing waits for it.
pub const TERMINAL_WAIT: Duration = Duration::from_secs(10);

/// What is said in the log of a view that failed.
pub const VIEW_WORDS_BYTES_MAX: usize = 500;

/// News of terminals that wait for their session. A session runs one call at a time.
pub const STIRS_MAX: usize = 64;

/// How long a question of an editor's file may wait. It answers from its memory.
pub const FILE_WAIT: Duration = Duration::from_secs(30);
