//! Lines from a client: whole ones, of a bounded length, whatever the pipe cuts them into.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::limits::LINE_BYTES_MAX;

/// Something a client wrote.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// A line that was longer than lines may be. None of it was kept.
    TooLong,
}

/// Reads lines. Giving up on [`Lines::next`] loses nothing.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_too_long: false,
        }
    }

    /// The next line; `None` at the end of input. A last line needs no end.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                let is_something = self.is_too_long || !self.line.is_empty();
                return Ok(is_something.then(|| self.take()));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            if !self.is_too_long && self.line.len() + piece.len() <= LINE_BYTES_MAX {
                self.line.extend_from_slice(piece);
            } else {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            let taken = piece.len() + usize::from(end.is_some());
            self.input.consume(taken);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> Line {
        match std::mem::take(&mut self.is_too_long) {
            true => Line::TooLong,
            false => Line::Whole(std::mem::take(&mut self.line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(bytes);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn a_last_line_needs_no_end() {
        assert_eq!(
            read(b"a\n\r\n\nb").await,
            [whole("a"), whole("\r"), whole(""), whole("b")]
        );
        assert_eq!(read(b"").await, []);
    }

    #[tokio::test]
    async fn after_a_line_that_is_too_long_the_next_one_is_read() {
        let mut text = vec![b'x'; LINE_BYTES_MAX + 1];
        text.extend_from_slice(b"\nnext\n");
        assert_eq!(read(&text).await, [Line::TooLong, whole("next")]);
        let fits = vec![b'x'; LINE_BYTES_MAX];
        assert_eq!(read(&fits).await, [Line::Whole(fits.clone())]);
        assert_eq!(read(&vec![b'x'; LINE_BYTES_MAX + 1]).await, [Line::TooLong]);
    }
}
