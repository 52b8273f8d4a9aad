//! Lines of a stream of bytes, none longer than a bound, whatever pieces they come in.

/// Something that was written.
#[derive(PartialEq, Eq, Debug)]
pub enum Line {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// A line that was longer than lines may be. None of it was kept.
    TooLong,
}

/// Puts lines together.
#[derive(Debug)]
pub struct Lines {
    bytes_max: usize,
    line: Vec<u8>,
    is_too_long: bool,
}

impl Lines {
    /// Lines of at most so many bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            line: Vec::new(),
            is_too_long: false,
        }
    }

    /// Takes a piece up to the end of the line: how many bytes those are, and the line when it is
    /// whole.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Option<Line>) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        if !self.is_too_long && self.line.len() + piece.len() <= self.bytes_max {
            self.line.extend_from_slice(piece);
        } else {
            self.is_too_long = true;
            self.line = Vec::new();
        }
        let taken = piece.len() + usize::from(end.is_some());
        (taken, end.map(|_| self.whole()))
    }

    /// What stands behind the last end of a line, when no more will come.
    pub fn rest(&mut self) -> Option<Line> {
        let is_something = self.is_too_long || !self.line.is_empty();
        is_something.then(|| self.whole())
    }

    fn whole(&mut self) -> Line {
        let line = std::mem::take(&mut self.line);
        match std::mem::take(&mut self.is_too_long) {
            true => Line::TooLong,
            false => Line::Whole(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads text in pieces of this length.
    fn read(text: &str, length: usize) -> (Vec<Line>, Option<Line>) {
        let mut lines = Lines::new(4);
        let mut all = Vec::new();
        for mut piece in text.as_bytes().chunks(length) {
            while !piece.is_empty() {
                let (taken, line) = lines.take(piece);
                all.extend(line);
                piece = &piece[taken..];
            }
        }
        (all, lines.rest())
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.into())
    }

    #[test]
    fn lines_are_the_same_whatever_pieces_they_come_in() {
        for length in 1..20 {
            let all = vec![
                whole("ab"),
                Line::TooLong,
                whole(""),
                whole("\r"),
                whole("1234"),
            ];
            let text = "ab\n12345\n\n\r\n1234\ncd";
            assert_eq!(read(text, length), (all, Some(whole("cd"))), "{length}");
            assert_eq!(read("12345", length), (vec![], Some(Line::TooLong)));
            assert_eq!(read("a\n", length), (vec![whole("a")], None));
        }
    }
}
