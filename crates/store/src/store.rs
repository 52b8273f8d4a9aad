//! The handle everyone holds.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};

use codewhale_protocol::runtime::{
    ItemId, ItemKind, OwnerId, StreamId, ThreadId, Timestamp, TurnId,
};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{ActorId, ActorRecord, Redactor};
use tokio::sync::{Semaphore, oneshot};

use crate::checkpoint::Checkpointer;
use crate::db::{self, Connection, Location};
use crate::home;
use crate::hub::Hub;
use crate::migrate::{MigrateError, SCHEMA, migrate};
use crate::owner::{self, OwnerLock};
use crate::queue::{DeltaTarget, Queue};
use crate::writer::{self, LastEnd, Writer};
use crate::{
    Batch, Committed, DeltaWriter, Durability, ErrandNews, Error, OpenError, OwnerRow, Reader,
    Stamp, Subscription, limits,
};

/// Where the store lives.
#[derive(Clone, Debug)]
pub enum Place {
    /// In a directory, as `runtime.db`, shared with other processes.
    Home(PathBuf),
    /// In memory, for as long as the handle lives.
    Memory,
}

/// Where the writer runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writing {
    /// On a thread of its own: commits of many callers become one.
    Threaded,
    /// In the caller, at once: the same calls give the same log.
    Inline,
    /// Nowhere by itself: someone calls [`Store::step`], so that a simulation decides how long a
    /// commit is under way and what a crash takes with it.
    ByHand,
}

/// How to open a store.
#[derive(Clone)]
pub struct Options {
    /// Where it lives.
    pub place: Place,
    /// Where the writer runs. In memory there is no thread for it: it runs inline.
    pub writing: Writing,
    /// Whether waiting deltas of an item are merged.
    pub merge_deltas: bool,
    /// Masks everything that is written.
    pub redactor: Arc<Redactor>,
    /// This process.
    pub owner: OwnerRow,
}

/// The store. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Arc<Queue>,
    hub: Arc<Hub>,
    redactor: Arc<Redactor>,
    engine: Engine,
    readers: Mutex<Vec<Connection>>,
    /// Turns for long reads: a crowd that has fallen behind waits in line, not in threads.
    reads_apart: Semaphore,
    location: Location,
    home: Option<PathBuf>,
    owner: OwnerId,
    last_end: LastEnd,
    /// Given up last, when nothing of this process can write any more.
    lock: OnceLock<OwnerLock>,
}

/// The writer and where it runs.
enum Engine {
    Threaded(Mutex<Option<JoinHandle<Writer>>>),
    Inline(Box<Mutex<Writer>>),
    ByHand(Box<Mutex<Writer>>),
}

impl Store {
    /// Opens the store, makes it when there is none, and marks this process as one that uses it.
    pub fn open(options: Options) -> Result<Store, OpenError> {
        match &options.place {
            Place::Memory => Self::open_at(Location::Memory, None, &options)
                .map_err(|error| OpenError::from_database("in memory".into(), error)),
            Place::Home(home) => {
                let unwritable = |source| OpenError::Directory {
                    path: home.clone(),
                    source,
                };
                home::prepare(home).map_err(unwritable)?;
                let path = home.join("runtime.db");
                home::refuse_unsettled_damage(&path)?;
                home::make_private(&path).map_err(unwritable)?;
                let _turn = owner::wait_to_open(home).map_err(unwritable)?;
                let location = Location::File(path.clone());
                Self::open_at(location, Some(home), &options).map_err(|error| match error {
                    MigrateError::Database(db::Error::Corrupt(_)) => home::set_aside(path),
                    error => OpenError::from_database(path, error),
                })
            }
        }
    }

    fn open_at(
        location: Location,
        home: Option<&Path>,
        options: &Options,
    ) -> Result<Store, MigrateError> {
        let connection = Connection::open_writer(&location)?;
        let file = match &location {
            Location::File(path) => Some(path.clone()),
            Location::Memory => None,
        };
        migrate(&connection, &SCHEMA, file.as_deref())?;
        let others_alive = home.is_some_and(|home| others_alive(home, &options.owner.id));
        let lock = OnceLock::new();
        if let Some(home) = home {
            let taken = OwnerLock::take(home, &options.owner.id).map_err(db::Error::Lock)?;
            let _ = lock.set(taken);
        }
        let hub = Arc::new(Hub::default());
        let threaded = options.writing == Writing::Threaded && file.is_some();
        let checkpointer = match (&file, threaded) {
            (Some(path), true) => {
                connection.disable_automatic_checkpoint()?;
                Some(Checkpointer::start(path.clone()).map_err(db::Error::Lock)?)
            }
            _ => None,
        };
        let owner = options.owner.id.clone();
        let mut writer = Writer::new(connection, Arc::clone(&hub), owner.clone(), checkpointer)?;
        let last_end = writer.begin(&options.owner, others_alive)?;
        let queue = Arc::new(Queue::new(options.merge_deltas));
        let engine = match threaded {
            false if options.writing == Writing::ByHand => {
                Engine::ByHand(Box::new(Mutex::new(writer)))
            }
            false => Engine::Inline(Box::new(Mutex::new(writer))),
            true => {
                let queue = Arc::clone(&queue);
                let run = move || writer.run(&queue);
                let thread = thread::Builder::new().name("store".into()).spawn(run);
                Engine::Threaded(Mutex::new(Some(thread.map_err(db::Error::Lock)?)))
            }
        };
        let redactor = Arc::clone(&options.redactor);
        let home = home.map(Path::to_owned);
        let readers = Mutex::default();
        let reads_apart = Semaphore::new(limits::READS_APART);
        Ok(Store {
            shared: Arc::new(Shared {
                queue,
                hub,
                redactor,
                engine,
                readers,
                reads_apart,
                location,
                home,
                owner,
                last_end,
                lock,
            }),
        })
    }

    /// Makes the stamp of an actor.
    pub fn stamp(&self, record: ActorRecord) -> Arc<Stamp> {
        Arc::new(Stamp::new(&self.shared.redactor, record))
    }

    /// Starts a batch.
    pub fn batch(&self, durability: Durability) -> Batch {
        Batch::new(self.redactor(), durability)
    }

    /// Hands a batch to the writer. The ticket tells what became of it; without waiting for the
    /// ticket the order of batches is still the order of calls.
    pub fn commit(&self, batch: Batch) -> CommitTicket {
        let (reply, answer) = oneshot::channel();
        self.shared.queue.push_batch(batch, reply);
        self.write_at_once();
        CommitTicket { answer }
    }

    pub(crate) fn push_delta(&self, target: &Arc<DeltaTarget>, at: Timestamp, escaped: &str) {
        self.shared.queue.push_delta(target, at, escaped);
        self.write_at_once();
    }

    fn write_at_once(&self) {
        if let Engine::Inline(writer) = &self.shared.engine {
            let entries = self.shared.queue.take();
            if !entries.is_empty() {
                lock(writer).commit(entries);
            }
        }
    }

    /// Does what the writer would do next where it has no thread of its own: writes what is queued,
    /// or, when nothing is, looks for commits of other processes.
    pub fn step(&self) {
        if let Engine::Inline(writer) | Engine::ByHand(writer) = &self.shared.engine {
            lock(writer).step(self.shared.queue.take());
        }
    }

    /// Refuses what is queued as a full disk would. Does nothing unless the store is written by
    /// hand.
    pub fn refuse_queued(&self) {
        if let Engine::ByHand(_) = &self.shared.engine {
            writer::refuse(self.shared.queue.take());
        }
    }

    /// Waits until something is queued, for those who call [`Store::step`].
    pub async fn queued(&self) {
        self.shared.queue.filled().await;
    }

    /// Opens the fast lane for the text of a running item.
    pub fn delta_writer(
        &self,
        item: (&ThreadId, &TurnId, &ItemId),
        kind: ItemKind,
        actor: &ActorId,
    ) -> DeltaWriter {
        DeltaWriter::new(self.clone(), item, kind, actor)
    }

    /// Waits while the writer is far behind.
    pub async fn room(&self) {
        self.shared.queue.room().await;
    }

    /// Reads in the calling thread. For questions that touch a few rows.
    pub fn read<T>(&self, ask: impl FnOnce(&Reader<'_>) -> Result<T, Error>) -> Result<T, Error> {
        if let (Location::Memory, Engine::Inline(writer) | Engine::ByHand(writer)) =
            (&self.shared.location, &self.shared.engine)
        {
            return ask(&Reader::new(&lock(writer).connection));
        }
        let connection = self.reader()?;
        connection.begin_read()?;
        let answer = ask(&Reader::new(&connection));
        connection.commit()?;
        let mut readers = lock(&self.shared.readers);
        if readers.len() < limits::READERS_KEPT {
            readers.push(connection);
        }
        answer
    }

    fn reader(&self) -> Result<Connection, Error> {
        if let Some(connection) = lock(&self.shared.readers).pop() {
            return Ok(connection);
        }
        let Location::File(path) = &self.shared.location else {
            unreachable!("a store in memory is read through its writer");
        };
        Ok(Connection::open_reader(path)?)
    }

    /// Reads apart from the async workers. For questions whose answer may be long.
    pub async fn read_apart<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Reader<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = self.shared.reads_apart.acquire().await;
        let _turn = turn.map_err(|_| Error::Closed)?;
        let store = self.clone();
        self.apart(move || store.read(ask)).await?
    }

    /// Closes apart from the async workers.
    pub async fn close_apart(&self) -> Result<(), Error> {
        let store = self.clone();
        self.apart(move || store.close()).await?
    }

    /// Does something on a thread that may wait, unless nothing here has a thread of its own: then
    /// at once, so that a simulation stays the same.
    pub async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        if !matches!(self.shared.engine, Engine::Threaded(_)) {
            return Ok(work());
        }
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|_| Error::Closed)
    }

    /// Follows a stream.
    pub fn subscribe(&self, stream: StreamId, cursor: Cursor) -> Result<Subscription, Error> {
        let (head, start) = self.read(|reader| {
            let head = reader.head(&stream)?;
            let start = match cursor.replay_limit {
                None => cursor.after,
                Some(limit) => reader.before_newest(&stream, cursor.after, limit)?,
            };
            Ok((head, start))
        })?;
        let subscription = Subscription::new(self.clone(), stream, head, start);
        // The writer may have gone to sleep for good while nobody followed anything.
        self.shared.queue.nudge();
        Ok(subscription)
    }

    /// Waits for errands that other processes leave or do, from now on.
    pub fn errand_news(&self) -> ErrandNews {
        let news = self.shared.hub.errand_news();
        self.shared.queue.nudge();
        news
    }

    /// Whether the process behind an id lives. Without a home there are no others.
    pub fn is_alive(&self, owner: &OwnerId) -> bool {
        *owner == self.shared.owner
            || self
                .shared
                .home
                .as_deref()
                .is_some_and(|home| owner::is_alive(home, owner))
    }

    /// Other processes that left their file behind, and whether they live.
    pub fn other_owners(&self) -> Vec<(OwnerId, bool)> {
        let Some(home) = &self.shared.home else {
            return Vec::new();
        };
        let others = owner::all(home)
            .into_iter()
            .filter(|id| *id != self.shared.owner);
        others
            .map(|id| (id.clone(), owner::is_alive(home, &id)))
            .collect()
    }

    /// Removes what a dead process left behind. Its turns must have been settled.
    pub fn forget_owner(&self, id: &OwnerId) {
        if let Some(home) = &self.shared.home {
            owner::forget(home, id);
        }
    }

    /// This process.
    pub fn owner(&self) -> &OwnerId {
        &self.shared.owner
    }

    /// Whether the store was not closed in order the last time.
    pub fn ended_uncleanly(&self) -> bool {
        self.shared.last_end == LastEnd::Unclean
    }

    /// What masks everything that is written, for those who tell it before it is.
    pub fn redactor(&self) -> Arc<Redactor> {
        Arc::clone(&self.shared.redactor)
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    /// Writes what is queued, marks a clean end and lets go. Other handles then fail with
    /// [`Error::Closed`].
    pub fn close(&self) -> Result<(), Error> {
        self.shared.queue.close();
        let alone = self.other_owners().iter().all(|(_, alive)| !alive);
        match &self.shared.engine {
            Engine::Inline(writer) | Engine::ByHand(writer) => {
                let mut writer = lock(writer);
                writer.step(self.shared.queue.take());
                if alone {
                    writer.end()?;
                }
            }
            Engine::Threaded(thread) => {
                let writer = lock(thread).take().and_then(|thread| thread.join().ok());
                if let Some(mut writer) = writer
                    && alone
                {
                    writer.end()?;
                }
            }
        }
        Ok(())
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue.close();
        if let Engine::Threaded(thread) = &self.engine
            && let Some(thread) = lock(thread).take()
        {
            let _ = thread.join();
        }
        self.lock.take();
    }
}

/// What will become of a batch.
pub struct CommitTicket {
    answer: oneshot::Receiver<Result<Committed, Error>>,
}

impl Future for CommitTicket {
    type Output = Result<Committed, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = std::task::ready!(Pin::new(&mut self.answer).poll(context));
        Poll::Ready(answer.unwrap_or(Err(Error::Closed)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .expect("nothing panics while it holds a lock of the store")
}

fn others_alive(home: &Path, me: &OwnerId) -> bool {
    owner::all(home)
        .iter()
        .any(|id| id != me && owner::is_alive(home, id))
}
