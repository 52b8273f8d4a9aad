//! Lines of a stream, none longer than the bound.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// One line, or that it was too long to be kept.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// Reads line by line. What a given-up read has taken is kept for the next.
pub(crate) struct Lines<R> {
    input: R,
    bytes_max: usize,
    taken: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(crate) fn new(input: R, bytes_max: usize) -> Self {
        Self {
            input,
            bytes_max,
            taken: Vec::new(),
            is_too_long: false,
        }
    }

    /// The next line that is not blank; nothing at the end. A last line without its end was cut off
    /// and is no line.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let piece = self.input.fill_buf().await?;
            if piece.is_empty() {
                return Ok(None);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(piece.len());
            if self.taken.len() + taken > self.bytes_max {
                self.is_too_long = true;
                self.taken = Vec::new();
            }
            if !self.is_too_long {
                self.taken.extend_from_slice(&piece[..taken]);
            }
            self.input.consume(taken + usize::from(end.is_some()));
            if end.is_none() {
                continue;
            }
            let line = std::mem::take(&mut self.taken);
            if std::mem::take(&mut self.is_too_long) {
                return Ok(Some(Line::TooLong));
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some(Line::Whole(line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(text: &str, expected: &[Line]) {
        let mut lines = Lines::new(text.as_bytes(), 4);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(line);
        }
        assert_eq!(read, expected, "{text:?}");
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.into())
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_takes_nothing_with_it() {
        let expected = [whole("ab"), Line::TooLong, whole("cd")];
        check("ab\n12345\ncd\n", &expected).await;
        check("1234\n", &[whole("1234")]).await;
    }

    #[tokio::test]
    async fn blank_lines_and_a_line_that_was_cut_off_are_none() {
        check("\n \r\na\n{\"x", &[whole("a")]).await;
        check("", &[]).await;
    }
}
