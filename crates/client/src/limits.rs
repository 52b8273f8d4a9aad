//! Every bound of talking to a server, with its reason.

use std::time::Duration;

/// A host that has not taken a connection after this long is down or filtered.
pub const CONNECT: Duration = Duration::from_secs(10);

/// Operations answer once their effect is stored; the slowest look into a large workspace.
pub const CALL: Duration = Duration::from_secs(60);

/// An event stream begins with its first line at once; the server only has to find the thread.
pub const OPEN: Duration = Duration::from_secs(30);

/// The server says something every 15 seconds. Four times that without a byte, and it is gone.
pub const SILENCE_MAX: Duration = Duration::from_secs(60);

/// The wait before the second attempt in a row to reconnect; the first comes at once. Each further
/// wait is twice as long.
pub const RECONNECT_DELAY_MIN: Duration = Duration::from_millis(100);

/// No wait between attempts is longer: someone sits in front of it.
pub const RECONNECT_DELAY_MAX: Duration = Duration::from_secs(5);

/// After so many attempts in a row, about three minutes, the server counts as gone. A restart with
/// a long recovery takes less.
pub const RECONNECTS_MAX: u32 = 40;

/// A connection that held this long, or brought an event, was a good one: attempts count anew.
pub const STABLE_AFTER: Duration = Duration::from_secs(30);

/// A connection without work is closed after this long, before servers do it.
pub const POOL_IDLE: Duration = Duration::from_secs(30);

/// The largest answer that is taken: a very long thread with all its items.
pub const ANSWER_BYTES_MAX: usize = 256 * 1024 * 1024;

/// What is read of the body of a refusal that is not ours: the reason stands at its start.
pub const REFUSAL_BYTES_MAX: usize = 1024 * 1024;

/// What is shown of a text that is not ours.
pub const REFUSAL_CHARS_MAX: usize = 500;
