//! The load tool's side of HTTP: connections that are kept, and bytes.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use memchr::memmem;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::sse::{Chunks, Frame, Frames};

/// Opens every door of the measured server.
pub(super) const TOKEN: &str = "bench-runtime-token";

/// Nothing that is measured takes this long: it will not come any more.
const WAIT: Duration = Duration::from_secs(60);

/// Bytes taken from a stream at once.
const READ_BYTES: usize = 256 * 1024;

/// Bytes the kernel keeps for a reader that does not read: as few as it allows.
const STALLED_BYTES: u32 = 4 * 1024;

/// How the end of a body is known.
enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
}

/// A connection that takes one request after the other.
pub(super) struct Http {
    stream: TcpStream,
    /// What came and was not used yet.
    buffer: Vec<u8>,
}

impl Http {
    pub(super) async fn connect(address: SocketAddr) -> Result<Self> {
        Self::over(TcpSocket::new_v4()?, address).await
    }

    async fn over(socket: TcpSocket, address: SocketAddr) -> Result<Self> {
        let stream = within(socket.connect(address)).await?;
        let stream = stream.with_context(|| format!("could not connect to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
        })
    }

    /// The body of the answer, which must mean success.
    pub(super) async fn get(&mut self, path: &str) -> Result<Vec<u8>> {
        self.call("GET", path, "").await
    }

    /// The same, with a JSON body.
    pub(super) async fn post(&mut self, path: &str, body: &str) -> Result<Vec<u8>> {
        self.call("POST", path, body).await
    }

    /// Makes a thread and gives its id.
    pub(super) async fn new_thread(&mut self) -> Result<String> {
        let answer: Value = serde_json::from_slice(&self.post("/v1/threads", "{}").await?)?;
        let id = answer["id"].as_str().context("a new thread has no id")?;
        Ok(id.to_owned())
    }

    /// Starts a turn.
    pub(super) async fn start_turn(&mut self, thread: &str) -> Result<()> {
        let path = format!("/v1/threads/{thread}/turns");
        self.post(&path, r#"{"prompt":"Say it."}"#).await.map(drop)
    }

    async fn call(&mut self, method: &str, path: &str, body: &str) -> Result<Vec<u8>> {
        self.send(method, path, body).await?;
        let (status, framing) = self.head().await?;
        let answer = self.body(framing).await?;
        ensure!(
            (200..300).contains(&status),
            "{method} {path} gave {status}: {}",
            String::from_utf8_lossy(&answer)
        );
        Ok(answer)
    }

    async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<()> {
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {TOKEN}\r\n"
        );
        if !body.is_empty() {
            let length = body.len();
            request.push_str("content-type: application/json\r\n");
            request.push_str(&format!("content-length: {length}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(body);
        Ok(within(self.stream.write_all(request.as_bytes())).await??)
    }

    /// The status of an answer and how its body ends.
    async fn head(&mut self) -> Result<(u16, Framing)> {
        let end = loop {
            match memmem::find(&self.buffer, b"\r\n\r\n") {
                Some(end) => break end,
                None => self.more().await?,
            }
        };
        let head = read_head(&String::from_utf8_lossy(&self.buffer[..end]));
        self.buffer.drain(..end + 4);
        head
    }

    async fn body(&mut self, framing: Framing) -> Result<Vec<u8>> {
        match framing {
            Framing::Length(length) => {
                while self.buffer.len() < length {
                    self.more().await?;
                }
                Ok(self.buffer.drain(..length).collect())
            }
            Framing::Chunked => {
                let (mut chunks, mut plain) = (Chunks::default(), Vec::new());
                loop {
                    chunks.decode(&self.buffer, &mut plain)?;
                    self.buffer.clear();
                    if chunks.is_at_end() {
                        return Ok(plain);
                    }
                    self.more().await?;
                }
            }
            Framing::UntilClose => bail!("the server closes connections that it could keep"),
        }
    }

    async fn more(&mut self) -> Result<()> {
        self.buffer.reserve(16 * 1024);
        let count = within(self.stream.read_buf(&mut self.buffer)).await??;
        ensure!(count > 0, "the server closed the connection");
        Ok(())
    }
}

fn read_head(head: &str) -> Result<(u16, Framing)> {
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let status = status.and_then(|word| word.parse().ok());
    let status = status.context("an answer has no status")?;
    let mut framing = Framing::UntilClose;
    for line in lines {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if name.eq_ignore_ascii_case("content-length") {
            framing = Framing::Length(value.trim().parse()?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            framing = Framing::Chunked;
        }
    }
    Ok((status, framing))
}

/// Where a reader of a thread begins.
#[derive(Clone, Copy)]
pub(super) enum Since {
    /// With the first event.
    Beginning,
    /// With the next event.
    Now,
}

/// A reader of a thread.
pub(super) struct Events {
    stream: TcpStream,
    /// None when the body is not sent in chunks.
    chunks: Option<Chunks>,
    scratch: Vec<u8>,
    frames: Frames,
}

impl Events {
    pub(super) async fn open(address: SocketAddr, thread: &str, since: Since) -> Result<Self> {
        let query = match since {
            Since::Beginning => "",
            Since::Now => "?replay_limit=0",
        };
        let mut http = Http::connect(address).await?;
        let path = format!("/v1/threads/{thread}/events{query}");
        http.send("GET", &path, "").await?;
        let (status, framing) = http.head().await?;
        ensure!(status == 200, "GET {path} gave {status}");
        Ok(Self {
            stream: http.stream,
            chunks: matches!(framing, Framing::Chunked).then(Chunks::default),
            scratch: http.buffer,
            frames: Frames::default(),
        })
    }

    /// Waits for bytes and hands out the frames that are whole. Says when the bytes came.
    pub(super) async fn read(&mut self, each: impl FnMut(Frame<'_>)) -> Result<Instant> {
        if self.scratch.is_empty() {
            self.scratch.reserve(READ_BYTES);
            let count = within(self.stream.read_buf(&mut self.scratch)).await??;
            ensure!(count > 0, "the server closed the event stream");
        }
        let at = Instant::now();
        let plain = &mut self.frames.plain;
        match &mut self.chunks {
            Some(chunks) => chunks.decode(&self.scratch, plain)?,
            None => plain.extend_from_slice(&self.scratch),
        }
        self.scratch.clear();
        self.frames.take(each);
        Ok(at)
    }

    /// Reads to the end of a turn without looking at anything else, and says how many bytes came.
    pub(super) async fn skim_turn(&mut self) -> Result<usize> {
        const END: &[u8] = b"event: turn.completed";
        let mut bytes = 0;
        loop {
            // The mark may be cut in two.
            let kept = self.scratch.len().min(END.len() - 1);
            self.scratch.drain(..self.scratch.len() - kept);
            self.scratch.reserve(64 * 1024);
            let count = within(self.stream.read_buf(&mut self.scratch)).await??;
            ensure!(count > 0, "the server closed the event stream");
            bytes += count;
            if memmem::find(&self.scratch, END).is_some() {
                self.scratch.clear();
                return Ok(bytes);
            }
        }
    }
}

/// A reader that never reads.
pub(super) struct Stalled {
    _stream: TcpStream,
}

impl Stalled {
    pub(super) async fn open(address: SocketAddr, thread: &str) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(STALLED_BYTES)?;
        let mut http = Http::over(socket, address).await?;
        let path = format!("/v1/threads/{thread}/events?replay_limit=0");
        http.send("GET", &path, "").await?;
        let (status, _) = http.head().await?;
        ensure!(status == 200, "GET {path} gave {status}");
        Ok(Self {
            _stream: http.stream,
        })
    }
}

/// Waits, but not for ever.
async fn within<T>(future: impl Future<Output = T>) -> Result<T> {
    let waited = timeout(WAIT, future).await;
    waited.with_context(|| format!("waited {WAIT:?} for the server"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_tells_the_status_and_where_the_body_ends() {
        let (status, framing) = read_head("HTTP/1.1 201 Created\r\nContent-Length: 12").unwrap();
        assert!(status == 201 && matches!(framing, Framing::Length(12)));
        let head = "HTTP/1.1 200 OK\r\ncontent-type: x\r\ntransfer-encoding: chunked";
        let (status, framing) = read_head(head).unwrap();
        assert!(status == 200 && matches!(framing, Framing::Chunked));
        assert!(read_head("nonsense").is_err());
    }
}
