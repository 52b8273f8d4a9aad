//! Every bound of talking to a provider, with its reason.

use std::time::Duration;

/// How long to wait for a provider. Comes from the configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// For a connection, TLS included.
    pub connect: Duration,
    /// From the request to the first line of the answer.
    pub open: Duration,
    /// Between two bytes of an answer.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: CONNECT,
            open: OPEN,
            idle: IDLE,
        }
    }
}

/// A host that has not taken a connection after this long is down or filtered.
pub const CONNECT: Duration = Duration::from_secs(10);

/// Providers answer with a status line at once and queue behind it; 45 s covers the slow ones.
pub const OPEN: Duration = Duration::from_secs(45);

/// A model may think for minutes without a word. Longer than this it is gone.
pub const IDLE: Duration = Duration::from_secs(900);

/// Keep-alives count as a sign of life, but not for ever: after so many idle times in a row with
/// nothing else, the answer counts as stalled.
pub(crate) const SILENT_IDLES_MAX: u32 = 2;

/// After the reason for the end only the usage can follow, and it follows at once.
pub(crate) const TAIL_WAIT: Duration = Duration::from_secs(5);

/// The end of the body stands right behind the answer; a connection is not worth waiting longer for.
pub(crate) const END_WAIT: Duration = Duration::from_millis(50);

/// A connection without work is closed after this long, before most providers do it.
pub(crate) const POOL_IDLE: Duration = Duration::from_secs(50);

/// Connections without work kept per provider. Each keeps the buffer of its busiest moment, up to
/// some hundred kilobytes.
pub(crate) const POOL_IDLE_MAX: usize = 8;

/// What is read of the body of a refusal: the reason stands at its start.
pub(crate) const ERROR_BODY_BYTES_MAX: usize = 64 * 1024;

/// A refusal whose body does not come is reported without it.
pub(crate) const ERROR_BODY_WAIT: Duration = Duration::from_secs(5);

/// What is shown of a provider's own words.
pub(crate) const ERROR_TEXT_CHARS_MAX: usize = 500;

/// What is shown of bytes that do not read as the dialect.
pub(crate) const EXCERPT_CHARS_MAX: usize = 200;

/// The longest streams known are 400,000 tokens at about 250 bytes each; more is a broken provider.
pub(crate) const ANSWER_BYTES_MAX: usize = 256 * 1024 * 1024;

/// An answer in one piece carries its text once; more than this is not an answer.
pub(crate) const WHOLE_ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// More calls in one answer than any model makes on purpose.
pub(crate) const CALLS_MAX: usize = 256;

/// Arguments of all calls of an answer together: a large file, written several times over.
pub(crate) const ARGUMENTS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Signed or encrypted thoughts of one answer: a few hundred bytes to some hundred kilobytes.
pub(crate) const THOUGHT_BYTES_MAX: usize = 1024 * 1024;

/// Thoughts kept for one provider. They matter while their turn runs; this is room for thousands.
pub(crate) const MEMORY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The length of an answer to ask for in the Messages dialect, which wants one named: long enough
/// for a large file, and allowed by every model of the last years.
pub(crate) const MESSAGES_OUTPUT_TOKENS: u32 = 32_000;

/// The longest id of a call that all providers take back.
pub(crate) const CALL_ID_BYTES_MAX: usize = 64;

/// Pictures and sounds that go with one request, in bytes of base64: providers refuse requests of
/// 32 MB. What is older is still told of by the text.
pub const MEDIA_BYTES_MAX: usize = 24 * 1024 * 1024;

/// A server on this machine that does not answer at once is not there, or too busy to be offered.
pub(crate) const LOCAL_WAIT: Duration = Duration::from_millis(500);

/// A list of local models; each takes some hundred bytes.
pub(crate) const LOCAL_BYTES_MAX: usize = 1024 * 1024;
