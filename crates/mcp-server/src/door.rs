//! The door: who asks, and what its sessions share.

use std::sync::Arc;

use codewhale_client::Client;
use codewhale_protocol::{Caller, Service, Surface};
use rmcp::model::ErrorCode;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::subscriptions::Subscriptions;
use crate::threads::Threads;
use crate::{Options, limits};

/// Serves MCP over an operation table. Cheap to clone; clones are one session.
#[derive(Clone)]
pub struct Door {
    pub(crate) inner: Arc<Inner>,
    /// What the client of this session wants to hear of.
    pub(crate) subscriptions: Arc<Subscriptions>,
    /// The place of a session among those over HTTP.
    pub(crate) _slot: Option<Arc<OwnedSemaphorePermit>>,
}

pub(crate) struct Inner {
    service: Arc<dyn Service>,
    who: Who,
    pub(crate) options: Options,
    pub(crate) threads: Threads,
    /// Room for calls of tools, of all sessions.
    pub(crate) room: Semaphore,
    /// Fires when nobody is there any more to answer to.
    pub(crate) gone: CancellationToken,
}

/// Whose requests these are.
enum Who {
    /// Those of whoever started the program.
    Owner(Caller),
    /// Each request says so itself, behind a door that has looked at its token.
    Named,
}

impl Door {
    /// A door for whoever started the program: everything on it is asked in the name of `caller`.
    pub fn for_owner(service: Arc<dyn Service>, caller: Caller, options: Options) -> Self {
        Self::new(
            service,
            Who::Owner(caller),
            options,
            CancellationToken::new(),
        )
    }

    /// A door behind another one, which puts the [`Caller`] of each request among its extensions. What
    /// runs is told to stop when `closing` fires.
    pub fn behind(service: Arc<dyn Service>, options: Options, closing: CancellationToken) -> Self {
        Self::new(service, Who::Named, options, closing)
    }

    fn new(service: Arc<dyn Service>, who: Who, options: Options, gone: CancellationToken) -> Self {
        let inner = Inner {
            service,
            who,
            options,
            threads: Threads::default(),
            room: Semaphore::new(limits::CALLS_UNDER_WAY_MAX),
            gone,
        };
        Self {
            inner: Arc::new(inner),
            subscriptions: Arc::default(),
            _slot: None,
        }
    }

    pub(crate) fn options(&self) -> &Options {
        &self.inner.options
    }

    /// The operations, in the name of whoever made a request.
    pub(crate) fn client(&self, context: &RequestContext<RoleServer>) -> Result<Client, ErrorData> {
        let mut caller = match &self.inner.who {
            Who::Owner(caller) => caller.clone(),
            Who::Named => named(context).ok_or_else(nobody)?,
        };
        caller.surface = Surface::Mcp;
        Ok(Client::new(Arc::clone(&self.inner.service), caller))
    }
}

fn named(context: &RequestContext<RoleServer>) -> Option<Caller> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    parts.extensions.get::<Caller>().cloned()
}

fn nobody() -> ErrorData {
    let message = "the request does not say who it is from; send the runtime token";
    ErrorData::new(ErrorCode::INVALID_REQUEST, message, None)
}

/// Which session a request belongs to: the one over HTTP it names, else its client; of whoever asks.
pub(crate) fn session_of(caller: &Caller, context: &RequestContext<RoleServer>) -> String {
    let who = &caller.principal;
    let parts = context.extensions.get::<http::request::Parts>();
    let session = parts.and_then(|parts| parts.headers.get("mcp-session-id"));
    match session.and_then(|id| id.to_str().ok()) {
        Some(id) => format!("{who} session {id}"),
        None => format!("{who} client {}", client_name(context)),
    }
}

/// What the client calls itself, in one short line.
pub(crate) fn client_name(context: &RequestContext<RoleServer>) -> String {
    let name = context.client_info().map(|info| info.name);
    let name = name.unwrap_or_else(|| "an MCP client".to_owned());
    let shown = name.chars().filter(|it| !it.is_control());
    shown.take(limits::CLIENT_NAME_CHARS_MAX).collect()
}
