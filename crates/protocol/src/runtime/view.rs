//! The fold: what a thread looks like after its events, computed by anyone who reads them.

use super::{
    ApprovalRequired, AskedBy, Event, ItemId, PendingApproval, PendingUserInput,
    RuntimeEventEnvelope, Seq, ThreadDetail, ThreadRecord, ToolCallCanceled, ToolCallRequested,
    ToolCallResolved, ToolCallTimeout, TurnId, TurnItemRecord, TurnRecord, UserInputAnswered,
    UserInputCanceled, UserInputRequired,
};

/// A thread as its events tell it. Starts empty or from a snapshot, and takes each event once:
/// one that is not newer than what it has seen changes nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ThreadView {
    /// The thread, once its first event was seen.
    pub thread: Option<ThreadRecord>,
    /// Its turns, oldest first.
    pub turns: Vec<TurnRecord>,
    /// Their items, in the order they began.
    pub items: Vec<TurnItemRecord>,
    /// Questions that wait for a person.
    pub pending_approvals: Vec<PendingApproval>,
    /// Questions of the agent that wait for an answer.
    pub pending_user_inputs: Vec<PendingUserInput>,
    /// Calls that wait for the client.
    pub pending_dynamic_tool_calls: Vec<ToolCallRequested>,
    /// The newest event seen.
    pub latest_seq: Seq,
}

impl From<ThreadDetail> for ThreadView {
    fn from(detail: ThreadDetail) -> Self {
        ThreadView {
            thread: Some(detail.thread),
            turns: detail.turns,
            items: detail.items,
            pending_approvals: detail.pending_approvals,
            pending_user_inputs: detail.pending_user_inputs,
            pending_dynamic_tool_calls: detail.pending_dynamic_tool_calls,
            latest_seq: detail.latest_seq,
        }
    }
}

impl ThreadView {
    /// Takes an envelope. Fails only when the payload of a known event does not read.
    pub fn apply(&mut self, envelope: &RuntimeEventEnvelope) -> Result<(), serde_json::Error> {
        if envelope.seq <= self.latest_seq {
            return Ok(());
        }
        if let Some(event) = envelope.decode() {
            self.apply_event(event?, envelope);
        }
        self.latest_seq = envelope.seq;
        Ok(())
    }

    fn apply_event(&mut self, event: Event, envelope: &RuntimeEventEnvelope) {
        match event {
            Event::ThreadStarted(started) => self.thread = Some(started.thread),
            Event::ThreadForked(forked) => self.thread = Some(forked.thread),
            Event::ThreadUpdated(updated) => self.thread = Some(updated.thread),
            Event::TurnStarted(started) => self.turn_started(started.turn),
            Event::TurnLifecycle(lifecycle) => {
                if let Some(turn) = envelope.turn_id.as_ref().and_then(|id| self.turn_mut(id)) {
                    turn.started_at = Some(lifecycle.started_at);
                }
            }
            Event::TurnSteered(steered) => {
                if let Some(turn) = self.turn_mut(&steered.turn_id) {
                    turn.steer_count += 1;
                }
                if let Some(thread) = &mut self.thread {
                    thread.updated_at = envelope.timestamp;
                }
            }
            Event::TurnCompleted(completed) => self.turn_completed(completed.turn),
            Event::ItemStarted(started) => self.item_changed(started.item),
            Event::ItemDelta(delta) => {
                // What a call prints is only told.
                if !delta.kind.is_tool()
                    && let Some(item) = envelope.item_id.as_ref().and_then(|id| self.item_mut(id))
                {
                    item.detail.get_or_insert_default().push_str(&delta.delta);
                }
            }
            Event::ItemCompleted(changed)
            | Event::ItemFailed(changed)
            | Event::ItemInterrupted(changed)
            | Event::ItemCanceled(changed) => self.item_changed(changed.item),
            Event::ApprovalRequired(required) => self.approval_required(required, envelope),
            Event::ApprovalDecided(decided) => {
                self.pending_approvals
                    .retain(|pending| pending.id != decided.approval_id);
            }
            Event::UserInputRequired(required) => self.input_required(required, envelope),
            Event::UserInputAnswered(UserInputAnswered { id, .. })
            | Event::UserInputCanceled(UserInputCanceled { id, .. }) => {
                self.pending_user_inputs.retain(|pending| pending.id != id);
            }
            Event::ToolCallRequested(requested) => {
                self.pending_dynamic_tool_calls.push(requested);
            }
            Event::ToolCallResolved(ToolCallResolved { about, .. })
            | Event::ToolCallTimeout(ToolCallTimeout { about, .. })
            | Event::ToolCallCanceled(ToolCallCanceled { about, .. }) => {
                self.pending_dynamic_tool_calls
                    .retain(|call| call.about.call_id != about.call_id);
            }
            Event::CoherenceChanged(changed) => {
                if let Some(thread) = &mut self.thread {
                    thread.coherence_state = changed.state;
                }
            }
            Event::AgentSpawned(news) | Event::AgentCompleted(news) => {
                news.item
                    .into_iter()
                    .for_each(|item| self.item_changed(item));
            }
            Event::TurnInterruptRequested(_)
            | Event::GoalUpdated(_)
            | Event::GoalCleared(_)
            | Event::TaskCreated(_)
            | Event::TaskUpdated(_)
            | Event::AutomationUpdated(_)
            | Event::Fleet(_)
            | Event::ApprovalTimeout(_)
            | Event::SandboxDenied(_)
            | Event::WorkspaceTrustChanged(_)
            | Event::RoomCreated(_)
            | Event::StoreCreated(_) => {}
        }
    }

    fn turn_started(&mut self, turn: TurnRecord) {
        if let Some(thread) = &mut self.thread {
            thread.latest_turn_id = Some(turn.id.clone());
            thread.updated_at = turn.created_at;
        }
        self.turns.push(turn);
    }

    fn turn_completed(&mut self, turn: TurnRecord) {
        if let Some(thread) = &mut self.thread {
            if let Some(ended_at) = turn.ended_at {
                thread.updated_at = ended_at;
            }
            if let Some(item) = &turn.final_item_id {
                thread.latest_response_bookmark = Some(item.clone());
            }
        }
        self.pending_approvals
            .retain(|pending| pending.turn_id != turn.id);
        self.pending_user_inputs
            .retain(|pending| pending.turn_id != turn.id);
        self.pending_dynamic_tool_calls
            .retain(|call| call.about.turn_id != turn.id);
        match self.turn_mut(&turn.id.clone()) {
            Some(known) => *known = turn,
            None => self.turns.push(turn),
        }
    }

    fn item_changed(&mut self, item: TurnItemRecord) {
        if let Some(known) = self.item_mut(&item.id) {
            *known = item;
            return;
        }
        if let Some(turn) = self.turn_mut(&item.turn_id)
            && !turn.item_ids.contains(&item.id)
        {
            turn.item_ids.push(item.id.clone());
        }
        self.items.push(item);
    }

    fn approval_required(&mut self, required: ApprovalRequired, envelope: &RuntimeEventEnvelope) {
        let Some(turn_id) = turn_of(envelope, required.asked_by.as_ref()) else {
            return;
        };
        self.pending_approvals.push(PendingApproval {
            id: required.id,
            turn_id,
            detail: required.detail,
            expires_at: required.expires_at,
            asked_by: required.asked_by,
        });
    }

    fn input_required(&mut self, required: UserInputRequired, envelope: &RuntimeEventEnvelope) {
        let Some(turn_id) = turn_of(envelope, required.asked_by.as_ref()) else {
            return;
        };
        self.pending_user_inputs.push(PendingUserInput {
            id: required.id,
            turn_id,
            request: required.request,
            asked_by: required.asked_by,
        });
    }

    fn turn_mut(&mut self, id: &TurnId) -> Option<&mut TurnRecord> {
        self.turns.iter_mut().rev().find(|turn| turn.id == *id)
    }

    fn item_mut(&mut self, id: &ItemId) -> Option<&mut TurnItemRecord> {
        self.items.iter_mut().rev().find(|item| item.id == *id)
    }

    /// The turn that is going on.
    pub fn active_turn(&self) -> Option<&TurnRecord> {
        self.turns.last().filter(|turn| !turn.status.is_terminal())
    }

    /// The same as the answer of the server, for comparison with it.
    pub fn into_detail(mut self) -> Option<ThreadDetail> {
        self.pending_approvals.sort_by(|a, b| a.id.cmp(&b.id));
        self.pending_user_inputs.sort_by(|a, b| a.id.cmp(&b.id));
        self.pending_dynamic_tool_calls
            .sort_by(|a, b| a.about.call_id.cmp(&b.about.call_id));
        Some(ThreadDetail {
            thread: self.thread?,
            turns: self.turns,
            items: self.items,
            latest_seq: self.latest_seq,
            pending_approvals: self.pending_approvals,
            pending_user_inputs: self.pending_user_inputs,
            pending_dynamic_tool_calls: self.pending_dynamic_tool_calls,
        })
    }
}

/// The turn that waits for an answer: one of this thread, or that of a sub-agent which asks here.
fn turn_of(envelope: &RuntimeEventEnvelope, asked_by: Option<&AskedBy>) -> Option<TurnId> {
    let theirs = asked_by.map(|by| &by.turn_id);
    theirs.or(envelope.turn_id.as_ref()).cloned()
}
