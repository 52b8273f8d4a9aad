//! The writer: takes what has queued up, commits it in one transaction, publishes, repeats.
//!
//! One `commit` serves both ways of running: on a thread of its own in production, inline in a
//! simulation.

mod transaction;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use codewhale_protocol::ActorId;
use codewhale_protocol::runtime::{OwnerId, Seq, StreamId};

use crate::checkpoint::Checkpointer;
use crate::db::{self, Connection};
use crate::hub::Hub;
use crate::migrate::{meta, set_meta};
use crate::queue::{Entry, Queue, Taken};
use crate::tables::{errands, events, leases, streams};
use crate::writer::transaction::{Outcome, Transaction};
use crate::{Durability, Error, OwnerRow, limits};

pub(crate) struct Writer {
    pub(crate) connection: Connection,
    hub: Arc<Hub>,
    owner: OwnerId,
    checkpointer: Option<Checkpointer>,
    log: LogState,
    /// What [`Connection::foreign_changes`] said last.
    foreign: i64,
    /// Looks in a row that found no foreign commit.
    quiet_looks: u32,
    /// How the connection is set, once it is.
    synced: Option<bool>,
}

/// What the writer remembers of the log between transactions. True as long as no other process
/// has committed.
#[derive(Default)]
struct LogState {
    last: Seq,
    /// Numbers up to here may be used by fast commits.
    ceiling: Seq,
    last_stream: i64,
    heads: HashMap<StreamId, streams::Head>,
    actors: HashSet<ActorId>,
}

/// Whether the store was closed in order the last time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastEnd {
    Clean,
    Unclean,
}

const CEILING: &str = "seq_ceiling";
const CLEAN_END: &str = "clean_end";

/// Heads and actors remembered at most; beyond that the memory is emptied and read again.
const REMEMBERED_MAX: usize = 4_096;

impl Writer {
    pub(crate) fn new(
        connection: Connection,
        hub: Arc<Hub>,
        owner: OwnerId,
        checkpointer: Option<Checkpointer>,
    ) -> Result<Self, db::Error> {
        let mut writer = Self {
            foreign: connection.foreign_changes()?,
            connection,
            hub,
            owner,
            checkpointer,
            log: LogState::default(),
            quiet_looks: limits::FOREIGN_POLLS_BUSY,
            synced: None,
        };
        writer.log = writer.read_log()?;
        Ok(writer)
    }

    /// Marks the store as in use by a process. After an unclean end numbering continues above
    /// everything that may have been handed out, whatever the disk lost of it.
    pub(crate) fn begin(
        &mut self,
        owner: &OwnerRow,
        others_alive: bool,
    ) -> Result<LastEnd, db::Error> {
        let clean = others_alive || meta(&self.connection, CLEAN_END)?.as_deref() == Some("1");
        let end = if clean {
            LastEnd::Clean
        } else {
            LastEnd::Unclean
        };
        if end == LastEnd::Unclean {
            self.log.last = self.log.last.max(self.log.ceiling);
        }
        self.set_synced(false)?;
        self.connection.begin_write()?;
        if !others_alive {
            set_meta(&self.connection, CLEAN_END, "0")?;
            leases::forget_idle_owners(&self.connection)?;
            errands::remove_all(&self.connection)?;
        }
        leases::put_owner(&self.connection, owner)?;
        self.connection.commit()?;
        Ok(end)
    }

    /// Marks the store as closed in order.
    pub(crate) fn end(&mut self) -> Result<(), db::Error> {
        self.set_synced(true)?;
        set_meta(&self.connection, CLEAN_END, "1")
    }

    /// The loop of the writer's own thread.
    pub(crate) fn run(mut self, queue: &Queue) -> Self {
        loop {
            match queue.wait(self.patience()) {
                Taken::Entries(entries) => self.step(entries),
                Taken::Nothing => self.step(Vec::new()),
                Taken::Closed => return self,
            }
        }
    }

    /// One turn of the loop, for those who have no thread for it as well.
    pub(crate) fn step(&mut self, entries: Vec<Entry>) {
        match entries.is_empty() {
            true => self.look_for_foreign_commits(),
            false => self.commit(entries),
        }
    }

    /// How long to wait for work before looking whether another process has committed. Nobody
    /// follows a stream: nobody would be told.
    fn patience(&self) -> Option<Duration> {
        let ms = match self.quiet_looks < limits::FOREIGN_POLLS_BUSY {
            true => limits::FOREIGN_POLL_BUSY_MS,
            false => limits::FOREIGN_POLL_IDLE_MS,
        };
        (!self.hub.is_idle()).then_some(Duration::from_millis(ms))
    }

    fn look_for_foreign_commits(&mut self) {
        match self.refresh() {
            Ok(true) => self.quiet_looks = 0,
            Ok(false) => self.quiet_looks = self.quiet_looks.saturating_add(1),
            Err(error) => tracing::warn!(%error, "could not look for commits of other processes"),
        }
    }

    /// Forgets what is no longer true when another process has committed, and wakes the followers.
    fn refresh(&mut self) -> Result<bool, db::Error> {
        let foreign = self.connection.foreign_changes()?;
        if foreign == self.foreign {
            return Ok(false);
        }
        let last = self.log.last;
        self.log = self.read_log()?;
        self.log.last = self.log.last.max(last);
        self.foreign = foreign;
        if self.hub.has_errand_waiters() {
            let errands = errands::news(&self.connection, &self.owner)?;
            self.hub.tell_errands(errands);
        }
        for (stream, channel) in self.hub.followed() {
            if let Some(head) = streams::get(&self.connection, stream.as_str())? {
                channel.advance(head.seq);
            }
        }
        Ok(true)
    }

    fn read_log(&self) -> Result<LogState, db::Error> {
        let ceiling = meta(&self.connection, CEILING)?.and_then(|text| text.parse().ok());
        Ok(LogState {
            last: events::last_seq(&self.connection)?,
            ceiling: Seq(ceiling.unwrap_or(0)),
            last_stream: streams::last_id(&self.connection)?,
            ..LogState::default()
        })
    }

    /// Commits everything that was taken, together if that works, and answers.
    pub(crate) fn commit(&mut self, entries: Vec<Entry>) {
        match self.try_commit(&entries) {
            Ok(outcomes) => entries.into_iter().zip(outcomes).for_each(answer),
            Err(error) if concerns_one_entry(&error) && entries.len() > 1 => {
                for entry in entries {
                    self.commit(vec![entry]);
                }
            }
            Err(error) => {
                tracing::error!(%error, entries = entries.len(), "the store could not commit");
                let error = Arc::new(error);
                entries.into_iter().for_each(|entry| fail(entry, &error));
            }
        }
        if let Some(checkpointer) = &mut self.checkpointer {
            checkpointer.after_commit(&self.connection);
        }
    }

    fn try_commit(&mut self, entries: &[Entry]) -> Result<Vec<Outcome>, db::Error> {
        let mut synced = entries.iter().any(is_synced);
        let events: u64 = entries.iter().map(event_count).sum();
        loop {
            self.set_synced(synced)?;
            self.connection.begin_write()?;
            let result = self.refresh().and_then(|foreign| {
                let needed = Seq(self.log.last.0 + events);
                if needed > self.log.ceiling && !synced {
                    return Ok(None);
                }
                self.fill(entries, needed, synced, foreign).map(Some)
            });
            match result {
                Ok(Some((outcomes, transaction))) => {
                    self.connection.commit()?;
                    self.accept(transaction);
                    return Ok(outcomes);
                }
                // The reserved numbers do not last: raising the ceiling takes a synced commit.
                Ok(None) => {
                    self.connection.rollback();
                    synced = true;
                }
                Err(error) => {
                    self.connection.rollback();
                    return Err(error);
                }
            }
        }
    }

    fn fill(
        &self,
        entries: &[Entry],
        needed: Seq,
        synced: bool,
        foreign: bool,
    ) -> Result<(Vec<Outcome>, Filled), db::Error> {
        let mut transaction = Transaction::new(self, foreign);
        if synced && needed.0 + limits::SEQ_RESERVE / 2 > self.log.ceiling.0 {
            transaction.raise_ceiling(Seq(needed.0 + limits::SEQ_RESERVE))?;
        }
        let mut outcomes = Vec::with_capacity(entries.len());
        for entry in entries {
            outcomes.push(transaction.entry(entry)?);
        }
        Ok((outcomes, transaction.finish()?))
    }

    /// Takes over what a committed transaction learned, and shows it to the followers.
    fn accept(&mut self, filled: Filled) {
        self.log.last = filled.last;
        self.log.ceiling = filled.ceiling;
        self.log.last_stream = filled.last_stream;
        if self.log.heads.len() + self.log.actors.len() > REMEMBERED_MAX {
            self.log.heads.clear();
            self.log.actors.clear();
        }
        self.log.actors.extend(filled.actors);
        for (stream, head, pieces) in filled.streams {
            if let Some(channel) = self.hub.channel(&stream) {
                channel.publish(pieces);
                channel.advance(head.seq);
            }
            self.log.heads.insert(
                stream,
                streams::Head {
                    stored: true,
                    ..head
                },
            );
        }
    }

    fn set_synced(&mut self, synced: bool) -> Result<(), db::Error> {
        if self.synced != Some(synced) {
            self.connection.set_synced(synced)?;
            self.synced = Some(synced);
        }
        Ok(())
    }
}

/// What a transaction did, apart from the database.
struct Filled {
    last: Seq,
    ceiling: Seq,
    last_stream: i64,
    actors: Vec<ActorId>,
    streams: Vec<(StreamId, streams::Head, Vec<crate::hub::Piece>)>,
}

fn is_synced(entry: &Entry) -> bool {
    match entry {
        Entry::Batch(batch, _) => batch.durability == Durability::Synced,
        Entry::Delta(_) => false,
    }
}

fn event_count(entry: &Entry) -> u64 {
    match entry {
        Entry::Batch(batch, _) => batch.events.len() as u64,
        Entry::Delta(_) => 1,
    }
}

/// Whether an error may be of one entry's making, so that the others can do without it.
fn concerns_one_entry(error: &db::Error) -> bool {
    matches!(
        error,
        db::Error::Unique(_) | db::Error::Other(_) | db::Error::Record(_)
    )
}

fn answer((entry, outcome): (Entry, Outcome)) {
    match (entry, outcome) {
        (Entry::Batch(_, reply), outcome) => {
            let _ = reply.send(outcome.map_err(Error::Guard));
        }
        (Entry::Delta(delta), Err(_)) => delta.target.lost.store(true, Ordering::Release),
        (Entry::Delta(_), Ok(_)) => {}
    }
}

/// Answers everything as a full disk would.
pub(crate) fn refuse(entries: Vec<Entry>) {
    let error = Arc::new(db::Error::full());
    entries.into_iter().for_each(|entry| fail(entry, &error));
}

fn fail(entry: Entry, error: &Arc<db::Error>) {
    match entry {
        Entry::Batch(_, reply) => {
            let _ = reply.send(Err(Error::shared(error)));
        }
        Entry::Delta(delta) => delta.target.lost.store(true, Ordering::Release),
    }
}
