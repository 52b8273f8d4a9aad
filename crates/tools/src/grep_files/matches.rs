//! Gathers matching lines, as many as fit.

use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use crate::limits::{FOUND_BYTES_MAX, LINE_BYTES_MAX};

/// The lines found so far.
pub(super) struct Matches {
    text: String,
    found: usize,
    found_max: usize,
    full: bool,
}

impl Matches {
    pub(super) fn new(found_max: usize) -> Self {
        Self {
            text: String::new(),
            found: 0,
            found_max,
            full: false,
        }
    }

    /// Takes the lines of the next file.
    pub(super) fn file(&mut self, shown: String) -> File<'_> {
        File {
            start: (self.text.len(), self.found),
            matches: self,
            shown,
            breaks: false,
        }
    }

    /// Whether no more lines are taken.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn found(&self) -> usize {
        self.found
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    fn push(&mut self, shown: &str, separator: char, line: Option<u64>, bytes: &[u8]) {
        let line = line.unwrap_or_default();
        let text = cut(bytes);
        let added = format!("{shown}{separator}{line}{separator}{text}\n");
        if self.text.len() + added.len() > FOUND_BYTES_MAX {
            self.full = true;
        } else {
            self.text.push_str(&added);
        }
    }
}

/// Where the lines of one file go.
pub(super) struct File<'a> {
    matches: &'a mut Matches,
    shown: String,
    /// What there was before this file.
    start: (usize, usize),
    breaks: bool,
}

impl File<'_> {
    /// Lines that do not follow each other are set apart.
    fn separate(&mut self) {
        if std::mem::take(&mut self.breaks) {
            self.matches.text.push_str("--\n");
        }
    }
}

impl Sink for File<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.matches.found == self.matches.found_max {
            self.matches.full = true;
            return Ok(false);
        }
        self.separate();
        let (line, bytes) = (found.line_number(), found.bytes());
        self.matches.push(&self.shown, ':', line, bytes);
        self.matches.found += usize::from(!self.matches.full);
        Ok(!self.matches.full)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.separate();
        let (line, bytes) = (context.line_number(), context.bytes());
        self.matches.push(&self.shown, '-', line, bytes);
        Ok(!self.matches.full)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.breaks = true;
        Ok(true)
    }

    /// What was taken before the file turned out to be binary is given back.
    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        (self.matches.found, self.matches.full) = (self.start.1, false);
        self.matches.text.truncate(self.start.0);
        Ok(false)
    }
}

fn cut(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\n', '\r']);
    let end = text.floor_char_boundary(LINE_BYTES_MAX);
    match text.len() - end {
        0 => text.to_owned(),
        more => format!("{}[... {more} bytes]", &text[..end]),
    }
}
