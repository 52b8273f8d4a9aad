//! One request and its answer, and the other side of it: a browser.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request.
pub(super) struct Exchange {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: String,
}

/// What is sent back.
pub(super) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Exchange {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    pub(super) fn form(&self) -> BTreeMap<String, String> {
        pairs(&self.body)
    }
}

impl Answer {
    pub(super) fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self {
            body: body.to_string(),
            ..Self::status(status).with("content-type", "application/json")
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// Serves one request of a connection.
pub(super) async fn serve(mut stream: TcpStream, answer: impl FnOnce(&Exchange) -> Answer) {
    let Some(exchange) = read(&mut stream).await else {
        return;
    };
    let answer = answer(&exchange);
    let mut text = format!("HTTP/1.1 {} x\r\n", answer.status);
    for (name, value) in &answer.headers {
        text += &format!("{name}: {value}\r\n");
    }
    let (length, body) = (answer.body.len(), &answer.body);
    text += &format!("content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    // A client that is gone needs no answer.
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<Exchange> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).ok()?;
    let mut lines = text.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?);
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
    let headers: BTreeMap<_, _> = headers.collect();
    let length = headers.get("content-length").and_then(|it| it.parse().ok());
    let length: usize = length.unwrap_or(0);
    while bytes.len() < head + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Some(Exchange {
        method,
        path: path.to_owned(),
        query: pairs(query),
        headers,
        body: String::from_utf8(bytes[head..head + length].to_vec()).ok()?,
    })
}

fn pairs(text: &str) -> BTreeMap<String, String> {
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text).decode_utf8_lossy().into_owned()
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

/// Opens an address as a browser does, goes where it is sent, and tells the last status and page.
pub async fn visit(address: &str) -> (u16, String) {
    let mut address = address.to_owned();
    loop {
        let rest = address.strip_prefix("http://").expect("a plain address");
        let (host, target) = rest.split_once('/').unwrap_or((rest, ""));
        let mut stream = TcpStream::connect(host).await.expect("somebody listens");
        let request = format!("GET /{target} HTTP/1.1\r\nhost: {host}\r\n\r\n");
        let sent = stream.write_all(request.as_bytes()).await;
        sent.expect("the request is taken");
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer).await;
        read.expect("the answer is text");
        let (head, page) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        let location = head.lines().find_map(|it| it.strip_prefix("location: "));
        match location {
            Some(next) => address = next.to_owned(),
            None => return (status.expect("a status is a number"), page.to_owned()),
        }
    }
}
