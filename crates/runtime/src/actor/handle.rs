//! Handles: how others speak to a thread's actor.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use codewhale_protocol::runtime::ThreadId;
use codewhale_sandbox::Jobs;
use tokio::sync::{mpsc, oneshot};

use super::load::Loaded;
use super::{Command, Reply, Session, ThreadActor};
use crate::runtime::Core;
use crate::{Error, limits};

/// A way to the actor of a thread.
#[derive(Clone)]
pub(crate) struct ThreadHandle {
    mailbox: mpsc::Sender<Command>,
}

impl Core {
    /// Asks the actor of a thread, loading it when needed.
    pub(crate) async fn ask_thread<T>(
        self: &Arc<Self>,
        id: &ThreadId,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.tell_thread(id, command(reply))?;
        answer.await.map_err(|_| Error::Closing)?
    }

    /// Hands a command that an actor left behind to the next one. When there is none, whoever asked
    /// is told by the reply being dropped.
    pub(super) fn pass_on(self: &Arc<Self>, id: &ThreadId, command: Command) {
        if let Err(error) = self.tell_thread(id, command) {
            tracing::debug!(%error, thread = %id, "a request came too late");
        }
    }

    fn tell_thread(self: &Arc<Self>, id: &ThreadId, mut command: Command) -> Result<(), Error> {
        loop {
            let handle = self.thread_handle(id)?;
            command = match handle.mailbox.try_send(command) {
                Ok(()) => return Ok(()),
                Err(mpsc::error::TrySendError::Full(_)) => return Err(Error::Overloaded),
                // The actor was just leaving: the next one is loaded from the store.
                Err(mpsc::error::TrySendError::Closed(command)) => {
                    self.forget_left(id, &handle);
                    command
                }
            };
        }
    }

    fn thread_handle(self: &Arc<Self>, id: &ThreadId) -> Result<ThreadHandle, Error> {
        if self.tasks.stop().is_cancelled() {
            return Err(Error::Closing);
        }
        if let Some(handle) = self.loaded().get(id) {
            return Ok(handle.clone());
        }
        let state = Loaded::read(self, id)?;
        let mut loaded = self.loaded();
        if let Some(handle) = loaded.get(id) {
            return Ok(handle.clone());
        }
        let (sender, mailbox) = mpsc::channel(limits::MAILBOX);
        let actor = ThreadActor {
            core: Arc::clone(self),
            id: id.clone(),
            state,
            conversation: None,
            session: Session::default(),
            prompt: Arc::default(),
            jobs: Jobs::default(),
            common: Arc::default(),
            news: Arc::default(),
            active: None,
            next: None,
            session_grants: Arc::new(Mutex::new(BTreeSet::new())),
            mailbox,
            myself: sender.downgrade(),
        };
        let handle = ThreadHandle { mailbox: sender };
        loaded.insert(id.clone(), handle.clone());
        self.tasks.spawn(actor.run());
        Ok(handle)
    }

    fn forget_left(&self, id: &ThreadId, left: &ThreadHandle) {
        let mut loaded = self.loaded();
        if loaded
            .get(id)
            .is_some_and(|known| known.mailbox.same_channel(&left.mailbox))
        {
            loaded.remove(id);
        }
    }
}
