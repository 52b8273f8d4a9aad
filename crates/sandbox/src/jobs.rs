//! The commands that run in the background of one thread.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use crate::limits::{JOBS_ENDED_MAX, JOBS_RUNNING_MAX};
use crate::stream::lock;
use crate::{Command, Error, Running, State, Walls, start};

/// The background commands of one thread. Cheap to clone; when the last clone goes, all of them
/// are killed.
#[derive(Clone, Default, Debug)]
pub struct Jobs(Arc<Mutex<Table>>);

#[derive(Default, Debug)]
struct Table {
    jobs: BTreeMap<JobId, Job>,
    /// Those that are being started, so that they count.
    starting: usize,
    last: u64,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name among the jobs of its thread.
    pub id: JobId,
    /// What it was started as, in one line for people.
    pub title: Arc<str>,
    /// The walls around it.
    pub walls: Walls,
    /// The command itself.
    pub running: Arc<Running>,
}

/// The name of a job among those of its thread. Written `task_1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(u64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task_{}", self.0)
    }
}

impl FromStr for JobId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = text.strip_prefix("task_").unwrap_or(text);
        number.parse().map(Self).map_err(|_| ())
    }
}

impl Jobs {
    /// Starts a command in the background.
    pub async fn start(&self, command: Command, title: impl Into<Arc<str>>) -> Result<Job, Error> {
        let seat = Seat::take(self)?;
        let walls = command.walls.clone();
        let running = Arc::new(start(command).await?);
        let mut table = lock(&self.0);
        table.last += 1;
        let id = JobId(table.last);
        let job = Job {
            id,
            title: title.into(),
            walls,
            running,
        };
        table.jobs.insert(id, job.clone());
        drop(table);
        drop(seat);
        Ok(job)
    }

    /// One job, running or ended not long ago.
    pub fn get(&self, id: JobId) -> Option<Job> {
        lock(&self.0).jobs.get(&id).cloned()
    }

    /// All that are known, oldest first.
    pub fn list(&self) -> Vec<Job> {
        lock(&self.0).jobs.values().cloned().collect()
    }

    /// Kills all of them and waits until they are gone.
    pub async fn kill_all(&self) {
        for job in self.list() {
            job.running.kill().await;
        }
    }
}

impl Table {
    fn running(&self) -> usize {
        let running = |job: &&Job| job.running.state() == State::Running;
        self.jobs.values().filter(running).count()
    }

    /// Forgets the oldest that are over, when there are too many.
    fn forget_oldest(&mut self) {
        let over = |job: &&Job| job.running.state() != State::Running;
        let over: Vec<_> = self.jobs.values().filter(over).map(|job| job.id).collect();
        let too_many = over.len().saturating_sub(JOBS_ENDED_MAX);
        for id in &over[..too_many] {
            self.jobs.remove(id);
        }
    }
}

/// A seat among the running jobs, held while a job starts.
struct Seat<'a>(&'a Jobs);

impl<'a> Seat<'a> {
    fn take(jobs: &'a Jobs) -> Result<Self, Error> {
        let mut table = lock(&jobs.0);
        table.forget_oldest();
        if table.running() + table.starting >= JOBS_RUNNING_MAX {
            return Err(Error::TooManyJobs);
        }
        table.starting += 1;
        Ok(Self(jobs))
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        lock(&self.0.0).starting -= 1;
    }
}
