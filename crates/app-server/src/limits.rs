//! The bounds of the door, each with its unit and its reason.

use std::time::Duration;

/// Largest request body, in bytes.
pub(crate) const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;

/// The same where a picture or a sound is sent: the largest one in base64, and a little beside it.
pub(crate) const ATTACHMENT_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Silence on an event stream before a comment tells that it lives.
pub(crate) const KEEPALIVE: Duration = Duration::from_secs(15);

/// Most events of history that a request may ask to be replayed by number.
pub(crate) const REPLAY_LIMIT_MAX: u64 = 4_096;

/// Most events of a fleet run that are asked for at once, as the contract has it.
pub(crate) const FLEET_PAGE_MAX: u64 = 1_000;

/// Connections at once. A local control plane has few clients; this is room for many streams.
pub(crate) const CONNECTIONS_MAX: usize = 2_048;

/// How long a client may take to send the head of a request.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(15);

/// How long a client may refuse to read before it is dropped. It can come back and resume.
pub(crate) const WRITE_STALL: Duration = Duration::from_secs(60);

/// Bytes buffered per connection and direction. Small, because a stalled stream keeps its buffer.
pub(crate) const BUFFER_BYTES_MAX: usize = 16 * 1024;

/// Bytes that the system keeps per connection for a client that does not read. Left alone it would
/// keep megabytes for each.
pub(crate) const SEND_BUFFER_BYTES: u32 = 64 * 1024;

/// Connections that wait to be accepted.
pub(crate) const BACKLOG: u32 = 1_024;

/// How long open connections may take to end when the server stops.
pub(crate) const DRAIN: Duration = Duration::from_secs(2);

/// Wait after a failed accept, so that running out of file descriptors does not spin.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long the answer to a run that is waited for may take. The run goes on behind it, and who
/// waits is told how far it is: connections that say nothing for longer than this are cut by others.
pub(crate) const RUN_WAIT: Duration = Duration::from_secs(30 * 60);

/// Agents on a page of their list, when the request names no number.
pub(crate) const AGENTS_LISTED: usize = 100;

/// Most agents that a request may ask for at once, as the protocol has it.
pub(crate) const AGENTS_LISTED_MAX: usize = 1_000;

/// Threads that are looked at for agents among them: the last changed ones.
pub(crate) const THREADS_LISTED: u64 = 500;
