//! Deleting a thread: it goes out of sight at every door, and its log stays as it is.

use codewhale_protocol::Caller;

use super::ThreadActor;
use super::patch::changes;
use crate::{Error, limits};

impl ThreadActor {
    /// Marks the thread as deleted. Nothing of it may be at work: it could not be stopped any more.
    pub(super) async fn delete(&mut self, caller: &Caller) -> Result<(), Error> {
        self.require_there()?;
        if self.state.thread.parent_id.is_some() {
            let message = "the thread of a sub-agent goes with the one at the top; delete that one";
            return Err(Error::Invalid(message.into()));
        }
        if let Some(active) = &self.active {
            return Err(Error::TurnActive {
                turn: active.turn.id.clone(),
            });
        }
        self.reload()?;
        for _ in 0..limits::CHANGE_ATTEMPTS {
            self.check_owner().await?;
            self.require_no_agents()?;
            let mut thread = self.state.thread.clone();
            thread.deleted_at = Some(self.core.env.now());
            let changes = changes(&self.state.thread, &thread);
            match self.write_change(caller, &mut thread, changes).await {
                Ok(()) => {
                    self.state.thread = thread;
                    self.next = None;
                    self.conversation = None;
                    self.jobs.kill_all().await;
                    return Ok(());
                }
                Err(codewhale_store::Error::Guard(_)) => self.reload()?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    /// What was deleted is not there for anyone, also for those who asked before.
    pub(super) fn require_there(&self) -> Result<(), Error> {
        match self.state.thread.deleted_at {
            None => Ok(()),
            Some(_) => Err(Error::NotFound { what: "thread" }),
        }
    }

    fn require_no_agents(&self) -> Result<(), Error> {
        let below = self
            .core
            .store
            .read(|reader| reader.agent_runs_below(&self.id, limits::AGENT_RUNS_MAX))?;
        match below.iter().all(|it| it.run.status.is_terminal()) {
            true => Ok(()),
            false => Err(Error::AgentsAtWork),
        }
    }
}
