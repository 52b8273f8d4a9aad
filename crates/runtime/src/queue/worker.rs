//! Workers: they take tasks from the queue, one each, and stay with them until their end.

use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::runtime::{
    Event, InputPart, Seq, StreamId, TaskId, TaskStatus, TerminalReason, ThreadId, ThreadRecord,
    ThreadStarted, ThreadsCreateParams, TurnId, TurnOverrides, TurnsStartParams,
};
use codewhale_protocol::{Caller, Scope, Scopes};
use codewhale_store::{About, Durability, StoredTask, ThreadWords, Watch};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::{change, write};
use crate::actor::{Asker, Command, Stopping};
use crate::runtime::Core;
use crate::tasks::guarded;
use crate::{Error, limits};

impl Core {
    /// Takes tasks from the queue until the runtime stops, as many at once as there are workers.
    pub(crate) async fn work(self: Arc<Self>) {
        let workers = Arc::new(Semaphore::new(self.queue.workers));
        let mut changes = self.queue.watch();
        loop {
            let worker = tokio::select! {
                biased;
                () = self.tasks.stop().cancelled() => return,
                worker = Arc::clone(&workers).acquire_owned() => worker,
            };
            let Ok(worker) = worker else { return };
            match self.claim().await {
                Ok(Some(stored)) => {
                    let core = Arc::clone(&self);
                    self.tasks.spawn(async move {
                        core.do_task(stored).await;
                        drop(worker);
                    });
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "no task could be taken from the queue"),
            }
            drop(worker);
            if !self.look_again(&mut changes).await {
                return;
            }
        }
    }

    /// Waits until something may have changed; false when the runtime stops.
    async fn look_again(&self, changes: &mut Watch<()>) -> bool {
        tokio::select! {
            biased;
            () = self.tasks.stop().cancelled() => false,
            // What other processes do is not told here.
            () = tokio::time::sleep(limits::TASK_LOOK) => true,
            () = changes.changed() => true,
        }
    }

    /// Takes the task that has waited longest, with a thread of its own.
    async fn claim(&self) -> Result<Option<StoredTask>, Error> {
        loop {
            let Some(mut stored) = self.store.read(|reader| reader.next_task())? else {
                return Ok(None);
            };
            let by = self.caller_stamp(&caller(&stored));
            let mut batch = self.store.batch(Durability::Synced);
            let thread = guarded(self.thread_for(&stored)).await;
            let at = self.env.now();
            match &thread {
                Ok((thread, is_new)) => {
                    change::begin(&mut stored, &thread.id, self.store.owner(), at);
                    if *is_new {
                        batch.put_thread(thread, &ThreadWords::default());
                        let stream = StreamId::Thread(thread.id.clone());
                        let about = About {
                            stream: &stream,
                            turn_id: None,
                            item_id: None,
                            at,
                            by: &by,
                        };
                        let thread = thread.clone();
                        batch.event(about, &Event::ThreadStarted(ThreadStarted { thread }));
                    }
                }
                Err(Error::Store(_) | Error::Closing | Error::Contended) => {
                    thread?;
                }
                Err(error) => change::fail(&mut stored, error.to_string(), at),
            }
            write(&mut batch, &stored, &by, at);
            match self.store.commit(batch).await {
                Ok(_) if stored.task.status == TaskStatus::Running => return Ok(Some(stored)),
                // It cannot begin, or someone was faster: the next one.
                Ok(_) | Err(codewhale_store::Error::Guard(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The thread of a task, and whether it is new: one that was claimed before has one.
    async fn thread_for(&self, stored: &StoredTask) -> Result<(ThreadRecord, bool), Error> {
        let task = &stored.task;
        if let Some(id) = &task.thread_id
            && let Some(known) = self.store.read(|reader| reader.thread(id))?
        {
            return Ok((known.record, false));
        }
        let params = ThreadsCreateParams {
            model: Some(task.model.clone()),
            workspace: Some(task.workspace.clone()),
            mode: Some(task.mode.as_str().to_owned()),
            allow_shell: Some(task.allow_shell),
            trust_mode: Some(task.trust_mode),
            auto_approve: Some(task.auto_approve),
            task_id: Some(task.id.to_string()),
            workroom_id: Some(stored.room.clone()),
            ..ThreadsCreateParams::default()
        };
        // What it may do was allowed when the task was made; the room is asked again.
        let admitted = Caller {
            scopes: Scopes::ALL,
            ..caller(stored)
        };
        let thread = self.new_thread(&admitted, params).await?;
        Ok((thread, true))
    }

    /// Does a task that was claimed.
    async fn do_task(self: &Arc<Self>, stored: StoredTask) {
        let id = stored.task.id.clone();
        match guarded(self.start_turn_of(stored)).await {
            Ok((thread, turn)) => self.stay_with(&id, &thread, &turn).await,
            // The next process finds that it never began.
            Err(Error::Closing) if self.tasks.stop().is_cancelled() => {}
            // It can be said of one thread alone, when what serves it has failed.
            Err(Error::Closing) => self.give_up(&id, &Error::Panicked).await,
            Err(error) => self.give_up(&id, &error).await,
        }
    }

    async fn start_turn_of(
        self: &Arc<Self>,
        stored: StoredTask,
    ) -> Result<(ThreadId, TurnId), Error> {
        let caller = caller(&stored);
        let thread = stored.task.thread_id.ok_or(Error::TaskGone)?;
        let said = [InputPart::text(&stored.task.prompt)];
        let changed = self.submitted(&thread, &said).await?;
        let asker = Asker {
            task: Some(stored.task.id),
            ..Asker::from(caller)
        };
        let params = TurnsStartParams {
            thread_id: thread.clone(),
            prompt: changed.unwrap_or(stored.task.prompt),
            input: None,
            overrides: TurnOverrides::default(),
        };
        let started = self.ask_thread(&thread, |reply| Command::Start {
            asker,
            params: Box::new(params),
            once: None,
            reply,
        });
        let turn = started.await?.turn.id;
        Ok((thread, turn))
    }

    /// Ends a task whose turn could not begin.
    async fn give_up(&self, id: &TaskId, error: &Error) {
        let by = self.system_stamp("worker");
        let mut wait = limits::END_RETRY_FIRST;
        loop {
            let at = self.env.now();
            let stored = self.store.read(|reader| reader.task(id));
            let stored = stored.ok().flatten();
            let Some(mut stored) = stored.filter(|it| {
                it.task.status == TaskStatus::Running
                    && it.task.turn_id.is_none()
                    && it.owner.as_ref() == Some(self.store.owner())
            }) else {
                return;
            };
            match stored.task.stopping {
                Some(_) => change::cancel(&mut stored, at),
                None => change::fail(&mut stored, error.to_string(), at),
            }
            let mut batch = self.store.batch(Durability::Synced);
            write(&mut batch, &stored, &by, at);
            match self.store.commit(batch).await {
                Ok(_) | Err(codewhale_store::Error::Closed) => return,
                Err(codewhale_store::Error::Guard(_)) => continue,
                Err(error) => tracing::error!(%error, task = %id, "a task could not be ended"),
            }
            tokio::select! {
                biased;
                () = self.tasks.stop().cancelled() => return,
                () = tokio::time::sleep(wait) => {}
            }
            wait = (wait * 2).min(limits::END_RETRY_LONGEST);
        }
    }

    /// Watches over a task until its turn has ended, and stops it when it is time.
    async fn stay_with(self: &Arc<Self>, id: &TaskId, thread: &ThreadId, turn: &TurnId) {
        let mut changes = self.queue.watch();
        let mut hours = Hours::new(Instant::now());
        let mut is_told = false;
        loop {
            match self.glance(id, thread, turn) {
                Ok(Some(glance)) => {
                    hours.pass(&glance, Instant::now());
                    match glance.stopping {
                        true if !is_told => is_told = self.tell_to_stop(thread, turn).await,
                        true => {}
                        false => {
                            if let Some(reason) = hours.over(Instant::now()) {
                                self.stop_task(id, reason).await;
                                continue;
                            }
                        }
                    }
                }
                Ok(None) => return,
                Err(error) => tracing::warn!(%error, task = %id, "a task could not be looked at"),
            }
            if !self.look_again(&mut changes).await {
                return;
            }
        }
    }

    /// How a task stands; `None` when it has ended.
    fn glance(
        &self,
        id: &TaskId,
        thread: &ThreadId,
        turn: &TurnId,
    ) -> Result<Option<Glance>, Error> {
        let stream = StreamId::Thread(thread.clone());
        let glance = self.store.read(|reader| {
            let stored = reader.task(id)?;
            let Some(stored) = stored.filter(|it| it.task.status == TaskStatus::Running) else {
                return Ok(None);
            };
            let waiting = reader.subject(thread)?.is_some_and(|it| it.waiting > 0);
            Ok(Some(Glance {
                stopping: stored.task.stopping.is_some(),
                waiting,
                busy: !reader.open_effects(turn)?.is_empty(),
                head: reader.head(&stream)?,
            }))
        });
        Ok(glance?)
    }

    async fn tell_to_stop(self: &Arc<Self>, thread: &ThreadId, turn: &TurnId) -> bool {
        let stored = self.store.read(|reader| reader.task_of_turn(turn));
        let Some(stored) = stored.ok().flatten() else {
            return false;
        };
        let (asker, turn) = (Asker::from(caller(&stored)), turn.clone());
        let told = self.ask_thread(thread, |reply| Command::Interrupt {
            asker,
            turn,
            stopping: Stopping::ForNow,
            reply,
        });
        told.await.is_ok()
    }

    async fn stop_task(&self, id: &TaskId, reason: TerminalReason) {
        let stored = self.store.read(|reader| reader.task(id));
        let Some(mut stored) = stored.ok().flatten() else {
            return;
        };
        if stored.task.stopping.is_some() || stored.task.status.is_terminal() {
            return;
        }
        let at = self.env.now();
        change::stop(&mut stored, reason, at);
        let mut batch = self.store.batch(Durability::Synced);
        write(&mut batch, &stored, &self.system_stamp("worker"), at);
        if let Err(error) = self.store.commit(batch).await {
            tracing::warn!(%error, task = %id, "a task could not be told to stop");
            tokio::time::sleep(limits::TASK_LOOK).await;
        }
    }
}

/// In whose name a task runs.
fn caller(stored: &StoredTask) -> Caller {
    Caller {
        principal: stored.principal.clone(),
        scopes: Scopes::of(&[Scope::Read, Scope::Run]),
        token_id: None,
        device_id: None,
        surface: stored.task.created_by.surface,
        on_behalf_of: None,
    }
}

/// How a task stands.
struct Glance {
    stopping: bool,
    /// A person is asked.
    waiting: bool,
    /// A call is at work outside.
    busy: bool,
    head: Seq,
}

/// How long a task has worked, and how long nothing has happened. Waiting for a person is neither.
struct Hours {
    worked: Duration,
    still_since: Instant,
    looked_at: Instant,
    head: Seq,
}

impl Hours {
    fn new(now: Instant) -> Self {
        Self {
            worked: Duration::ZERO,
            still_since: now,
            looked_at: now,
            head: Seq::ZERO,
        }
    }

    fn pass(&mut self, glance: &Glance, now: Instant) {
        let passed = now - std::mem::replace(&mut self.looked_at, now);
        let before = std::mem::replace(&mut self.head, glance.head);
        if !glance.waiting {
            self.worked += passed;
        }
        if glance.waiting || glance.busy || before != glance.head {
            self.still_since = now;
        }
    }

    fn over(&self, now: Instant) -> Option<TerminalReason> {
        if self.worked >= limits::TASK_WALL {
            return Some(TerminalReason::WallTimeout);
        }
        (now - self.still_since >= limits::TASK_IDLE).then_some(TerminalReason::IdleTimeout)
    }
}
