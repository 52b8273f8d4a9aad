//! What the server is given.

use codewhale_protocol::Caller;

use crate::{Access, Mount};

/// Everything that decides how the server behaves, as plain values.
pub struct Options {
    /// The host to bind.
    pub host: String,
    /// The port to bind; zero lets the system choose.
    pub port: u16,
    /// Who may come in.
    pub access: Access,
    /// Who a request with the operator's token is.
    pub caller: Caller,
    /// Origins of pages that may call, besides the built-in ones.
    pub cors_origins: Vec<String>,
    /// Names under which the server is reached, besides its addresses.
    pub allowed_hosts: Vec<String>,
    /// Whether the page is served.
    pub page: bool,
    /// Other doors behind this one.
    pub mounts: Vec<Mount>,
    /// What holds commands on this system, by name; nothing when nothing can. Asked when a client
    /// wants to know.
    pub sandbox: fn() -> Option<&'static str>,
    /// Capabilities that the operations have and the configuration turned off, by name.
    pub turned_off: Vec<&'static str>,
    /// The version told to clients.
    pub version: String,
    /// The commit it was built from.
    pub commit: String,
}
