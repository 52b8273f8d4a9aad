//! Writes a request.
//!
//! The messages come last and everything before them is the same from one request of a thread to
//! the next, so each request begins with all the bytes of the one before it up to its end. That is
//! what the prefix caches of providers pay for.

use codewhale_protocol::runtime::MediaType;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::Value;

use crate::catalogue::Thinking;
use crate::effort::ChatWish;
use crate::history::paired;
use crate::{Medium, Message, Request, ToolCall, ToolSpec};

/// Stands in for reasoning that was lost, where a provider refuses its absence.
const REASONING_LOST: &str = "(reasoning omitted)";

/// Results are text in this dialect; what else they hold follows behind them, in their order.
const RESULTS_SHOW: &str = "(What the results above show, in their order.)";

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
        let mut pending: Vec<&Medium> = Vec::new();
        let messages = paired(self.request.messages);
        for message in messages.iter() {
            if !matches!(message, Message::Tool { .. }) && !pending.is_empty() {
                let shown = std::mem::take(&mut pending);
                list.serialize_element(&Shown::new(RESULTS_SHOW, &shown))?;
            }
            match message {
                Message::User { text, attachments } => {
                    let media: Vec<_> = self.request.media.of(attachments).collect();
                    match media.is_empty() {
                        true => list.serialize_element(&Said {
                            role: "user",
                            content: text,
                        })?,
                        false => list.serialize_element(&Shown::new(text, &media))?,
                    }
                }
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
                    attachments,
                    success: _,
                } => {
                    list.serialize_element(&Came {
                        role: "tool",
                        tool_call_id: call_id,
                        content: output,
                    })?;
                    pending.extend(self.request.media.of(attachments));
                }
            }
        }
        if !pending.is_empty() {
            list.serialize_element(&Shown::new(RESULTS_SHOW, &pending))?;
        }
        list.end()
    }
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    content: &'a str,
}

/// What was said with something to see or hear: a list of parts.
#[derive(Serialize)]
struct Shown<'a> {
    role: &'static str,
    content: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
    InputAudio { input_audio: InputAudio<'a> },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct InputAudio<'a> {
    data: &'a str,
    format: &'static str,
}

impl<'a> Shown<'a> {
    fn new(text: &'a str, media: &[&'a Medium]) -> Self {
        let text = (!text.trim().is_empty()).then_some(Part::Text { text });
        let media = media.iter().map(|it| Part::of(it));
        Self {
            role: "user",
            content: text.into_iter().chain(media).collect(),
        }
    }
}

impl<'a> Part<'a> {
    fn of(medium: &'a Medium) -> Self {
        let sound = |format| Self::InputAudio {
            input_audio: InputAudio {
                data: &medium.data,
                format,
            },
        };
        match medium.form {
            MediaType::Wav => sound("wav"),
            MediaType::Mp3 => sound("mp3"),
            MediaType::Png | MediaType::Jpeg | MediaType::Gif | MediaType::Webp => Self::ImageUrl {
                image_url: ImageUrl {
                    url: medium.address(),
                },
            },
        }
    }
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
mod tests;
