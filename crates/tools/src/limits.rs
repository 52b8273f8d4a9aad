//! How much the tools take in and give out.

use std::time::Duration;

/// Text of a file in one answer: about 13,000 tokens, a large source file.
pub(crate) const READ_BYTES_MAX: usize = 50 * 1024;

/// How far into a file the first wanted line may lie. Behind it, finding the line takes longer
/// than a person waits.
pub(crate) const SKIP_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// How much of a file is looked at to tell text from the rest.
pub(crate) const KIND_BYTES: usize = 8 * 1024;

/// A file that is written, before and after: more is no longer text that somebody reviews, and
/// it is held in memory while an approval is open.
pub(crate) const CONTENT_BYTES_MAX: usize = 10 * 1024 * 1024;

/// What a person is shown of a change: more than fits on a phone, less than a browser chokes on.
pub(crate) const DIFF_BYTES_MAX: usize = 64 * 1024;

/// After this time a diff is approximated: a person waits for it.
pub(crate) const DIFF_TIME: Duration = Duration::from_millis(500);

/// Entries of a directory in one answer.
pub(crate) const ENTRIES_MAX: usize = 500;

/// Text of a listing in one answer; very long names end it before the count does.
pub(crate) const LISTING_BYTES_MAX: usize = 50 * 1024;

/// Names offered for a file that is not there.
pub(crate) const NEAR_NAMES_MAX: usize = 5;

/// Names compared with one that is not there: enough for every directory written by hand.
pub(crate) const NEAR_NAMES_COMPARED_MAX: usize = 2_000;

/// The longest path that Linux takes.
pub(crate) const PATH_BYTES_MAX: usize = 4096;

/// Links followed for one path, as the kernel does.
pub(crate) const LINKS_MAX: usize = 40;

/// A shell script in one argument. The kernel takes 128 KiB, and a longer one belongs in a file.
pub(crate) const COMMAND_BYTES_MAX: usize = 100 * 1024;

/// Less does not let a shell start on a busy machine.
pub(crate) const TIMEOUT_MS_MIN: u64 = 1_000;

/// More needs a command that runs in the background.
pub(crate) const TIMEOUT_MS_MAX: u64 = 600_000;

/// What is quoted of an input that could not be read: it may be of any size.
pub(crate) const PROBLEM_BYTES_MAX: usize = 400;
