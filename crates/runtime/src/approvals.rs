//! Approvals: answering what waits for a person.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::ApprovalsDecide;
use codewhale_protocol::runtime::{ApprovalAnswer, ApprovalReceipt, ApprovalsDecideParams};

use crate::Error;
use crate::actor::Command;
use crate::runtime::Core;
use crate::serve::Handler;

impl Handler<ApprovalsDecide> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ApprovalsDecideParams,
    ) -> Result<ApprovalReceipt, Error> {
        let answer = ApprovalAnswer::parse(params.decision.trim()).ok_or_else(|| {
            Error::Invalid(format!(
                "unknown decision {:?}: use allow or deny (or approved, approved_for_session, denied, abort)",
                params.decision
            ))
        })?;
        let id = params.approval_id;
        let record = self.store.read(|reader| reader.approval(&id))?;
        let thread = record
            .ok_or(Error::NotFound { what: "approval" })?
            .thread_id;
        let (caller, remember) = (caller.clone(), params.remember.unwrap_or(false));
        let reason = params.reason.map(|reason| reason.trim().to_owned());
        let reason = reason.filter(|reason| !reason.is_empty());
        self.ask_thread(&thread, |reply| Command::Decide {
            caller,
            approval: id,
            answer,
            remember,
            reason,
            reply,
        })
        .await
    }
}
