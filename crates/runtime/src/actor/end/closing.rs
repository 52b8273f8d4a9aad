//! What ends with a turn: its record, the items that are still open, and how crowded the window is.

use codewhale_engine::{Failure, TurnEnd};
use codewhale_model::Route;
use codewhale_protocol::runtime::{
    CoherenceChanged, CoherenceState, FailureClass, ItemId, ItemKind, ItemStatus, ThreadRecord,
    Timestamp, TurnItemRecord, TurnRecord, TurnStatus, summarize,
};

use crate::actor::Active;
use crate::host::{Agents, OpenItem, State, end_of_open, new_item, with_error};
use crate::limits;

/// What the agent said last, also where it was cut off.
pub(super) fn last_words(state: &State) -> Option<String> {
    let whole = state.final_message.as_ref().map(|(_, text)| text.clone());
    let cut = || {
        let messages = state
            .open
            .iter()
            .filter(|item| item.record.kind == ItemKind::AgentMessage);
        messages.map(|item| item.text.clone()).next_back()
    };
    whole.or_else(cut)
}

/// Names the model that answered last.
pub(super) fn answered_by(turn: &mut TurnRecord, agents: &Agents) {
    let route = &agents.route;
    turn.effective_provider = Some(route.provider.clone());
    turn.effective_provider_id = route.provider_id.clone();
    turn.effective_model = Some(route.model.clone());
    turn.answered_by = Some(agents.talker.actor.clone());
}

pub(super) fn fill(turn: &mut TurnRecord, end: &TurnEnd, at: Timestamp) {
    turn.ended_at = Some(at);
    turn.duration_ms = Some(at.ms_since(turn.started_at.unwrap_or(turn.created_at)));
    match end {
        TurnEnd::Completed => turn.status = TurnStatus::Completed,
        TurnEnd::Interrupted => {
            turn.status = TurnStatus::Interrupted;
            turn.failure_class = Some(FailureClass::Interrupted);
            turn.retryable = Some(true);
        }
        TurnEnd::Failed(failure) => {
            turn.status = TurnStatus::Failed;
            turn.error = Some(failure.message.clone());
            turn.failure_class = Some(failure.class);
            turn.retryable = Some(failure.retryable);
        }
    }
}

/// Closes what is still open. A call that has no result by now never will have.
pub(super) fn closed_items(
    state: &mut State,
    end: &TurnEnd,
    at: Timestamp,
) -> Vec<(u64, TurnItemRecord)> {
    let (text, reason) = match end {
        TurnEnd::Completed => (ItemStatus::Completed, "the turn ended"),
        TurnEnd::Interrupted => (ItemStatus::Interrupted, "the turn was stopped"),
        TurnEnd::Failed(failure) => (ItemStatus::Failed, failure.message.as_str()),
    };
    let close = |mut item: OpenItem| {
        let status = match (item.record.kind, text) {
            (kind, _) if kind.is_tool() => ItemStatus::Failed,
            (ItemKind::ContextCompaction, ItemStatus::Interrupted) => ItemStatus::Canceled,
            (_, text) => text,
        };
        (item.ordinal, end_of_open(&mut item, status, reason, at))
    };
    std::mem::take(&mut state.open)
        .into_iter()
        .map(close)
        .collect()
}

pub(super) fn error_item(
    active: &Active,
    failure: &Failure,
    id: ItemId,
    at: Timestamp,
) -> TurnItemRecord {
    let desk = &active.desk;
    let mut record = new_item(
        id,
        &desk.turn,
        ItemKind::Error,
        &desk.agents().talker.id,
        at,
    );
    record.status = ItemStatus::Failed;
    record.summary = summarize(&failure.message);
    record.detail = Some(failure.message.clone());
    record.ended_at = Some(at);
    with_error(&mut record, &failure.message);
    record
}

/// How crowded the model's window has become, when that changed.
pub(super) fn coherence(
    route: &Route,
    input_tokens: u64,
    thread: &mut ThreadRecord,
) -> Option<CoherenceChanged> {
    let window = route.context_window?;
    if input_tokens == 0 {
        return None;
    }
    let state = match input_tokens * 100 > window * limits::CROWDED_PERCENT {
        true => CoherenceState::GettingCrowded,
        false => CoherenceState::Healthy,
    };
    if state == thread.coherence_state {
        return None;
    }
    thread.coherence_state = state;
    let (label, description) = match state {
        CoherenceState::Healthy => (
            "healthy",
            "The conversation has room in the model's window.",
        ),
        CoherenceState::GettingCrowded => (
            "getting crowded",
            "The conversation fills more than 60 % of the model's window.",
        ),
        CoherenceState::RefreshingContext => ("refreshing", "The conversation is being shortened."),
    };
    let (label, description) = (label.to_owned(), description.to_owned());
    Some(CoherenceChanged {
        state,
        label,
        description,
    })
}
