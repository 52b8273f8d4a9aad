//! The bounds of the store, each with its unit and its reason.

/// How long a statement waits for another process, in milliseconds. Writers hold the lock for one
/// commit; seconds mean that something is wrong.
pub(crate) const BUSY_WAIT_MS: u64 = 5_000;

/// Statements kept prepared per connection: more than the crate has.
pub(crate) const STATEMENTS_CACHED: usize = 128;

/// Page cache of the writing connection, in KiB.
pub(crate) const WRITER_CACHE_KIB: i64 = 4_096;

/// Page cache of each reading connection, in KiB.
pub(crate) const READER_CACHE_KIB: i64 = 1_024;

/// Reading connections kept open. More readers than this open one for themselves and drop it.
pub(crate) const READERS_KEPT: usize = 4;

/// Long reads at once. They wait for a core or for the disk; more of them only wait together.
pub(crate) const READS_APART: usize = 3;

/// A merged delta stops growing here, in bytes, so that no frame becomes unwieldy.
pub(crate) const DELTA_BYTES_MAX: usize = 64 * 1024;

/// Text that waits for the writer, in bytes, before those who add more have to wait.
pub(crate) const QUEUE_BYTES_MAX: usize = 1024 * 1024;

/// Entries that wait for the writer before those who add more have to wait. Only reached when
/// merging is off.
pub(crate) const QUEUE_ENTRIES_MAX: usize = 4_096;

/// One piece of frames handed to a subscriber, in bytes. A reader that stops reading keeps one
/// piece alive, so this bounds what five hundred of them cost.
pub(crate) const FRAMES_BYTES_MAX: usize = 16 * 1024;

/// One piece of frames read back from the log, in bytes. Larger than a live piece, because a
/// replay is paid for by the piece.
pub(crate) const REPLAY_BYTES_MAX: usize = 32 * 1024;

/// Frames kept per watched stream for readers that are just behind, in bytes.
pub(crate) const RING_BYTES_MAX: usize = 128 * 1024;

/// How far ahead of the last event sequence numbers are reserved. Numbers below a reserved ceiling
/// are not used again after an unclean end, whatever the disk lost.
pub(crate) const SEQ_RESERVE: u64 = 1 << 20;

/// Pages in the write-ahead log that call for a checkpoint: 4 MB.
pub(crate) const CHECKPOINT_PAGES: i64 = 1_000;

/// Pages in the write-ahead log at which commits wait for the checkpoint: 10 MB, which the start
/// after a crash reads in some milliseconds.
pub(crate) const LOG_PAGES_MAX: i64 = 2_500;

/// How often a watched store looks for commits of other processes while they keep coming, in
/// milliseconds.
pub(crate) const FOREIGN_POLL_BUSY_MS: u64 = 5;

/// How often it looks when none came for a while, in milliseconds.
pub(crate) const FOREIGN_POLL_IDLE_MS: u64 = 100;

/// Looks without a foreign commit until the slower pace is taken: about ten seconds.
pub(crate) const FOREIGN_POLLS_BUSY: u32 = 2_000;
