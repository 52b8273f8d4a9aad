//! Requests that cannot be served: each gets an error that says why, and nothing changes.

mod approvals;
mod requests;
mod threads;
mod turns;

use codewhale_protocol::runtime::ThreadId;
use codewhale_testkit::app::{Answer, Request};
use serde_json::{Value, json};

use crate::scene::Scene;

/// An error has this shape, says something, and repeats its status.
#[track_caller]
fn check_error(answer: &Answer, status: u16, code: &str, words: &str) -> Value {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let error = answer.json()["error"].clone();
    let mut rest = error.clone();
    let members = rest.as_object_mut().unwrap();
    let message = members.remove("message").unwrap();
    let data = members.remove("data").unwrap_or_default();
    assert_eq!(rest, json!({ "status": status, "code": code }));
    let message = message.as_str().unwrap();
    assert!(message.contains(words), "{message:?} lacks {words:?}");
    data
}

/// A thread with one finished turn, which bad requests are thrown at.
struct Target {
    scene: Scene,
    thread: ThreadId,
}

impl Target {
    async fn new() -> Self {
        let scene = Scene::new().await;
        scene
            .model
            .push(codewhale_testkit::model_server::Reply::says("Done."));
        let (thread, mut events) = scene.thread(json!({ "title": "Target" })).await;
        scene.app.start_turn(&thread, "go").await;
        events.until("turn.completed").await;
        Self { scene, thread }
    }

    fn path(&self) -> String {
        format!("/v1/threads/{}", self.thread)
    }

    /// Sends it and sees that it is refused like this, and that the thread and the list of
    /// threads are as before.
    async fn check(&self, request: Request, status: u16, code: &str, words: &str) -> Value {
        let before = self.all().await;
        let answer = self.scene.app.send(request).await;
        let data = check_error(&answer, status, code, words);
        assert_eq!(self.all().await, before);
        data
    }

    async fn all(&self) -> (Value, Value) {
        let detail = self.scene.app.get(&self.path()).await.json();
        let list = self
            .scene
            .app
            .get("/v1/threads?include_archived=true")
            .await;
        (detail, list.json())
    }

    fn request(&self, method: &str, target: &str) -> Request {
        self.scene.app.request(method, target)
    }

    async fn check_post(&self, target: &str, body: Value, status: u16, code: &str, words: &str) {
        let request = self.request("POST", target).json(&body);
        self.check(request, status, code, words).await;
    }

    async fn check_patch(&self, body: Value, status: u16, code: &str, words: &str) {
        let request = self.request("PATCH", &self.path()).json(&body);
        self.check(request, status, code, words).await;
    }
}
