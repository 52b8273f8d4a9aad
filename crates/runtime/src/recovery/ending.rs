//! The end of an orphan: everything that hung on its turn is closed, in one batch.

use std::sync::Arc;

use codewhale_engine::{NOT_RUN, OUTCOME_UNKNOWN, cut_off};
use codewhale_protocol::ThreadGoalStatus;
use codewhale_protocol::runtime::{
    ApprovalDecided, ApprovalDecision, ApprovalRecord, ApprovalStatus, Event, FailureClass, Goal,
    GoalUpdated, ItemStatus, StreamId, ThreadId, ThreadRecord, Timestamp, ToolCallCancelReason,
    TurnCompleted, TurnItemRecord, TurnStatus,
};
use codewhale_store::{About, Batch, Guard, Lease, LeaseState, Stamp, StoredRun};
use serde_json::{Map, Value};

use super::spent::Charges;
use super::{CAUSE, Orphan};
use crate::actor::{cancel_call, cancel_input};
use crate::agents::{Root, charge, lost, tell, tell_parent};
use crate::queue::{self, Ended};

pub(super) fn end(
    batch: &mut Batch,
    orphan: &Orphan,
    charges: &Charges,
    (now, by): (Timestamp, &Arc<Stamp>),
) {
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
    for call in &orphan.client_calls {
        cancel_call(
            batch,
            about.clone(),
            call,
            ToolCallCancelReason::ProcessRestart,
        );
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
pub(super) fn pause(batch: &mut Batch, goal: &Goal, about: &About<'_>) {
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

pub(super) fn end_turn(batch: &mut Batch, orphan: &Orphan, about: &About<'_>) {
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

pub(super) fn guard(thread: &ThreadId, lease: &LeaseState) -> Guard {
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

pub(super) fn expired(approval: &ApprovalRecord, now: Timestamp, by: &Stamp) -> ApprovalRecord {
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
