//! The chat-completions dialect, which most providers and local servers speak.
//!
//! `body` writes a request, `reader` reads the bytes of an answer without any waiting, and
//! `answer` feeds it from the network and ends every wait.

mod answer;
mod body;
mod calls;
mod reader;
mod usage;
mod wire;

use std::pin::Pin;
use std::sync::Arc;

use codewhale_protocol::service::BoxFuture;
use http_body::Body;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use tokio::time::timeout;

use crate::endpoint::Endpoint;
use crate::failure::Origin;
use crate::http::Http;
use crate::limits::{self, Timeouts};
use crate::{ChunkStream, Error, ErrorKind, Model, Request};

use answer::Answer;
pub(crate) use body::Quirks;

/// A provider that speaks the dialect.
#[derive(Debug)]
pub(crate) struct ChatModel {
    pub(crate) http: Arc<Http>,
    pub(crate) endpoint: Endpoint,
    pub(crate) origin: Arc<Origin>,
    /// `Bearer` and the key, for this endpoint only.
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) quirks: Quirks,
    pub(crate) timeouts: Timeouts,
}

impl Model for ChatModel {
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>> {
        Box::pin(self.send(request))
    }
}

impl ChatModel {
    async fn send(&self, request: Request<'_>) -> Result<ChunkStream, Error> {
        let response = self.open(body::write(&request, self.quirks)).await?;
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            let body = read_refusal(response.into()).await;
            return Err(self.origin.refused(status, &headers, &body));
        }
        let reader = reader::Reader::new(self.origin.clone(), request.messages.len());
        let body = reqwest::Body::from(response);
        Ok(Box::pin(Answer::new(body, reader, self.timeouts.idle)))
    }

    async fn open(&self, body: Vec<u8>) -> Result<reqwest::Response, Error> {
        let client = self
            .http
            .client(self.endpoint.reach())
            .map_err(|e| self.origin.unbuilt(e))?;
        let mut request = client
            .post(self.endpoint.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream, application/json")
            .body(body);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        match timeout(self.timeouts.open, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(cause)) => Err(self.origin.unreachable(cause)),
            Err(_) => {
                let message = format!("did not begin to answer within {:?}", self.timeouts.open);
                Err(self.origin.error(ErrorKind::Stalled, message))
            }
        }
    }
}

/// The start of the body of a refusal: what has come when the bytes or the time are used up.
async fn read_refusal(mut body: reqwest::Body) -> Vec<u8> {
    let mut read = Vec::new();
    let reading = async {
        while read.len() < limits::ERROR_BODY_BYTES_MAX {
            let frame =
                std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
            let Some(Ok(frame)) = frame else { break };
            if let Some(bytes) = frame.data_ref() {
                read.extend_from_slice(bytes);
            }
        }
    };
    // Running out of time is no failure of its own: the refusal is.
    let _ = timeout(limits::ERROR_BODY_WAIT, reading).await;
    read.truncate(limits::ERROR_BODY_BYTES_MAX);
    read
}
