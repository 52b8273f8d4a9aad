//! Answering the questions of an agent.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::UserInputAnswer;
use codewhale_protocol::runtime::{ThreadId, UserInputAnswerParams, UserInputReceipt};

use crate::Error;
use crate::actor::Command;
use crate::runtime::Core;
use crate::serve::Handler;

impl Handler<UserInputAnswer> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: UserInputAnswerParams,
    ) -> Result<UserInputReceipt, Error> {
        let caller = caller.clone();
        let thread = self.asking_thread(&params)?;
        self.ask_thread(&thread, |reply| Command::Answer {
            caller,
            params,
            reply,
        })
        .await
    }
}

impl Core {
    /// The thread that waits. A question of a sub-agent can be answered where it is shown: on the
    /// thread at the top as well.
    fn asking_thread(&self, params: &UserInputAnswerParams) -> Result<ThreadId, Error> {
        let named = params.thread_id.clone();
        let asking = self.store.read(|reader| {
            let Some(asking) = reader.asking_thread(&params.input_id)? else {
                return Ok(None);
            };
            Ok(reader.thread(&asking)?.map(|thread| thread.record))
        })?;
        let below = asking.filter(|thread| thread.root_id.as_ref() == Some(&named));
        Ok(below.map_or(named, |thread| thread.id))
    }
}
