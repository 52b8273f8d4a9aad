//! A small HTTP server: reads one request per connection and does with the connection as told.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query as they were sent.
    pub(crate) target: String,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        Some(headers.find(|header| header.0 == name)?.1.as_str())
    }
}

/// The bytes of an answer, and what becomes of the connection behind them.
pub(crate) enum Answer {
    ThenClose(Vec<u8>),
    ThenHold(Vec<u8>),
}

impl Answer {
    /// A whole answer with a body of known length.
    pub(crate) fn json(status: &str, body: &str) -> Self {
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        Self::ThenClose((head + body).into())
    }
}

/// Dropping it stops it and closes all its connections.
pub(crate) struct Server {
    address: SocketAddr,
    requests: watch::Sender<Vec<Request>>,
    accepting: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = watch::Sender::new(Vec::new());
        #[expect(
            clippy::disallowed_methods,
            reason = "the server owns its accept loop and ends it when dropped"
        )]
        let accepting = tokio::spawn(accept(listener, requests.clone(), Arc::new(answer)));
        Self {
            address,
            requests,
            accepting,
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.borrow().clone()
    }

    /// Waits until so many requests came.
    pub(crate) async fn wait_for_requests(&self, count: usize) -> Vec<Request> {
        let mut requests = self.requests.subscribe();
        let enough = requests.wait_for(|requests| requests.len() >= count);
        enough.await.unwrap().clone()
    }

    /// The one request that came.
    pub(crate) fn only_request(&self) -> Request {
        let requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests[0].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    requests: watch::Sender<Vec<Request>>,
    answer: Arc<impl Fn(&Request) -> Answer + Send + Sync + 'static>,
) {
    let mut connections = JoinSet::new();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (requests, answer) = (requests.clone(), answer.clone());
        connections.spawn(async move {
            let Some(request) = read(&mut stream).await else {
                return;
            };
            requests.send_modify(|requests| requests.push(request.clone()));
            let (bytes, holds) = match answer(&request) {
                Answer::ThenClose(bytes) => (bytes, false),
                Answer::ThenHold(bytes) => (bytes, true),
            };
            stream.write_all(&bytes).await.ok();
            stream.flush().await.ok();
            if holds {
                // Until the client leaves.
                stream.read_u8().await.ok();
            }
        });
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let mut request = parse(std::str::from_utf8(&bytes[..head]).unwrap());
    let length = request.header("content-length");
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    while bytes.len() < head + 4 + length {
        stream.read_buf(&mut bytes).await.ok()?;
    }
    request.body = String::from_utf8(bytes.split_off(head + 4)).unwrap();
    Some(request)
}

fn parse(head: &str) -> Request {
    let mut lines = head.lines();
    let mut first = lines.next().unwrap().split(' ');
    Request {
        method: first.next().unwrap().to_owned(),
        target: first.next().unwrap().to_owned(),
        headers: lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect(),
        body: String::new(),
    }
}
