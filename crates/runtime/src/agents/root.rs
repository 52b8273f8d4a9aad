//! The top of a tree: where people look, and where they are asked.

use std::sync::Arc;

use codewhale_protocol::runtime::{AskedBy, Event, StreamId, ThreadId, ThreadRecord, TurnId};
use codewhale_store::{About, Batch};

use super::Tree;

/// The top of the tree that a sub-agent is in, and who the sub-agent is.
#[derive(Clone)]
pub(crate) struct Root {
    /// The thread at the top.
    pub(crate) thread: ThreadId,
    stream: StreamId,
    asked_by: AskedBy,
    /// What is known here of the turns of the tree.
    tree: Option<Arc<Tree>>,
}

impl Root {
    /// The top above a turn; `None` for a thread that is at the top itself.
    pub(crate) fn above(thread: &ThreadRecord, turn: &TurnId) -> Option<Self> {
        let root = thread.root_id.clone()?;
        Some(Self {
            stream: StreamId::Thread(root.clone()),
            thread: root,
            asked_by: AskedBy {
                agent_id: thread.id.agent_id(),
                thread_id: thread.id.clone(),
                turn_id: turn.clone(),
            },
            tree: None,
        })
    }

    /// The same, within its tree.
    pub(crate) fn within(self, tree: &Arc<Tree>) -> Self {
        let tree = Some(Arc::clone(tree));
        Self { tree, ..self }
    }

    /// A question as the top shows it, with the name of who asks.
    fn shown(&self, event: &Event) -> Event {
        let mut event = event.clone();
        match &mut event {
            Event::ApprovalRequired(required) => required.asked_by = Some(self.asked_by.clone()),
            Event::UserInputRequired(required) => required.asked_by = Some(self.asked_by.clone()),
            _ => {}
        }
        event
    }
}

/// Adds an event about a question to a batch: on the thread that asks, and on the top of its tree.
pub(crate) fn tell(batch: &mut Batch, about: About<'_>, root: Option<&Root>, event: &Event) {
    if let Some(root) = root {
        // Clients take an event's turn for the one that runs: at the top, that is the top's own.
        let turn = root.tree.as_ref().and_then(|tree| tree.top_turn());
        let shown = About {
            stream: &root.stream,
            turn_id: turn.as_ref(),
            item_id: None,
            ..about.clone()
        };
        batch.event(shown, &root.shown(event));
    }
    // Last, because it is the one that settles the question.
    batch.event(about, event);
}
