//! The one who lets people in: registers clients, hands out codes, and tokens for them.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::exchange::{Answer, Exchange};
use super::{CANARY, State};

/// What the guard has handed out.
#[derive(Default)]
pub(super) struct Guard {
    count: u64,
    clients: Vec<String>,
    /// Codes, with what they were asked for.
    codes: BTreeMap<String, BTreeMap<String, String>>,
    /// Tokens that open the server.
    pub(super) open: Vec<String>,
    /// Tokens that can be renewed, each once.
    renewable: Vec<String>,
}

impl Guard {
    fn fresh(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("{CANARY}-{kind}-{}", self.count)
    }
}

fn refused(error: &str, description: &str) -> Answer {
    let body = json!({"error": error, "error_description": description});
    Answer::json(400, &body)
}

impl State {
    pub(super) fn about_the_guard(&self) -> Answer {
        let base = &self.base;
        let mut about = json!({
            "issuer": self.manners.claims_to_be.as_ref().unwrap_or(base),
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        });
        if !self.manners.knows_its_clients {
            about["registration_endpoint"] = json!(format!("{base}/register"));
        }
        if self.manners.has_no_pkce {
            about["code_challenge_methods_supported"] = json!(["plain"]);
        }
        Answer::json(200, &about)
    }

    pub(super) fn register(&mut self, exchange: &Exchange) -> Answer {
        if self.manners.knows_its_clients {
            return Answer::status(404);
        }
        let mut client = exchange.json();
        let id = format!("client-{}", self.guard.clients.len() + 1);
        self.guard.clients.push(id.clone());
        client["client_id"] = json!(id);
        Answer::json(201, &client)
    }

    /// The person says yes at once.
    pub(super) fn authorize(&mut self, exchange: &Exchange) -> Answer {
        let asked = &exchange.query;
        let is = |name: &str, value: &str| asked.get(name).is_some_and(|it| it == value);
        let is_known = asked.get("client_id").is_some_and(|id| {
            let clients = &self.guard.clients;
            self.manners.knows_its_clients || clients.contains(id)
        });
        let is_asked_well = is("response_type", "code")
            && is("code_challenge_method", "S256")
            && is("resource", &format!("{}/mcp", self.base))
            && asked.contains_key("code_challenge");
        let (Some(back), Some(state)) = (asked.get("redirect_uri"), asked.get("state")) else {
            return Answer::status(400);
        };
        if !is_known || !is_asked_well {
            return Answer::status(400);
        }
        let code = self.guard.fresh("code");
        let issuer = self.base.replace("://", "%3A%2F%2F");
        let location = format!("{back}?code={code}&state={state}&iss={issuer}");
        self.guard.codes.insert(code, asked.clone());
        Answer::status(302).with("location", location)
    }

    pub(super) fn token(&mut self, exchange: &Exchange) -> Answer {
        let form = exchange.form();
        let text = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        match text("grant_type") {
            "authorization_code" => {
                let asked = self.guard.codes.remove(text("code"));
                let Some(asked) = asked else {
                    return refused("invalid_grant", "no such code");
                };
                let proof = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(text("code_verifier")));
                let is_theirs = asked["code_challenge"] == proof
                    && asked["redirect_uri"] == text("redirect_uri")
                    && asked["client_id"] == text("client_id");
                match is_theirs {
                    true => self.tokens(),
                    false => refused("invalid_grant", "the code is somebody else's"),
                }
            }
            "refresh_token" => {
                let token = text("refresh_token").to_owned();
                let place = self.guard.renewable.iter().position(|it| *it == token);
                match place.filter(|_| !self.manners.refuses_to_renew) {
                    Some(place) => {
                        self.guard.renewable.remove(place);
                        self.tokens()
                    }
                    // Some say more than they should.
                    None => refused("invalid_grant", &format!("{token} is over")),
                }
            }
            other => refused("unsupported_grant_type", other),
        }
    }

    fn tokens(&mut self) -> Answer {
        let (access, refresh) = (self.guard.fresh("access"), self.guard.fresh("refresh"));
        self.guard.open = vec![access.clone()];
        self.guard.renewable.push(refresh.clone());
        let mut tokens = json!({
            "access_token": access, "token_type": "Bearer", "refresh_token": refresh,
        });
        if let Some(seconds) = self.manners.expires_in {
            tokens["expires_in"] = json!(seconds);
        }
        Answer::json(200, &tokens)
    }
}
