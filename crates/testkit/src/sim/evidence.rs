//! Evidence: everything the store holds at one moment, and what earlier looks have found.

use std::collections::{BTreeMap, BTreeSet};

use codewhale_protocol::runtime::{
    Event, PrincipalId, RuntimeEventEnvelope, Seq, StreamId, ThreadDetail, ThreadId, TurnRecord,
};
use codewhale_store::{
    Error, LeaseState, Reader, Shown, Store, StoredFleet, StoredRun, StoredTask, SubjectState,
    TaskQuery, ThreadQuery, Verified,
};

/// More threads than any simulation makes.
const THREADS_MAX: u64 = 500;

/// What the store holds at one moment.
pub(crate) struct Evidence {
    pub(crate) threads: Vec<ThreadEvidence>,
    pub(crate) runs: Vec<StoredRun>,
    pub(crate) tasks: Vec<StoredTask>,
    pub(crate) fleets: Vec<StoredFleet>,
    /// The stored text of every stream.
    pub(crate) logs: BTreeMap<StreamId, Vec<String>>,
    /// Streams whose hash chain does not hold.
    pub(crate) broken: Vec<StreamId>,
}

pub(crate) struct ThreadEvidence {
    pub(crate) id: ThreadId,
    /// The rows, as `GET` shows them.
    pub(crate) detail: ThreadDetail,
    pub(crate) events: Vec<(RuntimeEventEnvelope, Event)>,
    pub(crate) counters: SubjectState,
    pub(crate) lease: LeaseState,
    /// Whether the process that holds the lease lives.
    pub(crate) owner_lives: bool,
}

impl Evidence {
    pub(crate) fn take(store: &Store) -> Self {
        let taken = store.read(|reader| {
            let ids = threads(reader)?;
            let threads: Vec<_> = ids
                .iter()
                .map(|id| ThreadEvidence::take(store, reader, id))
                .collect::<Result<_, _>>()?;
            let tasks = tasks(reader)?;
            let rooms = threads
                .iter()
                .map(|thread| StreamId::Room(thread.detail.thread.workroom_id.clone()));
            let streams: BTreeSet<StreamId> = ids
                .iter()
                .map(|id| StreamId::Thread(id.clone()))
                .chain(rooms)
                .chain(tasks.iter().map(|it| StreamId::Task(it.task.id.clone())))
                .chain([StreamId::Store])
                .collect();
            let fleets = fleets(reader)?;
            let runs_of_fleets = fleets
                .iter()
                .map(|it| StreamId::Run(it.stored.run.id.clone()));
            let automations = match reader.operator()? {
                Some(operator) => reader.automations(&operator, THREADS_MAX)?,
                None => Vec::new(),
            };
            let automations = automations.into_iter();
            let automations = automations.map(|it| StreamId::Automation(it.record.id));
            let streams = streams.into_iter().chain(automations).chain(runs_of_fleets);
            let (mut logs, mut broken) = (BTreeMap::new(), Vec::new());
            for stream in streams {
                if !matches!(reader.verify(&stream)?, Verified::Intact { .. }) {
                    broken.push(stream.clone());
                }
                logs.insert(stream.clone(), reader.log_text(&stream)?);
            }
            let runs = match reader.operator()? {
                Some(operator) => runs(reader, &operator)?,
                None => Vec::new(),
            };
            Ok(Self {
                threads,
                runs,
                tasks,
                fleets,
                logs,
                broken,
            })
        });
        taken.expect("what a simulation stored can be read")
    }

    pub(crate) fn thread(&self, id: &ThreadId) -> Option<&ThreadEvidence> {
        self.threads.iter().find(|thread| thread.id == *id)
    }
}

impl ThreadEvidence {
    fn take(store: &Store, reader: &Reader<'_>, id: &ThreadId) -> Result<Self, Error> {
        let stream = StreamId::Thread(id.clone());
        let decoded = |envelope: RuntimeEventEnvelope| {
            let event = envelope.decode().expect("our own events are known");
            (envelope, event.expect("our own events read back"))
        };
        let events = reader.events(&stream, Seq::ZERO, usize::MAX)?;
        let lease = reader.lease(id)?;
        Ok(Self {
            id: id.clone(),
            detail: reader.detail(id)?.expect("a listed thread exists"),
            events: events.into_iter().map(decoded).collect(),
            counters: reader.subject(id)?.expect("a thread has counters"),
            owner_lives: lease.owner.as_ref().is_some_and(|id| store.is_alive(id)),
            lease,
        })
    }

    /// The turn that is going on.
    pub(crate) fn unfinished(&self) -> Option<&TurnRecord> {
        let mut turns = self.detail.turns.iter();
        turns.find(|turn| !turn.status.is_terminal())
    }

    /// Whether the thread began as a copy, so that its first turns have no events.
    pub(crate) fn is_fork(&self) -> bool {
        matches!(self.events.first(), Some((_, Event::ThreadForked(_))))
    }
}

/// All threads of the store, those that were deleted too.
pub(crate) fn threads(reader: &Reader<'_>) -> Result<Vec<ThreadId>, Error> {
    let mut all = visible(reader)?;
    all.extend(reader.hidden_threads()?);
    let hidden_too = reader.operator()?.map(|it| runs(reader, &it)).transpose()?;
    let below = hidden_too.into_iter().flatten().map(|run| run.kin.thread);
    all.extend(below.filter(|id| !all.contains(id)).collect::<Vec<_>>());
    Ok(all)
}

/// All threads that a door shows, the last changed first.
pub(crate) fn visible(reader: &Reader<'_>) -> Result<Vec<ThreadId>, Error> {
    let Some(operator) = reader.operator()? else {
        return Ok(Vec::new());
    };
    let operator: PrincipalId = operator;
    let query = ThreadQuery {
        principal: operator.as_str(),
        shown: Shown::All,
        limit: THREADS_MAX,
        search: None,
    };
    let listed = reader.threads(&query)?;
    let mut all: Vec<ThreadId> = listed.into_iter().map(|line| line.record.id).collect();
    // Lists leave out what agents have started.
    let hidden = reader.hidden_threads()?;
    for run in runs(reader, &operator)? {
        if !hidden.contains(&run.kin.root) {
            all.push(run.kin.thread);
        }
    }
    Ok(all)
}

/// The threads of sub-agents below a thread.
pub(crate) fn below(reader: &Reader<'_>, thread: &ThreadId) -> Result<Vec<ThreadId>, Error> {
    let Some(operator) = reader.operator()? else {
        return Ok(Vec::new());
    };
    let runs = runs(reader, &operator)?.into_iter();
    let below = runs.filter(|run| run.kin.root == *thread);
    Ok(below.map(|run| run.kin.thread).collect())
}

/// All background tasks.
pub(crate) fn tasks(reader: &Reader<'_>) -> Result<Vec<StoredTask>, Error> {
    let Some(operator) = reader.operator()? else {
        return Ok(Vec::new());
    };
    let query = TaskQuery {
        principal: &operator,
        workspace: None,
        limit: THREADS_MAX,
    };
    let mut all = Vec::new();
    for line in reader.tasks(&query)? {
        all.extend(reader.task(&line.id)?);
    }
    Ok(all)
}

/// All fleet runs.
pub(crate) fn fleets(reader: &Reader<'_>) -> Result<Vec<StoredFleet>, Error> {
    match reader.operator()? {
        Some(operator) => reader.fleets(&operator, THREADS_MAX),
        None => Ok(Vec::new()),
    }
}

/// The receipts of all sub-agents.
fn runs(reader: &Reader<'_>, operator: &PrincipalId) -> Result<Vec<StoredRun>, Error> {
    reader.agent_runs(operator.as_str(), THREADS_MAX)
}

/// What earlier looks have found.
#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) logs: BTreeMap<StreamId, Vec<String>>,
    pub(crate) highest: Seq,
    /// Copies as they were when they were first seen.
    pub(crate) forks: BTreeMap<ThreadId, ThreadDetail>,
}

impl Ledger {
    /// Remembers a look.
    pub(crate) fn keep(&mut self, evidence: &Evidence) {
        let seqs = evidence.threads.iter().flat_map(|thread| &thread.events);
        let highest = seqs.map(|(envelope, _)| envelope.seq).max();
        self.highest = self.highest.max(highest.unwrap_or(Seq::ZERO));
        self.logs.clone_from(&evidence.logs);
        for thread in evidence.threads.iter().filter(|thread| thread.is_fork()) {
            let known = self.forks.entry(thread.id.clone());
            known.or_insert_with(|| thread.detail.clone());
        }
    }
}
