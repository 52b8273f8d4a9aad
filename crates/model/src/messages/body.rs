//! Writes a request in the Messages dialect.
//!
//! Results go to the provider as words of the person, all results of an answer in one message. Up
//! to three marks tell it what to keep: behind the standing instructions, behind the newest message,
//! and where the newest stood one request earlier. Apart from the marks each request begins with
//! all the bytes of the one before it.

mod content;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use crate::catalogue::Thinking;
use crate::limits;
use crate::memory::Memory;
use crate::{Message, Request, ToolSpec, ids};

use content::{Role, Turn};

/// How a provider differs from the plain dialect.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Manner {
    /// Wants its thoughts back with calls, though it does not sign them.
    pub(crate) echo_reasoning: bool,
    /// The length of an answer to ask for, if not the usual one.
    pub(crate) output_tokens_max: Option<u32>,
    /// In which words it is told how hard to think.
    pub(crate) thinking: Thinking,
}

/// The request as the provider reads it.
pub(super) fn write(request: &Request<'_>, manner: Manner, memory: &Memory) -> Vec<u8> {
    let messages = crate::paired(request.messages);
    let mut turns = content::turns(&messages, request, manner, memory);
    mark(&mut turns);
    let tools = tools(request.tools, &messages);
    let choice = match (request.tools.is_empty(), tools.is_empty()) {
        (false, _) => Some(json!({"type": "auto"})),
        (true, false) => Some(json!({"type": "none"})),
        (true, true) => None,
    };
    let body = Body {
        model: request.model,
        max_tokens: manner
            .output_tokens_max
            .unwrap_or(limits::MESSAGES_OUTPUT_TOKENS),
        stream: true,
        thinking: thinking(request, &messages, manner, memory),
        tools,
        tool_choice: choice,
        system: system(request.system),
        messages: &turns,
    };
    let mut bytes = Vec::with_capacity(4096 + request.system.len());
    serde_json::to_writer(&mut bytes, &body).expect("a request is plain data with text keys");
    bytes
}

/// How hard to think. Who signs its thoughts refuses to think on behind calls whose thoughts it does
/// not get back: those of another model, or of a process that has ended.
fn thinking(
    request: &Request<'_>,
    messages: &[Message],
    manner: Manner,
    memory: &Memory,
) -> Option<Value> {
    let is_answer = |message: &&Message| matches!(message, Message::Assistant { .. });
    let is_result = matches!(messages.last(), Some(Message::Tool { .. }));
    if let Some(Message::Assistant {
        reasoning, calls, ..
    }) = messages.iter().rev().find(is_answer)
        && is_result
        && !manner.echo_reasoning
    {
        let first = calls.first()?;
        memory.recall(request.model, &first.id, reasoning)?;
    }
    manner.thinking.messages(request.effort)
}

/// Asks the provider to keep everything up to here.
const MARK: Mark = Mark {
    r#type: "ephemeral",
};

#[derive(Serialize, Clone, Copy, Debug)]
struct Mark {
    r#type: &'static str,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<System<'a>>,
    messages: &'a [Turn<'a>],
}

#[derive(Serialize)]
struct System<'a> {
    r#type: &'static str,
    text: &'a str,
    cache_control: Mark,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    input_schema: Cow<'a, Value>,
}

fn system(text: &str) -> Vec<System<'_>> {
    let block = System {
        r#type: "text",
        text,
        cache_control: MARK,
    };
    // Blank text is refused.
    (!text.trim().is_empty())
        .then_some(block)
        .into_iter()
        .collect()
}

/// The tools on offer. A conversation with calls is refused without any: then those it called
/// stand in, and may not be called.
fn tools<'a>(offered: &'a [ToolSpec], messages: &'a [Message]) -> Vec<Tool<'a>> {
    let offer = |spec: &'a ToolSpec| Tool {
        name: Cow::Borrowed(&spec.name),
        description: &spec.description,
        input_schema: Cow::Borrowed(&spec.input_schema),
    };
    if !offered.is_empty() {
        return offered.iter().map(offer).collect();
    }
    let mut names: Vec<Cow<'a, str>> = Vec::new();
    for message in messages {
        let Message::Assistant { calls, .. } = message else {
            continue;
        };
        for name in calls.iter().map(|call| ids::name(&call.name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let stand_in = |name| Tool {
        name,
        description: "",
        input_schema: Cow::Owned(json!({"type": "object"})),
    };
    names.into_iter().map(stand_in).collect()
}

/// Marks the end of the newest message, and of the one that was the newest one request earlier.
fn mark(turns: &mut [Turn<'_>]) {
    let of_person = turns.iter_mut().filter(|turn| turn.role == Role::User);
    for turn in of_person.rev().take(2) {
        if let Some(last) = turn.content.last_mut() {
            last.cache_control = Some(MARK);
        }
    }
}

#[cfg(test)]
mod tests;
