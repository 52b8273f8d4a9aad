//! Frames: events as text on a stream, in the server-sent-events form every client reads.
//!
//! Writing and reading stand side by side here because they are one format. The store's writer
//! makes frames once and every subscriber shares them; clients and model dialects read theirs with
//! [`Decoder`], which does not care where the network cut the bytes.

use std::fmt::Write as _;

use bytes::Bytes;

use crate::runtime::Seq;

/// Some whole frames, one behind the other, shared by everyone who is sent them.
#[derive(Clone, Debug)]
pub struct Frames {
    /// The text.
    pub bytes: Bytes,
    /// The place of the last event in it.
    pub last: Seq,
}

/// Appends one event: `id`, `event`, one `data` line, an empty line; LF only.
pub fn write_event(out: &mut String, seq: Seq, name: &str, envelope: &str) {
    debug_assert!(!envelope.contains('\n'), "JSON text has no raw line feed");
    write!(out, "id: {seq}\nevent: {name}\ndata: ").expect("writing to a string cannot fail");
    out.push_str(envelope);
    out.push_str("\n\n");
}

/// A frame that was read.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Its `id`, if any.
    pub id: Option<String>,
    /// Its `event`, if any.
    pub event: Option<String>,
    /// Its `data` lines, joined by line feeds.
    pub data: String,
}

/// A stream of frames was not text, or a frame was too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// A line is not UTF-8.
    #[error("the event stream is not UTF-8 text")]
    NotText,
    /// A frame has more bytes than the reader takes.
    #[error("a frame of the event stream exceeds {0} bytes")]
    TooLong(usize),
}

/// Reads frames from bytes that arrive in arbitrary pieces. Comments are passed over; LF, CRLF and
/// a leading byte order mark are understood.
pub struct Decoder {
    buffer: Vec<u8>,
    /// Start of the first line that has not been read.
    start: usize,
    /// Bytes behind `start` that are known to hold no line feed.
    scanned: usize,
    frame: Frame,
    has_data: bool,
    first_line: bool,
    frame_bytes_max: usize,
}

impl Decoder {
    /// Longest frame that is taken by default, in bytes: the most that clients of the API accept.
    pub const FRAME_BYTES_MAX: usize = 16 * 1024 * 1024;

    /// A decoder at the start of a stream.
    pub fn new() -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            frame: Frame::default(),
            has_data: false,
            first_line: true,
            frame_bytes_max: Self::FRAME_BYTES_MAX,
        }
    }

    /// Takes bytes as they came.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        } else if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame, if the bytes so far hold one.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, DecodeError> {
        loop {
            let unread = &self.buffer[self.start..];
            let Some(found) = memchr::memchr(b'\n', &unread[self.scanned..]) else {
                self.scanned = unread.len();
                return self.check_length(unread.len()).map(|()| None);
            };
            let end = self.start + self.scanned + found;
            let line = std::str::from_utf8(&self.buffer[self.start..end])
                .map_err(|_| DecodeError::NotText)?;
            let mut line = line.strip_suffix('\r').unwrap_or(line);
            if std::mem::take(&mut self.first_line) {
                line = line.strip_prefix('\u{feff}').unwrap_or(line);
            }
            let ended = read_line(line, &mut self.frame, &mut self.has_data);
            self.start = end + 1;
            self.scanned = 0;
            if ended {
                self.has_data = false;
                return Ok(Some(std::mem::take(&mut self.frame)));
            }
            self.check_length(0)?;
        }
    }

    /// Whether bytes of an unfinished frame are left, which at the end of a stream means it was cut.
    pub fn is_mid_frame(&self) -> bool {
        self.has_data || self.start < self.buffer.len()
    }

    fn check_length(&self, unread: usize) -> Result<(), DecodeError> {
        if self.frame.data.len() + unread > self.frame_bytes_max {
            return Err(DecodeError::TooLong(self.frame_bytes_max));
        }
        Ok(())
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

/// Takes one line into the frame; true when the line ends a frame that carries data.
fn read_line(line: &str, frame: &mut Frame, has_data: &mut bool) -> bool {
    if line.is_empty() {
        if !*has_data {
            *frame = Frame::default();
        }
        return *has_data;
    }
    let (field, value) = line.split_once(':').unwrap_or((line, ""));
    let value = value.strip_prefix(' ').unwrap_or(value);
    match field {
        "data" => {
            if std::mem::replace(has_data, true) {
                frame.data.push('\n');
            }
            frame.data.push_str(value);
        }
        "event" => frame.event = Some(value.to_owned()),
        "id" => frame.id = Some(value.to_owned()),
        _ => {}
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(pieces: &[&[u8]]) -> Result<Vec<Frame>, DecodeError> {
        let mut decoder = Decoder::new();
        let mut frames = Vec::new();
        for piece in pieces {
            decoder.push(piece);
            while let Some(frame) = decoder.next_frame()? {
                frames.push(frame);
            }
        }
        Ok(frames)
    }

    fn frame(id: Option<&str>, event: Option<&str>, data: &str) -> Frame {
        Frame {
            id: id.map(Into::into),
            event: event.map(Into::into),
            data: data.into(),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut text = String::new();
        write_event(&mut text, Seq(7), "item.delta", r#"{"a":"é"}"#);
        assert_eq!(text, "id: 7\nevent: item.delta\ndata: {\"a\":\"é\"}\n\n");
        let expect = vec![frame(Some("7"), Some("item.delta"), r#"{"a":"é"}"#)];
        assert_eq!(read_all(&[text.as_bytes()]).unwrap(), expect);
    }

    #[test]
    fn the_place_of_a_cut_does_not_matter() {
        let text = "\u{feff}: hello\r\n\r\ndata: {\"x\":\"ü\"}\r\n\r\nid: 1\nevent: e\ndata:a\ndata: b\n\n: keepalive\n\ndata\n\n";
        let expect = vec![
            frame(None, None, "{\"x\":\"ü\"}"),
            frame(Some("1"), Some("e"), "a\nb"),
            frame(None, None, ""),
        ];
        let bytes = text.as_bytes();
        assert_eq!(read_all(&[bytes]).unwrap(), expect);
        for cut in 0..=bytes.len() {
            assert_eq!(
                read_all(&[&bytes[..cut], &bytes[cut..]]).unwrap(),
                expect,
                "cut at {cut}"
            );
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read_all(&single).unwrap(), expect);
    }

    #[test]
    fn a_frame_cut_off_is_seen_as_such() {
        let mut decoder = Decoder::new();
        decoder.push(b"data: a\n\n");
        assert!(decoder.next_frame().unwrap().is_some());
        assert!(!decoder.is_mid_frame());
        decoder.push(b"data: b\n");
        assert_eq!(decoder.next_frame(), Ok(None));
        assert!(decoder.is_mid_frame());
    }

    #[test]
    fn bytes_that_are_not_text_and_endless_lines_are_refused() {
        assert_eq!(read_all(&[b"data: \xff\n\n"]), Err(DecodeError::NotText));
        let mut decoder = Decoder {
            frame_bytes_max: 8,
            ..Decoder::new()
        };
        decoder.push(b"data: 123456789");
        assert_eq!(decoder.next_frame(), Err(DecodeError::TooLong(8)));
    }
}
