//! One login, from the first knock to the tokens in the vault.

use std::sync::Arc;

use reqwest::Url;
use serde_json::{Value, json};

use super::callback::Callback;
use super::discovery::{Endpoints, endpoints, guard};
use super::login::{ClientId, Login, name};
use super::web::{Web, shown};
use super::{LoginError, Vault, tokens, vault};
use crate::limits::LOGIN_TIMEOUT;
use crate::place::IsShut;
use crate::request::quoted;
use crate::settings::Remote;

/// What is wanted of a login.
pub struct Wanted<'a> {
    /// The server, by its name.
    pub server: &'a str,
    /// The same, as it is configured.
    pub remote: &'a Remote,
    /// What to ask for, in place of what is configured.
    pub scopes: Vec<String>,
    /// The port the answer comes back to; any free one when nothing is said.
    pub callback_port: Option<u16>,
    /// The address that leads to it, where it is not the port itself.
    pub callback_url: Option<&'a str>,
    /// Two long random texts that nobody can guess: letters and digits, 43 to 128 each.
    pub random: [String; 2],
    /// Where the tokens will lie.
    pub vault: Arc<dyn Vault>,
    /// Whether the network policy shuts a host.
    pub is_shut: IsShut,
}

/// A login that waits for a person.
pub struct Attempt {
    web: Web,
    vault: Arc<dyn Vault>,
    callback: Callback,
    address: Url,
    state: String,
    verifier: String,
    endpoints: Endpoints,
    client: ClientId,
    resource: String,
    /// The name the login will have.
    name: String,
}

impl Attempt {
    /// Finds out where to log in, and makes ready for the answer.
    pub async fn begin(wanted: Wanted<'_>) -> Result<Self, LoginError> {
        let remote = wanted.remote;
        if remote.headers.contains_key("authorization") {
            return Err(LoginError::HasHeader);
        }
        let web = Web::of(&remote.url, wanted.is_shut);
        let guard = guard(&web, &remote.url).await?;
        let endpoints = endpoints(&web, &guard.issuer).await?;
        let callback = Callback::listen(wanted.callback_port, wanted.callback_url).await?;
        let configured = &remote.oauth;
        let scopes = [wanted.scopes, configured.scopes.clone(), guard.scopes];
        let scopes = scopes.into_iter().find(|scopes| !scopes.is_empty());
        let scopes = scopes.unwrap_or_default().join(" ");
        let client = match &configured.client_id {
            Some(id) => ClientId {
                id: id.clone(),
                secret: None,
                is_basic: false,
            },
            None => register(&web, &endpoints, &callback.address, &scopes).await?,
        };
        let resource = configured.resource.clone().unwrap_or(guard.resource);
        let [state, verifier] = wanted.random;
        let mut address = web.check(&endpoints.authorization)?;
        let proof = tokens::proof_of(&verifier);
        let pairs = [
            ("response_type", "code"),
            ("client_id", client.id.as_str()),
            ("redirect_uri", callback.address.as_str()),
            ("state", state.as_str()),
            ("code_challenge", proof.as_str()),
            ("code_challenge_method", "S256"),
            ("resource", resource.as_str()),
            ("scope", scopes.as_str()),
        ];
        let pairs = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        address.query_pairs_mut().extend_pairs(pairs);
        Ok(Self {
            name: name(wanted.server, &remote.url),
            vault: wanted.vault,
            web,
            callback,
            address,
            state,
            verifier,
            endpoints,
            client,
            resource,
        })
    }

    /// The address a person opens.
    pub fn address(&self) -> &str {
        self.address.as_str()
    }

    /// Waits for the person's answer, turns it into tokens and keeps them.
    pub async fn finish(self) -> Result<(), LoginError> {
        let said = self.callback.wait(&self.state, LOGIN_TIMEOUT).await?;
        let issuer = &self.endpoints.issuer;
        let is_theirs = match &said.issuer {
            Some(named) => named == issuer,
            None => !self.endpoints.names_itself,
        };
        if !is_theirs {
            return Err(LoginError::OtherIssuer {
                expected: shown(issuer),
                found: said.issuer.map_or("nobody".to_owned(), |it| shown(&it)),
            });
        }
        let code = said
            .outcome
            .map_err(|why| LoginError::Refused { why: quoted(&why) })?;
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", self.callback.address.as_str()),
            ("code_verifier", self.verifier.as_str()),
            ("resource", self.resource.as_str()),
        ];
        let endpoint = &self.endpoints.token;
        let answer = tokens::ask(&self.web, endpoint, &self.client, &form).await?;
        if answer.status != 200 {
            return Err(LoginError::Refused {
                why: answer.refusal(),
            });
        }
        let login = Login {
            issuer: self.endpoints.issuer.clone(),
            token_endpoint: self.endpoints.token.clone(),
            resource: self.resource,
            client: self.client,
            access_token: String::new(),
            refresh_token: None,
            expires_at_s: None,
        };
        let login = tokens::take(&answer, login, self.vault.now_s())?;
        self.vault.hide(login.secrets());
        let name = self.name;
        vault::apart(&self.vault, move |vault| vault.set(&name, &login.written())).await
    }
}

/// Makes us known to an issuer (RFC 7591).
async fn register(
    web: &Web,
    endpoints: &Endpoints,
    callback: &Url,
    scopes: &str,
) -> Result<ClientId, LoginError> {
    let Some(endpoint) = &endpoints.registration else {
        return Err(LoginError::NoRegistration {
            issuer: shown(&endpoints.issuer),
        });
    };
    let mut us = json!({
        "client_name": "CodeWhale",
        "redirect_uris": [callback.as_str()],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    if !scopes.is_empty() {
        us["scope"] = Value::from(scopes);
    }
    let answer = web.post_json(endpoint, &us).await?;
    if !matches!(answer.status, 200 | 201) {
        return Err(LoginError::Refused {
            why: format!("no client was registered: {}", answer.refusal()),
        });
    }
    let id = answer
        .text("client_id")
        .ok_or_else(|| LoginError::Nonsense {
            url: shown(endpoint),
            why: "it registered a client without a name".to_owned(),
        })?;
    let method = answer.text("token_endpoint_auth_method");
    Ok(ClientId {
        id: id.to_owned(),
        secret: answer.text("client_secret").map(str::to_owned),
        is_basic: method == Some("client_secret_basic"),
    })
}
