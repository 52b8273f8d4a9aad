//! Messages: what is said to a run, and what it says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codewhale_protocol::ErrorCode;
use codewhale_protocol::runtime::{ItemKind, ItemStatus, Timestamp, TurnItemRecord};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::Failure;

/// A message as we tell it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(super) struct Message {
    /// `user`, or `agent/` and the name of the agent.
    pub(super) role: String,
    /// What it consists of.
    pub(super) parts: Vec<Part>,
    /// When it began.
    pub(super) created_at: Option<Timestamp>,
    /// When it was whole.
    pub(super) completed_at: Option<Timestamp>,
}

/// A part of a message as we tell it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessagePart")]
pub(super) struct Part {
    /// A name makes it an artifact.
    pub(super) name: Option<String>,
    /// How the content is to be read.
    pub(super) content_type: &'static str,
    /// The content.
    pub(super) content: String,
    /// Always `plain`.
    pub(super) content_encoding: &'static str,
    /// Always null: the content stands in the part.
    pub(super) content_url: Option<String>,
    /// For a step on the way: what was called, and what came of it.
    pub(super) metadata: Option<Trajectory>,
}

/// A step on the way.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrajectoryMetadata")]
pub(super) struct Trajectory {
    /// Always `trajectory`.
    kind: &'static str,
    /// What it was, in a line.
    message: String,
    /// The tool.
    tool_name: Option<String>,
    /// What it was given.
    tool_input: Map<String, Value>,
    /// What came of it: `status` and `text`.
    tool_output: Map<String, Value>,
}

impl Part {
    /// Text for people.
    pub(super) fn text(content: String) -> Self {
        Self {
            name: None,
            content_type: "text/plain",
            content,
            content_encoding: "plain",
            content_url: None,
            metadata: None,
        }
    }

    /// Data for programs, under a name.
    pub(super) fn data(name: &str, content: &Value) -> Self {
        Self {
            name: Some(name.to_owned()),
            content_type: "application/json",
            ..Self::text(content.to_string())
        }
    }
}

impl Message {
    /// What an item that has ended says; nothing for those that say nothing to other agents.
    pub(super) fn of(item: &TurnItemRecord, role: &str) -> Option<Self> {
        let text = item.detail.as_deref().unwrap_or_default();
        let part = match item.kind {
            ItemKind::AgentMessage if text.is_empty() => return None,
            ItemKind::AgentMessage => Part::text(text.to_owned()),
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => step(item),
            // Thoughts and housekeeping are the agent's own affair.
            ItemKind::UserMessage
            | ItemKind::AgentReasoning
            | ItemKind::ContextCompaction
            | ItemKind::Status
            | ItemKind::Error => return None,
        };
        Some(Self {
            role: role.to_owned(),
            parts: vec![part],
            created_at: item.started_at,
            completed_at: item.ended_at,
        })
    }

    /// What a person or program said.
    pub(super) fn of_user(item: &TurnItemRecord) -> Option<Self> {
        let is_said = item.kind == ItemKind::UserMessage;
        let text = item.detail.clone().filter(|_| is_said)?;
        Some(Self {
            role: "user".to_owned(),
            parts: vec![Part::text(text)],
            created_at: item.started_at,
            completed_at: item.ended_at,
        })
    }
}

/// A call of a tool. Its content is empty, so that who reads texts alone reads the answer alone.
fn step(item: &TurnItemRecord) -> Part {
    let tool = item.metadata.as_ref().map(|facts| &facts["tool"]);
    let input = tool.map(|tool| tool["input"].clone()).unwrap_or_default();
    let output = json!({
        "status": ItemStatus::as_str(item.status),
        "text": item.detail.as_deref().unwrap_or_default(),
    });
    let trajectory = Trajectory {
        kind: "trajectory",
        message: item.summary.clone(),
        tool_name: tool.and_then(|tool| tool["name"].as_str().map(str::to_owned)),
        tool_input: members(input),
        tool_output: members(output),
    };
    Part {
        metadata: Some(trajectory),
        ..Part::text(String::new())
    }
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// A message as others send it. What stands in it besides is not read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "MessageInput")]
pub(super) struct Given {
    /// `user`, `agent`, or `agent/` and a name.
    #[serde(default = "user")]
    #[schemars(regex(pattern = r"^(user|agent(\/[a-zA-Z0-9_\-]+)?)$"))]
    pub(super) role: String,
    /// What it consists of.
    pub(super) parts: Vec<GivenPart>,
}

/// A part of a message as others send it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "MessagePartInput")]
pub(super) struct GivenPart {
    /// A name makes it an artifact.
    #[serde(default)]
    name: Option<String>,
    /// Text of whatever kind; plain when left out.
    #[serde(default)]
    content_type: Option<String>,
    /// The content.
    #[serde(default)]
    #[schemars(example = &"Say hello.")]
    content: Option<String>,
    /// Whether the content is `plain` or `base64`.
    #[serde(default)]
    content_encoding: Option<Encoding>,
    /// Not fetched: the content has to stand in the part.
    #[serde(default)]
    content_url: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Encoding {
    Plain,
    Base64,
}

fn user() -> String {
    "user".to_owned()
}

impl Given {
    /// What the message says, as one text.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let mut text = String::new();
        for part in &self.parts {
            let content = part.text()?;
            match part.name.as_deref().filter(|name| !name.is_empty()) {
                Some(name) => text.push_str(&format!("\n\n{name}:\n{content}\n\n")),
                None => text.push_str(&content),
            }
        }
        Ok(text.trim().to_owned())
    }

    /// The parts that are said to be JSON, read as such.
    pub(super) fn data(&self) -> Result<Option<Value>, Failure> {
        let Some(part) = self.parts.iter().find(|part| part.is_json()) else {
            return Ok(None);
        };
        let read = serde_json::from_str(&part.text()?);
        read.map(Some)
            .map_err(|error| refused(format!("a part is said to be JSON and is not: {error}")))
    }

    fn check_role(&self) -> Result<(), Failure> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let fits = match self.role.split_once('/') {
            None => self.role == "user" || self.role == "agent",
            Some((agent, name)) => {
                agent == "agent" && !name.is_empty() && name.bytes().all(is_word)
            }
        };
        match fits {
            true => Ok(()),
            false => Err(refused(format!(
                "{:?} is no role: use user, agent, or agent/NAME",
                self.role
            ))),
        }
    }
}

impl GivenPart {
    fn essence(&self) -> String {
        let kind = self.content_type.as_deref().unwrap_or("text/plain");
        let essence = kind.split(';').next().unwrap_or_default();
        essence.trim().to_ascii_lowercase()
    }

    fn is_json(&self) -> bool {
        let essence = self.essence();
        essence == "application/json" || essence.ends_with("+json")
    }

    fn is_text(&self) -> bool {
        let essence = self.essence();
        let named = ["application/xml", "application/yaml", "application/toml"];
        self.is_json()
            || essence.starts_with("text/")
            || essence.ends_with("+xml")
            || named.contains(&essence.as_str())
    }

    fn text(&self) -> Result<String, Failure> {
        if self.content_url.is_some() {
            let message = "content_url is not fetched; send the content in the part itself";
            return Err(refused(message.to_owned()));
        }
        let Some(content) = &self.content else {
            return Ok(String::new());
        };
        if !self.is_text() {
            return Err(refused(format!(
                "parts of the type {:?} are not understood; send text",
                self.essence()
            )));
        }
        match self.content_encoding {
            None | Some(Encoding::Plain) => Ok(content.clone()),
            Some(Encoding::Base64) => {
                let bytes = STANDARD.decode(content).ok();
                let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
                text.ok_or_else(|| refused("a part is no text in base64".to_owned()))
            }
        }
    }
}

/// What a run is asked: all messages, one behind the other. Those of agents say whose they are.
pub(super) fn prompt(input: &[Given]) -> Result<String, Failure> {
    let mut texts = Vec::new();
    for message in input {
        message.check_role()?;
        let text = message.text()?;
        match message.role.as_str() {
            _ if text.is_empty() => {}
            "user" => texts.push(text),
            role => texts.push(format!("{role} says:\n{text}")),
        }
    }
    match texts.is_empty() {
        true => Err(refused(
            "the input says nothing; send a message with text in it".to_owned(),
        )),
        false => Ok(texts.join("\n\n")),
    }
}

pub(super) fn refused(message: String) -> Failure {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    Failure::new(status, ErrorCode::InvalidParams, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(messages: Value) -> Vec<Given> {
        serde_json::from_value(messages).unwrap()
    }

    #[track_caller]
    fn check(messages: Value, expect: Result<&str, &str>) {
        let told = prompt(&given(messages)).map_err(|failure| failure.0.message);
        let told = told.as_deref().map_err(String::as_str);
        match (told, expect) {
            (Err(told), Err(expect)) => assert!(told.contains(expect), "{told}"),
            (told, expect) => assert_eq!(told, expect),
        }
    }

    #[test]
    fn parts_are_one_text_and_messages_stand_apart() {
        let parts = json!([{ "content": "Say " }, { "content": "hello.", "content_type": null }]);
        check(
            json!([{ "role": "user", "parts": parts }]),
            Ok("Say hello."),
        );
        check(
            json!([{ "parts": [{ "content": "one" }] }, { "role": "agent/x", "parts": [{ "content": "two" }] }]),
            Ok("one\n\nagent/x says:\ntwo"),
        );
        let named = json!([{ "content": "Read" }, { "name": "a.txt", "content": "inside" }]);
        check(json!([{ "parts": named }]), Ok("Read\n\na.txt:\ninside"));
    }

    #[test]
    fn base64_is_text_too() {
        let part = json!({ "content": "aGk=", "content_encoding": "base64" });
        check(json!([{ "parts": [part] }]), Ok("hi"));
        let part = json!({ "content": "/w==", "content_encoding": "base64" });
        check(json!([{ "parts": [part] }]), Err("no text in base64"));
    }

    #[test]
    fn what_cannot_be_read_is_refused_in_words() {
        check(json!([]), Err("says nothing"));
        check(
            json!([{ "parts": [{ "content": "  " }] }]),
            Err("says nothing"),
        );
        check(json!([{ "role": "boss", "parts": [] }]), Err("no role"));
        check(
            json!([{ "role": "agent/a b", "parts": [] }]),
            Err("no role"),
        );
        let image = json!({ "content": "aGk=", "content_type": "image/png" });
        check(json!([{ "parts": [image] }]), Err("image/png"));
        let link = json!({ "content_url": "http://example.org/x" });
        check(json!([{ "parts": [link] }]), Err("not fetched"));
    }
}
