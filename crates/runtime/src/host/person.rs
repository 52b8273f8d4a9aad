//! Questions of the agent to a person: shown to everyone who watches, answered once, kept nowhere.

use codewhale_protocol::AskForApproval;
use codewhale_protocol::ext::{UserInputAnswer, UserInputQuestion};
use codewhale_protocol::runtime::{
    Event, PendingUserInput, UserInputId, UserInputRequest, UserInputRequired,
};
use codewhale_protocol::service::BoxFuture;
use codewhale_store::Durability;
use codewhale_tools::{Person, Unanswered};
use tokio::sync::oneshot;

use super::{PendingInput, TurnHost};
use crate::actor::Command;
use crate::agents::tell;
use crate::limits;

impl Person for TurnHost {
    fn ask(
        &self,
        questions: Vec<UserInputQuestion>,
    ) -> BoxFuture<'_, Result<Vec<UserInputAnswer>, Unanswered>> {
        Box::pin(async {
            let answers = self.ask_person(UserInputRequest { questions }).await;
            answers.ok_or(Unanswered::TooLate)
        })
    }

    fn hears_servers(&self) -> bool {
        match self.desk.state().authority.approval_policy {
            Some(AskForApproval::Reject {
                mcp_elicitations, ..
            }) => !mcp_elicitations,
            Some(
                AskForApproval::UnlessTrusted
                | AskForApproval::OnFailure
                | AskForApproval::OnRequest
                | AskForApproval::Never,
            )
            | None => true,
        }
    }
}

impl TurnHost {
    /// Asks, and waits for the answers; `None` when nobody gave them in time.
    async fn ask_person(&self, request: UserInputRequest) -> Option<Vec<UserInputAnswer>> {
        let desk = &self.desk;
        let id = UserInputId::new(desk.core.env.uuid());
        let now = desk.core.env.now();
        let pending = PendingUserInput {
            id: id.clone(),
            turn_id: desk.turn.clone(),
            request: request.clone(),
            asked_by: None,
        };
        let mut batch = desk.batch(Durability::Synced);
        batch.put_user_input(&desk.thread, &pending);
        let id_shown = id.clone();
        let required = UserInputRequired {
            id: id_shown,
            request,
            asked_by: None,
        };
        let agents = desk.agents();
        let about = desk.about(None, now, &agents.talker);
        let event = Event::UserInputRequired(required);
        tell(&mut batch, about, desk.root.as_ref(), &event);
        let (reply, mut answers) = oneshot::channel();
        // It can be answered as soon as anyone sees it, so it must be on the desk before that.
        let waiting = PendingInput { pending, reply };
        desk.state().inputs.insert(id.clone(), waiting);
        if let Err(error) = desk.core.store.commit(batch).await {
            tracing::error!(%error, "a question could not be written down");
            desk.state().inputs.remove(&id);
            return None;
        }
        let mut wait = desk.patience;
        loop {
            tokio::select! {
                biased;
                answers = &mut answers => return answers.ok(),
                () = tokio::time::sleep(wait) => {}
            }
            // The actor decides, because an answer may be on its way to it at this moment.
            let input = id.clone();
            let expire = Command::ExpireInput { input };
            self.actor.send(expire).await.ok()?;
            wait = limits::EXPIRE_RETRY;
        }
    }
}
