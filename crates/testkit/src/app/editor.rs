//! An editor: the program spoken to over its standard input and output, one JSON message per line.
//! Every message of both sides is held against the published schema.

mod conversation;

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::{Program, within};
pub use conversation::{Conversation, Side};

/// A program that speaks the Agent Client Protocol. Dropping it kills it.
pub struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    ids: u64,
    seen: Vec<Value>,
    conversation: Conversation,
}

impl Program {
    /// Starts it as an editor does.
    pub fn edit(self) -> Editor {
        self.arguments(["serve", "--acp"]).converse()
    }

    /// Starts it with the arguments it has. What it says waits in the pipe until someone reads it; lines
    /// that are sent as they are may be of any protocol.
    pub fn converse(self) -> Editor {
        let mut child = self.spawn(Stdio::piped());
        let output = child.stdout.take().expect("standard output is a pipe");
        Editor {
            input: child.stdin.take(),
            output: BufReader::new(output).lines(),
            child,
            ids: 0,
            seen: Vec::new(),
            conversation: Conversation::default(),
        }
    }
}

impl Editor {
    /// Sends a line as it is.
    pub async fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the editor has not closed it");
        let line = format!("{line}\n");
        let sent = within("the program to read", input.write_all(line.as_bytes()));
        sent.await.expect("the program reads");
    }

    async fn send(&mut self, message: Value) {
        self.conversation.say(Side::Client, &message);
        self.send_line(&message.to_string()).await;
    }

    /// Sends a notification.
    pub async fn tell(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send(message).await;
    }

    /// Sends a request and gives its id.
    pub async fn begin(&mut self, method: &str, params: Value) -> Value {
        let message = self.request(method, params);
        let id = message["id"].clone();
        self.send(message).await;
        id
    }

    /// Sends as a request what the protocol has as a notification.
    pub async fn tell_and_wait(&mut self, method: &str, params: Value) {
        let message = self.request(method, params);
        self.conversation.expect(Side::Client, &message);
        self.send_line(&message.to_string()).await;
        let answer = self.answer_to(&message["id"]).await;
        assert_eq!(answer["result"], Value::Null, "{answer}");
    }

    /// Sends a request under an id of one's own.
    pub async fn begin_as(&mut self, id: &str, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(message).await;
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.ids += 1;
        json!({ "jsonrpc": "2.0", "id": self.ids, "method": method, "params": params })
    }

    /// Answers a request of the program.
    pub async fn answer(&mut self, request: &Value, result: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        self.send(message).await;
    }

    /// Refuses a request of the program.
    pub async fn refuse(&mut self, request: &Value, why: &str) {
        let error = json!({ "code": -32603, "message": why });
        let message = json!({ "jsonrpc": "2.0", "id": request["id"], "error": error });
        self.send(message).await;
    }

    /// Answers a request of the program with what is no answer to it.
    pub async fn answer_badly(&mut self, request: &Value, result: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        self.send_line(&message.to_string()).await;
    }

    /// Sends a request and waits for its result.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        let answer = self.answer_to(&id).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request, good or bad, and waits for it to be refused; gives the error.
    pub async fn refused(&mut self, method: &str, params: Value) -> Value {
        let message = self.request(method, params);
        self.conversation.expect(Side::Client, &message);
        self.send_line(&message.to_string()).await;
        let id = message["id"].clone();
        let answer = self.answer_to(&id).await;
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].clone()
    }

    /// Waits for the answer to a request.
    pub async fn answer_to(&mut self, id: &Value) -> Value {
        let is_it = |it: &Value| it["id"] == *id && it.get("method").is_none();
        self.until(is_it).await
    }

    /// Waits for a request of the program.
    pub async fn asked(&mut self, method: &str) -> Value {
        let is_it = |it: &Value| it["method"] == method && it.get("id").is_some();
        self.until(is_it).await
    }

    /// Waits for an update of a session.
    pub async fn update(&mut self, kind: &str) -> Value {
        let is_it = |it: &Value| it["params"]["update"]["sessionUpdate"] == kind;
        self.until(is_it).await["params"]["update"].clone()
    }

    /// Waits for a message, and keeps those before it.
    pub async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.seen.iter().position(&is_it) {
            return self.seen.remove(index);
        }
        loop {
            let message = self.next().await.expect("the program speaks on");
            if is_it(&message) {
                return message;
            }
            self.seen.push(message);
        }
    }

    /// The next message; nothing at the end.
    pub async fn next(&mut self) -> Option<Value> {
        let line = within("the program to speak", self.output.next_line()).await;
        let line = line.expect("the program writes text")?;
        let message: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{line:?} is no message: {error}"));
        self.conversation.say(Side::Agent, &message);
        Some(message)
    }

    /// Messages that came and were not waited for, oldest first.
    pub fn take_seen(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.seen)
    }

    /// Gives back messages that are to be waited for later.
    pub fn put_back(&mut self, messages: Vec<Value>) {
        self.seen.splice(0..0, messages);
    }

    /// Closes the program's standard input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Kills the program, without a chance to say anything.
    pub async fn kill(mut self) {
        let killed = within("the program to be gone", self.child.kill()).await;
        killed.expect("it is our child");
    }

    /// Waits for the program to end although nobody reads what it says; gives its exit code.
    pub async fn ended_unread(mut self) -> Option<i32> {
        self.input = None;
        let status = within("the program to end", self.child.wait()).await;
        status.expect("it is our child").code()
    }

    /// Waits for the program to end; gives its exit code and what it said last.
    pub async fn ended(mut self) -> (Option<i32>, Vec<Value>) {
        self.input = None;
        while let Some(message) = self.next().await {
            self.seen.push(message);
        }
        let status = within("the program to end", self.child.wait()).await;
        (status.expect("it is our child").code(), self.seen)
    }
}
