//! Reads the bytes of an answer. Never waits, and does not care where the network cut them.
//!
//! ```text
//! bytes ─► form ─► frames ─► pieces ─► text and reasoning at once,
//!          │                           calls when the reason for the end is known,
//!          └► one whole object ─►      usage and the end last
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use codewhale_protocol::frame::{DecodeError, Decoder, Frame};
use serde::de::IgnoredAny;

use super::calls::{Calls, Problem};
use super::usage::normalise;
use super::wire::{Choice, Delta, Piece, Usage, text};
use crate::failure::{Complaint, Origin};
use crate::limits;
use crate::{Chunk, Error, ErrorKind, FinishReason};

/// An answer as far as it has come.
pub(super) struct Reader {
    origin: Arc<Origin>,
    form: Form,
    bytes: usize,
    frames: u64,
    calls: Calls,
    /// The number of the first call, for those that come without an id.
    first_call: usize,
    has_spoken: bool,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    ready: VecDeque<Chunk>,
    is_done: bool,
}

/// How the answer comes. Its first byte tells: event streams never begin with a bracket.
enum Form {
    Unknown,
    Events(Decoder),
    Whole(Vec<u8>),
}

impl Reader {
    pub(super) fn new(origin: Arc<Origin>, first_call: usize) -> Self {
        Self {
            origin,
            form: Form::Unknown,
            bytes: 0,
            frames: 0,
            calls: Calls::default(),
            first_call,
            has_spoken: false,
            usage: None,
            finish: None,
            ready: VecDeque::new(),
            is_done: false,
        }
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// How many frames came that were more than keep-alives.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// Whether the reason for the end is known, so that only the usage can still come.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether the last chunk has been made; it may still have to be taken.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Takes bytes as they came.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.bytes += bytes.len();
        let mut bytes = bytes;
        if matches!(self.form, Form::Unknown) {
            let is_blank = |byte: &u8| byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(byte);
            bytes = &bytes[bytes.iter().take_while(|byte| is_blank(byte)).count()..];
            match bytes.first() {
                None => return Ok(()),
                Some(b'{' | b'[' | b'<') => self.form = Form::Whole(Vec::new()),
                Some(_) => self.form = Form::Events(Decoder::new()),
            }
        }
        let bytes_max = match &mut self.form {
            Form::Unknown => return Ok(()),
            Form::Events(decoder) => {
                decoder.push(bytes);
                limits::ANSWER_BYTES_MAX
            }
            Form::Whole(whole) => {
                whole.extend_from_slice(bytes);
                limits::WHOLE_ANSWER_BYTES_MAX
            }
        };
        if self.bytes > bytes_max {
            let message = format!("sent an answer of more than {bytes_max} bytes");
            return Err(self.origin.error(ErrorKind::Garbled, message));
        }
        Ok(())
    }

    /// The next chunk that the bytes so far hold.
    pub(super) fn next(&mut self) -> Result<Option<Chunk>, Error> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Ok(Some(chunk));
            }
            let Form::Events(decoder) = &mut self.form else {
                return Ok(None);
            };
            if self.is_done {
                return Ok(None);
            }
            match decoder.next_frame() {
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => self.take_frame(&frame)?,
                // Past the finish an unreadable rest can only cost the usage.
                Err(_) if self.is_finished() => self.close(),
                Err(problem) => return Err(self.undecodable(problem)),
            }
        }
    }

    /// The bytes ended, as they do behind a whole answer.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Unknown => {}
            Form::Whole(whole) => return self.take_whole(&whole),
            // The last frame may lack the empty line behind it. If it does not read, it was cut.
            Form::Events(mut decoder) if decoder.is_mid_frame() => {
                decoder.push(b"\n\n");
                while let (false, Ok(Some(frame))) = (self.is_done, decoder.next_frame()) {
                    match self.take_frame(&frame) {
                        Err(error) if error.kind == ErrorKind::Garbled => break,
                        taken => taken?,
                    }
                }
            }
            Form::Events(_) => {}
        }
        self.settle(Self::cut_off)
    }

    /// No more bytes will come, or be waited for. An answer whose finish is known is whole without
    /// them; any other ends with the error.
    pub(super) fn settle(&mut self, error: impl FnOnce(&Self) -> Error) -> Result<(), Error> {
        if self.is_done {
            return Ok(());
        }
        if self.finish.is_none() {
            return Err(error(self));
        }
        self.close();
        Ok(())
    }

    /// The error of an answer without an end.
    pub(super) fn cut_off(&self) -> Error {
        self.origin
            .error(ErrorKind::Transient, "broke off the answer before its end")
    }

    fn take_frame(&mut self, frame: &Frame) -> Result<(), Error> {
        let data = frame.data.trim();
        if data.is_empty() {
            return Ok(());
        }
        self.frames += 1;
        if data == "[DONE]" {
            return self.take_done();
        }
        let taken = self.take_piece(data, frame.event.as_deref() == Some("error"));
        if taken.is_err() && self.is_finished() {
            self.close();
            return Ok(());
        }
        taken
    }

    fn take_piece(&mut self, data: &str, is_error: bool) -> Result<(), Error> {
        let piece: Piece<'_> = match serde_json::from_str(data) {
            Ok(piece) => piece,
            Err(_) if is_error => {
                return Err(self.origin.complained(&Complaint::read(data.as_bytes())));
            }
            Err(_) => {
                let what = "a piece of the answer that does not read";
                return Err(self.origin.garbled(what, data.as_bytes()));
            }
        };
        let is_bare_error = piece.choices.is_none() && piece.message.is_some();
        if is_error || is_bare_error || piece.error.is_some() {
            return Err(self.origin.complained(&Complaint::read(data.as_bytes())));
        }
        self.usage = piece.usage.or(self.usage);
        match piece.choices.and_then(|choices| choices.into_iter().next()) {
            Some(choice) => self.take_choice(choice),
            None => Ok(()),
        }
    }

    fn take_choice(&mut self, choice: Choice<'_>) -> Result<(), Error> {
        if let Some(delta) = choice.delta.or(choice.message) {
            self.take_delta(delta)
                .map_err(|problem| self.unservable(problem))?;
        }
        match text(choice.finish_reason) {
            Some(reason) if self.finish.is_none() => self.take_finish(&reason),
            _ => Ok(()),
        }
    }

    fn take_delta(&mut self, delta: Delta<'_>) -> Result<(), Problem> {
        let reasoning = text(delta.reasoning_content).or_else(|| text(delta.reasoning));
        let said = text(delta.content).or_else(|| text(delta.refusal));
        self.has_spoken |= reasoning.is_some() || said.is_some();
        self.ready.extend(reasoning.map(Chunk::Reasoning));
        self.ready.extend(said.map(Chunk::Text));
        delta
            .tool_calls
            .into_iter()
            .flatten()
            .try_for_each(|piece| self.calls.take(piece))
    }

    fn take_finish(&mut self, reason: &str) -> Result<(), Error> {
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
            .map_err(|problem| self.unservable(problem))?;
        self.ready.extend(calls.into_iter().map(Chunk::Call));
        self.finish = Some(reason);
        Ok(())
    }

    /// The provider declares the answer complete. Without a reason it stopped by itself, provided
    /// that it said anything.
    fn take_done(&mut self) -> Result<(), Error> {
        if self.finish.is_none() {
            if !self.has_spoken && self.calls.is_empty() {
                return Err(self.cut_off());
            }
            self.take_finish("stop")?;
        }
        self.close();
        Ok(())
    }

    /// An answer in one piece, or an error instead of one.
    fn take_whole(&mut self, whole: &[u8]) -> Result<(), Error> {
        let data = std::str::from_utf8(whole).map_err(|_| self.no_answer(whole))?;
        match serde_json::from_str::<IgnoredAny>(data) {
            Ok(_) => self.take_piece(data, false)?,
            Err(cause) if cause.is_eof() => return Err(self.cut_off()),
            Err(_) => return Err(self.no_answer(whole)),
        }
        if self.finish.is_none() && !self.has_spoken && self.calls.is_empty() {
            return Err(self.no_answer(whole));
        }
        self.take_done()
    }

    fn close(&mut self) {
        let usage = self.usage.map(|usage| Chunk::Usage(normalise(&usage)));
        self.ready.extend(usage);
        self.ready.extend(self.finish.clone().map(Chunk::Finished));
        self.is_done = true;
    }

    fn no_answer(&self, whole: &[u8]) -> Error {
        self.origin.garbled("something else than an answer", whole)
    }

    fn undecodable(&self, problem: DecodeError) -> Error {
        self.origin
            .error(ErrorKind::Garbled, "sent a stream that does not read")
            .caused_by(problem)
    }

    fn unservable(&self, problem: Problem) -> Error {
        self.origin
            .error(ErrorKind::Garbled, format!("sent {}", problem.as_str()))
    }
}

#[cfg(test)]
mod tests;
