//! Reads the bytes of an answer. Never waits, and does not care where the network cut them.
//!
//! ```text
//! bytes ─► form ─► frames ─► the dialect, which says and thinks at once,
//!          │                 makes calls when the reason for the end is known,
//!          └► one object ─►  and reports usage and the end last
//! ```

use std::sync::Arc;

use codewhale_protocol::frame::{DecodeError, Decoder, Frame};
use serde::de::IgnoredAny;

use super::Draft;
use crate::failure::Origin;
use crate::limits;
use crate::{Chunk, Error, ErrorKind};

/// What a dialect makes of an answer.
pub(crate) trait Parse: Send + Unpin {
    /// Takes one event that carries data.
    fn frame(&mut self, draft: &mut Draft, event: Option<&str>, data: &str) -> Result<(), Error>;

    /// Takes an answer that came in one piece and reads as JSON.
    fn whole(&mut self, draft: &mut Draft, data: &str) -> Result<(), Error>;
}

/// An answer as far as it has come.
pub(crate) struct Reader<P> {
    parse: P,
    draft: Draft,
    form: Form,
    bytes: usize,
    frames: u64,
}

/// How the answer comes. Its first byte tells: event streams never begin with a bracket.
enum Form {
    Unknown,
    Events(Decoder),
    Whole(Vec<u8>),
}

impl<P: Parse> Reader<P> {
    pub(crate) fn new(origin: Arc<Origin>, parse: P) -> Self {
        Self {
            parse,
            draft: Draft::new(origin),
            form: Form::Unknown,
            bytes: 0,
            frames: 0,
        }
    }

    pub(super) fn origin(&self) -> &Origin {
        self.draft.origin()
    }

    /// How many frames came that were more than keep-alives.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// Whether the reason for the end is known, so that only the usage can still come.
    pub(super) fn is_finished(&self) -> bool {
        self.draft.is_finished()
    }

    /// Whether the last chunk has been made; it may still have to be taken.
    pub(super) fn is_done(&self) -> bool {
        self.draft.is_done()
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
            return Err(self.origin().error(ErrorKind::Garbled, message));
        }
        Ok(())
    }

    /// The next chunk that the bytes so far hold.
    pub(super) fn next(&mut self) -> Result<Option<Chunk>, Error> {
        loop {
            if let Some(chunk) = self.draft.next() {
                return Ok(Some(chunk));
            }
            let Form::Events(decoder) = &mut self.form else {
                return Ok(None);
            };
            if self.draft.is_done() {
                return Ok(None);
            }
            match decoder.next_frame() {
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => self.take_frame(&frame)?,
                // Past the finish an unreadable rest can only cost the usage.
                Err(_) if self.is_finished() => self.draft.close(),
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
                while let (false, Ok(Some(frame))) = (self.is_done(), decoder.next_frame()) {
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
        if self.is_done() {
            return Ok(());
        }
        if !self.is_finished() {
            return Err(error(self));
        }
        self.draft.close();
        Ok(())
    }

    /// The error of an answer without an end.
    pub(super) fn cut_off(&self) -> Error {
        self.draft.cut_off()
    }

    fn take_frame(&mut self, frame: &Frame) -> Result<(), Error> {
        let data = frame.data.trim();
        if data.is_empty() {
            return Ok(());
        }
        self.frames += 1;
        let taken = self
            .parse
            .frame(&mut self.draft, frame.event.as_deref(), data);
        if taken.is_err() && self.is_finished() {
            self.draft.close();
            return Ok(());
        }
        taken
    }

    /// An answer in one piece, or an error instead of one.
    fn take_whole(&mut self, whole: &[u8]) -> Result<(), Error> {
        let data = std::str::from_utf8(whole).map_err(|_| self.draft.no_answer(whole))?;
        match serde_json::from_str::<IgnoredAny>(data) {
            Ok(_) => self.parse.whole(&mut self.draft, data),
            Err(cause) if cause.is_eof() => Err(self.cut_off()),
            Err(_) => Err(self.draft.no_answer(whole)),
        }
    }

    fn undecodable(&self, problem: DecodeError) -> Error {
        self.origin()
            .error(ErrorKind::Garbled, "sent a stream that does not read")
            .caused_by(problem)
    }
}

#[cfg(test)]
pub(crate) mod check;
