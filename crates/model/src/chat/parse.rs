//! What the frames of a chat-completions answer mean.

use super::usage::normalise;
use super::wire::{CallPiece, Choice, Delta, Piece};
use crate::exchange::{Calls, Draft, Parse, Problem, text};
use crate::{Error, FinishReason};

/// An answer in this dialect.
pub(crate) struct ChatParse {
    calls: Calls,
    /// The number of the first call, for those that come without an id.
    first_call: usize,
}

impl ChatParse {
    pub(crate) fn new(first_call: usize) -> Self {
        Self {
            calls: Calls::default(),
            first_call,
        }
    }

    fn take_piece(&mut self, draft: &mut Draft, data: &str, is_error: bool) -> Result<(), Error> {
        let piece: Piece<'_> = match serde_json::from_str(data) {
            Ok(piece) => piece,
            Err(_) if is_error => return Err(draft.complained(data)),
            Err(_) => return Err(draft.unreadable(data)),
        };
        let is_bare_error = piece.choices.is_none() && piece.message.is_some();
        if is_error || is_bare_error || piece.error.is_some() {
            return Err(draft.complained(data));
        }
        if let Some(usage) = &piece.usage {
            draft.used(normalise(usage));
        }
        match piece.choices.and_then(|choices| choices.into_iter().next()) {
            Some(choice) => self.take_choice(draft, choice),
            None => Ok(()),
        }
    }

    fn take_choice(&mut self, draft: &mut Draft, choice: Choice<'_>) -> Result<(), Error> {
        if let Some(delta) = choice.delta.or(choice.message) {
            self.take_delta(draft, delta)
                .map_err(|problem| draft.unservable(problem))?;
        }
        match text(choice.finish_reason) {
            Some(reason) if !draft.is_finished() => self.take_finish(draft, &reason),
            _ => Ok(()),
        }
    }

    fn take_delta(&mut self, draft: &mut Draft, delta: Delta<'_>) -> Result<(), Problem> {
        draft.think(text(delta.reasoning_content).or_else(|| text(delta.reasoning)));
        draft.say(text(delta.content).or_else(|| text(delta.refusal)));
        delta
            .tool_calls
            .into_iter()
            .flatten()
            .try_for_each(|piece| self.take_call(piece))
    }

    fn take_call(&mut self, piece: CallPiece<'_>) -> Result<(), Problem> {
        let function = piece.function.unwrap_or_default();
        let arguments = function.arguments.map(|arguments| arguments.0);
        self.calls.take(
            piece.index,
            text(piece.id),
            text(function.name),
            &arguments.unwrap_or_default(),
        )
    }

    fn take_finish(&mut self, draft: &mut Draft, reason: &str) -> Result<(), Error> {
        let reason = match reason {
            // Some servers say stop although they called.
            "stop" if !self.calls.is_empty() => FinishReason::ToolCalls,
            "stop" => FinishReason::Stop,
            "tool_calls" => FinishReason::ToolCalls,
            "length" => FinishReason::Length,
            "content_filter" => FinishReason::ContentFilter,
            other => FinishReason::Other(other.to_owned()),
        };
        let calls = self
            .calls
            .finish(self.first_call)
            .map_err(|problem| draft.unservable(problem))?;
        draft.finish(reason, calls);
        Ok(())
    }

    /// The provider declares the answer complete. Without a reason it stopped by itself, provided
    /// that it said anything.
    fn take_done(&mut self, draft: &mut Draft) -> Result<(), Error> {
        if !draft.is_finished() {
            if !draft.has_spoken() && self.calls.is_empty() {
                return Err(draft.cut_off());
            }
            self.take_finish(draft, "stop")?;
        }
        draft.close();
        Ok(())
    }
}

impl Parse for ChatParse {
    fn frame(&mut self, draft: &mut Draft, event: Option<&str>, data: &str) -> Result<(), Error> {
        if data == "[DONE]" {
            return self.take_done(draft);
        }
        self.take_piece(draft, data, event == Some("error"))
    }

    fn whole(&mut self, draft: &mut Draft, data: &str) -> Result<(), Error> {
        self.take_piece(draft, data, false)?;
        if !draft.is_finished() && !draft.has_spoken() && self.calls.is_empty() {
            return Err(draft.no_answer(data.as_bytes()));
        }
        self.take_done(draft)
    }
}

#[cfg(test)]
mod tests;
