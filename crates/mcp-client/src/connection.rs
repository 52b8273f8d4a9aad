//! A connection to a server, from the first word to the handshake.

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    UrlElicitationCapability,
};
use rmcp::service::{
    ClientInitializeError, NotificationContext, RequestContext, RoleClient, RunningService,
    serve_client,
};
use rmcp::transport::IntoTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::sync::Notify;

use crate::callers::Callers;
use crate::child::Child;
use crate::error::chain;
use crate::limits::MESSAGE_BYTES_MAX;
use crate::oauth::Keyring;
use crate::place::Place;
use crate::request::quoted;
use crate::settings::{Reach, Remote, Server, Wire};
use crate::{Error, elicitation, remote, sse};

/// A server that shook hands.
pub(crate) struct Connection {
    pub(crate) service: RunningService<RoleClient, Handler>,
    pub(crate) child: Option<Child>,
}

/// Our side of the conversation.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) server: String,
    pub(crate) callers: Arc<Callers>,
    /// The server says that what it offers has changed.
    pub(crate) changed: Arc<Notify>,
}

/// Starts a server and shakes hands, however long that takes.
pub(crate) async fn open(
    server: &Server,
    place: &Place,
    keyring: Option<&Arc<Keyring>>,
    handler: Handler,
) -> Result<Connection, Error> {
    match &server.reach {
        Reach::Stdio(program) => {
            let (child, (from_it, to_it)) = Child::start(program, server.origin, place).await?;
            let transport = AsyncRwTransport::new_client(from_it, to_it)
                .with_max_line_length(MESSAGE_BYTES_MAX);
            let service = tokio::select! {
                biased;
                service = shake_hands(handler, transport) => service,
                ended = child.ended() => Err(ended),
            };
            // Its output ends a moment before itself: what it said last tells more.
            let service = match service {
                Err(Error::Lost) => Err(child.ended().await),
                service => service,
            };
            Ok(Connection {
                service: service?,
                child: Some(child),
            })
        }
        Reach::Http(remote) => Ok(Connection {
            service: over_http(remote, server, keyring, handler).await?,
            child: None,
        }),
    }
}

async fn over_http(
    remote: &Remote,
    server: &Server,
    keyring: Option<&Arc<Keyring>>,
    handler: Handler,
) -> Result<RunningService<RoleClient, Handler>, Error> {
    let connect = server.timeouts.connect;
    if let Some(keyring) = keyring {
        // Who knows beforehand that the login is over tells more than the server would.
        let token = keyring.token().await;
        token.map_err(|source| Error::Login {
            server: handler.server.clone(),
            source,
        })?;
    }
    let newer = match remote.wire {
        Wire::Streamable => {
            let transport = remote::streamable(remote, connect, keyring.cloned())?;
            match shake_hands(handler.clone(), transport).await {
                // Perhaps it knows the older way only.
                Err(error @ Error::Http { .. }) => Some(error),
                service => return service,
            }
        }
        Wire::Sse => None,
    };
    let older = sse::open(&handler.server, remote, connect, keyring.cloned()).await;
    match (older, newer) {
        (Ok(transport), _) => shake_hands(handler, transport).await,
        (Err(error @ Error::NeedsAuth { .. }), _) => Err(error),
        (Err(_), Some(error)) | (Err(error), None) => Err(error),
    }
}

async fn shake_hands<T, E, A>(
    handler: Handler,
    transport: T,
) -> Result<RunningService<RoleClient, Handler>, Error>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let server = handler.server.clone();
    let served = serve_client(handler, transport).await;
    served.map_err(|error| match &error {
        error if error.is_authorization_required() => Error::NeedsAuth { server },
        ClientInitializeError::ConnectionClosed(_) => Error::Lost,
        ClientInitializeError::TransportError { .. } => Error::Http {
            why: quoted(&chain(&error)),
        },
        error => Error::Handshake {
            why: quoted(&chain(error)),
        },
    })
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let form = FormElicitationCapability::new();
        let mut capabilities = ClientCapabilities::default();
        let url = UrlElicitationCapability::new();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form).with_url(url));
        let us = Implementation::new("codewhale", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, us)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let Some(caller) = self.callers.only() else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let _asking = self.callers.asking();
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            answer = elicitation::put(&self.server, request, &caller) => Ok(answer),
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}
