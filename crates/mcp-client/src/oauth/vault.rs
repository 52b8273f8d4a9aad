//! Where logins are kept.

use std::sync::Arc;

use codewhale_protocol::Secret;

use super::LoginError;

/// Why something could not be kept or read.
pub type VaultError = Box<dyn std::error::Error + Send + Sync>;

/// Keeps logins for this user's eyes only, and knows the time. Its methods may block.
pub trait Vault: Send + Sync {
    /// What is kept under a name.
    fn get(&self, name: &str) -> Result<Option<Secret>, VaultError>;

    /// Keeps something, in place of what was there.
    fn set(&self, name: &str, value: &Secret) -> Result<(), VaultError>;

    /// Forgets something; false when it was not there.
    fn clear(&self, name: &str) -> Result<bool, VaultError>;

    /// Seconds since 1970.
    fn now_s(&self) -> i64;

    /// These must not show anywhere from now on.
    fn hide(&self, secrets: Vec<Secret>);
}

/// Does something with the vault that may block.
pub(super) async fn apart<T: Send + 'static>(
    vault: &Arc<dyn Vault>,
    work: impl FnOnce(&dyn Vault) -> Result<T, VaultError> + Send + 'static,
) -> Result<T, LoginError> {
    let vault = vault.clone();
    let done = tokio::task::spawn_blocking(move || work(vault.as_ref())).await;
    let done = done.unwrap_or_else(|error| Err(error.into()));
    done.map_err(LoginError::Vault)
}
