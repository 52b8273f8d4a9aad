//! A request that the server got.

use std::time::Instant;

use bytes::Bytes;
use codewhale_model::without_meta;
use serde_json::Value;

/// What a client sent.
#[derive(Clone, Debug)]
pub struct Request {
    /// `POST`, as a rule.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Header lines; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub bytes: Bytes,
    /// The body read as JSON; null if it is none.
    pub body: Value,
    /// When its last byte came.
    pub at: Instant,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The conversation.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// What the person said last, without what the model is told behind it.
    pub fn last_user_text(&self) -> Option<&str> {
        let mut messages = self.messages().iter().rev();
        let last = messages.find(|message| message["role"] == "user")?;
        last["content"].as_str().map(without_meta)
    }

    /// What was said behind the standing instructions, by whomever.
    pub fn said(&self) -> Vec<&str> {
        let messages = self.messages().iter();
        let talk = messages.filter(|message| message["role"] != "system");
        talk.map(|message| without_meta(message["content"].as_str().unwrap_or_default()))
            .collect()
    }

    /// The names of the tools on offer.
    pub fn tool_names(&self) -> Vec<&str> {
        let tools = self.body["tools"]
            .as_array()
            .map_or(&[] as &[Value], Vec::as_slice);
        tools
            .iter()
            .filter_map(|tool| tool["function"]["name"].as_str())
            .collect()
    }
}
