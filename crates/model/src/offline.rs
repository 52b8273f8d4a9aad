//! The built-in model: answers without a network, so that the program does something real before
//! any provider is configured. It understands a few plain requests, serves them through the same
//! tool calls a real model makes, and says in every answer what it is.
//!
//! Deterministic: the same request always gives the same answer.

mod answer;
mod intent;
mod words;

use std::pin::Pin;
use std::task::{Context, Poll};

use codewhale_protocol::runtime::Usage;
use codewhale_protocol::service::BoxFuture;
use futures_core::Stream;

use crate::{
    Chunk, ChunkStream, Error, FinishReason, Message, Model, Request, ToolCall, without_meta,
};
use answer::Answer;
use intent::Intent;

/// The name of the provider and of its only model.
pub const ID: &str = "offline";

/// Words per chunk of text: enough chunks to be a stream, few enough to be cheap.
const WORDS_PER_CHUNK: usize = 4;

/// The usual rule of thumb for English and code.
const BYTES_PER_TOKEN: usize = 4;

/// The model itself.
#[derive(Clone, Copy, Default, Debug)]
pub struct OfflineModel;

impl Model for OfflineModel {
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>> {
        let chunks = chunks(&request, answer(&request));
        Box::pin(async move { Ok(Box::pin(Said(chunks.into_iter())) as ChunkStream) })
    }
}

/// What to say: first a call, then what came of it.
fn answer(request: &Request<'_>) -> Answer {
    let last_user = request
        .messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }));
    let Some(last_user) = last_user else {
        return Answer::not_understood();
    };
    let (before, after) = request.messages.split_at(last_user + 1);
    let result = after.iter().rev().find_map(|message| match message {
        Message::Tool {
            call_id,
            output,
            success,
            ..
        } => Some((call_id, output, *success)),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    if let Some((call_id, output, success)) = result {
        let call = after
            .iter()
            .rev()
            .find_map(|message| called(message, call_id));
        return Answer::result(call.map_or("the tool", |call| &call.name), output, success);
    }
    let Some(Message::User { text, .. }) = before.last() else {
        return Answer::not_understood();
    };
    let Some(intent) = Intent::read(without_meta(text)) else {
        return Answer::not_understood();
    };
    if !request.tools.iter().any(|tool| tool.name == intent.tool()) {
        return Answer::not_offered(&intent);
    }
    let call = ToolCall {
        // The conversation only grows, so its length names a call once.
        id: format!("call_offline_{}", request.messages.len()),
        name: intent.tool().to_owned(),
        arguments: intent.arguments().to_string(),
    };
    Answer::call(&intent, call)
}

fn called<'a>(message: &'a Message, call_id: &str) -> Option<&'a ToolCall> {
    match message {
        Message::Assistant { calls, .. } => calls.iter().find(|call| call.id == call_id),
        Message::User { .. } | Message::Tool { .. } => None,
    }
}

fn chunks(request: &Request<'_>, answer: Answer) -> Vec<Chunk> {
    let usage = Usage {
        input_tokens: tokens(bytes_of(request)),
        output_tokens: tokens(
            answer.text.len() + answer.call.as_ref().map_or(0, |call| call.arguments.len()),
        ),
        ..Usage::default()
    };
    let finish = if answer.call.is_some() {
        FinishReason::ToolCalls
    } else {
        FinishReason::Stop
    };
    let mut chunks: Vec<Chunk> = word_groups(&answer.text)
        .map(|text| Chunk::Text(text.to_owned()))
        .collect();
    chunks.extend(answer.call.map(Chunk::Call));
    chunks.push(Chunk::Usage(usage));
    chunks.push(Chunk::Finished(finish));
    chunks
}

/// The text in pieces of some words each; together they are the text.
fn word_groups(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .match_indices(char::is_whitespace)
            .nth(WORDS_PER_CHUNK - 1);
        let end = end.map_or(rest.len(), |(start, blank)| start + blank.len());
        let (group, left) = rest.split_at(end);
        rest = left;
        (!group.is_empty()).then_some(group)
    })
}

fn bytes_of(request: &Request<'_>) -> usize {
    let messages = request.messages.iter().map(|message| match message {
        Message::User { text, .. } => text.len(),
        Message::Assistant {
            reasoning,
            text,
            calls,
        } => {
            let calls: usize = calls
                .iter()
                .map(|call| call.name.len() + call.arguments.len())
                .sum();
            reasoning.len() + text.len() + calls
        }
        Message::Tool { output, .. } => output.len(),
    });
    let tools = request
        .tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len());
    request.system.len() + messages.sum::<usize>() + tools.sum::<usize>()
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

/// An answer that is already known.
struct Said(std::vec::IntoIter<Chunk>);

impl Stream for Said {
    type Item = Result<Chunk, Error>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}

#[cfg(test)]
mod tests;
