//! What the events of a Messages answer mean.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::{Block, Delta, Event, Usage, Whole};
use crate::exchange::{Calls, Draft, Parse, Text, text};
use crate::memory::Memory;
use crate::{Error, FinishReason};

/// An answer in this dialect.
pub(super) struct MessagesParse {
    memory: Arc<Memory>,
    model: String,
    calls: Calls,
    first_call: usize,
    /// Calls that came with all their arguments at once.
    given: BTreeSet<u64>,
    thoughts: BTreeMap<u64, Thought>,
    usage: Usage,
}

/// A thought as it has to go back.
enum Thought {
    Open { text: String, signature: String },
    Hidden(String),
}

impl MessagesParse {
    pub(super) fn new(memory: Arc<Memory>, model: &str, first_call: usize) -> Self {
        Self {
            memory,
            model: model.to_owned(),
            calls: Calls::default(),
            first_call,
            given: BTreeSet::new(),
            thoughts: BTreeMap::new(),
            usage: Usage::default(),
        }
    }

    fn take_event(&mut self, draft: &mut Draft, event: Event<'_>) -> Result<(), Error> {
        let index = event.index.unwrap_or(0);
        let started = event.message.as_ref().map(|message| &message["usage"]);
        let started = started.and_then(|usage| Usage::deserialize(usage).ok());
        for usage in [started, event.usage].into_iter().flatten() {
            self.take_usage(draft, usage);
        }
        match word(&event.kind) {
            "content_block_start" => match event.content_block {
                Some(block) => self.take_block(draft, index, block),
                None => Ok(()),
            },
            "content_block_delta" => match event.delta {
                Some(delta) => self.take_delta(draft, index, delta),
                None => Ok(()),
            },
            "message_delta" => match event.delta.and_then(|delta| text(delta.stop_reason)) {
                Some(reason) if !draft.is_finished() => self.take_finish(draft, &reason),
                _ => Ok(()),
            },
            "message_stop" => self.take_stop(draft),
            // Starts, stops and pings carry nothing else; what is new may be passed over.
            _ => Ok(()),
        }
    }

    /// A block that begins, or a whole one.
    fn take_block(&mut self, draft: &mut Draft, index: u64, block: Block<'_>) -> Result<(), Error> {
        match word(&block.kind) {
            "thinking" => {
                let (shown, signature) = (text(block.thinking), text(block.signature));
                self.take_thought(index, shown.as_deref(), signature.as_deref());
                draft.think(shown);
            }
            "redacted_thinking" => {
                let data = text(block.data).unwrap_or_default();
                self.thoughts.insert(index, Thought::Hidden(data));
            }
            "tool_use" => {
                let input = block.input.filter(is_filled).map(|input| input.to_string());
                if input.is_some() {
                    self.given.insert(index);
                }
                let arguments = input.unwrap_or_default();
                self.calls
                    .take(Some(index), text(block.id), text(block.name), &arguments)
                    .map_err(|problem| draft.unservable(problem))?;
            }
            _ => draft.say(text(block.text)),
        }
        Ok(())
    }

    fn take_delta(&mut self, draft: &mut Draft, index: u64, delta: Delta<'_>) -> Result<(), Error> {
        if let Some(piece) = delta.partial_json.filter(|_| !self.given.contains(&index)) {
            self.calls
                .take(Some(index), None, None, &piece.0)
                .map_err(|problem| draft.unservable(problem))?;
        }
        let (shown, signature) = (text(delta.thinking), text(delta.signature));
        if shown.is_some() || signature.is_some() {
            self.take_thought(index, shown.as_deref(), signature.as_deref());
        }
        draft.think(shown);
        draft.say(text(delta.text));
        Ok(())
    }

    fn take_thought(&mut self, index: u64, shown: Option<&str>, sign: Option<&str>) {
        let thought = self.thoughts.entry(index).or_insert(Thought::Open {
            text: String::new(),
            signature: String::new(),
        });
        if let Thought::Open { text, signature } = thought {
            text.push_str(shown.unwrap_or_default());
            signature.push_str(sign.unwrap_or_default());
        }
    }

    fn take_usage(&mut self, draft: &mut Draft, usage: Usage) {
        self.usage = self.usage.merge(usage);
        draft.used(self.usage.normalise());
    }

    fn take_finish(&mut self, draft: &mut Draft, reason: &str) -> Result<(), Error> {
        let reason = match reason {
            "end_turn" | "stop_sequence" if !self.calls.is_empty() => FinishReason::ToolCalls,
            "end_turn" | "stop_sequence" => FinishReason::Stop,
            "tool_use" => FinishReason::ToolCalls,
            "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
            "refusal" => FinishReason::ContentFilter,
            other => FinishReason::Other(other.to_owned()),
        };
        let calls = self
            .calls
            .finish(self.first_call)
            .map_err(|problem| draft.unservable(problem))?;
        if let Some(first) = calls.first() {
            self.keep_thoughts(&first.id);
        }
        draft.finish(reason, calls);
        Ok(())
    }

    /// Thoughts that led to calls must go back with them, signed; others need not.
    fn keep_thoughts(&mut self, call: &str) {
        let mut shown = String::new();
        let mut blocks = Vec::new();
        for thought in std::mem::take(&mut self.thoughts).into_values() {
            match thought {
                Thought::Open { text, signature } => {
                    shown.push_str(&text);
                    if !signature.is_empty() {
                        blocks.push(json!({
                            "type": "thinking", "thinking": text, "signature": signature,
                        }));
                    }
                }
                Thought::Hidden(data) => {
                    blocks.push(json!({"type": "redacted_thinking", "data": data}));
                }
            }
        }
        if !blocks.is_empty() {
            self.memory.keep(&self.model, call, &shown, blocks);
        }
    }

    /// The provider declares the answer complete. Without a reason it stopped by itself, provided
    /// that it said anything.
    fn take_stop(&mut self, draft: &mut Draft) -> Result<(), Error> {
        if !draft.is_finished() {
            if !draft.has_spoken() && self.calls.is_empty() {
                return Err(draft.cut_off());
            }
            self.take_finish(draft, "end_turn")?;
        }
        draft.close();
        Ok(())
    }
}

impl Parse for MessagesParse {
    fn frame(&mut self, draft: &mut Draft, event: Option<&str>, data: &str) -> Result<(), Error> {
        if data == "[DONE]" {
            return self.take_stop(draft);
        }
        let is_error = event == Some("error");
        let event: Event<'_> = match serde_json::from_str(data) {
            Ok(event) => event,
            Err(_) if is_error => return Err(draft.complained(data)),
            Err(_) => return Err(draft.unreadable(data)),
        };
        if is_error || event.error.is_some() || word(&event.kind) == "error" {
            return Err(draft.complained(data));
        }
        self.take_event(draft, event)
    }

    fn whole(&mut self, draft: &mut Draft, data: &str) -> Result<(), Error> {
        let whole: Whole<'_> =
            serde_json::from_str(data).map_err(|_| draft.no_answer(data.as_bytes()))?;
        if whole.error.is_some() || word(&whole.kind) == "error" {
            return Err(draft.complained(data));
        }
        let Some(content) = whole.content else {
            return Err(draft.no_answer(data.as_bytes()));
        };
        if let Some(usage) = whole.usage {
            self.take_usage(draft, usage);
        }
        for (index, block) in (0..).zip(content) {
            self.take_block(draft, index, block)?;
        }
        if let Some(reason) = text(whole.stop_reason) {
            self.take_finish(draft, &reason)?;
        }
        self.take_stop(draft)
    }
}

fn word<'a>(text: &'a Option<Text<'_>>) -> &'a str {
    text.as_ref().map_or("", |text| &text.0)
}

/// Arguments stand empty where pieces of them follow.
fn is_filled(input: &Value) -> bool {
    input.as_object().is_some_and(|input| !input.is_empty())
}

#[cfg(test)]
mod tests;
