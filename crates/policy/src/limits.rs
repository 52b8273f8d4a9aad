//! The bounds of reading a script, and of what is said about it. Past any of them a script counts as
//! unreadable, which never loosens anything.

/// Longest script that is read, in bytes. Reading takes time in proportion, and a decision is made
/// while a turn waits; a longer script belongs into a file.
pub(crate) const SCRIPT_BYTES_MAX: usize = 64 * 1024;

/// Scripts within scripts, as in `sh -c "sh -c ..."`. Nobody nests deeper in earnest, and each level
/// may multiply the text.
pub(crate) const NESTED_SCRIPTS_MAX: usize = 6;

/// Commands within commands, as in `sudo env nice make`. Each level strips at least one word.
pub(crate) const WRAPPERS_MAX: usize = 12;

/// Depth of the grammar's tree. The walk recurses, and the stack of a worker thread is finite.
pub(crate) const TREE_DEPTH_MAX: usize = 120;

/// Commands of one script, those inside others included. Each is compared with every rule.
pub(crate) const SEGMENTS_MAX: usize = 512;

/// Proposals shown with a question. More than a person reads before answering is noise.
pub(crate) const PROPOSALS_MAX: usize = 4;

/// Longest input of an MCP tool that a rule remembers, in bytes. Longer ones do not come again.
pub(crate) const REMEMBERED_BYTES_MAX: usize = 4096;
