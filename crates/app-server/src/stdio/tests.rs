//! The door over a service that does what a test tells it.

mod capabilities;
mod endings;
mod frames;
mod service;
mod streams;

use std::time::Duration;

use codewhale_protocol::runtime::PrincipalId;
use codewhale_protocol::{Caller, Scopes, Surface};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Options, serve};
use service::Fake;

/// Longer than anything that is going to happen takes.
const WAIT: Duration = Duration::from_secs(20);

/// A client at the door.
struct Client {
    to: Option<WriteHalf<DuplexStream>>,
    from: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<()>,
    stop: CancellationToken,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the door runs beside the test and is joined by it"
)]
fn connect(fake: &Fake) -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(theirs);
    let (from, to) = tokio::io::split(ours);
    let stop = CancellationToken::new();
    let options = Options {
        caller: Caller {
            principal: PrincipalId::from("prn_test"),
            scopes: Scopes::ALL,
            token_id: None,
            device_id: None,
            surface: Surface::Stdio,
            on_behalf_of: None,
        },
        version: "0.0.0".to_owned(),
        config_path: None,
    };
    let service = fake.service();
    let serving = tokio::spawn(serve(service, options, input, output, stop.clone()));
    Client {
        to: Some(to),
        from: BufReader::new(from).lines(),
        serving,
        stop,
    }
}

impl Client {
    async fn send(&mut self, line: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(line.as_bytes()).await.unwrap();
        to.write_all(b"\n").await.unwrap();
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string()).await;
    }

    /// The next line, which must come.
    async fn line(&mut self) -> Value {
        let line = tokio::time::timeout(WAIT, self.from.next_line()).await;
        let line = line.expect("a line comes").unwrap();
        serde_json::from_str(&line.expect("the door still talks")).unwrap()
    }

    /// The next lines in short.
    async fn told(&mut self, count: usize) -> Vec<String> {
        let mut told = Vec::new();
        for _ in 0..count {
            told.push(in_short(&self.line().await));
        }
        told
    }

    fn end_input(&mut self) {
        let mut to = self.to.take().unwrap();
        // Half of a duplex closes when it is shut down, not when it is dropped.
        let shut = async move { to.shutdown().await };
        futures_util::FutureExt::now_or_never(shut);
    }

    /// Everything it still says, until it is done.
    async fn rest(mut self) -> Vec<String> {
        let mut rest = Vec::new();
        while let Some(line) = self.from.next_line().await.unwrap() {
            rest.push(in_short(&serde_json::from_str(&line).unwrap()));
        }
        self.serving.await.unwrap();
        rest
    }
}

/// A line as a test reads it: the id and what it is.
fn in_short(line: &Value) -> String {
    if let Some(kind) = line["type"].as_str() {
        let delta = line["delta"].as_str().unwrap_or_default();
        return format!("{kind} {delta}").trim_end().to_owned();
    }
    if let Some(method) = line["method"].as_str() {
        let event = &line["params"]["event"];
        let name = event["event"].as_str().unwrap_or_default();
        return format!("{method} {name}");
    }
    if let Some(code) = line["error"]["code"].as_i64() {
        return format!("{} error {code}", line["id"]);
    }
    let result = &line["result"];
    let word = ["status", "interrupted", "delivered", "steered", "methods"]
        .iter()
        .find_map(|name| result.get(name));
    match word {
        Some(Value::Array(_)) => format!("{} methods", line["id"]),
        Some(word) => format!("{} {word}", line["id"]),
        None => format!("{} {result}", line["id"]),
    }
}
