//! The contract with clients, point by point, as a client written by someone else sees it: plain
//! JSON over HTTP. The numbers are those of the checklist that such clients are tested by. Other
//! suites look at the same things more closely; here one sees at a glance that all points hold.

mod clients;
mod doors;
mod restarts;
mod streams;
mod threads;
mod turns;

use codewhale_testkit::app::{Answer, Request, TOKEN, within};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::Scene;

/// A client that knows addresses and JSON, and nothing else.
struct Client {
    scene: Scene,
}

impl Client {
    async fn new() -> Self {
        let scene = Scene::new().await;
        Self { scene }
    }

    async fn get(&self, target: &str) -> Answer {
        self.scene.app.get(target).await
    }

    async fn post(&self, target: &str, body: Value) -> Answer {
        self.scene.app.post(target, body).await
    }

    /// As many clients do it: without a body, without a content type.
    async fn post_nothing(&self, target: &str) -> Answer {
        let request = self.scene.app.request("POST", target);
        self.scene.app.send(request).await
    }

    /// Makes a thread; the address of it.
    async fn thread(&self, body: Value) -> String {
        let made: Value = self.post("/v1/threads", body).await.read(201);
        format!("/v1/threads/{}", made["id"].as_str().unwrap())
    }

    /// A thread on which a turn has been answered.
    async fn talked(&self) -> String {
        self.scene.model.push(Reply::says("Hello."));
        let thread = self.thread(json!({})).await;
        self.start(&thread, "Say hello.").await;
        self.events(&thread).await;
        thread
    }

    /// Starts a turn; its address.
    async fn start(&self, thread: &str, prompt: &str) -> String {
        let body = json!({ "prompt": prompt });
        let started: Value = self.post(&format!("{thread}/turns"), body).await.read(201);
        format!("{thread}/turns/{}", started["turn"]["id"].as_str().unwrap())
    }

    /// All events of a thread up to the end of its first turn.
    async fn events(&self, thread: &str) -> Vec<Value> {
        self.events_until(thread, 0, "turn.completed").await
    }

    /// The events behind a place, up to one of this name.
    async fn events_until(&self, thread: &str, since: u64, name: &str) -> Vec<Value> {
        let target = format!("{thread}/events?since_seq={since}");
        let request = self.scene.app.request("GET", &target);
        let mut body = self.scene.app.open(request).await;
        let mut frames = streams::Frames::default();
        let found = async {
            loop {
                frames.read(&mut body).await;
                let mut events = frames.events.iter();
                if let Some(last) = events.position(|event| event["event"] == name) {
                    frames.events.truncate(last + 1);
                    return frames.events;
                }
            }
        };
        within(name, found).await
    }

    /// A turn that wants to write a file and waits for an answer; the thread and the question.
    async fn asking(&self) -> (String, Value) {
        let write = r#"{"path":"a.txt","content":"a"}"#;
        let model = &self.scene.model;
        model.push(Reply::calls("call_1", "write_file", write));
        model.push(Reply::says("Done."));
        let thread = self.thread(json!({})).await;
        self.start(&thread, "Write it.").await;
        let mut events = self.events_until(&thread, 0, "approval.required").await;
        (thread, events.pop().unwrap())
    }
}

/// The members that an error has in every case.
#[track_caller]
fn check_error(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    let error = &answer.json()["error"];
    assert_eq!(error["status"], status);
    assert!(!error["message"].as_str().unwrap().is_empty());
}

fn names(events: &[Value]) -> Vec<&str> {
    let names = events.iter().map(|event| event["event"].as_str().unwrap());
    names.collect()
}

fn without_token(method: &str, target: &str) -> Request {
    Request::new(method, target)
}

fn with_token(method: &str, target: &str) -> Request {
    Request::new(method, target).bearer(TOKEN)
}
