//! One connection of the server: reads requests, sends replies, one after the other.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Buf, Bytes, BytesMut};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::play::{Outcome, play};
use super::{Request, Shared};

/// More header lines than any client sends.
const HEADERS_MAX: usize = 64;

pub(super) struct Connection {
    stream: TcpStream,
    /// What came and was not used yet.
    buffer: BytesMut,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            buffer: BytesMut::with_capacity(16 * 1024),
        }
    }

    /// Serves requests until one side closes.
    pub(super) async fn serve(mut self, shared: Arc<Shared>) {
        while let Ok(Some(request)) = self.read_request().await {
            let reply = shared.reply_to(request);
            match play(&reply, &mut self).await {
                Outcome::Answered => shared.count(|counts| counts.answered += 1),
                Outcome::Closed => return shared.count(|counts| counts.answered += 1),
                Outcome::Abandoned => return shared.count(|counts| counts.abandoned += 1),
            }
        }
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Makes closing this connection look like a crash.
    pub(super) fn reset(&self) -> io::Result<()> {
        self.stream.set_zero_linger()
    }

    /// Returns when the client has closed its side.
    pub(super) async fn peer_left(&mut self) {
        while !matches!(self.stream.read_buf(&mut self.buffer).await, Ok(0) | Err(_)) {}
    }

    /// The next request, or nothing if the client has closed between two.
    async fn read_request(&mut self) -> io::Result<Option<Request>> {
        let (mut request, body_bytes) = loop {
            if let Some(head) = self.take_head()? {
                break head;
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        };
        while self.buffer.len() < body_bytes {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        request.bytes = self.buffer.split_to(body_bytes).freeze();
        request.body = serde_json::from_slice(&request.bytes).unwrap_or(Value::Null);
        request.at = Instant::now();
        Ok(Some(request))
    }

    /// The head of a request and the length of its body, once the head is complete.
    fn take_head(&mut self) -> io::Result<Option<(Request, usize)>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut head = httparse::Request::new(&mut headers);
        let parsed = head.parse(&self.buffer).map_err(io::Error::other)?;
        let httparse::Status::Complete(length) = parsed else {
            return Ok(None);
        };
        let line = |header: &httparse::Header<'_>| {
            let value = String::from_utf8_lossy(header.value).into_owned();
            (header.name.to_ascii_lowercase(), value)
        };
        let request = Request {
            method: head.method.unwrap_or_default().to_owned(),
            path: head.path.unwrap_or_default().to_owned(),
            headers: head.headers.iter().map(line).collect(),
            bytes: Bytes::new(),
            body: Value::Null,
            at: Instant::now(),
        };
        self.buffer.advance(length);
        let body_bytes = request
            .header("content-length")
            .and_then(|text| text.parse().ok())
            .unwrap_or(0);
        Ok(Some((request, body_bytes)))
    }
}
