//! Reading an event stream by scanning its bytes: the load tool shares the cores with what it
//! measures, so nothing is parsed that nobody looks at.

use anyhow::{Result, ensure};
use memchr::{memchr, memmem};

/// A body in chunks, as HTTP/1.1 sends one whose length it does not know.
#[derive(Default)]
pub(super) struct Chunks {
    place: Place,
    /// Of the size line so far, or of the chunk that is still to come.
    size: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Place {
    #[default]
    Size,
    /// Behind the size, in what nobody uses.
    Extension,
    Data,
    /// In the line end behind a chunk.
    Gap,
    End,
}

impl Chunks {
    /// Appends what the bytes carry to `plain`.
    pub(super) fn decode(&mut self, mut bytes: &[u8], plain: &mut Vec<u8>) -> Result<()> {
        while let Some(&byte) = bytes.first() {
            if self.place == Place::Data {
                let (data, rest) = bytes.split_at(self.size.min(bytes.len()));
                plain.extend_from_slice(data);
                self.size -= data.len();
                bytes = rest;
                if self.size == 0 {
                    self.place = Place::Gap;
                }
                continue;
            }
            bytes = &bytes[1..];
            self.place = match (self.place, byte) {
                (Place::Gap, b'\n') => Place::Size,
                (Place::Gap, _) => Place::Gap,
                (Place::Size | Place::Extension, b'\n') if self.size == 0 => Place::End,
                (Place::Size | Place::Extension, b'\n') => Place::Data,
                (Place::Size, b';' | b'\r') | (Place::Extension, _) => Place::Extension,
                (Place::Size, digit) => {
                    let value = char::from(digit).to_digit(16);
                    ensure!(
                        value.is_some() && self.size < 1 << 40,
                        "a chunk has no size"
                    );
                    self.size = self.size * 16 + value.unwrap_or(0) as usize;
                    Place::Size
                }
                (Place::End | Place::Data, _) => self.place,
            };
        }
        Ok(())
    }

    /// Whether the last chunk was seen.
    pub(super) fn is_at_end(&self) -> bool {
        self.place == Place::End
    }
}

/// Cuts a stream into frames.
#[derive(Default)]
pub(super) struct Frames {
    /// Bytes that were not handed out yet.
    pub(super) plain: Vec<u8>,
    /// So many of them hold no end of a frame.
    searched: usize,
}

/// One event, as bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Frame<'a> {
    /// The name of the event; empty for a comment.
    pub(super) name: &'a [u8],
    pub(super) data: &'a [u8],
}

impl Frames {
    /// Hands out the frames that are whole.
    pub(super) fn take(&mut self, mut each: impl FnMut(Frame<'_>)) {
        let mut start = 0;
        while let Some(found) = memmem::find(&self.plain[start + self.searched..], b"\n\n") {
            let end = start + self.searched + found;
            each(Frame::read(&self.plain[start..end]));
            start = end + 2;
            self.searched = 0;
        }
        self.plain.drain(..start);
        // The first half of an end may be there.
        self.searched = self.plain.len().saturating_sub(1);
    }
}

impl<'a> Frame<'a> {
    fn read(mut text: &'a [u8]) -> Self {
        let mut frame = Frame {
            name: b"",
            data: b"",
        };
        while !text.is_empty() {
            let end = memchr(b'\n', text).unwrap_or(text.len());
            let line = &text[..end];
            if let Some(name) = line.strip_prefix(b"event: ") {
                frame.name = name;
            } else if let Some(data) = line.strip_prefix(b"data: ") {
                frame.data = data;
            }
            text = text.get(end + 1..).unwrap_or_default();
        }
        frame
    }

    /// The text that a delta adds, as it stands between its quotes.
    pub(super) fn delta(self) -> Option<&'a [u8]> {
        const MEMBER: &[u8] = b"\"delta\":\"";
        if self.name != b"item.delta" {
            return None;
        }
        let start = memmem::find(self.data, MEMBER)? + MEMBER.len();
        let length = memchr(b'"', &self.data[start..])?;
        Some(&self.data[start..start + length])
    }

    /// Whether a turn ended, and if so whether well.
    pub(super) fn turn_end(self) -> Option<bool> {
        let ended = self.name == b"turn.completed";
        ended.then(|| memmem::find(self.data, b"\"status\":\"completed\"").is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": keepalive\n\n\
        id: 7\nevent: item.delta\ndata: {\"kind\":\"item.delta\",\"payload\":{\"delta\":\"a b\",\"kind\":\"agent_message\"}}\n\n\
        event: turn.completed\ndata: {\"payload\":{\"turn\":{\"status\":\"completed\"}}}\n\n";

    /// What frames say, however the bytes were cut.
    fn read(bytes: &[u8], cut_every: usize) -> Vec<String> {
        let mut said = Vec::new();
        let (mut chunks, mut frames) = (Chunks::default(), Frames::default());
        for piece in bytes.chunks(cut_every) {
            chunks.decode(piece, &mut frames.plain).unwrap();
            frames.take(|frame| {
                let name = String::from_utf8_lossy(frame.name);
                let delta = frame.delta().map(String::from_utf8_lossy);
                said.push(format!("{name} {delta:?} {:?}", frame.turn_end()));
            });
        }
        assert!(chunks.is_at_end());
        said
    }

    #[test]
    fn frames_are_the_same_however_the_bytes_are_cut() {
        let mut bytes = Vec::new();
        for chunk in STREAM.as_bytes().chunks(19) {
            bytes.extend_from_slice(format!("{:X}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        for cut_every in 1..bytes.len() {
            assert_eq!(
                read(&bytes, cut_every),
                [
                    " None None",
                    "item.delta Some(\"a b\") None",
                    "turn.completed None Some(true)",
                ],
                "cut every {cut_every} bytes"
            );
        }
    }

    #[test]
    fn a_turn_that_failed_did_not_end_well() {
        let frame = Frame {
            name: b"turn.completed",
            data: b"{\"payload\":{\"turn\":{\"status\":\"failed\"}}}",
        };
        assert_eq!(frame.turn_end(), Some(false));
    }

    #[test]
    fn bytes_that_are_no_chunks_are_refused() {
        let decode = |bytes: &[u8]| Chunks::default().decode(bytes, &mut Vec::new());
        assert!(decode(b"event: x\n\n").is_err());
        assert!(decode(b"5;name=value\r\nabcde\r\n").is_ok());
    }
}
