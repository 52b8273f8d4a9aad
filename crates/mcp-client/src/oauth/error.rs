//! Why a login came to nothing.

use std::time::Duration;

use super::VaultError;

/// A login that did not work, or does not any more.
#[derive(thiserror::Error, Debug)]
pub enum LoginError {
    /// It is authorised in another way, which counts.
    #[error("sends an Authorization header that mcp.json names; remove that to log in instead")]
    HasHeader,
    /// Whoever listens on the way would have the tokens.
    #[error("logins take https://, and {url} is not; only this machine may do without")]
    Insecure {
        /// The address.
        url: String,
    },
    /// The user's network policy shuts a host that takes part.
    #[error("the network policy shuts {host}; the user can change [network]")]
    Shut {
        /// The host.
        host: String,
    },
    /// Somebody who takes part does not answer.
    #[error("{url} cannot be reached: {why}; try again later")]
    Unreachable {
        /// Who.
        url: String,
        /// What stood in the way.
        why: String,
    },
    /// Somebody who takes part does not say what the standards have them say.
    #[error("{url} does not answer as agreed: {why}; its operator has to mend that")]
    Nonsense {
        /// Who.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// Nothing says where to log in.
    #[error(
        "does not say where to log in; set `bearer_token_env_var`, or an Authorization header, in \
         mcp.json"
    )]
    NoWay,
    /// Clients are not registered on the fly.
    #[error(
        "{issuer} registers no clients by itself; register one there and set `oauth.client_id` in \
         mcp.json"
    )]
    NoRegistration {
        /// Who.
        issuer: String,
    },
    /// A code that somebody else sees would be theirs.
    #[error("{issuer} does not protect its codes (PKCE with S256), so it is not used")]
    NoPkce {
        /// Who.
        issuer: String,
    },
    /// One answers in the name of another.
    #[error("{expected} was asked and {found} answered, so nothing was sent; log in again later")]
    OtherIssuer {
        /// Who was asked.
        expected: String,
        /// Who says to have answered.
        found: String,
    },
    /// The answer is no.
    #[error("was refused: {why}")]
    Refused {
        /// In the words of the issuer.
        why: String,
    },
    /// There was a login.
    #[error("has ended: {why}")]
    Over {
        /// How.
        why: String,
    },
    /// Nobody opened the address, or not in time.
    #[error("was not finished within {} minutes; start it again", waited.as_secs() / 60)]
    TooLate {
        /// How long it was waited for.
        waited: Duration,
    },
    /// The port for the answer cannot be used.
    #[error(
        "could not listen for the answer on port {port}; set another `mcp_oauth_callback_port`"
    )]
    Listen {
        /// The port; 0 for any.
        port: u16,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The tokens cannot be kept or read.
    #[error("the file of keys cannot be used")]
    Vault(#[source] VaultError),
}
