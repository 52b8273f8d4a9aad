//! Recovery: ending for dead processes what they left running.
//!
//! Touches only work whose owner is dead; a second live process on the same home changes nothing
//! of the first. The cost is that of the unfinished work, not of the history.

mod ending;
mod spent;

use std::sync::Arc;

use codewhale_protocol::runtime::{
    ApprovalRecord, Goal, ItemId, OwnerId, PendingUserInput, ThreadId, ThreadRecord,
    ToolCallRequested,
};
use codewhale_store::{
    Durability, LeaseState, Reader, StoredItem, StoredRun, StoredTask, StoredThread, StoredTurn,
};

use crate::queue::{self, requeue_or_end};
use crate::runtime::Core;
use crate::{Error, limits};
use ending::end;
use spent::{Charges, Spent, top_of};

pub(crate) use ending::{Cut, end_run, interrupted};

/// What turns and items are told that a process left behind.
const CAUSE: &str = "Interrupted by process restart";

/// A turn that nobody runs any more, with everything that hangs on it.
struct Orphan {
    thread: StoredThread,
    turn: StoredTurn,
    items: Vec<StoredItem>,
    approvals: Vec<ApprovalRecord>,
    inputs: Vec<PendingUserInput>,
    client_calls: Vec<ToolCallRequested>,
    /// Items whose calls were let go at the world outside.
    begun: Vec<ItemId>,
    /// The receipt, when it is a sub-agent's.
    run: Option<StoredRun>,
    /// What its tree works towards.
    goal: Option<Goal>,
    /// What it has cost.
    spent: Spent,
    /// The background task that the turn is for.
    task: Option<StoredTask>,
    lease: LeaseState,
}

impl Core {
    /// Ends every turn of a dead owner, all in one transaction.
    pub(crate) async fn recover(&self) -> Result<(), Error> {
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let orphans = self.orphans()?;
            let stranded = self.stranded()?;
            let unbegun = self.unbegun_tasks()?;
            if orphans.is_empty() && stranded.is_empty() && unbegun.is_empty() {
                return Ok(());
            }
            let by = self.system_stamp("recovery");
            let mut batch = self.store.batch(Durability::Synced);
            let mut charges = Charges::default();
            for orphan in &orphans {
                let goal = orphan.goal.as_ref().map(|goal| &goal.goal_id);
                charges.add(&mut batch, &orphan.thread.record, goal, &orphan.spent);
            }
            for orphan in &orphans {
                end(&mut batch, orphan, &charges, (self.env.now(), &by));
            }
            for (stored, thread) in &stranded {
                let cut = Cut {
                    cause: CAUSE,
                    tokens: 0,
                };
                end_run(&mut batch, stored, thread, &cut, (self.env.now(), &by));
            }
            for mut stored in unbegun {
                let now = self.env.now();
                requeue_or_end(&mut stored, now);
                queue::write(&mut batch, &stored, &by, now);
            }
            match self.store.commit(batch).await {
                Ok(_) => {
                    self.queue.stir();
                    tracing::info!(
                        turns = orphans.len(),
                        "ended turns that a dead process left"
                    );
                    return Ok(());
                }
                // Another process was faster with some of them: look again.
                Err(codewhale_store::Error::Guard(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    /// Sub-agents that were made and never begun, because the process of their parent died then.
    fn stranded(&self) -> Result<Vec<(StoredRun, ThreadRecord)>, Error> {
        self.never_begun(|reader, parent| {
            let lease = reader.lease(parent)?;
            let is_alive = |owner| self.store.is_alive(owner);
            Ok(!lease.owner.as_ref().is_some_and(is_alive))
        })
    }

    /// Sub-agents of a thread that were made and never begun, although its turn is over.
    pub(crate) fn stranded_below(
        &self,
        thread: &ThreadId,
    ) -> Result<Vec<(StoredRun, ThreadRecord)>, Error> {
        self.never_begun(|_, parent| Ok(parent == thread))
    }

    fn never_begun(
        &self,
        wanted: impl Fn(&Reader<'_>, &ThreadId) -> Result<bool, codewhale_store::Error>,
    ) -> Result<Vec<(StoredRun, ThreadRecord)>, Error> {
        let found = self.store.read(|reader| {
            let mut found = Vec::new();
            for stored in reader.stranded_runs()? {
                if !wanted(reader, &stored.kin.parent)? {
                    continue;
                }
                let thread = reader.thread(&stored.kin.thread)?;
                found.extend(thread.map(|thread| (stored, thread.record)));
            }
            Ok(found)
        });
        Ok(found?)
    }

    /// Tasks that a dead process had claimed and whose turns never began.
    fn unbegun_tasks(&self) -> Result<Vec<StoredTask>, Error> {
        let mut tasks = self.store.read(|reader| reader.running_tasks())?;
        tasks.retain(|it| {
            let owner = it.owner.as_ref();
            let is_alive = owner.is_some_and(|owner| self.store.is_alive(owner));
            it.task.turn_id.is_none() && !is_alive
        });
        Ok(tasks)
    }

    /// Waits for processes that are about to be dead: killed in the moment in which they started a
    /// command, they are held for some milliseconds by the copy of themselves that was to become it.
    pub(crate) async fn wait_for_the_dying(&self) -> Result<(), Error> {
        for _ in 0..limits::DYING_LOOKS_MAX {
            if !self.is_anyone_dying()? {
                break;
            }
            tokio::time::sleep(limits::DYING_LOOK).await;
        }
        Ok(())
    }

    /// Whether someone holds their lock and is not to be seen.
    fn is_anyone_dying(&self) -> Result<bool, Error> {
        let others = self.store.other_owners().into_iter();
        let living: Vec<_> = others.filter(|(_, alive)| *alive).collect();
        for (owner, _) in living {
            let row = self.store.read(|reader| reader.owner(&owner))?;
            if row.is_some_and(|row| !self.env.sees(row.pid)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks for dead processes until the runtime stops, and ends their turns.
    pub(crate) async fn sweep(self: Arc<Self>) {
        if let Some(home) = self.walls.home.clone() {
            let store = self.store.clone();
            let clear = move || Self::clear_temporary(&store, &home);
            let _ = self.store.apart(clear).await;
        }
        let mut tick = tokio::time::interval(limits::SWEEP);
        loop {
            tokio::select! {
                biased;
                () = self.tasks.stop().cancelled() => return,
                _ = tick.tick() => {}
            }
            let dead: Vec<_> = self
                .store
                .other_owners()
                .into_iter()
                .filter(|(_, alive)| !alive)
                .collect();
            if dead.is_empty() {
                continue;
            }
            let recovered = async {
                self.recover_all().await?;
                self.drop_errands_of(&dead).await
            };
            match recovered.await {
                Ok(()) => dead
                    .iter()
                    .for_each(|(owner, _)| self.store.forget_owner(owner)),
                Err(error) => tracing::warn!(%error, "could not end the turns of a dead process"),
            }
        }
    }

    /// Takes away what dead processes asked and were asked.
    async fn drop_errands_of(&self, dead: &[(OwnerId, bool)]) -> Result<(), Error> {
        let mut batch = self.store.batch(Durability::Fast);
        for (owner, _) in dead {
            batch.drop_errands_of(owner);
        }
        self.store.commit(batch).await?;
        Ok(())
    }

    async fn recover_all(&self) -> Result<(), Error> {
        self.recover().await?;
        self.recover_fleets().await?;
        self.recover_files().await
    }

    fn orphans(&self) -> Result<Vec<Orphan>, Error> {
        let orphans = self.store.read(|reader| {
            let mut orphans = Vec::new();
            for turn in reader.unfinished_turns()? {
                let id = &turn.record.thread_id;
                let lease = reader.lease(id)?;
                if lease
                    .owner
                    .as_ref()
                    .is_some_and(|owner| self.store.is_alive(owner))
                {
                    continue;
                }
                let Some(thread) = reader.thread(id)? else {
                    continue;
                };
                let items = reader.items(id, turn.ordinal * limits::ITEMS_PER_TURN)?;
                let approvals = reader.pending_approvals(id)?;
                let mut inputs = reader.pending_user_inputs(id)?;
                inputs.retain(|input| input.asked_by.is_none());
                let client_calls = reader.pending_client_calls(id)?;
                let run = reader.agent_run(id)?;
                let goal = reader.goal(top_of(&thread.record))?;
                let spent = Spent::of(reader, &turn.record)?;
                let begun = reader.open_effects(&turn.record.id)?;
                let task = reader.task_of_turn(&turn.record.id)?;
                orphans.push(Orphan {
                    thread,
                    items,
                    approvals,
                    inputs,
                    client_calls,
                    begun,
                    run,
                    goal,
                    spent,
                    task,
                    lease,
                    turn,
                });
            }
            Ok(orphans)
        })?;
        Ok(orphans)
    }
}
