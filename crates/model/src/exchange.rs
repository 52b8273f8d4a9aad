//! One request and its answer over HTTP, the same for all dialects.
//!
//! ```text
//! Exchange ─ sends ─► Answer ─ bytes ─► Reader ─ frames ─► a dialect's Parse ─► Draft ─► chunks
//!                     (waits)           (cuts)             (meaning)            (order)
//! ```

mod answer;
mod calls;
mod draft;
mod reader;
mod text;

use std::pin::Pin;
use std::sync::Arc;

use http_body::Body;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use tokio::time::timeout;

use crate::endpoint::Endpoint;
use crate::failure::Origin;
use crate::http::Http;
use crate::limits::{self, Timeouts};
use crate::{ChunkStream, Error, ErrorKind};

use answer::Answer;
pub(crate) use calls::{Calls, Problem};
pub(crate) use draft::Draft;
#[cfg(test)]
pub(crate) use reader::check;
pub(crate) use reader::{Parse, Reader};
pub(crate) use text::{Count, Text, text};

/// The way to one provider.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) http: Arc<Http>,
    pub(crate) endpoint: Endpoint,
    pub(crate) origin: Arc<Origin>,
    /// The key and whatever else this endpoint wants, and nobody but this endpoint gets.
    pub(crate) headers: HeaderMap,
    pub(crate) timeouts: Timeouts,
}

impl Exchange {
    /// Sends a request; returns once the answer begins.
    pub(crate) async fn send<P: Parse + 'static>(
        &self,
        body: Vec<u8>,
        parse: P,
    ) -> Result<ChunkStream, Error> {
        let response = self.open(body).await?;
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            let body = read_refusal(response.into()).await;
            return Err(self.origin.refused(status, &headers, &body));
        }
        let reader = Reader::new(self.origin.clone(), parse);
        let body = reqwest::Body::from(response);
        Ok(Box::pin(Answer::new(body, reader, self.timeouts.idle)))
    }

    async fn open(&self, body: Vec<u8>) -> Result<reqwest::Response, Error> {
        let client = self
            .http
            .client(self.endpoint.reach())
            .map_err(|e| self.origin.unbuilt(e))?;
        let request = client
            .post(self.endpoint.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream, application/json")
            .headers(self.headers.clone())
            .body(body);
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
