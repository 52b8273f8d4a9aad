//! The goal of the thread, as the agent sees and judges it.

use codewhale_protocol::runtime::Goal;
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Goals, Refusal, Verdict};
use tokio::sync::oneshot;

use super::TurnHost;
use crate::Error;
use crate::actor::{Asker, Command, GoalChange};

impl Goals for TurnHost {
    fn get(&self) -> BoxFuture<'_, Result<Option<Goal>, Refusal>> {
        Box::pin(async {
            let store = &self.desk.core.store;
            let goal = store.read(|reader| reader.goal(&self.desk.thread));
            goal.map_err(|error| Refusal(error.to_string()))
        })
    }

    fn create(
        &self,
        objective: String,
        token_budget: Option<u64>,
    ) -> BoxFuture<'_, Result<Goal, Refusal>> {
        let change = GoalChange::Create {
            objective,
            token_budget,
        };
        Box::pin(self.change_goal(change))
    }

    fn judge(&self, verdict: Verdict) -> BoxFuture<'_, Result<Goal, Refusal>> {
        let said = match &verdict {
            Verdict::Complete { evidence } => format!("The goal is reached: {evidence}"),
            Verdict::Blocked { blocker } => format!("The goal is blocked: {blocker}"),
            Verdict::Advisory { remark } => format!("About the goal: {remark}"),
        };
        Box::pin(async move {
            let goal = self.change_goal(GoalChange::Judge(verdict)).await?;
            self.desk.status(&said);
            Ok(goal)
        })
    }
}

impl TurnHost {
    async fn change_goal(&self, change: GoalChange) -> Result<Goal, Refusal> {
        let (reply, answer) = oneshot::channel();
        let asker = Asker::from(self.caller.clone());
        let command = Command::Goal {
            asker,
            change,
            reply,
        };
        let sent = self.actor.send(command).await;
        sent.map_err(|_| Refusal(Error::Closing.to_string()))?;
        let changed = answer
            .await
            .map_err(|_| Refusal(Error::Closing.to_string()))?;
        let changed = changed.map_err(|error| Refusal(error.to_string()))?;
        changed.now.ok_or_else(|| "this thread has no goal".into())
    }
}
