//! News of a sub-agent on the thread that started it.

use std::sync::Arc;

use codewhale_protocol::runtime::{
    AgentNews, AgentRun, Event, StreamId, ThreadRecord, Timestamp, TurnItemRecord,
};
use codewhale_store::{About, Batch, Kin, Stamp};

/// What is told of a sub-agent.
pub(super) fn news(
    run: &AgentRun,
    kin: &Kin,
    thread: &ThreadRecord,
    item: Option<TurnItemRecord>,
) -> AgentNews {
    AgentNews {
        item,
        agent_id: run.spec.worker_id.clone(),
        agent_thread_id: kin.thread.clone(),
        parent_thread_id: kin.parent.clone(),
        role: run.spec.agent_type,
        provider: thread.model_provider.clone().unwrap_or_default(),
        model: thread.model.clone(),
        status: run.status,
    }
}

/// Adds to a batch that a sub-agent has ended, for those who follow its parent.
pub(crate) fn tell_parent(
    batch: &mut Batch,
    run: &AgentRun,
    kin: &Kin,
    thread: &ThreadRecord,
    (by, at): (&Arc<Stamp>, Timestamp),
) {
    let stream = StreamId::Thread(kin.parent.clone());
    let about = About {
        stream: &stream,
        turn_id: None,
        item_id: None,
        at,
        by,
    };
    let event = Event::AgentCompleted(news(run, kin, thread, None));
    batch.event(about, &event);
}
