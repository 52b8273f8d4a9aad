//! The bounds of this crate, each with its reason.

/// The longest configuration file, in bytes. People write these files by hand; one that is longer was
/// named by mistake.
pub(crate) const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The longest value that is taken for a key, in bytes. The longest there are is a list of hosts.
pub(crate) const VALUE_BYTES_MAX: usize = 64 * 1024;
