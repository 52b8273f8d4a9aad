//! Calls that run, spoken to one by one.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::CallsStop;
use codewhale_protocol::runtime::{CallsStopParams, TurnItemRecord};

use crate::Error;
use crate::actor::{Asker, Command};
use crate::runtime::Core;
use crate::serve::Handler;

impl Handler<CallsStop> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: CallsStopParams,
    ) -> Result<TurnItemRecord, Error> {
        let (asker, item) = (Asker::from(caller.clone()), params.item_id);
        self.ask_thread(&params.thread_id, |reply| Command::StopCall {
            asker,
            item,
            reply,
        })
        .await
    }
}
