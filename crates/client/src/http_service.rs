//! A service over HTTP: what the runtime offers, from another process or machine.

use codewhale_protocol::operations::Method;
use codewhale_protocol::service::{BoxFuture, Cursor};
use codewhale_protocol::{Call, Caller, ErrorBody, EventStream, Reply, Secret, Service, Source};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, Url};
use tokio::time::timeout;

use crate::address::Address;
use crate::answer::{self, unavailable};
use crate::events::{self, Events};
use crate::request::{self, Parts};
use crate::{Error, connection, limits};

/// A server, spoken to over HTTP. Cheap to clone.
///
/// Who asks is decided by the token, so the caller given to each call is not sent.
#[derive(Clone, Debug)]
pub struct HttpService {
    address: Address,
    /// `Bearer` and the token. It stands nowhere else: not in an address, not in a message.
    authorization: Option<HeaderValue>,
    client: Client,
}

impl HttpService {
    /// Speaks to the server at `base_url`: over https, or over plain http on this machine. Does not
    /// connect yet.
    pub fn new(base_url: &str, token: Option<&Secret>) -> Result<Self, Error> {
        let service = Self::allowing_plain_http(base_url, token)?;
        if service.address.is_plain_remote() {
            let host = service.address.shown();
            return Err(Error::PlainHttp { host });
        }
        Ok(service)
    }

    /// The same for someone who has been told that the network will see the token and everything
    /// else.
    pub fn allowing_plain_http(base_url: &str, token: Option<&Secret>) -> Result<Self, Error> {
        let address = Address::parse(base_url)?;
        Ok(Self {
            authorization: token.map(bearer).transpose()?,
            client: connection::client(address.reach())?,
            address,
        })
    }

    async fn ask(&self, call: Call) -> Result<Reply, ErrorBody> {
        let made = call.op.row().status_made;
        let parts = request::parts(call)?;
        let exchange = async {
            let response = self.send(self.request(parts)).await?;
            answer::read(response, &self.server(), made).await
        };
        timeout(limits::CALL, exchange).await.unwrap_or_else(|_| {
            let problem = format!(
                "did not answer within {:?}; what was asked may have happened all the same",
                limits::CALL
            );
            Err(unavailable(&self.server(), &problem))
        })
    }

    /// Opens an event stream.
    pub(crate) async fn open(
        &self,
        path: &[String],
        query: &[(String, String)],
    ) -> Result<Response, ErrorBody> {
        let url = self.address.route(path, query);
        let request = self.client.get(url).header(ACCEPT, events::MEDIA_TYPE);
        let answered = async {
            let response = self.send(request).await?;
            if !response.status().is_success() {
                return Err(answer::refusal(response, &self.server()).await);
            }
            if !events::is_event_stream(response.headers().get(CONTENT_TYPE)) {
                let problem = "answered with something that is not an event stream; is this a CodeWhale server?";
                return Err(unavailable(&self.server(), problem));
            }
            Ok(response)
        };
        timeout(limits::OPEN, answered).await.unwrap_or_else(|_| {
            let problem = format!("did not begin an event stream within {:?}", limits::OPEN);
            Err(unavailable(&self.server(), &problem))
        })
    }

    fn request(&self, parts: Parts) -> RequestBuilder {
        let url: Url = self.address.route(&parts.path, &parts.query);
        let request = match parts.method {
            Method::Get => self.client.get(url),
            Method::Post => self.client.post(url),
            Method::Patch => self.client.patch(url),
            Method::Put => self.client.put(url),
            Method::Delete => self.client.delete(url),
        };
        let request = request.header(ACCEPT, "application/json");
        let request = match parts.key {
            Some(key) => request.header("idempotency-key", key),
            None => request,
        };
        match parts.body {
            Some(body) => request.header(CONTENT_TYPE, "application/json").body(body),
            None => request,
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, ErrorBody> {
        let request = match &self.authorization {
            Some(authorization) => request.header(AUTHORIZATION, authorization.clone()),
            None => request,
        };
        request.send().await.map_err(|error| {
            let problem = if error.is_connect() {
                "could not be reached; is it running?"
            } else {
                "broke off before it answered"
            };
            unavailable(&self.server(), problem)
        })
    }

    /// The server, for messages.
    pub(crate) fn server(&self) -> String {
        self.address.shown()
    }
}

impl Service for HttpService {
    fn call<'a>(
        &'a self,
        _caller: &'a Caller,
        call: Call,
    ) -> BoxFuture<'a, Result<Reply, ErrorBody>> {
        Box::pin(self.ask(call))
    }

    fn events<'a>(
        &'a self,
        _caller: &'a Caller,
        source: Source,
        cursor: Cursor,
    ) -> BoxFuture<'a, Result<EventStream, ErrorBody>> {
        Box::pin(async move {
            let events = Events::open(self.clone(), source, cursor).await?;
            Ok(events.into_stream())
        })
    }
}

fn bearer(token: &Secret) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose().trim()))
        .map_err(|_| Error::UnusableToken)?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_does_not_travel_unencrypted_unless_someone_says_so() {
        let token = Secret::new("t");
        let refused = HttpService::new("http://x.dev:1/a", Some(&token)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "plain http is only allowed to this machine, not to http://x.dev:1; use https"
        );
        assert!(HttpService::new("http://127.0.0.1:1", Some(&token)).is_ok());
    }

    #[test]
    fn a_token_that_cannot_be_sent_is_refused_and_no_token_is_shown() {
        let token = Secret::new("hid\nden");
        let refused = HttpService::new("http://localhost", Some(&token)).unwrap_err();
        assert!(matches!(refused, Error::UnusableToken));
        let token = Secret::new("hidden");
        let service = HttpService::new("http://localhost", Some(&token)).unwrap();
        assert!(!format!("{service:?}").contains("hidden"));
    }
}
