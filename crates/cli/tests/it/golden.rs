//! Tasks as people give them, run through the real loop: the model's part is written down, the
//! hands, the law and the files are real.

mod agents;
mod asking;
mod client_tools;
mod commands;
mod editing;
mod fallbacks;
mod hooks;
mod library;
mod long_thread;
mod mcp;
mod undo;
mod user_tools;
mod walls;

use codewhale_protocol::runtime::{ApprovalId, ThreadId};
use codewhale_testkit::app::{Follower, Seen};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::Scene;

/// A task under way.
struct Task {
    scene: Scene,
    thread: ThreadId,
    events: Follower,
    /// What was asked, in order: the tool and what the answer was.
    asked: Vec<String>,
}

/// How a turn ended.
struct Done {
    status: String,
    /// The last message.
    said: String,
}

impl Task {
    /// A thread with these settings, in a workspace with these files.
    async fn new(settings: Value, files: &[(&str, &str)]) -> Self {
        let scene = Scene::new().await;
        for (name, text) in files {
            scene.home.write(name, text);
        }
        let (thread, events) = scene.thread(settings).await;
        Self {
            scene,
            thread,
            events,
            asked: Vec::new(),
        }
    }

    /// A thread of someone who is asked before anything happens.
    async fn asking(files: &[(&str, &str)]) -> Self {
        Self::new(json!({ "allow_shell": true }), files).await
    }

    /// The model's part: calls one after the other, then its last words.
    fn script<const N: usize>(&self, calls: [(&str, Value); N], last: &str) {
        for (index, (tool, input)) in calls.into_iter().enumerate() {
            let id = format!("call_{index}");
            let reply = Reply::calls(&id, tool, &input.to_string());
            self.scene.model.push(reply);
        }
        self.scene.model.push(Reply::says(last));
    }

    /// Gives the task and answers every question with the same word.
    async fn run(&mut self, prompt: &str, word: &str) -> Done {
        self.scene.app.start_turn(&self.thread, prompt).await;
        self.finish(word).await
    }

    /// Follows a turn to its end and answers every question with the same word.
    async fn finish(&mut self, word: &str) -> Done {
        loop {
            let event = self.events.next().await;
            match event.event.as_str() {
                "approval.required" => self.answer(&event, word).await,
                "turn.completed" => return self.done(&event).await,
                _ => {}
            }
        }
    }

    /// Answers a question, unless the law has answered it already.
    async fn answer(&mut self, required: &Seen, word: &str) {
        let approval: ApprovalId = required.payload["id"].as_str().unwrap().into();
        let answer = self.scene.app.decide(&approval, word).await;
        if answer.status == 200 {
            let tool = required.payload["tool_name"].as_str().unwrap();
            self.asked.push(format!("{tool}: {word}"));
            return;
        }
        assert_eq!(answer.status, 409, "{}", answer.text());
        assert_eq!(answer.json()["error"]["data"]["decided_by"]["id"], "policy");
    }

    async fn done(&self, event: &Seen) -> Done {
        let snapshot = self.scene.app.snapshot(&self.thread).await;
        let said = snapshot
            .items
            .into_iter()
            .rev()
            .find_map(|item| item.detail);
        Done {
            status: event.payload["turn"]["status"].as_str().unwrap().to_owned(),
            said: said.unwrap_or_default(),
        }
    }

    /// What the model was told of its calls, in order.
    fn results(&self) -> Vec<String> {
        let request = self.scene.model.last_request();
        let results = request.messages().iter().filter(|it| it["role"] == "tool");
        results
            .map(|it| it["content"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    fn file(&self, name: &str) -> String {
        self.scene.home.read(name).unwrap_or_default()
    }

    fn names(&self) -> Vec<&str> {
        let seen = self.events.seen().iter();
        seen.map(|event| event.event.as_str()).collect()
    }
}
