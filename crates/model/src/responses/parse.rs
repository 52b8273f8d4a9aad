//! What the events of a Responses answer mean.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::{End, Item, ItemEvent, Kind, More, Part, Response, Said};
use crate::exchange::{Calls, Draft, Parse, Text, text};
use crate::memory::Memory;
use crate::{Error, FinishReason};

/// An answer in this dialect.
pub(super) struct ResponsesParse {
    memory: Arc<Memory>,
    model: String,
    calls: Calls,
    first_call: usize,
    /// Items of which pieces came, so that the whole brings nothing new.
    told: BTreeSet<u64>,
    /// All that was thought, and the encrypted form of it.
    shown: String,
    thoughts: Vec<Value>,
}

impl ResponsesParse {
    pub(super) fn new(memory: Arc<Memory>, model: &str, first_call: usize) -> Self {
        Self {
            memory,
            model: model.to_owned(),
            calls: Calls::default(),
            first_call,
            told: BTreeSet::new(),
            shown: String::new(),
            thoughts: Vec::new(),
        }
    }

    fn take_event(&mut self, draft: &mut Draft, kind: &str, data: &str) -> Result<(), Error> {
        match kind {
            "response.output_text.delta" | "response.refusal.delta" => {
                let more: More<'_> = read(draft, data)?;
                self.told.insert(more.output_index.unwrap_or(0));
                draft.say(text(more.delta));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let more: More<'_> = read(draft, data)?;
                self.told.insert(more.output_index.unwrap_or(0));
                self.think(draft, text(more.delta));
            }
            "response.reasoning_summary_part.added" => {
                let part: Part = read(draft, data)?;
                let is_next = part.summary_index.is_some_and(|index| index > 0);
                self.think(draft, is_next.then(|| "\n\n".to_owned()));
            }
            "response.function_call_arguments.delta" => {
                let more: More<'_> = read(draft, data)?;
                let piece = more.delta.map(|delta| delta.0).unwrap_or_default();
                self.told.insert(more.output_index.unwrap_or(0));
                self.take_call(draft, more.output_index, None, None, &piece)?;
            }
            "response.output_item.added" => {
                let event: ItemEvent<'_> = read(draft, data)?;
                if word(&event.item.kind) == "function_call" {
                    let (id, name) = (text(event.item.call_id), text(event.item.name));
                    self.take_call(draft, event.output_index, id, name, "")?;
                }
            }
            "response.output_item.done" => {
                let event: ItemEvent<'_> = read(draft, data)?;
                self.take_item(draft, event.output_index.unwrap_or(0), event.item)?;
            }
            "response.completed" | "response.incomplete" | "response.done" => {
                let end: End<'_> = read(draft, data)?;
                self.take_response(draft, end.response)?;
            }
            "response.failed" => {
                let end: End<'_> = read(draft, data)?;
                return Err(failed(draft, &end.response, data));
            }
            "response.cancelled" => return Err(draft.cut_off()),
            // What is in progress, repeated or new may be passed over.
            _ => {}
        }
        Ok(())
    }

    fn think(&mut self, draft: &mut Draft, thought: Option<String>) {
        self.shown.push_str(thought.as_deref().unwrap_or_default());
        draft.think(thought);
    }

    fn take_call(
        &mut self,
        draft: &Draft,
        index: Option<u64>,
        id: Option<String>,
        name: Option<String>,
        arguments: &str,
    ) -> Result<(), Error> {
        self.calls
            .take(index, id, name, arguments)
            .map_err(|problem| draft.unservable(problem))
    }

    /// A whole item: what its pieces did not bring, if there were any.
    fn take_item(&mut self, draft: &mut Draft, index: u64, item: Item<'_>) -> Result<(), Error> {
        let is_new = self.told.insert(index);
        match word(&item.kind) {
            "function_call" => {
                let arguments = item.arguments.map(|arguments| arguments.0);
                let arguments = arguments.filter(|_| is_new).unwrap_or_default();
                let (id, name) = (text(item.call_id), text(item.name));
                self.take_call(draft, Some(index), id, name, &arguments)?;
            }
            "reasoning" => {
                let summary: Vec<String> = texts(item.summary).collect();
                if is_new && !summary.is_empty() {
                    self.think(draft, Some(summary.join("\n\n")));
                }
                if let Some(sealed) = text(item.encrypted_content) {
                    let summary = summary
                        .iter()
                        .map(|text| json!({"type": "summary_text", "text": text}));
                    self.thoughts.push(json!({
                        "type": "reasoning", "summary": summary.collect::<Vec<_>>(),
                        "encrypted_content": sealed,
                    }));
                }
            }
            "message" if is_new => {
                for said in texts(item.content) {
                    draft.say(Some(said));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn take_response(&mut self, draft: &mut Draft, response: Response<'_>) -> Result<(), Error> {
        if let Some(usage) = response.usage {
            draft.used(usage.normalise());
        }
        if !draft.has_spoken() && self.calls.is_empty() {
            for (index, item) in (0..).zip(response.output.into_iter().flatten()) {
                self.take_item(draft, index, item)?;
            }
        }
        let cause = response.incomplete_details.and_then(|it| text(it.reason));
        let reason = match (word(&response.status), cause.as_deref()) {
            (_, Some("max_output_tokens" | "max_tokens")) => FinishReason::Length,
            (_, Some("content_filter")) => FinishReason::ContentFilter,
            (_, Some(other)) => FinishReason::Other(other.to_owned()),
            ("incomplete", None) => FinishReason::Other("incomplete".to_owned()),
            (_, None) => self.usual_end(),
        };
        self.take_finish(draft, reason)?;
        draft.close();
        Ok(())
    }

    fn usual_end(&self) -> FinishReason {
        if self.calls.is_empty() {
            FinishReason::Stop
        } else {
            FinishReason::ToolCalls
        }
    }

    fn take_finish(&mut self, draft: &mut Draft, reason: FinishReason) -> Result<(), Error> {
        let calls = self
            .calls
            .finish(self.first_call)
            .map_err(|problem| draft.unservable(problem))?;
        let thoughts = std::mem::take(&mut self.thoughts);
        if let Some(first) = calls.first().filter(|_| !thoughts.is_empty()) {
            self.memory
                .keep(&self.model, &first.id, &self.shown, thoughts);
        }
        draft.finish(reason, calls);
        Ok(())
    }
}

impl Parse for ResponsesParse {
    fn frame(&mut self, draft: &mut Draft, event: Option<&str>, data: &str) -> Result<(), Error> {
        if data == "[DONE]" {
            if !draft.has_spoken() && self.calls.is_empty() {
                return Err(draft.cut_off());
            }
            let reason = self.usual_end();
            self.take_finish(draft, reason)?;
            draft.close();
            return Ok(());
        }
        let is_error = event == Some("error");
        let kind: Kind<'_> = match serde_json::from_str(data) {
            Ok(kind) => kind,
            Err(_) if is_error => return Err(draft.complained(data)),
            Err(_) => return Err(draft.unreadable(data)),
        };
        if is_error || kind.error.is_some() || word(&kind.kind) == "error" {
            return Err(draft.complained(data));
        }
        self.take_event(draft, word(&kind.kind), data)
    }

    fn whole(&mut self, draft: &mut Draft, data: &str) -> Result<(), Error> {
        let response: Response<'_> =
            serde_json::from_str(data).map_err(|_| draft.no_answer(data.as_bytes()))?;
        if response.error.is_some() || word(&response.status) == "failed" {
            return Err(failed(draft, &response, data));
        }
        if response.output.is_none() {
            return Err(draft.no_answer(data.as_bytes()));
        }
        self.take_response(draft, response)
    }
}

fn read<'a, T: Deserialize<'a>>(draft: &Draft, data: &'a str) -> Result<T, Error> {
    serde_json::from_str(data).map_err(|_| draft.unreadable(data))
}

fn failed(draft: &Draft, response: &Response<'_>, data: &str) -> Error {
    match &response.error {
        Some(error) => draft.complained(&error.to_string()),
        None => draft.complained(data),
    }
}

fn word<'a>(text: &'a Option<Text<'_>>) -> &'a str {
    text.as_ref().map_or("", |text| &text.0)
}

fn texts(parts: Option<Vec<Said<'_>>>) -> impl Iterator<Item = String> {
    let parts = parts.into_iter().flatten();
    parts.filter_map(|part| text(part.text).or_else(|| text(part.refusal)))
}

#[cfg(test)]
mod tests;
