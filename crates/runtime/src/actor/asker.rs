//! Who asks something of a thread.

use std::sync::Arc;
use std::time::Duration;

use codewhale_policy::Authority;
use codewhale_protocol::Caller;
use codewhale_protocol::runtime::TaskId;
use codewhale_store::Stamp;

use crate::limits;
use crate::runtime::Core;

/// Someone who came through a door, or an agent in their name.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) caller: Caller,
    pub(crate) superior: Option<Superior>,
    /// The background task that the turn is for.
    pub(crate) task: Option<TaskId>,
}

/// The agent that asks its sub-agent.
#[derive(Clone)]
pub(crate) struct Superior {
    pub(crate) stamp: Arc<Stamp>,
    /// What it may do itself: its sub-agent may no more.
    pub(crate) authority: Authority,
    /// How long its own questions wait for a person.
    pub(crate) patience: Duration,
}

/// How a turn is to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopping {
    /// The thread can go on later.
    ForNow,
    /// The sub-agent is called off.
    ForGood,
}

impl From<Caller> for Asker {
    fn from(caller: Caller) -> Self {
        Self {
            caller,
            superior: None,
            task: None,
        }
    }
}

impl Asker {
    /// Who is named in the log.
    pub(crate) fn stamp(&self, core: &Core) -> Arc<Stamp> {
        match &self.superior {
            Some(superior) => Arc::clone(&superior.stamp),
            None => core.caller_stamp(&self.caller),
        }
    }

    /// How long questions of the turn wait for a person. Those of a background task, and of agents
    /// that work for it, wait until someone comes back to it.
    pub(crate) fn patience(&self, core: &Core) -> Duration {
        match (&self.task, &self.superior) {
            (Some(_), _) => core.approval_timeout.max(limits::TASK_PATIENCE),
            (None, Some(superior)) => superior.patience,
            (None, None) => core.approval_timeout,
        }
    }

    /// The same, for turns that follow by themselves.
    pub(crate) fn afterwards(&self) -> Self {
        Self {
            task: None,
            ..self.clone()
        }
    }

    /// An authority within what the asker may give.
    pub(crate) fn bound(&self, authority: Authority) -> Authority {
        match &self.superior {
            Some(superior) => authority.within(superior.authority),
            None => authority,
        }
    }
}
