//! The door over HTTP, mounted behind another one that checks tokens.

use std::io;
use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Semaphore;

use crate::{Door, limits};

/// The door as a tower service of HTTP requests.
pub type HttpDoor = StreamableHttpService<Door, LocalSessionManager>;

/// Puts the door over HTTP. Hosts, origins and tokens are for whoever mounts it to check.
pub fn over_http(door: Door) -> HttpDoor {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(limits::SESSION_IDLE);
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(limits::BODY_BYTES_MAX)
        .with_cancellation_token(door.inner.gone.child_token());
    let slots = Arc::new(Semaphore::new(limits::SESSIONS_MAX));
    let session = move || {
        let slot = Arc::clone(&slots).try_acquire_owned();
        let slot = slot.map_err(|_| io::Error::other("too many MCP sessions are open"))?;
        Ok(Door {
            _slot: Some(Arc::new(slot)),
            subscriptions: Arc::default(),
            ..door.clone()
        })
    };
    StreamableHttpService::new(session, Arc::new(sessions), config)
}
