//! Writes a request.
//!
//! The messages come last and everything before them is the same from one request of a thread to
//! the next, so each request begins with all the bytes of the one before it up to its end. That is
//! what the prefix caches of providers pay for.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::Value;

use crate::catalogue::Thinking;
use crate::effort::ChatWish;
use crate::history::paired;
use crate::{Message, Request, ToolCall, ToolSpec};

/// Stands in for reasoning that was lost, where a provider refuses its absence.
const REASONING_LOST: &str = "(reasoning omitted)";

/// How a provider differs from the plain dialect.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Quirks {
    /// Wants the reasoning back with every message that called tools.
    pub(crate) echo_reasoning: bool,
    /// Needs to be told how long an answer may be.
    pub(crate) output_tokens_max: Option<u32>,
    /// In which words it is told how hard to think.
    pub(crate) thinking: Thinking,
}

/// The request as the provider reads it.
pub(crate) fn write(request: &Request<'_>, quirks: Quirks) -> Vec<u8> {
    let tools: Vec<Tool<'_>> = request.tools.iter().map(Tool::new).collect();
    let body = Body {
        model: request.model,
        stream: true,
        stream_options: StreamOptions {
            include_usage: true,
        },
        max_tokens: quirks.output_tokens_max,
        wish: quirks.thinking.chat(request.effort),
        tool_choice: if tools.is_empty() { None } else { Some("auto") },
        tools,
        messages: Messages { request, quirks },
    };
    let mut bytes = Vec::with_capacity(4096 + request.system.len());
    serde_json::to_writer(&mut bytes, &body).expect("a request is plain data with text keys");
    bytes
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(flatten)]
    wish: ChatWish,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Messages<'a>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> Tool<'a> {
    fn new(spec: &'a ToolSpec) -> Self {
        let ToolSpec {
            name,
            description,
            input_schema: parameters,
        } = spec;
        Self {
            r#type: "function",
            function: Function {
                name,
                description,
                parameters,
            },
        }
    }
}

/// The standing instructions and the conversation, written without a list of their own.
struct Messages<'a> {
    request: &'a Request<'a>,
    quirks: Quirks,
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        if !self.request.system.is_empty() {
            list.serialize_element(&Said {
                role: "system",
                content: self.request.system,
            })?;
        }
        for message in paired(self.request.messages).iter() {
            match message {
                Message::User { text } => list.serialize_element(&Said {
                    role: "user",
                    content: text,
                })?,
                Message::Assistant {
                    reasoning,
                    text,
                    calls,
                } => {
                    list.serialize_element(&Answered::new(reasoning, text, calls, self.quirks))?;
                }
                Message::Tool {
                    call_id,
                    output,
                    success: _,
                } => {
                    list.serialize_element(&Came {
                        role: "tool",
                        tool_call_id: call_id,
                        content: output,
                    })?;
                }
            }
        }
        list.end()
    }
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Came<'a> {
    role: &'static str,
    tool_call_id: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct Answered<'a> {
    role: &'static str,
    /// Empty beside calls rather than null, which some servers refuse.
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Called<'a>>,
}

impl<'a> Answered<'a> {
    fn new(reasoning: &'a str, text: &'a str, calls: &'a [ToolCall], quirks: Quirks) -> Self {
        let reasoning = if reasoning.is_empty() {
            REASONING_LOST
        } else {
            reasoning
        };
        Self {
            role: "assistant",
            content: text,
            reasoning_content: (quirks.echo_reasoning && !calls.is_empty()).then_some(reasoning),
            tool_calls: calls.iter().map(Called::new).collect(),
        }
    }
}

#[derive(Serialize)]
struct Called<'a> {
    id: &'a str,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> Called<'a> {
    fn new(call: &'a ToolCall) -> Self {
        let arguments = call.readable_arguments();
        Self {
            id: &call.id,
            r#type: "function",
            function: CalledFunction {
                name: &call.name,
                arguments,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Effort;

    fn user(text: &str) -> Message {
        Message::User { text: text.into() }
    }

    fn called(reasoning: &str, text: &str, arguments: &str) -> Message {
        let call = ToolCall {
            id: "c1".into(),
            name: "list_dir".into(),
            arguments: arguments.into(),
        };
        Message::Assistant {
            reasoning: reasoning.into(),
            text: text.into(),
            calls: vec![call],
        }
    }

    fn answered(reasoning: &str, text: &str) -> Message {
        Message::Assistant {
            reasoning: reasoning.into(),
            text: text.into(),
            calls: vec![],
        }
    }

    fn result(output: &str) -> Message {
        Message::Tool {
            call_id: "c1".into(),
            output: output.into(),
            success: true,
        }
    }

    fn tool() -> ToolSpec {
        ToolSpec {
            name: "list_dir".into(),
            description: "Lists \"a\" directory.".into(),
            input_schema: json!({"type": "object", "properties": {"path": {"type": "string"}}})
                .into(),
        }
    }

    fn text(system: &str, messages: &[Message], tools: &[ToolSpec], quirks: Quirks) -> String {
        let request = Request {
            model: "m",
            system,
            messages,
            tools,
            effort: Effort::Auto,
        };
        String::from_utf8(write(&request, quirks)).unwrap()
    }

    #[test]
    fn a_question_is_written() {
        assert_eq!(
            text("Be brief.", &[user("Hi \"you\"\n")], &[], Quirks::default()),
            concat!(
                r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":["#,
                r#"{"role":"system","content":"Be brief."},{"role":"user","content":"Hi \"you\"\n"}]}"#
            )
        );
    }

    #[test]
    fn a_conversation_with_tools_is_written() {
        let messages = [
            user("List"),
            called("Hm.", "", r#"{"path":"."}"#),
            result("a.txt"),
            answered("Ok.", "One file."),
        ];
        let quirks = Quirks {
            echo_reasoning: true,
            output_tokens_max: Some(9),
            ..Quirks::default()
        };
        assert_eq!(
            text("", &messages, &[tool()], quirks),
            concat!(
                r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"tool_choice":"auto","#,
                r#""tools":[{"type":"function","function":{"name":"list_dir","description":"Lists \"a\" directory.","#,
                r#""parameters":{"properties":{"path":{"type":"string"}},"type":"object"}}}],"messages":["#,
                r#"{"role":"user","content":"List"},"#,
                r#"{"role":"assistant","content":"","reasoning_content":"Hm.","tool_calls":["#,
                r#"{"id":"c1","type":"function","function":{"name":"list_dir","arguments":"{\"path\":\".\"}"}}]},"#,
                r#"{"role":"tool","tool_call_id":"c1","content":"a.txt"},"#,
                r#"{"role":"assistant","content":"One file."}]}"#
            )
        );
    }

    #[test]
    fn how_hard_to_think_stands_before_the_conversation() {
        let quirks = Quirks {
            thinking: Thinking::DeepSeek,
            ..Quirks::default()
        };
        let written = text("", &[user("Hi")], &[], quirks);
        assert!(
            written.contains(r#""reasoning_effort":"high","messages""#),
            "{written}"
        );
    }

    #[test]
    fn reasoning_goes_back_only_where_it_is_wanted() {
        let messages = [user("List"), called("Hm.", "Wait.", "{}"), result("")];
        assert!(!text("", &messages, &[], Quirks::default()).contains("reasoning_content"));
    }

    #[test]
    fn reasoning_that_was_lost_is_replaced_because_its_absence_is_refused() {
        let messages = [user("List"), called("", "", "{}"), result("")];
        let quirks = Quirks {
            echo_reasoning: true,
            ..Quirks::default()
        };
        assert!(
            text("", &messages, &[], quirks)
                .contains(r#""reasoning_content":"(reasoning omitted)""#)
        );
    }

    #[test]
    fn arguments_that_do_not_read_do_not_spoil_the_conversation() {
        for wrong in ["", "{\"path\":", "[1]", "rm -rf"] {
            let messages = [user("List"), called("", "", wrong), result("not JSON")];
            assert!(
                text("", &messages, &[], Quirks::default()).contains(r#""arguments":"{}""#),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_request_begins_with_the_whole_of_the_one_before_it() {
        let mut messages = vec![user("List"), called("Hm.", "", "{}"), result("a.txt")];
        let quirks = Quirks {
            echo_reasoning: true,
            ..Quirks::default()
        };
        let before = text("Be brief.", &messages, &[tool()], quirks);
        messages.extend([answered("", "One."), user("Thanks")]);
        let after = text("Be brief.", &messages, &[tool()], quirks);
        assert!(after.starts_with(before.strip_suffix("]}").unwrap()));
    }
}
