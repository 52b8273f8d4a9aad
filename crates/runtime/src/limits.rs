//! The bounds of the runtime, each with its unit and its reason.

use std::time::Duration;

/// Requests that wait for one thread. A thread answers in microseconds; more than this waiting
/// means that something hammers it.
pub(crate) const MAILBOX: usize = 64;

/// How long a thread nobody asks anything of stays loaded.
pub(crate) const IDLE_UNLOAD: Duration = Duration::from_secs(120);

/// Loaded threads beyond which the idle ones are unloaded earlier.
pub(crate) const LOADED_MAX: usize = 256;

/// Conversations that idle threads keep at hand, over all threads, in bytes: a dozen long ones. Another
/// one is told anew in milliseconds.
pub(crate) const SHELF_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Pictures and sounds in one prompt.
pub(crate) const PROMPT_ATTACHMENTS_MAX: usize = 20;

/// What all attachments of a thread have together, in bytes: hundreds of pictures.
pub(crate) const ATTACHED_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// How long results that were too long for the model are kept: a week.
pub(crate) const RESULTS_KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is told of the output of one call while it runs, in bytes: some thousand lines, more than
/// anybody reads as they pass. A log does not grow by all that a command can print.
pub(crate) const PRINTED_BYTES_MAX: usize = 128 * 1024;

/// How long a turn that was told to stop may take to do so, before its task is dropped.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(5);

/// How long the end of a turn waits between attempts to write it down, at first and at most.
/// A full disk can take hours to clear; the turn must still end in the log.
pub(crate) const END_RETRY_FIRST: Duration = Duration::from_millis(50);
pub(crate) const END_RETRY_LONGEST: Duration = Duration::from_secs(5);

/// How long an approval whose time has run out waits between attempts to write that down.
pub(crate) const EXPIRE_RETRY: Duration = Duration::from_secs(5);

/// How often a process looks for others that died. Their turns are then ended for them.
pub(crate) const SWEEP: Duration = Duration::from_secs(1);

/// How often, and how many times, the start looks whether a process that was just killed is gone.
pub(crate) const DYING_LOOK: Duration = Duration::from_millis(5);
pub(crate) const DYING_LOOKS_MAX: u32 = 100;

/// How long shutting down may take before what still runs is dropped.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(10);

/// How long hooks may still take when the program ends, in which there is more to wait for.
pub(crate) const HOOK_GRACE: Duration = Duration::from_secs(3);

/// Hooks that nobody waits for, at the same time, over all threads: more means that they pile up.
pub(crate) const HOOKS_IN_BACKGROUND_MAX: usize = 16;

/// What waits to be told to the hooks of one thread: more means that they are stuck.
pub(crate) const HOOK_TELLINGS_MAX: usize = 64;

/// Attempts to change a thread that other processes keep changing.
pub(crate) const CHANGE_ATTEMPTS: u32 = 8;

/// How often a request goes to the process that runs a turn before the caller is told about it: the
/// turn may end, and the next one begin elsewhere.
pub(crate) const ERRAND_ATTEMPTS: u32 = 3;

/// How often whoever waits for another process looks whether it lives, and the other what it is
/// asked, if nothing tells them before.
pub(crate) const ERRAND_LOOK: Duration = Duration::from_secs(1);

/// Requests of other processes that are done at the same time.
pub(crate) const ERRANDS_AT_ONCE: u64 = 64;

/// Threads in a list when the request names no number, and the most it can name.
pub(crate) const LIST_DEFAULT: u64 = 50;
pub(crate) const LIST_MAX: u64 = 500;

/// Longest title of a thread, in characters.
pub(crate) const TITLE_CHARS_MAX: usize = 200;

/// Files that a workspace may bring along before nobody could look at them any more, and their
/// bytes.
pub(crate) const LUGGAGE_FILES_MAX: usize = 2_000;
pub(crate) const LUGGAGE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Directories that a thread works in beside its workspace: each is looked at for every path.
pub(crate) const DIRECTORIES_MAX: usize = 32;

/// How long a look at a workspace's repository may take, in a list of threads.
pub(crate) const GIT_LOOK: Duration = Duration::from_millis(1_500);

/// How much of git's answer is kept where only its length counts, in bytes.
pub(crate) const GIT_LOOK_BYTES_MAX: usize = 1024;

/// How much of git's answer is kept where its lines are counted, in bytes: tens of thousands of
/// changed files.
pub(crate) const GIT_LINES_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How long such a look is good for.
pub(crate) const GIT_LOOK_FRESH: Duration = Duration::from_secs(2);

/// Snapshots in a list when the request names no number, and the most it can name.
pub(crate) const SNAPSHOTS_LISTED: u64 = 20;
pub(crate) const SNAPSHOTS_LISTED_MAX: u64 = 100;

/// Snapshots of a workspace that are looked through for turns that worked beside an undone one: all
/// that are kept, and as many again.
pub(crate) const SNAPSHOTS_BESIDE: u64 = 100;

/// What the label of a snapshot tells of the prompt, in characters.
pub(crate) const LABEL_SAID_CHARS_MAX: usize = 100;

/// Files that an answer names. More would be read by nobody.
pub(crate) const FILES_NAMED_MAX: usize = 1_000;

/// Share of the model's window in use above which a conversation is called crowded, in percent.
pub(crate) const CROWDED_PERCENT: u64 = 60;

/// Items of one turn: the ordinal of an item is that of its turn times this, plus its own.
pub(crate) const ITEMS_PER_TURN: u64 = 1 << 20;

/// What of a sub-agent's report stands in its receipt, in bytes; the rest is in its thread.
pub(crate) const REPORT_BYTES_MAX: usize = 24 * 1024;

/// Events that a receipt remembers.
pub(crate) const RUN_EVENTS_MAX: usize = 50;

/// Receipts that are written into a workspace.
pub(crate) const RUNS_EXPORTED: u64 = 100;

/// Items that a look over a sub-agent's shoulder shows.
pub(crate) const PEEK_ITEMS: usize = 12;

/// The longest that one call waits for sub-agents. The model can wait again; meanwhile a person
/// sees that the turn is alive.
pub(crate) const AGENT_WAIT: Duration = Duration::from_secs(600);

/// How often a wait looks by itself, because one may be at work in another process.
pub(crate) const AGENT_LOOK: Duration = Duration::from_secs(5);

/// How long stopping a sub-agent waits for its end: more than its turn gets.
pub(crate) const AGENT_STOP: Duration = Duration::from_secs(12);

/// Turns towards a goal that follow each other by themselves, where nothing else is configured: a
/// goal that needs more wants a person's eye.
pub(crate) const CONTINUATIONS_MAX: u64 = 100;

/// The objective of a goal; it stands in every continuation.
pub(crate) const OBJECTIVE_BYTES_MAX: usize = 4 * 1024;

/// How long the answer of a request with a key is known: who was cut off comes back within a day.
pub(crate) const KEYS_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// How many of those are known of one principal, the newest ones: one every ten seconds of a day,
/// some tens of megabytes.
pub(crate) const KEYS_KEPT_MAX: u64 = 8_192;

/// Longest key, in bytes: several ids put together.
pub(crate) const KEY_BYTES_MAX: usize = 255;

/// How long a request waits for the same one that came before. Most take milliseconds; those that
/// move files some seconds.
pub(crate) const KEY_WAIT: Duration = Duration::from_secs(30);

/// Notes in a list when the request names no number, and the most it can name.
pub(crate) const NOTES_LISTED: u64 = 50;
pub(crate) const NOTES_LISTED_MAX: u64 = 200;

/// What a list tells of a note, in characters.
pub(crate) const NOTE_SUMMARY_CHARS_MAX: usize = 300;

/// Sub-agents that are looked at before a thread is deleted: as many as a thread can have.
pub(crate) const AGENT_RUNS_MAX: u64 = 65_536;

/// The longest title of a session, in characters: what clients have room for.
pub(crate) const SESSION_TITLE_CHARS_MAX: usize = 100;

/// Entries that a glance at a session shows, when nobody says, and at most.
pub(crate) const PEEK_DEFAULT: u64 = 6;
pub(crate) const PEEK_MAX: u64 = 12;

/// The longest text of such an entry, in characters.
pub(crate) const PEEK_CHARS_MAX: usize = 400;

/// Tools that a client declares for a turn: more than a model keeps apart.
pub(crate) const CLIENT_TOOLS_MAX: usize = 64;

/// The name of such a tool with its namespace, in bytes: what every provider takes.
pub(crate) const CLIENT_TOOL_NAME_BYTES_MAX: usize = 64;

/// What such a tool says about itself, in bytes; with its schema; and all of a turn together. Every
/// request of the turn repeats them.
pub(crate) const CLIENT_TOOL_DESCRIPTION_BYTES_MAX: usize = 8 * 1024;
pub(crate) const CLIENT_TOOL_BYTES_MAX: usize = 64 * 1024;
pub(crate) const CLIENT_TOOLS_BYTES_MAX: usize = 512 * 1024;

/// What a client is called with, in bytes: an event of the log holds it.
pub(crate) const CLIENT_ARGUMENTS_BYTES_MAX: usize = 256 * 1024;

/// What of that stands in a question to a person, in bytes.
pub(crate) const CLIENT_PREVIEW_BYTES_MAX: usize = 2 * 1024;

/// What a client answers: parts, and bytes of all of them, pictures included.
pub(crate) const CLIENT_RESULT_PARTS_MAX: usize = 64;
pub(crate) const CLIENT_RESULT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// How long a call waits for its client: what the contract says.
pub(crate) const CLIENT_CALL_WAIT: Duration = Duration::from_secs(300);

/// Calls of all threads that wait for clients: what the contract says.
pub(crate) const CLIENT_CALLS_MAX: usize = 128;

/// Files of a directory that are looked at for sessions of other programs, and of those the newest ones
/// that are read: as many as a list shows.
pub(crate) const OLD_ENTRIES_MAX: usize = 10_000;
pub(crate) const OLD_FILES_MAX: usize = 500;

/// The longest such file, in bytes: it is read at once.
pub(crate) const OLD_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The longest id of such a session, in bytes.
pub(crate) const OLD_ID_BYTES_MAX: usize = 128;

/// Items that become of such a session: what a thread holds that was worked in for months.
pub(crate) const OLD_ITEMS_MAX: usize = 20_000;

/// Background tasks that one process runs at once.
pub(crate) const WORKERS_MAX: usize = 8;

/// How often a process looks by itself into the queue and after its tasks, because others may have
/// changed them.
pub(crate) const TASK_LOOK: Duration = Duration::from_secs(1);

/// How long a task may work, without the time it waits for a person.
pub(crate) const TASK_WALL: Duration = Duration::from_secs(30 * 60);

/// How long nothing may happen in a task, while it neither waits for a person nor for a call.
pub(crate) const TASK_IDLE: Duration = Duration::from_secs(120);

/// How long a question of a task waits: whoever gave it may be back after a long weekend.
pub(crate) const TASK_PATIENCE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Tasks in a list. More would be read by nobody.
pub(crate) const TASKS_LISTED_MAX: u64 = 5_000;

/// Lines of a timeline, and how many of the first are kept when there are more.
pub(crate) const TIMELINE_MAX: usize = 256;
pub(crate) const TIMELINE_FIRST: usize = 8;

/// The least time between two looks at the clock for automations that are due, so that clocks which
/// disagree by a little do not make it spin.
pub(crate) const SCHEDULE_REST: Duration = Duration::from_millis(50);

/// Events of a thread that are looked through for a timeline, besides those of items.
pub(crate) const TIMELINE_EVENTS_MAX: u64 = 1_000;

/// From how many bytes on an answer or a result is told of by where it stands.
pub(crate) const DETAIL_BYTES_MIN: usize = 1_200;

/// How often the clock is looked at for automations that are due, at the least.
pub(crate) const SCHEDULE_TICK: Duration = Duration::from_secs(15);

/// Automations that are begun in one look.
pub(crate) const DUE_AT_ONCE: u64 = 64;

/// How late a moment may be noticed before it counts as missed, in milliseconds: some looks.
pub(crate) const SLOT_LATE_MS: u64 = 60_000;

/// How far ahead a schedule is followed, in days: five years.
pub(crate) const SCHEDULE_HORIZON_DAYS: i64 = 5 * 366;

/// The longest interval of a schedule, in hours: a year.
pub(crate) const SCHEDULE_HOURS_MAX: i64 = 366 * 24;

/// The longest schedule, in bytes: every list of RFC 5545 written out is shorter.
pub(crate) const RULE_BYTES_MAX: usize = 2_000;

/// The highest `COUNT` of a schedule: all are counted anew whenever the next moment is looked for.
pub(crate) const SCHEDULE_COUNT_MAX: i64 = 10_000;

/// Wall times that are looked at for the next moment of a schedule: every minute of a year, and some.
pub(crate) const SCHEDULE_STEPS_MAX: usize = 600_000;

/// Steps of a schedule by hours or minutes that are looked at for one wall time: days that it leaves
/// out are one step, and in five years there are fewer.
pub(crate) const SCHEDULE_SEARCH_MAX: usize = 50_000;

/// Runs of an automation in a list when the request names no number.
pub(crate) const AUTOMATION_RUNS_LISTED: u64 = 20;

/// Automations in a list. More would be read by nobody.
pub(crate) const AUTOMATIONS_LISTED_MAX: u64 = 1_000;

/// Entries in a list of bounds. Enough for every tool there is; each is compared with each call.
pub(crate) const BOUND_ENTRIES_MAX: usize = 1_000;

/// How long a session waits for the servers of its editor. One that is slower comes later.
pub(crate) const LENT_SERVERS: Duration = Duration::from_secs(10);

/// Tasks of a fleet run, roles, and workers at once: what the contract allows, and what one commit can
/// still rewrite in a moment.
pub(crate) const FLEET_TASKS_MAX: usize = 512;
pub(crate) const FLEET_ROLES_MAX: usize = 128;
pub(crate) const FLEET_WORKERS_MAX: u64 = 128;

/// Runs in a list. More would be read by nobody.
pub(crate) const FLEETS_LISTED_MAX: u64 = 1_000;

/// Ids of tasks, roles and workflows, names, and instructions, in bytes.
pub(crate) const FLEET_TOKEN_BYTES_MAX: usize = 128;
pub(crate) const FLEET_LINE_NAME_BYTES_MAX: usize = 256;
pub(crate) const FLEET_INSTRUCTIONS_BYTES_MAX: usize = 64 * 1024;

/// Attempts that a retry policy can ask for: more is not patience but a loop.
pub(crate) const FLEET_ATTEMPTS_MAX: u64 = 20;

/// Seconds of silence after which a worker is given up where nobody says otherwise, and at most.
pub(crate) const FLEET_STALE_SECONDS: u64 = 300;
pub(crate) const FLEET_STALE_SECONDS_MAX: u64 = 24 * 60 * 60;

/// How long an attempt may take at most: a working day.
pub(crate) const FLEET_WALL: Duration = Duration::from_secs(12 * 60 * 60);

/// How often a worker that lives is written down as alive.
pub(crate) const FLEET_HEARTBEAT: Duration = Duration::from_secs(15);

/// How often a driver looks by itself whether others have changed its run.
pub(crate) const FLEET_LOOK: Duration = Duration::from_secs(1);

/// What workers have to tell and their driver has not written down yet; they wait beyond.
pub(crate) const FLEET_NEWS: usize = 64;

/// How long a worker that is told to stop may take: it writes down the end of its turn.
pub(crate) const FLEET_KILL_GRACE: Duration = Duration::from_secs(5);

/// What of a worker's output waits to be read, in bytes; a line is much shorter.
pub(crate) const FLEET_SAID_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The longest line of a worker that is read: results of tools are bounded well below.
pub(crate) const FLEET_LINE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Lines of a worker that wait to be read.
pub(crate) const FLEET_LINES: usize = 64;

/// What is kept of an attempt, in bytes: its log, each file it leaves, its patch.
pub(crate) const FLEET_LOG_BYTES_MAX: u64 = 16 * 1024 * 1024;
pub(crate) const FLEET_ARTIFACT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Files that an attempt leaves.
pub(crate) const FLEET_ARTIFACTS_MAX: usize = 64;

/// What of a file is shown as evidence, in bytes: the contract's number.
pub(crate) const FLEET_EVIDENCE_BYTES_MAX: u64 = 64 * 1024;

/// What is told of what a worker said last, in characters.
pub(crate) const FLEET_MESSAGE_CHARS_MAX: usize = 2_000;

/// How long git may take to make a worktree or to compare it.
pub(crate) const FLEET_GIT_WALL: Duration = Duration::from_secs(300);

/// How long a command that judges may take, and what is kept of what it says, in bytes.
pub(crate) const FLEET_JUDGE_WALL: Duration = Duration::from_secs(15 * 60);
pub(crate) const FLEET_JUDGE_SAID_BYTES_MAX: usize = 4 * 1024;

/// What of a file a pattern or path is looked for in, in bytes, and how large a pattern may grow.
pub(crate) const FLEET_JUDGED_BYTES_MAX: u64 = 8 * 1024 * 1024;
pub(crate) const FLEET_PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// Events of a run in a page when the request names no number, and the most it can name.
pub(crate) const FLEET_REPLAY: u64 = 250;
pub(crate) const FLEET_REPLAY_MAX: u64 = 1_000;

/// The longest name of a tool that is called without a model, in bytes: those of servers carry the
/// server's name, and a name is shown in one line.
pub(crate) const TOOL_NAME_BYTES_MAX: usize = 256;
