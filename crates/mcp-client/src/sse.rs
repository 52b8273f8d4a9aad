//! The older way over HTTP: a stream of events, and an address to post to.
//!
//! The stream opens with an event `endpoint` that names the address; every message of the server
//! is an event after it, every message of ours a request of its own.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder, Response, Url};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::timeout;

use crate::error::chain;
use crate::limits::EVENT_BYTES_MAX;
use crate::oauth::Keyring;
use crate::remote;
use crate::settings::Remote;
use crate::{Error, LoginError};

/// An open stream.
pub(crate) struct Stream {
    client: Client,
    remote: Remote,
    keyring: Option<Arc<Keyring>>,
    endpoint: Url,
    response: Response,
    events: Events,
}

/// A message of ours that did not arrive.
#[derive(thiserror::Error, Debug)]
pub(crate) enum PostError {
    #[error("could not post a message")]
    Post(#[from] reqwest::Error),
    #[error("could not write a message")]
    Write(#[from] serde_json::Error),
    #[error("the login cannot be used")]
    Login(#[from] LoginError),
}

/// Opens the stream and waits for the address.
pub(crate) async fn open(
    server: &str,
    remote: &Remote,
    connect: Duration,
    keyring: Option<Arc<Keyring>>,
) -> Result<Stream, Error> {
    let client = remote::client(&remote.url, connect)?;
    let headers = remote::headers(remote).into_iter().collect();
    let request = client
        .get(&remote.url)
        .headers(headers)
        .header(ACCEPT, "text/event-stream");
    let request = authorized(request, keyring.as_deref()).await;
    let request = request.map_err(|source| Error::Login {
        server: server.to_owned(),
        source,
    })?;
    let mut response = request.send().await.map_err(unreachable)?;
    match response.status().as_u16() {
        200 => {}
        401 | 403 => {
            return Err(Error::NeedsAuth {
                server: server.to_owned(),
            });
        }
        status => {
            return Err(Error::Http {
                why: format!("it answered with status {status}"),
            });
        }
    }
    let mut events = Events::default();
    let first = timeout(connect, next(&mut response, &mut events)).await;
    let address = match first {
        Ok(Some(event)) if event.name == "endpoint" => event.data,
        Ok(_) => return Err(no_address("it opened with something else than its address")),
        Err(_) => return Err(Error::TooLate { waited: connect }),
    };
    let endpoint = response.url().join(&address);
    let endpoint = endpoint.map_err(|_| no_address("its address makes no sense"))?;
    // Keys go to the host they were configured for, and nowhere else.
    if endpoint.origin() != response.url().origin() {
        return Err(no_address("its address is on another host"));
    }
    Ok(Stream {
        client,
        remote: remote.clone(),
        keyring,
        endpoint,
        response,
        events,
    })
}

/// A request with the token of the login, if there is one.
async fn authorized(
    request: RequestBuilder,
    keyring: Option<&Keyring>,
) -> Result<RequestBuilder, LoginError> {
    let token = match keyring {
        Some(keyring) => keyring.token().await?,
        None => None,
    };
    Ok(match token {
        Some(token) => request.bearer_auth(token.expose()),
        None => request,
    })
}

fn no_address(why: &str) -> Error {
    Error::Handshake {
        why: why.to_owned(),
    }
}

fn unreachable(error: reqwest::Error) -> Error {
    Error::Http { why: chain(&error) }
}

impl Transport<RoleClient> for Stream {
    type Error = PostError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), PostError>> + Send + 'static {
        let headers = remote::headers(&self.remote).into_iter().collect();
        let request = self.client.post(self.endpoint.clone()).headers(headers);
        let keyring = self.keyring.clone();
        async move {
            let body = serde_json::to_vec(&message)?;
            let request = authorized(request, keyring.as_deref()).await?;
            let request = request.header(CONTENT_TYPE, "application/json").body(body);
            request.send().await?.error_for_status()?;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let event = next(&mut self.response, &mut self.events).await?;
            // What is no message is nothing to us; the next one may be.
            if let Ok(message) = serde_json::from_str(&event.data) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), PostError> {
        Ok(())
    }
}

/// The next event; nothing when the stream is over, or lies about what it is. May be dropped while
/// it waits: what has come stays in `events`.
async fn next(response: &mut Response, events: &mut Events) -> Option<Event> {
    loop {
        if let Some(event) = events.ready.pop_front() {
            return Some(event);
        }
        let chunk = response.chunk().await.ok()??;
        events.take(&chunk)?;
    }
}

/// An event of the stream.
#[derive(Default, PartialEq, Eq, Debug)]
struct Event {
    name: String,
    data: String,
}

/// Makes events of bytes, however they were cut.
#[derive(Default)]
struct Events {
    line: Vec<u8>,
    open: Event,
    ready: VecDeque<Event>,
}

impl Events {
    /// Takes some bytes; nothing when an event is too long. The events of one piece wait together, no more.
    fn take(&mut self, bytes: &[u8]) -> Option<()> {
        for byte in bytes {
            match byte {
                b'\n' => self.end_line(),
                b'\r' => {}
                byte => self.line.push(*byte),
            }
            let is_too_long = self.line.len() + self.open.data.len() > EVENT_BYTES_MAX;
            if is_too_long {
                return None;
            }
        }
        Some(())
    }

    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        if line.is_empty() {
            let event = std::mem::take(&mut self.open);
            if !event.data.is_empty() {
                self.ready.push_back(event);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.open.name = value.to_owned(),
            "data" => {
                if !self.open.data.is_empty() {
                    self.open.data.push('\n');
                }
                self.open.data.push_str(value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_wherever_the_bytes_are_cut() {
        let text = ": hello\r\nevent: endpoint\r\ndata: /post?a=1\r\n\r\ndata: {\"a\":\ndata: 1}\n\nid: 3\n\n";
        let event = |name: &str, data: &str| Event {
            name: name.to_owned(),
            data: data.to_owned(),
        };
        let expected = [event("endpoint", "/post?a=1"), event("", "{\"a\":\n1}")];
        for cut in 0..=text.len() {
            let mut events = Events::default();
            let (one, other) = text.as_bytes().split_at(cut);
            events.take(one).unwrap();
            events.take(other).unwrap();
            assert!(events.ready.iter().eq(&expected), "{cut}");
        }
    }

    #[test]
    fn an_event_without_an_end_is_given_up() {
        let mut events = Events::default();
        assert_eq!(events.take(&vec![b'x'; EVENT_BYTES_MAX + 1]), None);
    }
}
