//! Recovery: ending for dead processes what they left running.
//!
//! Touches only work whose owner is dead; a second live process on the same home changes nothing
//! of the first. The cost is that of the unfinished work, not of the history.

mod spent;

use std::sync::Arc;

use codewhale_engine::{NOT_RUN, OUTCOME_UNKNOWN, cut_off};
use codewhale_protocol::ThreadGoalStatus;
use codewhale_protocol::runtime::{
    ApprovalDecided, ApprovalDecision, ApprovalRecord, ApprovalStatus, Event, FailureClass, Goal,
    GoalUpdated, ItemId, ItemStatus, PendingUserInput, StreamId, ThreadId, ThreadRecord, Timestamp,
    TurnCompleted, TurnItemRecord, TurnStatus,
};
use codewhale_store::{
    About, Batch, Durability, Guard, Lease, LeaseState, Reader, Stamp, StoredItem, StoredRun,
    StoredTask, StoredThread, StoredTurn,
};
use serde_json::{Map, Value};

use crate::actor::cancel_input;
use crate::agents::{Root, charge, lost, tell, tell_parent};
use crate::queue::{self, Ended, requeue_or_end};
use crate::runtime::Core;
use crate::{Error, limits};
use spent::{Charges, Spent, top_of};

/// What turns and items are told that a process left behind.
const CAUSE: &str = "Interrupted by process restart";

/// A turn that nobody runs any more, with everything that hangs on it.
struct Orphan {
    thread: StoredThread,
    turn: StoredTurn,
    items: Vec<StoredItem>,
    approvals: Vec<ApprovalRecord>,
    inputs: Vec<PendingUserInput>,
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
            let recovered = match self.recover().await {
                Ok(()) => self.recover_files().await,
                Err(error) => Err(error),
            };
            match recovered {
                Ok(()) => dead
                    .iter()
                    .for_each(|(owner, _)| self.store.forget_owner(owner)),
                Err(error) => tracing::warn!(%error, "could not end the turns of a dead process"),
            }
        }
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

fn end(batch: &mut Batch, orphan: &Orphan, charges: &Charges, (now, by): (Timestamp, &Arc<Stamp>)) {
    let thread_id = &orphan.thread.record.id;
    batch.guard(guard(thread_id, &orphan.lease));
    let stream = StreamId::Thread(thread_id.clone());
    let turn_id = &orphan.turn.record.id;
    let about = About {
        stream: &stream,
        turn_id: Some(turn_id),
        item_id: None,
        at: now,
        by,
    };
    let root = Root::above(&orphan.thread.record, turn_id);
    for approval in &orphan.approvals {
        let expired = expired(approval, now, by);
        let event = Event::ApprovalDecided(ApprovalDecided {
            approval_id: approval.id.clone(),
            decision: ApprovalDecision::Deny,
            remember: false,
            auto: true,
            timeout: false,
            expired: true,
            posture: None,
        });
        tell(batch, about.clone(), root.as_ref(), &event);
        batch.settle_approval(&expired);
    }
    for input in &orphan.inputs {
        cancel_input(batch, about.clone(), root.as_ref(), (&input.id, true));
    }
    for item in orphan
        .items
        .iter()
        .filter(|item| !item.record.status.is_terminal())
    {
        let ended = interrupted(&item.record, orphan.outcome_of(&item.record), now);
        batch.put_item(thread_id, item.ordinal, &ended);
        batch.settle_effect(&ended.id, now);
        let about = About {
            item_id: Some(&item.record.id),
            ..about.clone()
        };
        batch.event(about, &Event::item_ended(ended));
    }
    if let Some(stored) = &orphan.run {
        let mut stored = stored.clone();
        if let Some(usage) = orphan.spent.usage() {
            charge(&mut stored.run, usage);
        }
        let cut = Cut {
            cause: CAUSE,
            tokens: orphan.spent.tokens(),
        };
        end_run(batch, &stored, &orphan.thread.record, &cut, (now, by));
    }
    let goal = orphan.goal.as_ref().filter(|goal| goal.is_active());
    // The goal of a tree rests when the thread at its top was cut off.
    if let Some(goal) = goal.filter(|goal| goal.thread_id == *thread_id) {
        let goal = Goal {
            tokens_used: goal.tokens_used.saturating_add(charges.of(thread_id)),
            ..goal.clone()
        };
        pause(batch, &goal, &about);
    }
    end_turn(batch, orphan, &about);
}

/// How the work of a sub-agent was cut off.
pub(crate) struct Cut<'a> {
    pub(crate) cause: &'a str,
    /// What it cost since its receipt was last written.
    pub(crate) tokens: u64,
}

/// A sub-agent that was cut off can be told to go on; its parent hears of it.
pub(crate) fn end_run(
    batch: &mut Batch,
    stored: &StoredRun,
    thread: &ThreadRecord,
    cut: &Cut<'_>,
    (now, by): (Timestamp, &Arc<Stamp>),
) {
    let mut run = stored.run.clone();
    lost(&mut run, cut.cause, now);
    batch.put_agent_run(&stored.kin, &run, cut.tokens, now);
    tell_parent(batch, &run, &stored.kin, thread, (by, now));
}

/// Nothing goes on by itself after a crash: someone has to see it first.
fn pause(batch: &mut Batch, goal: &Goal, about: &About<'_>) {
    let status = ThreadGoalStatus::Paused;
    batch.move_goal(&goal.thread_id, status, about.at);
    let goal = Goal {
        status,
        ..goal.clone()
    };
    let about = About {
        turn_id: None,
        ..about.clone()
    };
    batch.event(about, &Event::GoalUpdated(GoalUpdated::from(goal)));
}

fn end_turn(batch: &mut Batch, orphan: &Orphan, about: &About<'_>) {
    let now = about.at;
    let mut turn = orphan.turn.record.clone();
    turn.status = TurnStatus::Interrupted;
    turn.error = Some(CAUSE.to_owned());
    turn.failure_class = Some(FailureClass::Restart);
    turn.retryable = Some(true);
    turn.ended_at = Some(now);
    turn.duration_ms = Some(now.ms_since(turn.started_at.unwrap_or(turn.created_at)));
    turn.item_ids = orphan
        .items
        .iter()
        .map(|item| item.record.id.clone())
        .collect();
    turn.ended_by = Some(about.by.actor.clone());
    turn.outcome_unknown = u32::try_from(orphan.begun.len()).unwrap_or(u32::MAX);
    orphan.spent.write(batch, &mut turn, now);
    let mut thread = orphan.thread.record.clone();
    thread.updated_at = now;
    batch.put_turn(orphan.turn.ordinal, &turn);
    batch.put_thread(&thread, &orphan.thread.words);
    batch.release_lease(&thread.id);
    if let Some(task) = orphan.task.clone() {
        let who = (about.by, now);
        queue::end_with_turn(batch, task, &turn, Ended::Recovered, who);
    }
    batch.event(
        about.clone(),
        &Event::TurnCompleted(TurnCompleted {
            turn,
            recovered: true,
        }),
    );
}

impl Orphan {
    /// What is known of a call that was cut off: after a crash, one that was let go may or may not
    /// have happened, and is never done again by itself.
    fn outcome_of(&self, item: &TurnItemRecord) -> Option<&'static str> {
        match item.kind.is_tool() {
            false => None,
            true if self.begun.contains(&item.id) => Some(OUTCOME_UNKNOWN),
            true => Some(NOT_RUN),
        }
    }
}

fn guard(thread: &ThreadId, lease: &LeaseState) -> Guard {
    match &lease.owner {
        None => Guard::LeaseFree {
            thread: thread.clone(),
        },
        Some(owner) => Guard::LeaseHeld {
            lease: Lease {
                thread: thread.clone(),
                owner: owner.clone(),
                epoch: lease.epoch,
            },
        },
    }
}

fn expired(approval: &ApprovalRecord, now: Timestamp, by: &Stamp) -> ApprovalRecord {
    ApprovalRecord {
        status: ApprovalStatus::Expired,
        decision: Some(ApprovalDecision::Deny),
        decided_by: Some(by.actor.clone()),
        decided_at: Some(now),
        decided_reason: Some(CAUSE.to_owned()),
        ..approval.clone()
    }
}

pub(crate) fn interrupted(
    item: &TurnItemRecord,
    outcome: Option<&str>,
    now: Timestamp,
) -> TurnItemRecord {
    let mut metadata = match item.metadata.clone() {
        Some(Value::Object(metadata)) => metadata,
        _ => Map::new(),
    };
    metadata.insert("error".to_owned(), Value::from(CAUSE));
    if let Some(outcome) = outcome {
        metadata.insert("outcome".to_owned(), Value::from(outcome));
    }
    // What the model will read of it stands in the item, so that it stays the same for good.
    let detail = match outcome {
        Some(outcome) => Some(cut_off(outcome).to_owned()),
        None => item.detail.clone(),
    };
    TurnItemRecord {
        status: ItemStatus::Interrupted,
        summary: match &item.detail {
            Some(text) if !item.kind.is_tool() => codewhale_protocol::runtime::summarize(text),
            _ => item.summary.clone(),
        },
        detail,
        metadata: Some(Value::Object(metadata)),
        ended_at: Some(now),
        ..item.clone()
    }
}
