//! The bounds of the door, each with its unit and its reason.

use std::time::Duration;

/// Largest request body, in bytes.
pub(crate) const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Silence on an event stream before a comment tells that it lives.
pub(crate) const KEEPALIVE: Duration = Duration::from_secs(15);

/// Most events of history that a request may ask to be replayed by number.
pub(crate) const REPLAY_LIMIT_MAX: u64 = 4_096;

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
