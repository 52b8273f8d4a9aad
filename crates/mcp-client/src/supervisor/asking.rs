//! What others want of a server: an answer, or that it comes back.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::Peer;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{State, Supervisor};
use crate::request::ask_for;
use crate::{Error, Phase};

impl Supervisor {
    /// Asks the server something, waiting a moment for it to come back if it is away.
    pub(crate) async fn ask(
        &self,
        method: &str,
        params: Value,
        at_most: Duration,
        cancel: &CancellationToken,
    ) -> Result<Value, Error> {
        let (number, peer) = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Error::Cancelled),
            peer = self.peer() => peer?,
        };
        let callers = &self.callers;
        let answer = ask_for(&peer, method, params, at_most, cancel, callers).await;
        if let Err(Error::Lost) = answer {
            self.forget(number);
        }
        answer
    }

    async fn peer(&self) -> Result<(u64, Peer<RoleClient>), Error> {
        let usable = |state: &State| {
            let peer = state.peer.as_ref();
            peer.filter(|(_, peer)| !peer.is_transport_closed())
                .cloned()
        };
        if let Some(peer) = usable(&self.state.borrow()) {
            return Ok(peer);
        }
        self.want();
        let mut states = self.state.subscribe();
        let back = async {
            let back = states.wait_for(|state| usable(state).is_some()).await;
            back.ok().and_then(|state| usable(&state))
        };
        let peer = timeout(self.server.timeouts.connect, back).await;
        peer.ok().flatten().ok_or_else(|| Error::NotConnected {
            why: self.state().error.unwrap_or_else(|| "starting".to_owned()),
        })
    }

    /// Waits until it is there. What has failed already is tried once more.
    pub(crate) async fn up(&self) -> Result<(), String> {
        let mut states = self.state.subscribe();
        let before = self.state();
        self.want();
        let is_over = |state: &State| match state.phase {
            Phase::Ready | Phase::Stopped | Phase::Disabled => true,
            Phase::Starting => false,
            Phase::Slow | Phase::Disconnected | Phase::NeedsAuth | Phase::Failed => {
                before.phase == Phase::Starting || state.restarts > before.restarts
            }
        };
        let _ = timeout(self.server.timeouts.connect, states.wait_for(is_over)).await;
        let state = self.state();
        match state.phase {
            Phase::Ready => Ok(()),
            _ => Err(state.error.unwrap_or_else(|| {
                let waited = self.server.timeouts.connect;
                Error::TooLate { waited }.to_string()
            })),
        }
    }

    /// Tries again now.
    pub(crate) fn want(&self) {
        if self.state.borrow().peer.is_none() {
            self.wanted.notify_one();
        }
    }

    /// Looks whether somebody logged in or out there meanwhile.
    pub(crate) async fn notice_login(&self) {
        let Some(keyring) = &self.keyring else {
            return;
        };
        let has_changed = keyring.has_changed().await;
        if has_changed && self.state.borrow().phase == Phase::NeedsAuth {
            self.want();
        }
    }

    /// Nobody uses a connection that a call found dead.
    fn forget(&self, dead: u64) {
        self.change(|state| {
            state.peer.take_if(|(number, _)| *number == dead);
        });
    }
}
