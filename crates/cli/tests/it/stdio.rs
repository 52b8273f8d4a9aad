//! The program at the pipes of another: the control protocol, line by line.

mod approvals;
mod crashes;
mod probe;
mod settings;
mod smoke;
mod turns;

use codewhale_testkit::app::{Ended, Home, Started};
use codewhale_testkit::model_server::ModelServer;
use serde_json::{Value, json};

use crate::scene::program;

/// A conversation with the program over its pipes.
struct Talk {
    program: Started,
    /// Lines that were heard.
    heard: usize,
}

/// A talk with a program whose model is scripted.
struct Scene {
    talk: Talk,
    model: ModelServer,
    home: Home,
}

impl Scene {
    async fn new() -> Self {
        let model = ModelServer::start().await;
        let home = Home::with_model(&model);
        let talk = Talk::begin(&home);
        Self { talk, model, home }
    }
}

impl Talk {
    fn begin(home: &Home) -> Self {
        let program = program(home).arguments(["app-server", "--stdio"]);
        Self {
            program: program.begin_heard(),
            heard: 0,
        }
    }

    /// Sends a request without waiting for anything.
    async fn send(&mut self, id: u64, method: &str, params: Value) {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.program.say(&format!("{request}\n")).await;
    }

    /// The next line.
    async fn next(&mut self) -> Value {
        self.heard += 1;
        let line = self.program.line(self.heard).await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Everything up to the answer to a request, and that.
    async fn until(&mut self, id: u64) -> (Vec<Value>, Value) {
        let mut before = Vec::new();
        loop {
            let line = self.next().await;
            if line["id"] == id {
                return (before, line);
            }
            before.push(line);
        }
    }

    /// Asks, and hears the result.
    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(id, method, params).await;
        let (_, mut answer) = self.until(id).await;
        assert_eq!(answer.get("error"), None, "{answer}");
        answer["result"].take()
    }

    /// Starts a thread that offers the shell.
    async fn thread(&mut self) -> String {
        let made = self
            .ask(900, "threads/create", json!({ "allow_shell": true }))
            .await;
        made["id"].as_str().unwrap().to_owned()
    }

    /// Sends a message and wants to hear everything.
    async fn message(&mut self, id: u64, thread: &str, input: &str) {
        let params = json!({ "thread_id": thread, "input": input, "stream": "events" });
        self.send(id, "thread/message", params).await;
    }

    /// Waits for an event of the turn that runs, and tells it.
    async fn event(&mut self, name: &str) -> Value {
        loop {
            let mut line = self.next().await;
            if line["params"]["event"]["event"] == name {
                return line["params"]["event"].take();
            }
        }
    }

    async fn end(mut self) -> Ended {
        self.program.hang_up();
        self.program.ended().await
    }
}

/// The events among some lines, by name.
fn events(lines: &[Value]) -> Vec<&str> {
    let events = lines.iter().map(|line| &line["params"]["event"]["event"]);
    events.filter_map(Value::as_str).collect()
}
