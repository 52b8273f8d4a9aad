//! Writes a request in the Responses dialect.
//!
//! The conversation comes last and everything before it is the same from one request of a thread to
//! the next, so each request begins with all the bytes of the one before it.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::Thinking;
use crate::ids::{self, CallIds};
use crate::memory::Memory;
use crate::{Medium, Message, Request, ToolSpec};

/// How a provider differs from the plain dialect.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    /// Hands out its thoughts encrypted, and wants them back with calls.
    pub(crate) seals_reasoning: bool,
    /// Needs to be told how long an answer may be.
    pub(crate) output_tokens_max: Option<u32>,
    /// In which words it is told how hard to think.
    pub(crate) thinking: Thinking,
}

/// Models that refuse to be asked for encrypted thoughts, because they have none.
const THOUGHTLESS: [&str; 3] = ["gpt-3", "gpt-4", "chatgpt-4"];

/// Whether a model thinks, and can be told how hard.
pub(crate) fn thinks(model: &str) -> bool {
    !THOUGHTLESS.iter().any(|it| model.starts_with(it))
}

/// The request as the provider reads it.
pub(super) fn write(request: &Request<'_>, terms: Terms, memory: &Memory) -> Vec<u8> {
    let messages = crate::paired(request.messages);
    let thinks = thinks(request.model);
    let sealed: &[&str] = if terms.seals_reasoning && thinks {
        &["reasoning.encrypted_content"]
    } else {
        &[]
    };
    let tools: Vec<Tool<'_>> = request.tools.iter().map(Tool::new).collect();
    let body = Body {
        model: request.model,
        stream: true,
        store: false,
        include: sealed,
        max_output_tokens: terms.output_tokens_max,
        reasoning: terms
            .thinking
            .responses(request.effort)
            .filter(|_| thinks)
            .map(|effort| Reasoning { effort }),
        instructions: request.system,
        tool_choice: (!tools.is_empty()).then_some("auto"),
        tools,
        input: items(&messages, request, memory),
    };
    let mut bytes = Vec::with_capacity(4096 + request.system.len());
    serde_json::to_writer(&mut bytes, &body).expect("a request is plain data with text keys");
    bytes
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    /// Conversations stay on this machine.
    store: bool,
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    include: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    input: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Reasoning {
    effort: &'static str,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    /// Schemas are meant as they are written; strict ones may not have optional members.
    strict: bool,
}

impl<'a> Tool<'a> {
    fn new(spec: &'a ToolSpec) -> Self {
        Self {
            r#type: "function",
            name: &spec.name,
            description: &spec.description,
            parameters: &spec.input_schema,
            strict: false,
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        role: &'static str,
        content: Vec<Said<'a>>,
    },
    FunctionCall {
        call_id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: &'a str,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: Came<'a>,
    },
    /// A thought, exactly as it came.
    #[serde(untagged)]
    Thought(Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said<'a> {
    InputText { text: &'a str },
    InputImage { image_url: String },
    OutputText { text: &'a str },
}

/// What came of a call: a text, or a list where there is more.
#[derive(Serialize)]
#[serde(untagged)]
enum Came<'a> {
    Text(&'a str),
    Shown(Vec<Said<'a>>),
}

impl<'a> Came<'a> {
    fn new(text: &'a str, pictures: impl Iterator<Item = &'a Medium>) -> Self {
        let said = said(text, pictures);
        match said.len() {
            1 => Self::Text(text),
            _ => Self::Shown(said),
        }
    }
}

fn said<'a>(text: &'a str, pictures: impl Iterator<Item = &'a Medium>) -> Vec<Said<'a>> {
    let pictures = pictures.map(|it| Said::InputImage {
        image_url: it.address(),
    });
    [Said::InputText { text }]
        .into_iter()
        .chain(pictures)
        .collect()
}

fn asked<'a>(text: &'a str, pictures: impl Iterator<Item = &'a Medium>) -> Item<'a> {
    Item::Message {
        role: "user",
        content: said(text, pictures),
    }
}

fn items<'a>(messages: &'a [Message], request: &Request<'a>, memory: &Memory) -> Vec<Item<'a>> {
    let mut items = Vec::with_capacity(messages.len());
    let mut ids = CallIds::default();
    for message in messages {
        match message {
            Message::User { text, attachments } => {
                items.push(asked(text, request.media.pictures(attachments)));
            }
            Message::Assistant {
                reasoning,
                text,
                calls,
            } => {
                ids.answer();
                let first = calls.first().map(|call| call.id.as_str());
                let thoughts = first.and_then(|call| memory.recall(request.model, call, reasoning));
                let thoughts = thoughts.unwrap_or_default();
                items.extend(thoughts.iter().cloned().map(Item::Thought));
                if !text.is_empty() {
                    items.push(Item::Message {
                        role: "assistant",
                        content: vec![Said::OutputText { text }],
                    });
                }
                items.extend(calls.iter().map(|call| Item::FunctionCall {
                    call_id: ids.call(&call.id),
                    name: ids::name(&call.name),
                    arguments: call.readable_arguments(),
                }));
            }
            Message::Tool {
                call_id,
                output,
                attachments,
                ..
            } => items.push(Item::FunctionCallOutput {
                call_id: ids.result(call_id),
                output: Came::new(output, request.media.pictures(attachments)),
            }),
        }
    }
    items
}

#[cfg(test)]
mod tests;
