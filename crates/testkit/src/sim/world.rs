//! The world: one home, the processes on it, their clock, and everyone who watches.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::ThreadId;
use codewhale_protocol::{Call, Service, Surface};
use codewhale_store::StoredTask;
use serde_json::json;
use tempfile::TempDir;

use super::evidence::{self, Evidence, Ledger};
use super::follower::Session;
use super::invariants::{Case, Moment, check};
use super::journal::Journal;
use super::process::{Birth, Process};
use super::{Report, Violation};

/// How long everything that was begun may take to end. Approvals time out, providers are given
/// up, tools that do not listen are dropped: all of that happens much earlier.
const REST_MAX: Duration = Duration::from_secs(3_600);

/// Whether anyone looks whether what must hold does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    Looking,
    Blind,
}

pub(crate) struct World {
    pub(crate) seed: u64,
    watch: Watch,
    pub(crate) processes: Vec<Process>,
    pub(crate) clock: Duration,
    pub(crate) journal: Arc<Journal>,
    /// What the readers of streams have seen.
    pub(crate) sessions: Vec<Arc<Session>>,
    calm: Arc<AtomicBool>,
    ledger: Ledger,
    born: u32,
    home: TempDir,
}

impl World {
    pub(crate) fn new(seed: u64, watch: Watch) -> Self {
        let mut world = Self {
            seed,
            watch,
            processes: Vec::new(),
            clock: Duration::ZERO,
            journal: Arc::default(),
            sessions: Vec::new(),
            calm: Arc::default(),
            ledger: Ledger::default(),
            born: 0,
            home: home(),
        };
        world.start_process();
        world
    }

    pub(crate) fn start_process(&mut self) {
        self.born += 1;
        self.journal.line(format!("process {} starts", self.born));
        self.processes.push(Process::start(&Birth {
            home: self.home.path(),
            seed: self.seed,
            number: self.born,
            clock: self.clock,
            journal: &self.journal,
            calm: &self.calm,
        }));
    }

    /// Kills a process in the middle of whatever it does.
    pub(crate) fn crash(&mut self, index: usize) {
        let process = self.processes.remove(index);
        self.journal
            .line(format!("process {} crashes", process.number));
        process.crash(self.home.path());
    }

    /// Ends a process in order. Nothing of it may be left running then.
    pub(crate) fn shut_down(&mut self, index: usize) -> Result<(), Violation> {
        let process = self.processes.remove(index);
        let (number, owner) = (process.number, process.store.owner().clone());
        self.journal.line(format!("process {number} shuts down"));
        self.pass_to(process.shut_down());
        if self.processes.is_empty() {
            self.start_process();
        }
        let left = self.processes[0].store.read(|reader| {
            let mut left = Vec::new();
            for turn in reader.unfinished_turns()? {
                let lease = reader.lease(&turn.record.thread_id)?;
                left.extend((lease.owner.as_ref() == Some(&owner)).then_some(turn.record.id));
            }
            Ok(left)
        });
        match left
            .expect("what a simulation stored can be read")
            .as_slice()
        {
            [] => Ok(()),
            left => {
                Err(self.violation(format!("process {number} has shut down and left {left:?}")))
            }
        }
    }

    /// Lets time pass in all processes.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.pass_to(self.clock + time);
    }

    fn pass_to(&mut self, clock: Duration) {
        self.clock = self.clock.max(clock);
        self.journal.notes().clock = self.clock;
        for process in &self.processes {
            process.run_until(self.clock);
        }
    }

    /// Lets time pass until nothing goes on any more.
    pub(crate) fn rest(&mut self) -> Result<(), Violation> {
        for process in &self.processes {
            process.condition.free_disk();
        }
        let until = self.clock + REST_MAX;
        while self.clock < until {
            self.pass(Duration::from_secs(20));
            let store = &self.processes[0].store;
            let unfinished = store.read(|reader| {
                let mut tasks = evidence::tasks(reader)?;
                tasks.retain(|it| !it.task.status.is_terminal());
                let driven = reader.driven_fleets()?;
                Ok((reader.unfinished_turns()?, tasks, driven))
            });
            let Ok((turns, tasks, driven)) = unfinished else {
                continue;
            };
            if turns.is_empty() && tasks.is_empty() && driven.is_empty() {
                break;
            }
            // Questions of tasks wait for days: nobody comes back to these.
            self.call_off(&tasks);
        }
        // What one process wrote last is now noticed by the others.
        self.pass(Duration::from_secs(5));
        self.look(Moment::Rest)
    }

    fn call_off(&self, tasks: &[StoredTask]) {
        let process = &self.processes[0];
        for stored in tasks {
            let params = json!({ "task_id": stored.task.id });
            let runtime = process.runtime.clone();
            process.spawn(async move {
                let caller = runtime.operator(Surface::Http);
                let op = Op::TasksCancel;
                let _ = runtime.call(&caller, Call::new(op, params)).await;
            });
        }
    }

    /// From now on models give short, good answers.
    pub(crate) fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
    }

    /// Checks everything that must hold at this moment.
    pub(crate) fn look(&mut self, moment: Moment) -> Result<(), Violation> {
        if self.watch == Watch::Blind {
            return Ok(());
        }
        let evidence = Evidence::take(&self.processes[0].store);
        let alive: Vec<u32> = self.processes.iter().map(|it| it.number).collect();
        let verdict = {
            let notes = self.journal.notes();
            let case = Case {
                evidence: &evidence,
                before: &self.ledger,
                notes: &notes,
                sessions: &self.sessions,
                alive: &alive,
            };
            check(&case, moment)
        };
        verdict.map_err(|why| self.violation(why))?;
        self.ledger.keep(&evidence);
        Ok(())
    }

    pub(crate) fn violation(&self, why: String) -> Violation {
        let lines = &self.journal.notes().lines;
        Violation {
            seed: self.seed,
            why,
            lines: lines[lines.len().saturating_sub(60)..].to_vec(),
        }
    }

    /// The threads that can be asked for something.
    pub(crate) fn threads(&self) -> Vec<ThreadId> {
        let store = &self.processes[0].store;
        store
            .read(evidence::visible)
            .expect("what a simulation stored can be read")
    }

    /// The threads of sub-agents below a thread, which go with it.
    pub(crate) fn below(&self, thread: &ThreadId) -> Vec<ThreadId> {
        let store = &self.processes[0].store;
        let below = store.read(|reader| evidence::below(reader, thread));
        below.expect("what a simulation stored can be read")
    }

    pub(crate) fn report(self) -> Report {
        let evidence = Evidence::take(&self.processes[0].store);
        let logs = evidence.logs.into_iter();
        let notes = self.journal.notes();
        Report {
            logs: logs
                .map(|(stream, texts)| (stream.as_str().to_owned(), texts))
                .collect(),
            journal: notes.lines.clone(),
            outcomes: notes.outcomes.clone(),
        }
    }
}

/// Memory, where the system has a place for that: a simulation syncs thousands of times.
fn home() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    };
    made.expect("a directory for a simulation can be made")
}
