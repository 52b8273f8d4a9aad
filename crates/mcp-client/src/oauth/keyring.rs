//! The token of a server, renewed before it ends.

use std::sync::Arc;

use codewhale_protocol::Secret;
use tokio::sync::Mutex;

use super::login::{Login, name};
use super::web::Web;
use super::{LoginError, Vault, tokens, vault};
use crate::place::IsShut;
use crate::settings::{Origin, Reach, Server};

/// Hands out the token of one server.
pub(crate) struct Keyring {
    web: Web,
    vault: Arc<dyn Vault>,
    /// The name the login is kept under.
    name: String,
    /// What was read last. Whoever renews holds it, and the others wait for the new token.
    held: Mutex<Option<Login>>,
}

impl Keyring {
    /// That of a server a person can log in at: one behind an address that is not authorised in
    /// another way. A repository does not choose where logins are used.
    pub(crate) fn of(
        server: &str,
        settings: &Server,
        vault: Option<&Arc<dyn Vault>>,
        is_shut: &IsShut,
    ) -> Option<Self> {
        let Reach::Http(remote) = &settings.reach else {
            return None;
        };
        let is_theirs = settings.origin == Origin::Workspace;
        if is_theirs || remote.headers.contains_key("authorization") {
            return None;
        }
        let web = Web::of(&remote.url, is_shut.clone());
        // What is not encrypted gets no token.
        web.check(&remote.url).ok()?;
        Some(Self {
            web,
            vault: vault?.clone(),
            name: name(server, &remote.url),
            held: Mutex::default(),
        })
    }

    /// A token that is good for a while; nothing when nobody logged in.
    pub(crate) async fn token(&self) -> Result<Option<Secret>, LoginError> {
        let mut held = self.held.lock().await;
        let now_s = self.vault.now_s();
        if !held.as_ref().is_some_and(|login| login.is_fresh(now_s)) {
            // Somebody else may have logged in, or renewed it.
            *held = self.kept().await?;
        }
        match held.as_ref() {
            None => return Ok(None),
            Some(login) if login.is_fresh(now_s) => {}
            Some(login) => {
                let renewed = self.renew(login.clone()).await?;
                *held = Some(renewed);
            }
        }
        Ok(held.as_ref().map(|it| Secret::new(&it.access_token)))
    }

    /// Another token in place of one that the server does not take.
    pub(crate) async fn another(&self, refused: &Secret) -> Result<Option<Secret>, LoginError> {
        let mut held = self.held.lock().await;
        if held
            .as_ref()
            .is_some_and(|it| it.access_token == refused.expose())
        {
            *held = self.kept().await?;
        }
        let is_refused = held
            .as_ref()
            .filter(|it| it.access_token == refused.expose());
        if let Some(login) = is_refused {
            let ended = Login {
                expires_at_s: Some(i64::MIN),
                ..login.clone()
            };
            let renewed = self.renew(ended).await?;
            *held = Some(renewed);
        }
        Ok(held.as_ref().map(|it| Secret::new(&it.access_token)))
    }

    /// Looks whether somebody logged in or out meanwhile. Nobody waits for an issuer here: who
    /// renews now sees it too.
    pub(crate) async fn has_changed(&self) -> bool {
        let Ok(mut held) = self.held.try_lock() else {
            return false;
        };
        let Ok(kept) = self.kept().await else {
            return false;
        };
        let has_changed = *held != kept;
        *held = kept;
        has_changed
    }

    async fn kept(&self) -> Result<Option<Login>, LoginError> {
        let name = self.name.clone();
        let kept = vault::apart(&self.vault, move |vault| vault.get(&name)).await?;
        let login = kept.as_ref().and_then(Login::read);
        if let Some(login) = &login {
            self.vault.hide(login.secrets());
        }
        Ok(login)
    }

    /// Renews a login, or says why it is over. While its token is good, an issuer that does not
    /// answer is no reason to stop.
    async fn renew(&self, login: Login) -> Result<Login, LoginError> {
        let is_good = login.is_good(self.vault.now_s());
        match self.renewed(&login).await {
            Ok(renewed) => Ok(renewed),
            Err(LoginError::Over { .. } | LoginError::Unreachable { .. }) if is_good => Ok(login),
            Err(LoginError::Over { why }) => {
                // Another process may have used the token that is good for one time only.
                let kept = self.kept().await?;
                let now_s = self.vault.now_s();
                let other = kept
                    .filter(|kept| kept.access_token != login.access_token && kept.is_fresh(now_s));
                other.ok_or(LoginError::Over { why })
            }
            Err(error) => Err(error),
        }
    }

    async fn renewed(&self, login: &Login) -> Result<Login, LoginError> {
        let Some(refresh) = login.refresh_token.clone() else {
            return Err(LoginError::Over {
                why: "it cannot be renewed".to_owned(),
            });
        };
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.as_str()),
            ("resource", login.resource.as_str()),
        ];
        let endpoint = &login.token_endpoint;
        let answer = tokens::ask(&self.web, endpoint, &login.client, &form).await?;
        match answer.status {
            200 => {}
            400..=499 if answer.status != 429 => {
                return Err(LoginError::Over {
                    why: login.masked(&answer.refusal()),
                });
            }
            status => {
                return Err(LoginError::Unreachable {
                    url: super::web::shown(endpoint),
                    why: format!("status {status}"),
                });
            }
        }
        let renewed = tokens::take(&answer, login.clone(), self.vault.now_s())?;
        self.vault.hide(renewed.secrets());
        let (name, written) = (self.name.clone(), renewed.written());
        vault::apart(&self.vault, move |vault| vault.set(&name, &written)).await?;
        Ok(renewed)
    }
}
