//! A client that speaks MCP line by line with the real program.

use codewhale_testkit::app::{Ended, Home, Program, Signal, Started};
use serde_json::{Value, json};

use crate::scene::program;

/// A conversation with the program.
pub(super) struct Talk {
    program: Started,
    last: u64,
}

impl Talk {
    /// Begins one, as a client that can do nothing special.
    pub(super) async fn begin(home: &Home) -> Self {
        Self::begin_with(home, json!({})).await
    }

    /// Begins one, as a client that can do this.
    pub(super) async fn begin_with(home: &Home, capabilities: Value) -> Self {
        Self::with(program(home), capabilities).await
    }

    /// Begins one with a program of its own.
    pub(super) async fn with(program: Program, capabilities: Value) -> Self {
        let (talk, version) = Self::greet(program, "2025-06-18", capabilities).await;
        assert_eq!(version, "2025-06-18");
        talk
    }

    /// Begins one by some version; and the version that the program speaks.
    pub(super) async fn greet(
        program: Program,
        version: &str,
        capabilities: Value,
    ) -> (Self, Value) {
        let program = program.arguments(["serve", "--mcp"]).begin_heard();
        // Requests of the server have small numbers.
        let mut talk = Self { program, last: 100 };
        let hello = json!({
            "protocolVersion": version, "capabilities": capabilities,
            "clientInfo": { "name": "tester", "version": "1" },
        });
        let hello = talk.ask("initialize", hello).await;
        assert_eq!(
            hello["result"]["serverInfo"]["name"], "codewhale",
            "{hello}"
        );
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        talk.send(&ready).await;
        (talk, hello["result"]["protocolVersion"].clone())
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.say(&format!("{message}\n")).await;
    }

    pub(super) async fn say(&mut self, text: &str) {
        self.program.say(text).await;
    }

    /// Asks for something; the number of the request.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let (id, params) = (self.last, &params);
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message).await;
        id
    }

    /// Asks, and waits for the answer.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        self.answer(id).await
    }

    /// Calls a tool, and waits for the answer.
    pub(super) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
        .await
    }

    pub(super) async fn answer(&self, id: u64) -> Value {
        let words = format!("\"id\":{id},");
        self.until(&words, |it| it["id"] == id && it["method"].is_null())
            .await
    }

    /// Waits for a message with these words that is the right one.
    pub(super) async fn until(&self, words: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let said = self.program.until_said(words).await;
            // Every line that the program writes is a message, and nothing else is.
            let lines = said.split_inclusive('\n').filter(|it| it.ends_with('\n'));
            let mut messages = lines.map(|line| serde_json::from_str(line).unwrap());
            if let Some(message) = messages.find(&is_it) {
                return message;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Answers a question of the program, the how-manieth from zero.
    pub(super) async fn answer_question(&mut self, count: u64, result: Value) -> Value {
        let is_it = |it: &Value| it["method"] == "elicitation/create" && it["id"] == count;
        let asked = self.until("elicitation/create", is_it).await;
        self.send(&json!({ "jsonrpc": "2.0", "id": count, "result": result }))
            .await;
        asked
    }

    /// Ends the program by a signal.
    pub(super) async fn end_by(self, signal: Signal) -> Ended {
        self.program.end_by(signal).await
    }

    /// Kills the program.
    pub(super) async fn kill(self) -> Ended {
        self.program.kill().await
    }

    /// Closes the program's input, and waits for its end.
    pub(super) async fn end(mut self) -> Ended {
        self.program.hang_up();
        self.program.ended().await
    }
}

/// What a client can do whose person answers forms.
pub(super) fn forms() -> Value {
    json!({ "elicitation": {} })
}

/// The text of a result.
pub(super) fn text(answer: &Value) -> String {
    let content = answer["result"]["content"].as_array();
    let parts = content.into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    assert!(!texts.is_empty(), "{answer}");
    texts.join("\n")
}

#[track_caller]
pub(super) fn assert_done(answer: &Value) {
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[track_caller]
pub(super) fn assert_failed(answer: &Value) {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[track_caller]
pub(super) fn assert_invalid(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
