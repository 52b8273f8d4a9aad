//! Logins at servers behind an address: OAuth with an authorization code and PKCE.
//!
//! ```text
//! Attempt::begin   401 ─► who guards it ─► its endpoints ─► who we are there ─► an address to open
//! Attempt::finish  the person's answer on a loopback port ─► tokens ─► Vault
//! Keyring          Vault ─► a token for each request, renewed before it ends
//! ```
//!
//! Tokens lie in the [`Vault`] and in the memory of those who send them, and nowhere else. They go
//! to the server they were made for and to the issuer that made them.

mod attempt;
mod authorized;
mod callback;
mod challenge;
mod discovery;
mod error;
mod keyring;
mod login;
mod tokens;
mod vault;
mod web;

pub use attempt::{Attempt, Wanted};
pub use error::LoginError;
pub use login::{is_login, secrets_of};
pub use vault::{Vault, VaultError};

pub(crate) use authorized::Authorized;
pub(crate) use keyring::Keyring;

use std::sync::Arc;

use crate::settings::Remote;

/// Forgets the login at a server; false when there was none.
pub async fn logout(
    server: &str,
    remote: &Remote,
    vault: &Arc<dyn Vault>,
) -> Result<bool, LoginError> {
    let name = login::name(server, &remote.url);
    vault::apart(vault, move |vault| vault.clear(&name)).await
}

/// Whether there is a login at a server.
pub fn is_logged_in(server: &str, remote: &Remote, vault: &dyn Vault) -> Result<bool, LoginError> {
    let kept = vault.get(&login::name(server, &remote.url));
    kept.map(|it| it.is_some()).map_err(LoginError::Vault)
}
