//! Who asks something of a thread.

use std::sync::Arc;

use codewhale_policy::Authority;
use codewhale_protocol::Caller;
use codewhale_store::Stamp;

use crate::runtime::Core;

/// Someone who came through a door, or an agent in their name.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) caller: Caller,
    pub(crate) superior: Option<Superior>,
}

/// The agent that asks its sub-agent.
#[derive(Clone)]
pub(crate) struct Superior {
    pub(crate) stamp: Arc<Stamp>,
    /// What it may do itself: its sub-agent may no more.
    pub(crate) authority: Authority,
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

    /// An authority within what the asker may give.
    pub(crate) fn bound(&self, authority: Authority) -> Authority {
        match &self.superior {
            Some(superior) => authority.within(superior.authority),
            None => authority,
        }
    }
}
