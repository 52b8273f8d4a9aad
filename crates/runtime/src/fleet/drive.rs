//! Driving a run: the one task that gives tasks to workers and writes down what they say.

mod news;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::runtime::{FleetRunId, FleetTaskStatus};
use codewhale_store::{Durability, StoredFleet};
use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::attempt::{Attempt, News, What};
use super::change::{Abandoned, Edit};
use crate::runtime::Core;
use crate::{Error, limits};
use news::{apply, matters};

/// A worker that works here.
struct AtWork {
    attempt: u64,
    seat: usize,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// The driver of a run.
struct Driver {
    core: Arc<Core>,
    fleet: StoredFleet,
    /// By the places of their tasks.
    at_work: BTreeMap<usize, AtWork>,
    sender: mpsc::Sender<News>,
    news: mpsc::Receiver<News>,
}

/// Why a driver stops.
enum Over {
    /// Nothing is left to do, or someone else has the run.
    Done,
    /// The runtime stops.
    Stopping,
}

impl Core {
    /// Drives a run that this process owns, unless it does already.
    pub(super) fn begin_driving(self: &Arc<Self>, run: &FleetRunId) {
        if self.fleets.take_up(run) {
            let (core, run) = (Arc::clone(self), run.clone());
            self.tasks.spawn(async move {
                loop {
                    let driven = AssertUnwindSafe(core.drive(&run)).catch_unwind().await;
                    if driven.is_err() {
                        tracing::error!(%run, "the driver of a fleet run panicked and begins again");
                    }
                    core.fleets.put_down(&run);
                    // Someone may have wanted more at the last moment.
                    if !core.is_to_drive(&run) || !core.fleets.take_up(&run) {
                        return;
                    }
                }
            });
        }
        self.fleets.stir();
    }

    fn is_to_drive(&self, run: &FleetRunId) -> bool {
        let fleet = self.store.read(|reader| reader.fleet(run));
        let is_ours = match fleet {
            Ok(fleet) => {
                let owner = fleet.and_then(|fleet| fleet.stored.owner);
                owner.as_ref() == Some(self.store.owner())
            }
            // That will be seen when it can be read again.
            Err(_) => true,
        };
        is_ours && !self.tasks.stop().is_cancelled()
    }

    /// The run, as soon as it can be read.
    async fn fleet_to_drive(&self, run: &FleetRunId) -> Option<StoredFleet> {
        loop {
            match self.store.read(|reader| reader.fleet(run)) {
                Ok(fleet) => return fleet,
                Err(error) => tracing::warn!(%error, %run, "a fleet run could not be read"),
            }
            tokio::select! {
                biased;
                () = self.tasks.stop().cancelled() => return None,
                () = tokio::time::sleep(limits::END_RETRY_LONGEST) => {}
            }
        }
    }

    async fn drive(self: &Arc<Self>, run: &FleetRunId) {
        let Some(fleet) = self.fleet_to_drive(run).await else {
            return;
        };
        let (sender, news) = mpsc::channel(limits::FLEET_NEWS);
        let mut driver = Driver {
            core: Arc::clone(self),
            fleet,
            at_work: BTreeMap::new(),
            sender,
            news,
        };
        let over = match driver.clear().await {
            Ok(()) => driver.run().await,
            Err(_) => Over::Stopping,
        };
        driver.dismiss().await;
        if matches!(over, Over::Stopping) {
            driver.pause().await;
        }
    }
}

impl Drop for Driver {
    /// Nobody works on for a driver that is gone.
    fn drop(&mut self) {
        for work in self.at_work.values() {
            work.stop.cancel();
        }
    }
}

impl Driver {
    /// Ends what an earlier driver of this process left.
    async fn clear(&mut self) -> Result<(), Error> {
        self.commit(Durability::Synced, |edit| {
            edit.abandon_all(Abandoned::ByDeath)
        })
        .await
    }

    async fn run(&mut self) -> Over {
        let mut changes = self.core.fleets.watch();
        let stop = self.core.tasks.stop().clone();
        loop {
            if stop.is_cancelled() {
                return Over::Stopping;
            }
            if !self.is_mine() {
                return Over::Done;
            }
            self.stop_the_fenced();
            self.find_the_lost().await;
            if let Err(error) = self.hand_out().await {
                tracing::warn!(%error, "no task could be given to a worker");
            }
            if !self.is_mine() {
                return Over::Done;
            }
            let wait = self.until_next();
            tokio::select! {
                biased;
                () = stop.cancelled() => return Over::Stopping,
                Some(first) = self.news.recv() => {
                    let mut all = vec![first];
                    while let Ok(more) = self.news.try_recv() {
                        all.push(more);
                    }
                    self.write_down(&all).await;
                    continue;
                }
                () = changes.changed() => {}
                // What other processes do is not told here.
                () = tokio::time::sleep(wait) => {}
            }
            self.look_again();
        }
    }

    fn is_mine(&self) -> bool {
        self.fleet.stored.owner.as_ref() == Some(self.core.store.owner())
    }

    fn look_again(&mut self) {
        let run = self.fleet.stored.run.id.clone();
        match self.core.store.read(|reader| reader.fleet(&run)) {
            Ok(Some(fleet)) => self.fleet = fleet,
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, %run, "a fleet run could not be looked at"),
        }
    }

    /// Stops workers whose attempts are not the latest any more.
    fn stop_the_fenced(&mut self) {
        for (place, work) in &self.at_work {
            let task = &self.fleet.tasks[*place];
            let is_current = task.status == FleetTaskStatus::Leased && task.attempt == work.attempt;
            if !is_current {
                work.stop.cancel();
            }
        }
    }

    /// Ends attempts whose tasks ended without a word, as only one that panicked does.
    async fn find_the_lost(&mut self) {
        let over = self
            .at_work
            .iter()
            .filter(|(_, work)| work.task.is_finished());
        let over: Vec<(usize, u64)> = over.map(|(place, work)| (*place, work.attempt)).collect();
        if over.is_empty() {
            return;
        }
        // What they did say comes first.
        let mut said = Vec::new();
        while let Ok(more) = self.news.try_recv() {
            said.push(more);
        }
        self.write_down(&said).await;
        let lost = over.into_iter().filter(|(place, attempt)| {
            let work = self.at_work.get(place);
            work.is_some_and(|work| work.attempt == *attempt)
        });
        let lost: Vec<News> = lost
            .map(|(task, attempt)| News::lost(task, attempt))
            .collect();
        self.write_down(&lost).await;
    }

    /// How long nothing is to be done by itself.
    fn until_next(&self) -> Duration {
        let now = self.core.env.now();
        let waiting = self.fleet.tasks.iter();
        let waiting = waiting.filter(|task| task.status == FleetTaskStatus::Enqueued);
        // One whose moment has come waits for a worker, not for the clock.
        let next = waiting
            .filter_map(|task| task.not_before)
            .filter(|it| *it > now);
        let next = next.min();
        let until = next.map(|next| Duration::from_millis(next.ms_since(now).max(1)));
        until.map_or(limits::FLEET_LOOK, |until| until.min(limits::FLEET_LOOK))
    }

    /// Gives tasks that wait to workers that do.
    async fn hand_out(&mut self) -> Result<(), Error> {
        let leases = self.matches();
        if leases.is_empty() {
            return Ok(());
        }
        self.commit(Durability::Synced, |edit| {
            for (seat, task) in &leases {
                // Somebody may have called it off in between.
                if edit.fleet.tasks[*task].status == FleetTaskStatus::Enqueued {
                    edit.lease(*seat, *task);
                }
            }
        })
        .await?;
        for (seat, place) in leases {
            let (task, worker) = (&self.fleet.tasks[place], &self.fleet.seats[seat].spec.id);
            if task.leased_to.as_ref() == Some(worker) {
                self.begin(seat, place);
            }
        }
        Ok(())
    }

    /// Which worker could take which task now.
    fn matches(&self) -> Vec<(usize, usize)> {
        let now = self.core.env.now();
        let is_free = |seat: &usize| {
            let id = &self.fleet.seats[*seat].spec.id;
            let mut tasks = self.fleet.tasks.iter();
            let is_idle = !tasks.any(|task| task.leased_to.as_ref() == Some(id));
            is_idle && self.at_work.values().all(|work| work.seat != *seat)
        };
        let mut free: Vec<usize> = (0..self.fleet.seats.len()).filter(is_free).collect();
        let mut waiting: Vec<usize> = (0..self.fleet.tasks.len())
            .filter(|place| {
                let task = &self.fleet.tasks[*place];
                task.status == FleetTaskStatus::Enqueued
                    && task.not_before.is_none_or(|moment| moment <= now)
                    && !self.at_work.contains_key(place)
            })
            .collect();
        waiting.sort_by_key(|place| {
            let task = &self.fleet.tasks[*place];
            (task.wanted_by.is_none(), task.spec.priority(), *place)
        });
        let mut leases = Vec::new();
        for place in waiting {
            let wanted = self.fleet.tasks[place].wanted_by.as_deref();
            let fits = |seat: &usize| wanted.is_none_or(|it| self.fleet.seats[*seat].spec.id == it);
            if let Some(at) = free.iter().position(fits) {
                leases.push((free.remove(at), place));
            }
        }
        leases
    }

    fn begin(&mut self, seat: usize, place: usize) {
        let task = self.fleet.tasks[place].clone();
        let (attempt, stop) = (task.attempt, CancellationToken::new());
        let work = Attempt {
            core: Arc::clone(&self.core),
            run: self.fleet.stored.run.clone(),
            task,
            place,
            worker: self.fleet.seats[seat].spec.id.clone(),
            news: self.sender.clone(),
            stop: stop.clone(),
        };
        let task = self.core.tasks.spawn(work.make());
        let work = AtWork {
            attempt,
            seat,
            stop,
            task,
        };
        self.at_work.insert(place, work);
    }

    /// Writes down what workers have said. What is said about an earlier attempt counts for nothing.
    async fn write_down(&mut self, all: &[News]) {
        for news in all {
            let ended = matches!(news.what, What::Ended(_));
            let known = self.at_work.get(&news.task);
            if ended && known.is_some_and(|work| work.attempt == news.attempt) {
                self.at_work.remove(&news.task);
            }
        }
        let counts = all.iter().any(matters);
        let durability = match counts {
            true => Durability::Synced,
            false => Durability::Fast,
        };
        let written = self.commit(durability, |edit| {
            for news in all {
                if let Some(seat) = edit.current(news.task, news.attempt) {
                    apply(edit, seat, news);
                }
            }
        });
        if let Err(error) = written.await {
            tracing::warn!(%error, "what workers of a fleet said could not be written down");
        }
    }

    /// Changes the run, however often others do at the same time, for as long as it is driven here.
    async fn commit(
        &mut self,
        durability: Durability,
        change: impl Fn(&mut Edit),
    ) -> Result<(), Error> {
        let by = self.core.system_stamp("fleet");
        let mut wait = limits::END_RETRY_FIRST;
        loop {
            if !self.is_mine() {
                return Ok(());
            }
            let mut edit = Edit::new(self.fleet.clone(), self.core.env.now());
            change(&mut edit);
            if edit.is_empty() {
                return Ok(());
            }
            let mut batch = self.core.store.batch(durability);
            let fleet = edit.write(&mut batch, &by);
            match self.core.store.commit(batch).await {
                Ok(_) => {
                    self.fleet = fleet;
                    return Ok(());
                }
                Err(codewhale_store::Error::Guard(_)) => {
                    self.look_again();
                    continue;
                }
                Err(codewhale_store::Error::Closed) => return Err(Error::Closing),
                Err(error) => tracing::error!(%error, "a fleet run could not be written"),
            }
            tokio::select! {
                biased;
                () = self.core.tasks.stop().cancelled() => return Err(Error::Closing),
                () = tokio::time::sleep(wait) => {}
            }
            wait = (wait * 2).min(limits::END_RETRY_LONGEST);
            self.look_again();
        }
    }

    /// Stops all workers and waits until they are gone.
    async fn dismiss(&mut self) {
        let all = std::mem::take(&mut self.at_work);
        for work in all.values() {
            work.stop.cancel();
        }
        let gone = async {
            for (_, mut work) in all {
                loop {
                    tokio::select! {
                        biased;
                        _ = &mut work.task => break,
                        // They still have something to say; nobody is to wait for that.
                        _ = self.news.recv() => {}
                    }
                }
            }
        };
        if tokio::time::timeout(limits::FLEET_KILL_GRACE * 2, gone)
            .await
            .is_err()
        {
            tracing::warn!("some workers did not stop in time and are dropped");
        }
    }

    /// Lets go of the run, because this process ends.
    async fn pause(&mut self) {
        self.look_again();
        if !self.is_mine() {
            return;
        }
        let by = self.core.system_stamp("fleet");
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let mut edit = Edit::new(self.fleet.clone(), self.core.env.now());
            edit.pause(Abandoned::ByShutdown);
            let mut batch = self.core.store.batch(Durability::Synced);
            edit.write(&mut batch, &by);
            match self.core.store.commit(batch).await {
                Ok(_) => return,
                Err(codewhale_store::Error::Guard(_)) => self.look_again(),
                // The next process finds that nobody drives it.
                Err(error) => {
                    tracing::warn!(%error, "a fleet run could not be paused");
                    return;
                }
            }
            if !self.is_mine() {
                return;
            }
        }
    }
}
