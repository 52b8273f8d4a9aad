//! The conversation as the dialect tells it: turns of person and model, each a list of blocks.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Manner, Mark};
use crate::ids::{self, CallIds};
use crate::memory::Memory;
use crate::{Medium, Message, Request, ToolCall};

/// Stands in for words of the person where there are none, because blank text is refused.
const NOTHING_SAID: &str = "(nothing was said)";

/// Stands in for a thought that was lost, where a provider refuses its absence.
const REASONING_LOST: &str = "(reasoning omitted)";

/// What one side said.
#[derive(Serialize, Debug)]
pub(super) struct Turn<'a> {
    pub(super) role: Role,
    pub(super) content: Vec<Marked<'a>>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    User,
    Assistant,
}

/// A block, and whether to keep everything up to it.
#[derive(Serialize, Debug)]
pub(super) struct Marked<'a> {
    #[serde(flatten)]
    block: Block<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache_control: Option<Mark>,
}

#[derive(Serialize, Debug)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source<'a>,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: &'a RawValue,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Came::is_nothing")]
        content: Came<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// A thought, exactly as it came.
    #[serde(untagged)]
    Thought(Value),
}

/// What came of a call: a text, or a list where there is more.
#[derive(Serialize, Debug)]
#[serde(untagged)]
enum Came<'a> {
    Text(&'a str),
    Shown(Vec<Block<'a>>),
}

impl<'a> Came<'a> {
    fn new(text: &'a str, pictures: impl Iterator<Item = &'a Medium>) -> Self {
        let pictures: Vec<_> = pictures.map(picture).collect();
        if pictures.is_empty() {
            return Self::Text(text);
        }
        let text = (!text.trim().is_empty()).then_some(Block::Text { text });
        Self::Shown(text.into_iter().chain(pictures).collect())
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Text(""))
    }
}

#[derive(Serialize, Debug)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'static str,
    data: &'a str,
}

/// Tells the conversation. What one side said in a row becomes one turn.
pub(super) fn turns<'a>(
    messages: &'a [Message],
    request: &Request<'a>,
    manner: Manner,
    memory: &Memory,
) -> Vec<Turn<'a>> {
    let model = request.model;
    let mut turns = Vec::new();
    let mut ids = CallIds::default();
    for message in messages {
        match message {
            Message::User { text, attachments } => {
                let pictures = request.media.pictures(attachments).map(picture);
                let blocks: Vec<_> = said(text).into_iter().chain(pictures).collect();
                extend(&mut turns, Role::User, blocks);
            }
            Message::Assistant {
                reasoning,
                text,
                calls,
            } => {
                ids.answer();
                if turns.is_empty() {
                    // The person speaks first, or the provider refuses to listen.
                    extend(&mut turns, Role::User, said(""));
                }
                let thoughts = thoughts(reasoning, calls, model, manner, memory);
                let thoughts = thoughts.iter().cloned().map(Block::Thought);
                let text = (!text.trim().is_empty()).then_some(Block::Text { text });
                let calls = calls.iter().map(|call| Block::ToolUse {
                    id: ids.call(&call.id),
                    name: ids::name(&call.name),
                    input: object(call),
                });
                let blocks: Vec<_> = thoughts.chain(text).chain(calls).collect();
                extend(&mut turns, Role::Assistant, blocks);
            }
            Message::Tool {
                call_id,
                output,
                success,
                attachments,
            } => {
                let pictures = request.media.pictures(attachments);
                let result = Block::ToolResult {
                    tool_use_id: ids.result(call_id),
                    content: Came::new(output, pictures),
                    is_error: !success,
                };
                extend(&mut turns, Role::User, [result]);
            }
        }
    }
    turns
}

fn said(text: &str) -> [Block<'_>; 1] {
    let is_blank = text.trim().is_empty();
    let text = if is_blank { NOTHING_SAID } else { text };
    [Block::Text { text }]
}

fn picture(medium: &Medium) -> Block<'_> {
    Block::Image {
        source: Source {
            r#type: "base64",
            media_type: medium.form.as_str(),
            data: &medium.data,
        },
    }
}

fn extend<'a>(turns: &mut Vec<Turn<'a>>, role: Role, blocks: impl IntoIterator<Item = Block<'a>>) {
    let mut blocks = blocks.into_iter().peekable();
    if blocks.peek().is_none() {
        return;
    }
    if turns.last().is_none_or(|turn| turn.role != role) {
        let content = Vec::new();
        turns.push(Turn { role, content });
    }
    let marked = blocks.map(|block| Marked {
        block,
        cache_control: None,
    });
    let last = turns.last_mut().expect("one was just made");
    last.content.extend(marked);
}

/// What was thought before calls, as the provider wants it back.
fn thoughts(
    reasoning: &str,
    calls: &[ToolCall],
    model: &str,
    manner: Manner,
    memory: &Memory,
) -> Arc<[Value]> {
    let Some(first) = calls.first() else {
        return Arc::default();
    };
    if let Some(kept) = memory.recall(model, &first.id, reasoning) {
        return kept;
    }
    if !manner.echo_reasoning {
        return Arc::default();
    }
    let lost = reasoning.is_empty();
    let thought = if lost { REASONING_LOST } else { reasoning };
    Arc::new([json!({"type": "thinking", "thinking": thought})])
}

fn object(call: &ToolCall) -> &RawValue {
    serde_json::from_str(call.readable_arguments()).expect("readable arguments are JSON")
}
