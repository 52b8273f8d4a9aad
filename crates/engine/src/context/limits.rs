//! How much of what lies around is read for a prompt, each bound with its reason.

/// Project instructions in one prompt, in bytes: about 16,000 tokens that every request carries.
pub(super) const INSTRUCTIONS_BYTES_MAX: usize = 64 * 1024;

/// One file of instructions. A longer one is cut, so that it leaves room for the others.
pub(super) const INSTRUCTION_FILE_BYTES_MAX: usize = 32 * 1024;

/// Less than this of a file is no use to anyone, and is left out.
pub(super) const INSTRUCTION_PART_BYTES_MIN: usize = 500;

/// Files in one directory of rules.
pub(super) const RULES_MAX: usize = 50;

/// Directories between a workspace and the root of its repository.
pub(super) const PARENTS_MAX: usize = 64;

/// Entries of one directory that are looked at for skills or rules: more was not made by hand.
pub(super) const ENTRIES_MAX: usize = 500;

/// Skills in all: each is read for every turn.
pub(super) const SKILLS_MAX: usize = 200;

/// One `SKILL.md`, in bytes: it goes to the model whole.
pub(super) const SKILL_BYTES_MAX: usize = 96 * 1024;

/// Lines of front matter: what does not end within them is none.
pub(super) const FRONT_MATTER_LINES_MAX: usize = 200;

/// The name of a skill, in characters.
pub(super) const SKILL_NAME_CHARS_MAX: usize = 64;

/// What a prompt says about one skill, in characters.
pub(super) const SKILL_DESCRIPTION_CHARS_MAX: usize = 280;

/// What a prompt says about all skills, in characters.
pub(super) const SKILL_INDEX_CHARS_MAX: usize = 2_400;

/// Files named beside a skill.
pub(super) const SKILL_FILES_MAX: usize = 50;

/// How deep they may lie.
pub(super) const SKILL_FILES_DEPTH_MAX: usize = 3;

/// One file of memory, in bytes: it is read whole for each search.
pub(super) const MEMORY_BYTES_MAX: usize = 256 * 1024;

/// Notes in one prompt.
pub(super) const MEMORY_NOTES_MAX: usize = 32;

/// The same in characters.
pub(super) const MEMORY_CHARS_MAX: usize = 12_000;

/// What is read of a note that was written by hand, in characters.
pub(super) const NOTE_CHARS_MAX: usize = 2_000;

/// The settings of a repository, in bytes; only the address of its origin is wanted.
pub(super) const GIT_CONFIG_BYTES_MAX: usize = 256 * 1024;
