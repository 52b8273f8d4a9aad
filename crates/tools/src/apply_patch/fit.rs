//! Puts hunks into the content of a file.
//!
//! Works on bytes, so that what no hunk touches stays what it was, whatever its encoding. Lines
//! are compared without their ends; new lines get the end that the file's lines have.

use super::patch::{Hunk, Kind, Line};
use crate::near::near;

/// A file with its hunks in it.
#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) bytes: Vec<u8>,
    /// Hunks that went elsewhere than the patch says, each with a sentence.
    pub(super) notes: Vec<String>,
}

/// Puts all hunks into `bytes`, or says which one does not fit and what is there instead. At most
/// `fuzz` lines at each end of a hunk may differ.
pub(super) fn fit(bytes: &[u8], hunks: &[Hunk], fuzz: usize) -> Result<Fitted, String> {
    let mut file = File::new(bytes);
    let mut notes = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        let number = index + 1;
        let place = file
            .find(hunk, fuzz)
            .map_err(|why| format!("hunk {number} of {} ({}) {why}", hunks.len(), hunk.header))?;
        notes.extend(place.note(hunk, number));
        file.put(hunk, &place);
    }
    Ok(Fitted {
        bytes: file.finish(hunks),
        notes,
    })
}

struct File<'a> {
    bytes: &'a [u8],
    /// With their ends.
    lines: Vec<&'a [u8]>,
    crlf: bool,
    /// The first line that no hunk has taken yet.
    next: usize,
    /// How far hunks so far were from where they should be.
    offset: isize,
    out: Vec<u8>,
}

/// Where a hunk goes.
struct Place {
    start: usize,
    /// Lines at its beginning and end that are not compared.
    skip_head: usize,
    skip_tail: usize,
    expected: Option<usize>,
}

impl Place {
    fn note(&self, hunk: &Hunk, number: usize) -> Option<String> {
        if self.skip_head + self.skip_tail > 0 {
            let line = self.start + 1;
            return Some(format!("hunk {number} fits only loosely at line {line}"));
        }
        let hint = self.expected.and(hunk.hint)?;
        (hint != self.start).then(|| {
            format!(
                "hunk {number} went to line {} instead of {}",
                self.start + 1,
                hint + 1
            )
        })
    }
}

impl<'a> File<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let crlf = lines.iter().filter(|line| line.ends_with(b"\r\n")).count();
        let lf = lines.iter().filter(|line| line.ends_with(b"\n")).count() - crlf;
        Self {
            bytes,
            crlf: crlf > lf,
            lines,
            next: 0,
            offset: 0,
            out: Vec::with_capacity(bytes.len()),
        }
    }

    fn find(&mut self, hunk: &Hunk, fuzz: usize) -> Result<Place, String> {
        let from = self.behind_anchor(hunk)?;
        let expected = hunk
            .hint
            .map(|hint| hint.saturating_add_signed(self.offset));
        if hunk.old().next().is_none() {
            let start = self.start_of_insert(hunk, from, expected)?;
            return Ok(Place {
                start,
                skip_head: 0,
                skip_tail: 0,
                expected: None,
            });
        }
        let keeps = |line: &&Line| line.kind == Kind::Keep;
        let head = hunk.lines.iter().take_while(keeps).count();
        let tail = hunk.lines.iter().rev().take_while(keeps).count();
        let old: Vec<&Line> = hunk.old().collect();
        for level in 0..=fuzz {
            let (skip_head, skip_tail) = (level.min(head), level.min(tail));
            if level > 0 && skip_head + skip_tail >= old.len() {
                break;
            }
            let wanted = &old[skip_head..old.len() - skip_tail];
            for same in [same_exactly, same_but_for_the_end] {
                let starts = self.places(wanted, from, skip_head, skip_tail, same);
                let starts = starts.filter(|start| !hunk.at_end || self.is_end(*start, old.len()));
                let starts: Vec<usize> = starts.collect();
                if let Some(start) = choose(&starts, expected)? {
                    if let Some(hint) = hunk.hint {
                        self.offset = start as isize - hint as isize;
                    }
                    return Ok(Place {
                        start,
                        skip_head,
                        skip_tail,
                        expected,
                    });
                }
            }
        }
        Err(self.conflict(&old, from))
    }

    /// The first line behind the anchor of a hunk, or the first that is free.
    fn behind_anchor(&self, hunk: &Hunk) -> Result<usize, String> {
        let Some(anchor) = &hunk.anchor else {
            return Ok(self.next);
        };
        let free = self.lines.iter().enumerate().skip(self.next);
        let found = free
            .clone()
            .find(|(_, line)| trimmed(line) == anchor.trim().as_bytes())
            .or_else(|| free.clone().find(|(_, line)| contains(line, anchor)));
        match found {
            // The anchor may be the first line of the hunk as well.
            Some((index, _)) if hunk.old().next().is_some() => Ok(index),
            Some((index, _)) => Ok(index + 1),
            None => Err(format!(
                "does not apply: there is no line {anchor:?} behind line {}",
                self.next
            )),
        }
    }

    fn start_of_insert(
        &self,
        hunk: &Hunk,
        from: usize,
        expected: Option<usize>,
    ) -> Result<usize, String> {
        let end = self.lines.len();
        let start = match (expected, &hunk.anchor) {
            (Some(expected), _) => expected,
            (None, Some(_)) if !hunk.at_end => from,
            (None, _) => end,
        };
        if start > end {
            return Err(format!("does not apply: the file has only {end} lines"));
        }
        Ok(start.max(self.next))
    }

    /// Where all of these lines stand: the start of the whole hunk, skipped lines included.
    fn places(
        &self,
        wanted: &[&Line],
        from: usize,
        skip_head: usize,
        skip_tail: usize,
        same: fn(&[u8], &[u8]) -> bool,
    ) -> impl Iterator<Item = usize> {
        let length = skip_head + wanted.len() + skip_tail;
        let last = (self.lines.len() + 1).saturating_sub(length);
        (from..last).filter(move |start| {
            let there = &self.lines[start + skip_head..];
            let mut pairs = wanted.iter().zip(there);
            pairs.all(|(line, there)| same(line.text.as_bytes(), there))
        })
    }

    fn is_end(&self, start: usize, length: usize) -> bool {
        start + length == self.lines.len()
    }

    fn conflict(&self, old: &[&Line], from: usize) -> String {
        let text: Vec<&str> = old.iter().map(|line| line.text.as_str()).collect();
        let near = near(self.bytes, &text.join("\n"));
        let behind = match from {
            0 => String::new(),
            line => format!(" behind line {line}"),
        };
        format!("does not apply: its lines are not in the file{behind}. {near}")
    }

    /// Writes everything up to the hunk and the hunk itself.
    fn put(&mut self, hunk: &Hunk, place: &Place) {
        self.copy_to(place.start);
        for line in &hunk.lines {
            match line.kind {
                Kind::Keep => self.copy_to(self.next + 1),
                Kind::Remove => self.next += 1,
                Kind::Insert => self.insert(line),
            }
        }
    }

    fn copy_to(&mut self, line: usize) {
        let line = line.min(self.lines.len());
        for bytes in &self.lines[self.next..line] {
            end_line(&mut self.out, self.crlf);
            self.out.extend_from_slice(bytes);
        }
        self.next = line;
    }

    fn insert(&mut self, line: &Line) {
        end_line(&mut self.out, self.crlf);
        let text = line.text.as_bytes();
        let (text, end): (&[u8], &[u8]) = match self.crlf {
            true => (text.strip_suffix(b"\r").unwrap_or(text), b"\r\n"),
            false => (text, b"\n"),
        };
        self.out.extend_from_slice(text);
        if !line.ends_file {
            self.out.extend_from_slice(end);
        }
    }

    /// The rest of the file. A patch that says nothing about the newline at the end leaves it as
    /// it was.
    fn finish(mut self, hunks: &[Hunk]) -> Vec<u8> {
        self.copy_to(self.lines.len());
        let told = hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .any(|line| line.ends_file);
        let had_newline = self.bytes.is_empty() || self.bytes.ends_with(b"\n");
        if !told && !had_newline && self.out.ends_with(b"\n") {
            self.out.pop();
            if self.out.ends_with(b"\r") && self.crlf {
                self.out.pop();
            }
        }
        self.out
    }
}

/// A line that was the last one and is no longer needs an end.
fn end_line(out: &mut Vec<u8>, crlf: bool) {
    if !out.is_empty() && !out.ends_with(b"\n") {
        out.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
    }
}

/// One place out of several: the one that the patch names, else the nearest, else the only one.
fn choose(starts: &[usize], expected: Option<usize>) -> Result<Option<usize>, String> {
    let ambiguous = |first: usize, second: usize| {
        format!(
            "is ambiguous: it fits at the lines {} and {}; add more lines around the change",
            first + 1,
            second + 1
        )
    };
    match (starts, expected) {
        ([], _) => Ok(None),
        ([only], _) => Ok(Some(*only)),
        ([first, second, ..], None) => Err(ambiguous(*first, *second)),
        (starts, Some(expected)) => {
            let mut sorted = starts.to_vec();
            sorted.sort_by_key(|start| start.abs_diff(expected));
            let (first, second) = (sorted[0], sorted[1]);
            match first.abs_diff(expected) == second.abs_diff(expected) {
                true => Err(ambiguous(first.min(second), first.max(second))),
                false => Ok(Some(first)),
            }
        }
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn trimmed(line: &[u8]) -> &[u8] {
    line.trim_ascii()
}

fn contains(line: &[u8], text: &str) -> bool {
    memchr::memmem::find(line, text.as_bytes()).is_some()
}

fn same_exactly(wanted: &[u8], there: &[u8]) -> bool {
    without_end(wanted) == without_end(there)
}

/// Spaces at the end of lines get lost on many ways.
fn same_but_for_the_end(wanted: &[u8], there: &[u8]) -> bool {
    wanted.trim_ascii_end() == there.trim_ascii_end()
}
