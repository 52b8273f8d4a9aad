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

/// How long to wait for a command in the background, unless asked otherwise: a step of a build.
pub(crate) const TASK_WAIT: Duration = Duration::from_secs(30);

/// What is quoted of an input that could not be read: it may be of any size.
pub(crate) const PROBLEM_BYTES_MAX: usize = 400;

/// A result that goes to the model whole: about 25,000 tokens. A longer one is kept elsewhere.
pub(crate) const RESULT_BYTES_MAX: usize = 100 * 1024;

/// What is shown of the beginning of a result that is too long: enough to see what it is.
pub(crate) const RESULT_HEAD_BYTES: usize = 8 * 1024;

/// What is shown of its end, where errors and sums stand.
pub(crate) const RESULT_TAIL_BYTES: usize = 16 * 1024;

/// Edits of one file in one call.
pub(crate) const EDITS_MAX: usize = 200;

/// Digits of a hash that tell one version of a file from another.
pub(crate) const HASH_DIGITS_MIN: usize = 12;

/// Lines of a file that are compared with a text that is not in it.
pub(crate) const NEAR_LINES_COMPARED_MAX: usize = 20_000;

/// What is compared and shown of one such line.
pub(crate) const NEAR_LINE_BYTES_MAX: usize = 200;

/// Lines shown where a text was expected and is not.
pub(crate) const NEAR_LINES_MAX: usize = 12;

/// A patch: more is no longer read by anyone before it is approved.
pub(crate) const PATCH_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Files that one patch touches: their old and new content is held in memory while an approval
/// is open.
pub(crate) const PATCH_FILES_MAX: usize = 200;

/// All of them together, before and after.
pub(crate) const PATCH_CONTENT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Lines at each end of a hunk that may differ from the file: with more, a hunk fits anywhere.
pub(crate) const FUZZ_MAX: usize = 2;

/// Names or matching lines in one answer of a search, unless asked otherwise.
pub(crate) const FOUND_DEFAULT: usize = 100;

/// The same at the most.
pub(crate) const FOUND_MAX: usize = 1_000;

/// Text of a search in one answer; long names and lines end it before the count does.
pub(crate) const FOUND_BYTES_MAX: usize = 50 * 1024;

/// How long a search may take: a person waits for it.
pub(crate) const SEARCH_TIME: Duration = Duration::from_secs(20);

/// What is shown of one line that matches: minified files have lines of megabytes.
pub(crate) const LINE_BYTES_MAX: usize = 500;

/// Lines around a match.
pub(crate) const CONTEXT_LINES_MAX: usize = 20;

/// A file that is searched. Larger ones are data.
pub(crate) const SEARCHED_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Memory for the compiled form of a pattern.
pub(crate) const PATTERN_BYTES_MAX: usize = 10 * 1024 * 1024;

/// Patterns for names in one call.
pub(crate) const GLOBS_MAX: usize = 50;

/// How long git may take: a person waits for it.
pub(crate) const GIT_TIME: Duration = Duration::from_secs(30);

/// What is taken of the output of git or of a user's tool before it is fitted for the model.
pub(crate) const CHILD_OUTPUT_BYTES_MAX: usize = 1024 * 1024;

/// A revision, date or author.
pub(crate) const GIT_ARGUMENT_BYTES_MAX: usize = 4096;

/// Lines around a change.
pub(crate) const GIT_CONTEXT_LINES_MAX: usize = 100;

/// Commits in one answer, unless asked otherwise.
pub(crate) const COMMITS_DEFAULT: usize = 20;

/// The same at the most.
pub(crate) const COMMITS_MAX: usize = 200;

/// Lines with their authors in one answer, unless asked otherwise.
pub(crate) const BLAME_LINES_DEFAULT: u64 = 200;

/// The same at the most.
pub(crate) const BLAME_LINES_MAX: u64 = 1_000;

/// An address of the web.
pub(crate) const URL_BYTES_MAX: usize = 8 * 1024;

/// What is read of a page, unless asked otherwise.
pub(crate) const FETCH_BYTES_DEFAULT: usize = 1024 * 1024;

/// The same at the most: it is held in memory, decoded and read as HTML.
pub(crate) const FETCH_BYTES_MAX: usize = 5 * 1024 * 1024;

/// How long a page may take, unless asked otherwise.
pub(crate) const FETCH_TIME_MS_DEFAULT: u64 = 30_000;

/// The same at the most: the turn waits.
pub(crate) const FETCH_TIME_MS_MAX: u64 = 120_000;

/// How long a host may take to answer at all.
pub(crate) const FETCH_CONNECT: Duration = Duration::from_secs(10);

/// Redirects followed for one page.
pub(crate) const REDIRECTS_MAX: usize = 5;

/// A tag of HTML. What goes on for longer without an end is none, and is not searched again.
pub(crate) const TAG_BYTES_MAX: usize = 8 * 1024;

/// Steps of one list: more is no longer a plan.
pub(crate) const TODOS_MAX: usize = 100;

/// One step.
pub(crate) const TODO_BYTES_MAX: usize = 1_000;

/// Questions that a person answers in one go.
pub(crate) const QUESTIONS_MAX: usize = 3;

/// Fewer options are no choice.
pub(crate) const OPTIONS_MIN: usize = 2;

/// More options do not fit on a phone.
pub(crate) const OPTIONS_MAX: usize = 4;

/// A text of a question.
pub(crate) const QUESTION_BYTES_MAX: usize = 2_000;

/// What the model gets of one answer.
pub(crate) const ANSWER_BYTES_MAX: usize = 16 * 1024;

/// A reference to a result.
pub(crate) const REFERENCE_BYTES_MAX: usize = 200;

/// The name of a skill: it stands in every prompt.
pub(crate) const SKILL_NAME_BYTES_MAX: usize = 256;

/// A note for later threads. What is longer is a document and belongs in a file.
pub(crate) const NOTE_BYTES_MAX: usize = 2_000;

/// Words to look for in the memory.
pub(crate) const QUERY_BYTES_MAX: usize = 1_000;

/// Notes in one answer, unless asked otherwise.
pub(crate) const MEMORY_FOUND_DEFAULT: usize = 5;

/// The same at the most.
pub(crate) const MEMORY_FOUND_MAX: usize = 20;

/// Tools that a user adds: each costs room in every prompt.
pub(crate) const USER_TOOLS_MAX: usize = 100;

/// The manifest of one.
pub(crate) const MANIFEST_BYTES_MAX: u64 = 64 * 1024;

/// Its name, as models take it.
pub(crate) const TOOL_NAME_BYTES_MAX: usize = 64;

/// The program behind one; its hash is part of what is approved.
pub(crate) const PROGRAM_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What a sub-agent is told at once; more belongs in a file.
pub(crate) const AGENT_PROMPT_BYTES_MAX: usize = 64 * 1024;

/// The name of a sub-agent, as lists show it.
pub(crate) const AGENT_NAME_BYTES_MAX: usize = 80;

/// What is said of a goal; it stands in every continuation.
pub(crate) const GOAL_BYTES_MAX: usize = 4 * 1024;

/// Pictures in one result that a model is shown: each takes as much of its window as a long text.
pub(crate) const RESULT_PICTURES_MAX: usize = 8;
