//! The real program: started in a home and a workspace of its own, spoken to over real HTTP.
//!
//! ```text
//! let home = Home::new();
//! let app = Program::new(env!("CARGO_BIN_EXE_codewhale"), &home).serve().await;
//! let thread = app.create_thread(json!({})).await;
//! let mut events = app.follow(&thread.id, Seq::ZERO).await;
//! app.start_turn(&thread.id, "list the files").await;
//! events.until("turn.completed").await;
//! ```
//!
//! Every wait ends: with what was waited for, or with a panic that says what it was.

mod document;
mod editor;
mod events;
mod home;
mod http;
mod program;

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use codewhale_protocol::runtime::{
    ApprovalId, Seq, ThreadDetail, ThreadId, ThreadRecord, TurnRecord, TurnWithThread,
};
use serde_json::{Value, json};

use document::Exchange;
pub use document::{Described, Document, Schemas};
pub use editor::{Conversation, Editor, Side};
pub use events::{Follower, Seen, continue_from, fold};
pub use home::{Home, config_for};
pub use http::{Answer, Body, Request};
use program::Process;
pub use program::{Ended, Program, Started};
pub use rustix::process::Signal;

/// No test waits longer for something that is going to happen.
pub const WAIT: Duration = Duration::from_secs(30);

/// The token of the programs that tests start.
pub const TOKEN: &str = "token-of-the-tests-0123456789";

/// A program that serves. Dropping it kills it.
pub struct App {
    process: Process,
    address: SocketAddr,
    token: String,
}

impl App {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// What gets one in.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The same server as seen by someone with another token.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        token.clone_into(&mut self.token);
        self
    }

    /// What it has written to standard output so far.
    pub fn stdout(&self) -> String {
        self.process.stdout.text()
    }

    /// Waits until it has written these words to standard output, and tells all it wrote.
    pub async fn until_said(&self, words: &str) -> String {
        within(words, self.process.stdout.until(words)).await
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        self.process.stderr.text()
    }

    /// Waits until it has written these words to standard error, and tells all it wrote.
    pub async fn until_complained(&self, words: &str) -> String {
        within(words, self.process.stderr.until(words)).await
    }

    /// Ends it at once, as a crash would.
    pub async fn kill(self) -> Ended {
        self.process.kill().await
    }

    /// Asks it to end, and waits until it has.
    pub async fn terminate(self) -> Ended {
        self.end_by(Signal::TERM).await
    }

    /// Sends it a signal to end, and waits until it has.
    pub async fn end_by(self, signal: Signal) -> Ended {
        self.process.end_by(signal).await
    }

    /// Waits until it ends by itself.
    pub async fn ended(self) -> Ended {
        self.process.ended().await
    }

    /// A request with the token.
    pub fn request(&self, method: &str, target: &str) -> Request {
        Request::new(method, target).bearer(&self.token)
    }

    /// Sends a request as it is. The answer is what the document of the API says, or this panics.
    pub async fn send(&self, request: Request) -> Answer {
        let what = request.line();
        let (method, target) = request.method_and_target();
        let answer = within(&what, request.send(self.address)).await;
        Document::of_this_build().check(&Exchange {
            method: &method,
            target: &target,
            status: answer.status,
            content_type: answer.header("content-type"),
            body: Some(&answer.body),
        });
        answer
    }

    /// Sends a request to a server that may be gone; the status, if it answers.
    pub async fn try_send(&self, request: Request) -> Option<u16> {
        let what = request.line();
        within(&what, request.try_send(self.address)).await.ok()
    }

    /// Sends a request as it is, for those who read the answer piece by piece.
    pub async fn open(&self, request: Request) -> Body {
        let what = request.line();
        let (method, target) = request.method_and_target();
        let body = within(&what, request.open(self.address)).await;
        Document::of_this_build().check(&Exchange {
            method: &method,
            target: &target,
            status: body.status,
            content_type: body.header("content-type"),
            body: None,
        });
        body
    }

    /// `GET`, with the token.
    pub async fn get(&self, target: &str) -> Answer {
        self.send(self.request("GET", target)).await
    }

    /// `POST` with a JSON body, with the token.
    pub async fn post(&self, target: &str, body: Value) -> Answer {
        self.send(self.request("POST", target).json(&body)).await
    }

    /// `PATCH` with a JSON body, with the token.
    pub async fn patch(&self, target: &str, body: Value) -> Answer {
        self.send(self.request("PATCH", target).json(&body)).await
    }

    /// Makes a thread.
    pub async fn create_thread(&self, body: Value) -> ThreadRecord {
        self.post("/v1/threads", body).await.read(201)
    }

    /// A whole thread as it is now.
    pub async fn snapshot(&self, thread: &ThreadId) -> ThreadDetail {
        self.get(&format!("/v1/threads/{thread}")).await.read(200)
    }

    /// Asks for a turn; the answer may be a refusal.
    pub async fn ask_for_turn(&self, thread: &ThreadId, body: Value) -> Answer {
        self.post(&format!("/v1/threads/{thread}/turns"), body)
            .await
    }

    /// Starts a turn.
    pub async fn start_turn(&self, thread: &ThreadId, prompt: &str) -> TurnRecord {
        let answer = self.ask_for_turn(thread, json!({ "prompt": prompt })).await;
        answer.read::<TurnWithThread>(201).turn
    }

    /// Adds to a turn; the answer may be a refusal.
    pub async fn steer(&self, turn: &TurnRecord, prompt: &str) -> Answer {
        let target = format!("{}/steer", path_of(turn));
        self.post(&target, json!({ "prompt": prompt })).await
    }

    /// Stops a turn, as most clients do it: without any body; the answer may be a refusal.
    pub async fn interrupt(&self, turn: &TurnRecord) -> Answer {
        let target = format!("{}/interrupt", path_of(turn));
        self.send(self.request("POST", &target)).await
    }

    /// Answers an approval; the answer may be a refusal.
    pub async fn decide(&self, approval: &ApprovalId, decision: &str) -> Answer {
        let target = format!("/v1/approvals/{approval}");
        self.post(&target, json!({ "decision": decision })).await
    }

    /// Follows a thread behind a place of the log.
    pub async fn follow(&self, thread: &ThreadId, after: Seq) -> Follower {
        let target = format!("/v1/threads/{thread}/events?since_seq={after}");
        let body = self.open(self.request("GET", &target)).await;
        Follower::new(body, after)
    }

    /// All events of a thread up to the last one that its snapshot shows.
    pub async fn history(&self, thread: &ThreadId) -> Vec<Seen> {
        let last = self.snapshot(thread).await.latest_seq;
        let mut follower = self.follow(thread, Seq::ZERO).await;
        follower.until_seq(last).await;
        follower.into_seen()
    }

    /// The memory it has in use, in KiB.
    pub fn resident_kib(&self) -> u64 {
        let status = format!("/proc/{}/status", self.pid());
        let status = std::fs::read_to_string(status).expect("a live process has a status");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .expect("a live process has memory");
        let digits = line.trim().trim_end_matches(" kB");
        digits.parse().expect("memory is counted in kB")
    }
}

fn path_of(turn: &TurnRecord) -> String {
    format!("/v1/threads/{}/turns/{}", turn.thread_id, turn.id)
}

/// Waits for something that is going to happen.
pub async fn within<T>(what: &str, wait: impl Future<Output = T>) -> T {
    match tokio::time::timeout(WAIT, wait).await {
        Ok(done) => done,
        Err(_) => panic!("waited {WAIT:?} for {what}"),
    }
}
