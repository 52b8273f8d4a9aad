//! Answering the questions of an agent.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::UserInputAnswer;
use codewhale_protocol::runtime::{UserInputAnswerParams, UserInputReceipt};

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
        let (caller, thread) = (caller.clone(), params.thread_id.clone());
        self.ask_thread(&thread, |reply| Command::Answer {
            caller,
            params,
            reply,
        })
        .await
    }
}
