//! What a request knows about the connection it came on.

use std::net::SocketAddr;

/// The address the connection arrived on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAddress(pub(crate) SocketAddr);
