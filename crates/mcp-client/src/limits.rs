//! How long a server may take and how much it may say.

use std::time::Duration;

/// Until a server that has not answered is called slow. It may come later all the same.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What one call may take when nothing else is configured.
pub(crate) const EXECUTE_TIMEOUT: Duration = Duration::from_secs(60);

/// What reading a list, a resource or a prompt may take when nothing else is configured.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(120);

/// No configured timeout counts beyond this: a turn that waits longer is lost.
pub(crate) const TIMEOUT_MAX: Duration = Duration::from_secs(3600);

/// How long a slow server is waited for behind everyone's back: a first start that downloads its
/// packages takes minutes.
pub(crate) const SLOW_START_MAX: Duration = Duration::from_secs(300);

/// Between the closed input and the signal: enough to write what it holds.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(2);

/// Before the first new start after a crash.
pub(crate) const BACKOFF_FIRST: Duration = Duration::from_millis(200);

/// Before any later one.
pub(crate) const BACKOFF_MAX: Duration = Duration::from_secs(30);

/// Starts in a row that came to nothing, before it takes a call or a person to try again.
pub(crate) const RETRIES_MAX: u32 = 6;

/// A server that lived this long did come up: its end does not count as one of them.
pub(crate) const STABLE_AFTER: Duration = Duration::from_secs(10);

/// Between two looks whether a server behind HTTP is still there.
pub(crate) const PING_EVERY: Duration = Duration::from_secs(30);

/// How long a process may run: as long as ours, and a year is longer.
pub(crate) const CHILD_WALL_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What is kept of what a server says on its standard error.
pub(crate) const STDERR_BYTES_MAX: usize = 64 * 1024;

/// Its last lines, shown when it ends.
pub(crate) const STDERR_LINES_MAX: usize = 64;

/// What is quoted of a server's words in an error: its last lines, not its diary.
pub(crate) const QUOTED_BYTES_MAX: usize = 2000;

/// One message from a server.
pub(crate) const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// One event of a stream.
pub(crate) const EVENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Pages of one list: a server that always has another page is not worth more.
pub(crate) const PAGES_MAX: usize = 64;

/// Entries of one list.
pub(crate) const ITEMS_MAX: usize = 4096;

/// Bytes of one list.
pub(crate) const LIST_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A tool name as every provider takes it.
pub(crate) const NAME_BYTES_MAX: usize = 64;

/// A description the model reads in every request.
pub(crate) const DESCRIPTION_BYTES_MAX: usize = 4096;

/// A schema the model reads in every request: about 8,000 tokens for one tool.
pub(crate) const SCHEMA_BYTES_MAX: usize = 32 * 1024;

/// Deeper ones are refused by providers, and a stack is finite.
pub(crate) const SCHEMA_DEPTH_MAX: usize = 24;

/// A result that goes to the model whole, like that of any other tool.
pub(crate) const RESULT_BYTES_MAX: usize = 100 * 1024;

/// What is shown of both ends of a longer one.
pub(crate) const RESULT_HEAD_BYTES: usize = 8 * 1024;
pub(crate) const RESULT_TAIL_BYTES: usize = 16 * 1024;

/// What a person is shown of the input before saying yes.
pub(crate) const PREVIEW_BYTES_MAX: usize = 4096;

/// Questions put to a person at once: what one dialog shows.
pub(crate) const QUESTIONS_MAX: usize = 3;

/// Questions of a server during one call: a person who is asked more often is being worn down.
pub(crate) const ASKED_MAX: usize = 8;

/// Members a server may ask for in one form: eight dialogs, and nobody answers more.
pub(crate) const FORM_MEMBERS_MAX: usize = 24;

/// A server's question and the choices in it, as far as a person reads them.
pub(crate) const QUESTION_BYTES_MAX: usize = 2000;

/// A settings file: hundreds of servers.
pub(crate) const SETTINGS_BYTES_MAX: usize = 1024 * 1024;

/// Servers of one workspace: each enabled one is a process.
pub(crate) const SERVERS_MAX: usize = 64;

/// Workspaces whose own servers run at once: each may be [`SERVERS_MAX`] processes, and who works in
/// more comes back to few of them.
pub(crate) const WORKSPACES_MAX: usize = 8;

/// Shorter values are no secrets: masking them would eat words.
pub(crate) const SECRET_BYTES_MIN: usize = 8;

/// Before its end, a token is renewed: a request that was sent in time arrives in time.
pub(crate) const RENEW_BEFORE: Duration = Duration::from_secs(30);

/// How long a person may take to log in: with a second factor, and a password that is looked for.
pub(crate) const LOGIN_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// One request of a login.
pub(crate) const LOGIN_REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// One answer during a login: documents and tokens are a few kilobytes.
pub(crate) const LOGIN_ANSWER_BYTES_MAX: usize = 256 * 1024;

/// The request of a browser that comes back: an address and its headers.
pub(crate) const CALLBACK_BYTES_MAX: usize = 32 * 1024;

/// A browser that connects says at once what it wants; others wait in line behind it.
pub(crate) const CALLBACK_READ_TIMEOUT: Duration = Duration::from_secs(2);
