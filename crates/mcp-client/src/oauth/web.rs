//! Requests to those who take part in a login: each bounded, encrypted, and open to the policy.

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, WWW_AUTHENTICATE};
use reqwest::{Response, Url};
use serde_json::Value;

use super::LoginError;
use crate::error::chain;
use crate::limits::{LOGIN_ANSWER_BYTES_MAX, LOGIN_REQUEST_TIMEOUT};
use crate::place::IsShut;
use crate::remote;
use crate::request::quoted;

/// How others are asked.
#[derive(Clone)]
pub(super) struct Web {
    pub(super) is_shut: IsShut,
    /// Whether the server is on this machine: then those it names may be there too.
    pub(super) is_near: bool,
}

/// What came back.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    /// The body, if it is JSON.
    pub(super) body: Option<Value>,
}

impl Web {
    /// For everything that a server at an address leads to.
    pub(super) fn of(server: &str, is_shut: IsShut) -> Self {
        Self {
            is_shut,
            is_near: remote::is_near(server),
        }
    }

    /// Looks at an address before anything goes there.
    pub(super) fn check(&self, url: &str) -> Result<Url, LoginError> {
        let insecure = || LoginError::Insecure { url: quoted(url) };
        let parsed = Url::parse(url).map_err(|_| insecure())?;
        let is_near = self.is_near && remote::is_near(url);
        if parsed.scheme() != "https" && !(parsed.scheme() == "http" && is_near) {
            return Err(insecure());
        }
        let host = parsed.host_str().unwrap_or_default().to_ascii_lowercase();
        match (self.is_shut)(&host) {
            true => Err(LoginError::Shut { host }),
            false => Ok(parsed),
        }
    }

    pub(super) async fn get(&self, url: &str) -> Result<Answer, LoginError> {
        let client = self.client(url)?;
        self.send(url, client.get(self.check(url)?)).await
    }

    pub(super) async fn post_json(&self, url: &str, body: &Value) -> Result<Answer, LoginError> {
        let request = self.client(url)?.post(self.check(url)?);
        let request = request.header(CONTENT_TYPE, "application/json");
        self.send(url, request.body(body.to_string())).await
    }

    /// Sends a form, with a header that says who we are where that is wanted.
    pub(super) async fn post_form(
        &self,
        url: &str,
        form: &[(&str, &str)],
        authorization: Option<&str>,
    ) -> Result<Answer, LoginError> {
        let request = self.client(url)?.post(self.check(url)?);
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let request = match authorization {
            Some(header) => request.header(AUTHORIZATION, header),
            None => request,
        };
        self.send(url, request.body(encoded(form))).await
    }

    fn client(&self, url: &str) -> Result<reqwest::Client, LoginError> {
        let client = remote::client(url, LOGIN_REQUEST_TIMEOUT);
        client.map_err(|error| unreachable(url, chain(&error)))
    }

    async fn send(
        &self,
        url: &str,
        request: reqwest::RequestBuilder,
    ) -> Result<Answer, LoginError> {
        let accepted = "application/json, text/event-stream";
        let request = request
            .header(ACCEPT, accepted)
            .timeout(LOGIN_REQUEST_TIMEOUT);
        let sent = request.send().await;
        // What an address holds besides its place may be secret.
        let response = sent.map_err(|error| unreachable(url, chain(&error.without_url())))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = body(response).await.map_err(|why| unreachable(url, why))?;
        Ok(Answer {
            status,
            headers,
            body: serde_json::from_slice(&body).ok(),
        })
    }
}

impl Answer {
    /// What the server wants to see, in its words.
    pub(super) fn challenges(&self) -> impl Iterator<Item = &str> {
        let all = self.headers.get_all(WWW_AUTHENTICATE).iter();
        all.filter_map(|value| value.to_str().ok())
    }

    /// A text of the body.
    pub(super) fn text(&self, member: &str) -> Option<&str> {
        self.body.as_ref()?.get(member)?.as_str()
    }

    /// Texts of the body.
    pub(super) fn texts(&self, member: &str) -> Option<Vec<String>> {
        let texts = self.body.as_ref()?.get(member)?.as_array()?;
        let texts = texts.iter().filter_map(Value::as_str);
        Some(texts.map(str::to_owned).collect())
    }

    /// Why it was refused, in the words of whoever refused.
    pub(super) fn refusal(&self) -> String {
        let words = ["error", "error_description"].map(|it| self.text(it));
        let words: Vec<_> = words.into_iter().flatten().collect();
        match words.is_empty() {
            true => format!("status {}", self.status),
            false => quoted(&words.join(": ")),
        }
    }
}

async fn body(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    let is_stream = {
        let kind = response.headers().get(CONTENT_TYPE);
        kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
    };
    // A server that lets us in without a login answers with a stream that may not end.
    if is_stream {
        return Ok(body);
    }
    loop {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| chain(&error.without_url()))?;
        let Some(chunk) = chunk else {
            return Ok(body);
        };
        if body.len() + chunk.len() > LOGIN_ANSWER_BYTES_MAX {
            return Err(format!(
                "its answer has more than {LOGIN_ANSWER_BYTES_MAX} bytes"
            ));
        }
        body.extend_from_slice(&chunk);
    }
}

fn unreachable(url: &str, why: String) -> LoginError {
    LoginError::Unreachable {
        url: shown(url),
        why: quoted(&why),
    }
}

/// An address without its query, which may be secret.
pub(super) fn shown(url: &str) -> String {
    quoted(url.split(['?', '#']).next().unwrap_or_default())
}

/// Pairs as a form or query.
pub(super) fn encoded(pairs: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://localhost/").expect("a plain address");
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn only_encrypted_addresses_that_the_policy_opens_are_spoken_to() {
        let is_shut: IsShut = Arc::new(|host| host == "shut.example.org");
        let check = |server: &str, url: &str| match Web::of(server, is_shut.clone()).check(url) {
            Ok(_) => "open",
            Err(LoginError::Insecure { .. }) => "insecure",
            Err(LoginError::Shut { .. }) => "shut",
            Err(_) => "something else",
        };
        let (far, near) = ("https://hub.example.org/mcp", "http://127.0.0.1:9/mcp");
        assert_eq!(check(far, "https://issuer.example.org"), "open");
        assert_eq!(check(far, "http://issuer.example.org"), "insecure");
        assert_eq!(check(far, "https://SHUT.example.org/"), "shut");
        // A stranger does not have us ask around on our own machine.
        assert_eq!(check(far, "http://127.0.0.1:80/token"), "insecure");
        assert_eq!(check(near, "http://127.0.0.1:80/token"), "open");
        assert_eq!(check(near, "file:///etc/passwd"), "insecure");
    }

    #[test]
    fn pairs_are_encoded_so_that_nothing_in_them_means_something() {
        assert_eq!(
            encoded(&[("a", "x&y=z"), ("b", "ü ")]),
            "a=x%26y%3Dz&b=%C3%BC+"
        );
    }
}
