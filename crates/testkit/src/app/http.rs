//! One request on a connection of its own: every byte is the test's, and so is every byte that
//! comes back.

use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;

use bytes::{Buf, Bytes, BytesMut};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpSocket, TcpStream};

/// More header lines than any answer has.
const HEADERS_MAX: usize = 64;

/// A request, as it will be sent.
#[derive(Clone, Debug)]
pub struct Request {
    method: String,
    target: String,
    host: Option<String>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_narrow: bool,
}

/// What a narrow connection takes before it is read, in bytes: the kernel makes little more of it.
const NARROW_BYTES: u32 = 4 * 1024;

impl Request {
    /// Without headers and body.
    pub fn new(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            host: None,
            headers: Vec::new(),
            body: Vec::new(),
            is_narrow: false,
        }
    }

    /// On a connection that takes little at once, so that a reader that does not read is noticed.
    #[must_use]
    pub fn narrow(mut self) -> Self {
        self.is_narrow = true;
        self
    }

    /// Adds a header line.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Shows a token.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Calls the server by this name.
    #[must_use]
    pub fn host(mut self, host: &str) -> Self {
        self.host = Some(host.to_owned());
        self
    }

    /// Sends JSON.
    #[must_use]
    pub fn json(self, value: &Value) -> Self {
        self.header("content-type", "application/json")
            .body(value.to_string())
    }

    /// Sends these bytes.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The first line, for messages.
    pub(super) fn line(&self) -> String {
        format!("the answer to {} {}", self.method, self.target)
    }

    /// What is asked of whom, for those who judge the answer.
    pub(super) fn method_and_target(&self) -> (String, String) {
        (self.method.clone(), self.target.clone())
    }

    /// Sends it and reads the whole answer.
    pub(crate) async fn send(self, address: SocketAddr) -> Answer {
        let answered = self.exchange(address).await;
        answered.unwrap_or_else(|error| panic!("no whole answer: {error}"))
    }

    /// Sends it to a server that may be gone; the status, if it answers.
    pub(super) async fn try_send(self, address: SocketAddr) -> io::Result<u16> {
        Ok(self.exchange(address).await?.status)
    }

    /// Sends it and reads the head of the answer.
    pub(super) async fn open(self, address: SocketAddr) -> Body {
        let opened = self.try_open(address).await;
        opened.unwrap_or_else(|error| panic!("no answer: {error}"))
    }

    async fn exchange(self, address: SocketAddr) -> io::Result<Answer> {
        let mut body = self.try_open(address).await?;
        let mut bytes = BytesMut::new();
        while let Some(piece) = body.next().await {
            bytes.extend_from_slice(&piece?);
        }
        Ok(Answer {
            status: body.status,
            headers: body.headers,
            body: bytes.freeze(),
        })
    }

    async fn try_open(self, address: SocketAddr) -> io::Result<Body> {
        let stream = self.connect(address).await?;
        let (mut reading, mut writing) = stream.into_split();
        let mut buffer = BytesMut::new();
        let bytes = self.bytes(address);
        // A server may refuse a body before it has all of it, so both sides go on at once.
        let (_, head) = tokio::join!(
            writing.write_all(&bytes),
            read_head(&mut reading, &mut buffer)
        );
        let (status, headers) = head?;
        let rest = match self.method == "HEAD" || status == 204 {
            true => Rest::Length(0),
            false => rest_of(&headers),
        };
        Ok(Body {
            status,
            headers,
            reading,
            _writing: writing,
            buffer,
            rest,
        })
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        if !self.is_narrow {
            return TcpStream::connect(address).await;
        }
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(NARROW_BYTES)?;
        socket.connect(address).await
    }

    fn bytes(&self, address: SocketAddr) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        let host = self.host.clone().unwrap_or_else(|| address.to_string());
        write!(head, "host: {host}\r\n").expect("writing to a string cannot fail");
        for (name, value) in &self.headers {
            write!(head, "{name}: {value}\r\n").expect("writing to a string cannot fail");
        }
        if !self.body.is_empty() {
            let length = self.body.len();
            write!(head, "content-length: {length}\r\n").expect("writing to a string cannot fail");
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Header lines; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("answers are text")
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {:?}", self.text()))
    }

    /// The body as what an answer with this status holds.
    #[track_caller]
    pub fn read<T: DeserializeOwned>(&self, status: u16) -> T {
        assert_eq!(self.status, status, "{}", self.text());
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {}", self.text()))
    }
}

/// An answer whose body is read piece by piece. Who stops reading makes the server wait.
#[derive(Debug)]
pub struct Body {
    /// The status.
    pub status: u16,
    /// Header lines; names in lower case.
    pub headers: Vec<(String, String)>,
    reading: OwnedReadHalf,
    /// A client that closed its side would look like one that has left.
    _writing: OwnedWriteHalf,
    /// What came and was not used yet.
    buffer: BytesMut,
    rest: Rest,
}

/// What of the body is still to come.
#[derive(Debug)]
enum Rest {
    Length(usize),
    /// So many bytes of the chunk at hand; the sizes of others follow.
    Chunks(usize),
    /// The line end behind a chunk, then other chunks.
    ChunkEnd,
    Ended,
}

impl Body {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// Some more bytes of the body; `None` at its end, an error when the connection breaks. Who
    /// stops waiting loses nothing.
    pub async fn next(&mut self) -> Option<io::Result<Bytes>> {
        self.read().await.transpose()
    }

    async fn read(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            match self.rest {
                Rest::Ended | Rest::Length(0) => return Ok(None),
                Rest::Length(left) => {
                    let piece = self.take(left).await?;
                    self.rest = Rest::Length(left - piece.len());
                    return Ok(Some(piece));
                }
                Rest::Chunks(0) => self.read_chunk_size().await?,
                Rest::ChunkEnd => {
                    self.skip_line_end().await?;
                    self.rest = Rest::Chunks(0);
                }
                Rest::Chunks(left) => {
                    let piece = self.take(left).await?;
                    self.rest = match left - piece.len() {
                        0 => Rest::ChunkEnd,
                        left => Rest::Chunks(left),
                    };
                    return Ok(Some(piece));
                }
            }
        }
    }

    async fn read_chunk_size(&mut self) -> io::Result<()> {
        loop {
            let parsed = httparse::parse_chunk_size(&self.buffer);
            match parsed.map_err(|_| io::Error::other("a chunk without a size"))? {
                httparse::Status::Partial => self.fill().await?,
                httparse::Status::Complete((length, size)) => {
                    self.buffer.advance(length);
                    let size = usize::try_from(size).map_err(io::Error::other)?;
                    self.rest = Rest::Chunks(size);
                    if size == 0 {
                        self.skip_line_end().await?;
                        self.rest = Rest::Ended;
                    }
                    return Ok(());
                }
            }
        }
    }

    async fn take(&mut self, most: usize) -> io::Result<Bytes> {
        if self.buffer.is_empty() {
            self.fill().await?;
        }
        let length = self.buffer.len().min(most);
        Ok(self.buffer.split_to(length).freeze())
    }

    async fn skip_line_end(&mut self) -> io::Result<()> {
        while self.buffer.len() < 2 {
            self.fill().await?;
        }
        self.buffer.advance(2);
        Ok(())
    }

    async fn fill(&mut self) -> io::Result<()> {
        fill(&mut self.reading, &mut self.buffer).await
    }
}

async fn fill(reading: &mut OwnedReadHalf, buffer: &mut BytesMut) -> io::Result<()> {
    match reading.read_buf(buffer).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

type Head = (u16, Vec<(String, String)>);

async fn read_head(reading: &mut OwnedReadHalf, buffer: &mut BytesMut) -> io::Result<Head> {
    loop {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut head = httparse::Response::new(&mut headers);
        if let httparse::Status::Complete(length) = head.parse(buffer).map_err(io::Error::other)? {
            let line = |header: &httparse::Header<'_>| {
                let value = String::from_utf8_lossy(header.value).into_owned();
                (header.name.to_ascii_lowercase(), value)
            };
            let headers = head.headers.iter().map(line).collect();
            let status = head.code.unwrap_or_default();
            buffer.advance(length);
            return Ok((status, headers));
        }
        fill(reading, buffer).await?;
    }
}

fn rest_of(headers: &[(String, String)]) -> Rest {
    if find(headers, "transfer-encoding") == Some("chunked") {
        return Rest::Chunks(0);
    }
    let length = find(headers, "content-length").and_then(|length| length.parse().ok());
    Rest::Length(length.unwrap_or(0))
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut headers = headers.iter();
    Some(headers.find(|header| header.0 == name)?.1.as_str())
}
