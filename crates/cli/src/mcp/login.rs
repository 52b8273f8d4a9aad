//! `codewhale mcp login` and `logout`. Tokens go into the file of keys, and are never printed.

use std::sync::Arc;

use anyhow::{Context, bail};
use codewhale_config::{Config, KeyFile};
use codewhale_mcp_client::{
    Attempt, IsShut, Reach, Remote, Settings, Vault, VaultError, Wanted, is_login, logout,
    secrets_of,
};
use codewhale_protocol::{Redactor, Secret};
use codewhale_runtime::Env;

/// The file of keys as a place for logins.
pub(crate) struct KeyVault {
    keys: KeyFile,
    env: Env,
    redactor: Arc<Redactor>,
}

impl KeyVault {
    /// That of a home. What is in it is masked from now on.
    pub(crate) fn open(config: &Config, redactor: Arc<Redactor>) -> anyhow::Result<Arc<Self>> {
        let keys = KeyFile::of(&config.home.value);
        let kept = keys.read()?;
        let logins = kept.iter().filter(|(name, _)| is_login(name));
        redactor.learn(logins.flat_map(|(_, login)| secrets_of(login)));
        Ok(Arc::new(Self {
            keys,
            env: Env::real(),
            redactor,
        }))
    }
}

impl Vault for KeyVault {
    fn get(&self, name: &str) -> Result<Option<Secret>, VaultError> {
        Ok(self.keys.read()?.remove(name))
    }

    fn set(&self, name: &str, value: &Secret) -> Result<(), VaultError> {
        Ok(self.keys.set(name, value)?)
    }

    fn clear(&self, name: &str) -> Result<bool, VaultError> {
        Ok(self.keys.clear(name)?)
    }

    fn now_s(&self) -> i64 {
        self.env.now().as_ms() / 1000
    }

    fn hide(&self, secrets: Vec<Secret>) {
        self.redactor.learn(secrets);
    }
}

/// Has a person log in at a server.
pub(super) async fn log_in(
    name: &str,
    scopes: Vec<String>,
    settings: &Settings,
    config: &Config,
    vault: Arc<dyn Vault>,
    is_shut: IsShut,
) -> anyhow::Result<()> {
    let oauth = &config.mcp_oauth;
    let wanted = Wanted {
        server: name,
        remote: remote(settings, name)?,
        scopes,
        callback_port: oauth.callback_port.as_ref().map(|it| it.value),
        callback_url: oauth.callback_url.as_ref().map(|it| it.value.as_str()),
        random: [random()?, random()?],
        vault,
        is_shut,
    };
    let failed = || format!("the login at the MCP server {name:?}");
    let attempt = Attempt::begin(wanted).await.with_context(failed)?;
    println!("Open this address in a browser to log in at {name}:");
    println!("  {}", attempt.address());
    println!("Waiting for the answer.");
    attempt.finish().await.with_context(failed)?;
    println!("logged in at {name}");
    Ok(())
}

/// Forgets a login.
pub(super) async fn log_out(
    name: &str,
    settings: &Settings,
    vault: Arc<dyn Vault>,
) -> anyhow::Result<()> {
    match logout(name, remote(settings, name)?, &vault).await? {
        true => println!("logged out at {name}"),
        false => println!("nobody was logged in at {name}"),
    }
    Ok(())
}

fn remote<'a>(settings: &'a Settings, name: &str) -> anyhow::Result<&'a Remote> {
    match settings.servers.get(name).map(|server| &server.reach) {
        Some(Reach::Http(remote)) => Ok(remote),
        Some(Reach::Stdio(_)) => bail!(
            "the MCP server {name:?} is a program on this machine; only servers with a `url` have logins"
        ),
        None => bail!(
            "there is no MCP server named {name:?}; `codewhale mcp list` shows those there are"
        ),
    }
}

/// What nobody can guess.
fn random() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("no randomness for a login: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
