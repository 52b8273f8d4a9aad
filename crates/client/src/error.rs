//! Why a client cannot be built. What fails later is an `ErrorBody`, like any failed operation.

/// A server that cannot be spoken to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It does not read as an address.
    #[error("the server's address must begin with http:// or https:// and name a host")]
    NotAnAddress,
    /// It carries a user name or password, which would end up in logs.
    #[error(
        "the server's address must not contain a user name or password; pass the token instead"
    )]
    Credentials,
    /// It would send the token and the conversation unencrypted over a network.
    #[error("plain http is only allowed to this machine, not to {host}; use https")]
    PlainHttp {
        /// The host.
        host: String,
    },
    /// The token holds characters that cannot be sent.
    #[error("the token contains characters that no token has; set it again")]
    UnusableToken,
    /// There are no certificates to check the server by.
    #[error("could not set up TLS with the system's certificates")]
    Tls(#[source] rustls::Error),
    /// The HTTP client could not be built.
    #[error("could not build the HTTP client")]
    Client(#[source] reqwest::Error),
}
