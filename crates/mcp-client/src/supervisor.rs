//! Keeps one server alive.
//!
//! ```text
//!            ┌──────────── backoff, or a call that wants it ───────────┐
//!            ▼                                                         │
//! Starting ──┬─► Ready ──────────────────────────► Disconnected ───────┤
//!            ├─► Slow ─► Ready, or too late ─────►       │             │
//!            └─► NeedsAuth ──────────────────────────────┴─► Failed ───┘
//! ```

mod asking;

use std::sync::Arc;
use std::time::Duration;

use codewhale_protocol::McpStartupStatus;
use rmcp::RoleClient;
use rmcp::service::Peer;
use serde_json::json;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::callers::Callers;
use crate::catalogue::Catalogue;
use crate::child::Child;
use crate::connection::{self, Connection, Handler};
use crate::error::chain;
use crate::limits::{
    BACKOFF_FIRST, BACKOFF_MAX, PING_EVERY, RETRIES_MAX, SLOW_START_MAX, STABLE_AFTER, STOP_GRACE,
};
use crate::oauth::Keyring;
use crate::place::Place;
use crate::request::{ask, quoted};
use crate::settings::{Reach, Server, Wire};
use crate::startup::Startups;
use crate::{Error, LoginError, Phase};

/// One server and all that is known about it.
pub(crate) struct Supervisor {
    pub(crate) name: String,
    pub(crate) server: Server,
    pub(crate) place: Arc<Place>,
    pub(crate) startups: Arc<Startups>,
    pub(crate) callers: Arc<Callers>,
    /// The login there, where a person can log in.
    keyring: Option<Arc<Keyring>>,
    pub(crate) stop: CancellationToken,
    /// Counts what changed for anyone who looks.
    pub(crate) revision: watch::Sender<u64>,
    state: watch::Sender<State>,
    /// Somebody wants it now.
    wanted: Notify,
}

#[derive(Clone)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) error: Option<String>,
    /// The connection, and its number.
    peer: Option<(u64, Peer<RoleClient>)>,
    /// What it offered when it was last there.
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) restarts: u32,
    connections: u64,
}

/// Why an attempt is over.
enum End {
    Stopped,
    /// It was there for this long.
    Lost(Error, Duration),
    Failed(Error),
}

impl Supervisor {
    pub(crate) fn new(
        name: String,
        server: Server,
        place: Arc<Place>,
        startups: Arc<Startups>,
        revision: watch::Sender<u64>,
    ) -> Self {
        let phase = match server.enabled {
            true => Phase::Starting,
            false => Phase::Disabled,
        };
        let (vault, is_shut) = (place.vault.as_ref(), &place.is_shut);
        let keyring = Keyring::of(&name, &server, vault, is_shut).map(Arc::new);
        Self {
            name,
            server,
            place,
            keyring,
            startups,
            callers: Arc::default(),
            stop: CancellationToken::new(),
            revision,
            state: watch::Sender::new(State {
                phase,
                error: None,
                peer: None,
                catalogue: Arc::default(),
                restarts: 0,
                connections: 0,
            }),
            wanted: Notify::new(),
        }
    }

    pub(crate) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Starts it again and again until all is stopped.
    pub(crate) async fn keep(self: Arc<Self>) {
        let mut failures = 0;
        loop {
            let error = match self.attempt().await {
                End::Stopped => return self.stopped(),
                End::Lost(error, lived) if lived >= STABLE_AFTER => {
                    failures = 1;
                    error
                }
                End::Lost(error, _) | End::Failed(error) => {
                    failures += 1;
                    error
                }
            };
            let phase = match error {
                Error::NeedsAuth { .. } => Phase::NeedsAuth,
                Error::Login {
                    source: LoginError::Over { .. },
                    ..
                } => Phase::NeedsAuth,
                // Trying again changes nothing about that.
                Error::Shut { .. } => Phase::Failed,
                _ if failures > RETRIES_MAX => Phase::Failed,
                _ => Phase::Disconnected,
            };
            let error = chain(&error);
            self.change(|state| {
                state.phase = phase;
                state.error = Some(error.clone());
                state.peer = None;
            });
            self.startups
                .report(&self.name, McpStartupStatus::Failed { error });
            let pause = match phase {
                Phase::Disconnected => backoff(failures),
                // Only somebody who wants it brings it back.
                _ => Duration::MAX,
            };
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return self.stopped(),
                () = self.wanted.notified() => {}
                () = sleep(pause) => {}
            }
            self.change(|state| {
                state.phase = Phase::Starting;
                state.restarts += 1;
            });
        }
    }

    async fn attempt(&self) -> End {
        self.change(|state| state.phase = Phase::Starting);
        self.startups.report(&self.name, McpStartupStatus::Starting);
        let changed = Arc::new(Notify::new());
        let (connection, catalogue) = tokio::select! {
            biased;
            () = self.stop.cancelled() => return End::Stopped,
            up = self.come_up(changed.clone()) => match up {
                Ok(up) => up,
                Err(error) => return End::Failed(error),
            },
        };
        let since = Instant::now();
        let peer = connection.service.peer().clone();
        self.change(|state| {
            state.phase = Phase::Ready;
            state.error = None;
            state.connections += 1;
            state.peer = Some((state.connections, peer));
            state.catalogue = Arc::new(catalogue);
        });
        self.startups.report(&self.name, McpStartupStatus::Ready);
        match self.watch(connection, &changed).await {
            None => End::Stopped,
            Some(error) => End::Lost(error, since.elapsed()),
        }
    }

    /// Connects and reads what there is. Past its time it is called slow, and waited for all the
    /// same: a start that was cut short would never be over.
    async fn come_up(&self, changed: Arc<Notify>) -> Result<(Connection, Catalogue), Error> {
        let host = self.server.host();
        if let Some(host) = host.filter(|host| (self.place.is_shut)(host)) {
            return Err(Error::Shut { host });
        }
        let coming = async {
            let handler = Handler {
                server: self.name.clone(),
                callers: self.callers.clone(),
                changed,
            };
            let connection =
                connection::open(&self.server, &self.place, self.keyring.as_ref(), handler).await?;
            let catalogue = self.read_catalogue(connection.service.peer()).await?;
            Ok((connection, catalogue))
        };
        tokio::pin!(coming);
        let waited = self.server.timeouts.connect;
        if let Ok(up) = timeout(waited, &mut coming).await {
            return up;
        }
        let error = format!("{}; it is still waited for", Error::TooLate { waited });
        self.change(|state| {
            state.phase = Phase::Slow;
            state.error = Some(error.clone());
        });
        self.startups
            .report(&self.name, McpStartupStatus::Failed { error });
        let waited = waited + SLOW_START_MAX;
        let up = timeout(SLOW_START_MAX, coming).await;
        up.unwrap_or(Err(Error::TooLate { waited }))
    }

    /// Stands by until the connection is over; nothing when it was we who ended it.
    async fn watch(&self, connection: Connection, changed: &Notify) -> Option<Error> {
        let Connection { service, child } = connection;
        let peer = service.peer().clone();
        let close = service.cancellation_token();
        let quit = service.waiting();
        tokio::pin!(quit);
        let mut states = self.state.subscribe();
        let mut has_quit = false;
        let lost = loop {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => break None,
                _ = &mut quit => {
                    has_quit = true;
                    // Its process ends a moment later, and tells more.
                    break Some(match &child {
                        Some(child) => {
                            let ended = timeout(STOP_GRACE, child.ended()).await;
                            ended.unwrap_or(Error::Lost)
                        }
                        None => Error::Lost,
                    });
                }
                error = ended(child.as_ref()) => break Some(error),
                () = parted(&mut states) => break Some(Error::Lost),
                () = changed.notified() => tokio::select! {
                    biased;
                    () = self.stop.cancelled() => break None,
                    () = self.read_again(&peer) => {}
                },
                () = sleep(PING_EVERY), if child.is_none() => self.look(&peer).await,
            }
        };
        if !has_quit {
            close.cancel();
            let _ = timeout(STOP_GRACE, quit).await;
        }
        if let Some(child) = child {
            child.stop(STOP_GRACE).await;
        }
        lost
    }

    async fn read_catalogue(&self, peer: &Peer<RoleClient>) -> Result<Catalogue, Error> {
        let Server {
            tools, timeouts, ..
        } = &self.server;
        Catalogue::read(&self.name, peer, tools, timeouts.read).await
    }

    /// What it offers has changed. What was there stays when it cannot say what is there now.
    async fn read_again(&self, peer: &Peer<RoleClient>) {
        match self.read_catalogue(peer).await {
            Ok(catalogue) => self.change(|state| state.catalogue = Arc::new(catalogue)),
            Err(Error::Lost) => self.change(|state| state.peer = None),
            Err(_) => {}
        }
    }

    /// Whether a server behind HTTP is still there.
    async fn look(&self, peer: &Peer<RoleClient>) {
        let (at_most, never) = (self.server.timeouts.read, CancellationToken::new());
        if let Err(Error::Lost) = ask(peer, "ping", json!({}), at_most, &never).await {
            self.change(|state| state.peer = None);
        }
    }

    /// What the server calls itself.
    pub(crate) fn calls_itself(&self) -> Option<String> {
        let state = self.state.borrow();
        let info = state.peer.as_ref()?.1.peer_info()?;
        let who = info.server_info.as_ref()?;
        Some(quoted(&format!("{} {}", who.name, who.version)))
    }

    /// Waits until it is stopped and its process gone.
    pub(crate) async fn gone(&self) {
        let mut states = self.state.subscribe();
        let _ = states.wait_for(|state| state.phase == Phase::Stopped).await;
    }

    /// It is not started: who looks at it sees that.
    pub(crate) fn rest(&self) {
        if self.server.enabled {
            self.state.send_modify(|state| state.phase = Phase::Stopped);
        }
    }

    fn stopped(&self) {
        self.change(|state| {
            state.phase = Phase::Stopped;
            state.peer = None;
        });
        self.startups
            .report(&self.name, McpStartupStatus::Cancelled);
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        self.state.send_modify(change);
        self.revision.send_modify(|revision| *revision += 1);
    }

    /// `stdio`, `http` or `sse`.
    pub(crate) fn transport(&self) -> &'static str {
        match &self.server.reach {
            Reach::Stdio(_) => "stdio",
            Reach::Http(remote) => match remote.wire {
                Wire::Streamable => "http",
                Wire::Sse => "sse",
            },
        }
    }
}

async fn ended(child: Option<&Child>) -> Error {
    match child {
        Some(child) => child.ended().await,
        None => std::future::pending().await,
    }
}

/// Waits until nobody uses the connection any more.
async fn parted(states: &mut watch::Receiver<State>) {
    let _ = states.wait_for(|state| state.peer.is_none()).await;
}

fn backoff(failures: u32) -> Duration {
    let doubled = BACKOFF_FIRST.saturating_mul(1 << failures.saturating_sub(1).min(16));
    doubled.min(BACKOFF_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_fails_again_and_again_is_left_alone_for_longer() {
        let pauses = [1, 2, 3, 9, 4000].map(|failures| backoff(failures).as_millis());
        assert_eq!(pauses, [200, 400, 800, 30_000, 30_000]);
    }
}
