//! Answers to the questions of a running turn. The receipt is in the log before the answers reach
//! the model; the answers themselves never are.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{
    Event, Timestamp, UserInputAnswerParams, UserInputAnswered, UserInputCanceled, UserInputId,
    UserInputReceipt,
};
use codewhale_store::{About, Batch, Durability};

use super::ThreadActor;
use crate::Error;
use crate::agents::{Root, tell};
use crate::host::{Desk, PendingInput};

const UNKNOWN: Error = Error::NotFound { what: "question" };

/// Adds to a batch that questions wait no more, because their turn or their time has ended.
pub(crate) fn cancel_input(
    batch: &mut Batch,
    about: About<'_>,
    root: Option<&Root>,
    (id, terminal): (&UserInputId, bool),
) {
    let canceled = UserInputCanceled {
        id: id.clone(),
        input_id: id.clone(),
        terminal,
    };
    tell(batch, about, root, &Event::UserInputCanceled(canceled));
    batch.settle_user_input(id);
}

impl ThreadActor {
    /// Takes a person's answers.
    pub(super) async fn answer_input(
        &mut self,
        caller: &Caller,
        params: UserInputAnswerParams,
    ) -> Result<UserInputReceipt, Error> {
        let (desk, waiting) = self.take_input(&params.input_id).ok_or(UNKNOWN)?;
        let id = params.input_id;
        if let Some(problem) = waiting.pending.request.problem_with(&params.answers) {
            desk.state().inputs.insert(id, waiting);
            return Err(Error::Invalid(problem));
        }
        let by = self.core.caller_stamp(caller);
        let mut batch = self.batch(Durability::Synced);
        let answered = UserInputAnswered {
            id: id.clone(),
            input_id: id.clone(),
        };
        let about = desk.about(None, self.core.env.now(), &by);
        let event = Event::UserInputAnswered(answered);
        tell(&mut batch, about, desk.root.as_ref(), &event);
        batch.settle_user_input(&id);
        if let Err(error) = self.commit(batch).await {
            desk.state().inputs.insert(id, waiting);
            return Err(error.into());
        }
        let delivered = waiting.reply.send(params.answers).is_ok();
        Ok(UserInputReceipt {
            ok: true,
            input_id: id,
            delivered,
        })
    }

    /// The time to answer has run out. What cannot be written down goes on waiting, and is told
    /// again.
    pub(super) async fn expire_input(&mut self, id: &UserInputId) {
        let Some((desk, waiting)) = self.take_input(id) else {
            return;
        };
        let by = self.core.system_stamp("question-timeout");
        let now: Timestamp = self.core.env.now();
        let mut batch = self.batch(Durability::Synced);
        let about = desk.about(None, now, &by);
        cancel_input(&mut batch, about, desk.root.as_ref(), (id, false));
        if let Err(error) = self.commit(batch).await {
            tracing::error!(%error, "the end of a question could not be written down");
            desk.state().inputs.insert(id.clone(), waiting);
        }
    }

    fn take_input(&self, id: &UserInputId) -> Option<(Arc<Desk>, PendingInput)> {
        let desk = Arc::clone(&self.active.as_ref()?.desk);
        let waiting = desk.state().inputs.remove(id)?;
        Some((desk, waiting))
    }
}
