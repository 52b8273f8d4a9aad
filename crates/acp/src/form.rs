//! Questions of the agent, as a form of the protocol.

use codewhale_client::form;
use codewhale_protocol::ext::UserInputAnswer;
use codewhale_protocol::operations::UserInputAnswer as AnswerInput;
use codewhale_protocol::runtime::{PendingUserInput, UserInputAnswerParams};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::peer::Unanswered;
use crate::session::Session;
use crate::wire::FormAnswer;

/// Has the editor show the questions, and hands the answers on. Ends without them when `settled`
/// fires.
pub(crate) async fn ask(session: &Session, input: &PendingUserInput, settled: &CancellationToken) {
    let params = json!({
        "sessionId": session.id,
        "mode": "form",
        "message": form::message(&input.request),
        "requestedSchema": form::schema(&input.request),
    });
    let peer = &session.link.peer;
    let answer = peer.ask("elicitation/create", params, settled).await;
    let answers = match answer {
        Ok(FormAnswer::Accept { content }) => {
            form::read(&input.request, &content.unwrap_or_default())
        }
        Ok(FormAnswer::Decline | FormAnswer::Cancel) => form::declined(&input.request),
        Err(Unanswered::TakenBack | Unanswered::Gone) => return,
        Err(Unanswered::Refused(_) | Unanswered::Unreadable(_)) => form::declined(&input.request),
    };
    let answered = session.answer(input, answers).await;
    if let Err(error) = answered {
        tracing::warn!(
            error = error.message,
            "answers of the editor were not taken"
        );
    }
}

impl Session {
    /// Hands answers on to the turn that waits.
    pub(crate) async fn answer(
        &self,
        input: &PendingUserInput,
        answers: Vec<UserInputAnswer>,
    ) -> Result<(), crate::error::RpcError> {
        let asker = input.asked_by.as_ref().map(|by| by.thread_id.clone());
        let params = UserInputAnswerParams {
            thread_id: asker.unwrap_or_else(|| self.thread()),
            input_id: input.id.clone(),
            answers,
        };
        self.link.client.call::<AnswerInput>(params).await?;
        Ok(())
    }
}
