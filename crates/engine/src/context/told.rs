//! The conversation told by the items of a thread: what a provider is sent after a restart is, byte
//! for byte, what it would have been sent without one.

use std::collections::BTreeMap;

use codewhale_model::{Message, ToolCall, with_meta};
use codewhale_protocol::runtime::{
    AttachmentId, ItemKind, ItemStatus, TurnId, TurnItemRecord, TurnMeta,
};
use serde_json::{Value, json};

/// What the metadata of a call that was cut off says under `outcome`: it may have happened.
pub const OUTCOME_UNKNOWN: &str = "unknown";

/// The same: it had not begun.
pub const NOT_RUN: &str = "not_run";

/// Stands in for the result of a call that never began.
const NO_EFFECT: &str = "The call was cut off before it began. It had no effect.";

/// Stands in for the result of a call that never got one.
const NO_RESULT: &str = "The call was cut off before it gave a result. Whether it had an effect is not known: look \
     before you repeat it.";

/// Stands in for the first words of a person, where they are gone.
const BEGINNING_LOST: &str = "(The beginning of our conversation was lost.)";

/// The name of a tool whose name is gone.
const NAME_LOST: &str = "unknown_tool";

/// What an item of a tool keeps, so that the conversation can be told from items alone.
pub fn tool_metadata(call: &ToolCall, input: &Value, step: u32) -> Value {
    json!({
        "tool": { "id": call.id, "name": call.name, "input": input },
        "arguments": call.arguments,
        "step": step,
    })
}

/// What a call that was cut off gave, for the item that keeps it and the model that reads it.
pub fn cut_off(outcome: &str) -> &'static str {
    match outcome {
        NOT_RUN => NO_EFFECT,
        _ => NO_RESULT,
    }
}

/// What the item of a summary keeps: which answer it comes before, whether nobody asked for it, and
/// how many of the last words of people it does not cover, because the turn had not read them.
pub fn compaction_metadata(step: u32, auto: bool, unread: usize) -> Value {
    json!({ "step": step, "auto": auto, "unread": unread })
}

/// What is known of the turns of a conversation, each under its id.
pub type TurnMetas = BTreeMap<TurnId, TurnMeta>;

/// The conversation that items tell. It begins with a person, and every call has a result, in the order of the calls, whatever
/// was cut off: a provider refuses anything else.
pub fn conversation<'a>(
    items: impl IntoIterator<Item = &'a TurnItemRecord>,
    turns: &TurnMetas,
) -> Vec<Message> {
    let mut teller = Teller::of(turns);
    for item in items {
        teller.take(item);
    }
    teller.end_step();
    if matches!(teller.messages.first(), Some(first) if !matches!(first, Message::User { .. })) {
        teller.messages.insert(0, Message::user(BEGINNING_LOST));
    }
    teller.messages
}

struct Teller<'a> {
    turns: &'a TurnMetas,
    messages: Vec<Message>,
    /// The answer of the model that is being put together, and which one it is.
    step: Option<(TurnId, u64)>,
    reasoning: String,
    text: String,
    calls: Vec<ToolCall>,
    results: Vec<Message>,
    /// What people said meanwhile: the model reads it behind the results.
    meanwhile: Vec<Message>,
    /// All that people said since the conversation was last shortened.
    said: Vec<Message>,
}

impl<'a> Teller<'a> {
    fn of(turns: &'a TurnMetas) -> Self {
        Self {
            turns,
            messages: Vec::new(),
            step: None,
            reasoning: String::new(),
            text: String::new(),
            calls: Vec::new(),
            results: Vec::new(),
            meanwhile: Vec::new(),
            said: Vec::new(),
        }
    }

    /// A message for the model, in the turn of an item.
    fn user(&self, item: &TurnItemRecord, text: &str, attachments: Vec<AttachmentId>) -> Message {
        let text = with_meta(text, self.turns.get(&item.turn_id));
        Message::User { text, attachments }
    }

    fn take(&mut self, item: &TurnItemRecord) {
        match item.kind {
            ItemKind::UserMessage => {
                let text = item.detail.as_deref().unwrap_or_default();
                if !text.trim().is_empty() {
                    let message = self.user(item, text, item.attachments());
                    self.said.push(message.clone());
                    self.meanwhile.push(message);
                }
            }
            // What was abandoned is said again, thoughts and all, by the items behind it.
            ItemKind::AgentMessage | ItemKind::AgentReasoning
                if item.status == ItemStatus::Failed =>
            {
                self.go_to(item);
                self.reasoning.clear();
                self.text.clear();
            }
            ItemKind::AgentReasoning => {
                self.go_to(item);
                self.reasoning
                    .push_str(item.detail.as_deref().unwrap_or_default());
            }
            ItemKind::AgentMessage => {
                self.go_to(item);
                self.text
                    .push_str(item.detail.as_deref().unwrap_or_default());
            }
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                self.go_to(item);
                self.take_call(item);
            }
            // Exactly what replaced the conversation when it was shortened.
            ItemKind::ContextCompaction if item.status == ItemStatus::Completed => {
                let text = item.detail.as_deref().unwrap_or_default();
                if text.trim().is_empty() {
                    return;
                }
                self.end_step();
                self.messages = vec![self.user(item, text, item.attachments())];
                self.step = step_of(item);
                // The turn reads them behind its next answer.
                let covered = self.said.len().saturating_sub(unread_of(item));
                self.meanwhile = self.said.split_off(covered);
                self.said = self.meanwhile.clone();
            }
            ItemKind::ContextCompaction | ItemKind::Status | ItemKind::Error => {}
        }
    }

    fn take_call(&mut self, item: &TurnItemRecord) {
        let Some(metadata) = &item.metadata else {
            return;
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let or = |text: String, other: &str| match text.is_empty() {
            true => other.to_owned(),
            false => text,
        };
        let id = or(text(&metadata["tool"]["id"]), item.id.as_str());
        self.calls.push(ToolCall {
            id: id.clone(),
            name: or(text(&metadata["tool"]["name"]), NAME_LOST),
            arguments: text(&metadata["arguments"]),
        });
        let output = match (item.status, &item.detail) {
            (ItemStatus::Completed | ItemStatus::Failed, Some(output)) => output.clone(),
            (ItemStatus::Interrupted, Some(output)) if metadata["outcome"].is_string() => {
                output.clone()
            }
            _ => NO_RESULT.to_owned(),
        };
        let success = item.status == ItemStatus::Completed;
        self.results.push(Message::Tool {
            call_id: id,
            output,
            success,
            attachments: item.attachments(),
        });
    }

    /// Ends the answer before, when the item belongs to the next one.
    fn go_to(&mut self, item: &TurnItemRecord) {
        let step = step_of(item);
        if self.step != step {
            self.end_step();
            self.step = step;
        }
    }

    fn end_step(&mut self) {
        self.step = None;
        let (reasoning, text) = (
            std::mem::take(&mut self.reasoning),
            std::mem::take(&mut self.text),
        );
        let calls = std::mem::take(&mut self.calls);
        if !text.is_empty() || !calls.is_empty() {
            self.messages.push(Message::Assistant {
                reasoning,
                text,
                calls,
            });
        }
        self.messages.append(&mut self.results);
        self.messages.append(&mut self.meanwhile);
    }
}

/// How many of the words before it a summary does not cover.
fn unread_of(item: &TurnItemRecord) -> usize {
    let metadata = item.metadata.as_ref();
    let unread = metadata.and_then(|metadata| metadata["unread"].as_u64());
    usize::try_from(unread.unwrap_or(0)).unwrap_or(usize::MAX)
}

/// Which answer of the model an item belongs to.
fn step_of(item: &TurnItemRecord) -> Option<(TurnId, u64)> {
    let metadata = item.metadata.as_ref();
    let step = metadata.and_then(|metadata| metadata["step"].as_u64());
    Some((item.turn_id.clone(), step.unwrap_or(0)))
}

#[cfg(test)]
mod tests;
