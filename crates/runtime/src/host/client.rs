//! Calls of tools that the client runs: told to everyone who watches, answered once.

use codewhale_protocol::runtime::{
    AboutCall, ClientCallId, Event, ToolCallContent, ToolCallRequested,
};
use codewhale_store::Durability;
use serde_json::Value;
use tokio::sync::oneshot;

use super::TurnHost;
use crate::actor::Command;
use crate::limits;

/// A call that waits.
pub(crate) struct PendingCall {
    pub(crate) call: ToolCallRequested,
    pub(crate) reply: oneshot::Sender<Answered>,
}

/// What came of a call.
pub(crate) enum Answered {
    /// What the client says.
    Result {
        success: bool,
        content: Vec<ToolCallContent>,
    },
    /// It did not answer in time.
    TooLate,
    /// Too many others wait already.
    TooMany,
    /// The store could not take the call.
    Lost,
}

impl TurnHost {
    /// Has the client run a tool, and waits for what it says.
    pub(crate) async fn ask_client(
        &self,
        namespace: Option<String>,
        tool: String,
        arguments: Value,
    ) -> Answered {
        let desk = &self.desk;
        let Ok(_room) = desk.core.client_calls.try_acquire() else {
            return Answered::TooMany;
        };
        let (id, now) = (ClientCallId::new(desk.core.env.uuid()), desk.core.env.now());
        let call = ToolCallRequested {
            about: AboutCall {
                thread_id: desk.thread.clone(),
                turn_id: desk.turn.clone(),
                call_id: id.clone(),
            },
            namespace,
            tool,
            arguments,
        };
        let mut batch = desk.batch(Durability::Synced);
        batch.put_client_call(&call);
        let event = Event::ToolCallRequested(call.clone());
        desk.agent_event(&mut batch, None, now, &event);
        let (reply, mut answer) = oneshot::channel();
        // It can be answered as soon as anyone sees it, so it must be on the desk before that.
        let waiting = PendingCall { call, reply };
        desk.state().client_calls.insert(id.clone(), waiting);
        if let Err(error) = desk.core.store.commit(batch).await {
            tracing::error!(%error, "a call of a client could not be written down");
            desk.state().client_calls.remove(&id);
            return Answered::Lost;
        }
        let mut wait = limits::CLIENT_CALL_WAIT;
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer.unwrap_or(Answered::TooLate),
                () = tokio::time::sleep(wait) => {}
            }
            // The actor decides, because an answer may be on its way to it at this moment.
            let expire = Command::ExpireCall { call: id.clone() };
            if self.actor.send(expire).await.is_err() {
                return Answered::TooLate;
            }
            wait = limits::EXPIRE_RETRY;
        }
    }
}
