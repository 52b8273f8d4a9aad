//! What happened in a simulation, told by everyone who took part in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use codewhale_protocol::runtime::{
    ApprovalDecision, ApprovalId, AutomationId, FleetRunId, Seq, TaskId, ThreadDetail, ThreadId,
    ThreadRecord, TurnId,
};
use serde_json::Value;

/// A secret that prompts, answers and tools let slip. It must not reach the log.
pub(crate) const SECRET: &str = "canary-0123456789abcdef";

/// What people answer to the questions of agents: for the model, and for nobody else.
pub(crate) const ANSWER: &str = "between-us";

/// The notes of all parts of a simulation.
#[derive(Default)]
pub(crate) struct Journal(Mutex<Notes>);

#[derive(Default)]
pub(crate) struct Notes {
    /// The time of the world.
    pub(crate) clock: Duration,
    /// What was done, in order, for people.
    pub(crate) lines: Vec<String>,
    /// What someone noticed to be wrong while it happened.
    pub(crate) complaints: Vec<String>,
    /// Prompts and additions that a call accepted, by the word they begin with.
    pub(crate) accepted: Vec<Accepted>,
    /// The first words of everything people said that some model was sent.
    pub(crate) heard: BTreeSet<String>,
    /// Answers to approvals that a call accepted.
    pub(crate) answers: Vec<(ApprovalId, ApprovalDecision)>,
    /// Changes of settings that a call accepted.
    pub(crate) patched: Vec<Patched>,
    /// The digest of what a workspace brings along, as someone last saw it.
    pub(crate) luggage: Option<String>,
    /// Calls of tools that really ran, by the number in their input.
    pub(crate) ran: BTreeMap<u64, u32>,
    /// Automations that a call accepted.
    pub(crate) automations: Vec<AutomationId>,
    /// Fleet runs that a call accepted.
    pub(crate) fleets: Vec<FleetRunId>,
    /// Background tasks that a call accepted.
    pub(crate) tasks: Vec<TaskId>,
    /// Copies as they were when they were made.
    pub(crate) forks: BTreeMap<ThreadId, ThreadDetail>,
    /// What requests with a key were answered with, by the key.
    pub(crate) keyed: BTreeMap<String, Value>,
    /// Threads that someone asked to delete.
    pub(crate) deleting: BTreeSet<ThreadId>,
    /// How often each operation gave each answer.
    pub(crate) outcomes: BTreeMap<String, u64>,
}

/// Something a person said that was accepted.
pub(crate) struct Accepted {
    pub(crate) tag: String,
    pub(crate) thread: ThreadId,
    pub(crate) turn: TurnId,
}

/// A thread as the answer to a change of settings showed it.
pub(crate) struct Patched {
    pub(crate) thread: ThreadRecord,
    /// The last event of the thread before it was asked for.
    pub(crate) since: Seq,
}

impl Journal {
    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0
            .lock()
            .expect("nothing panics while it holds the notes")
    }

    /// Notes what was done; the same again at the same time is one line.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        let mut notes = self.notes();
        let line = format!("{:>9} ms  {}", notes.clock.as_millis(), text.as_ref());
        if notes.lines.last() != Some(&line) {
            notes.lines.push(line);
        }
    }

    pub(crate) fn complain(&self, text: impl Into<String>) {
        self.notes().complaints.push(text.into());
    }
}

/// Panics as part of the play, without a word to those who watch.
pub(crate) fn break_down() -> ! {
    std::panic::resume_unwind(Box::new("told to break"))
}

/// The word that something a person said begins with, by which it is found again.
pub(crate) fn tag_of(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}
