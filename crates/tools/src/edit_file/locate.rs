//! Finds the old texts in a file and puts the new ones in their places.

use memchr::memmem;

use super::Edit;
use crate::Output;
use crate::near::near;

/// How often an old text may occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Occurrence {
    Only,
    Every,
}

/// A file with its edits made.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) bytes: Vec<u8>,
    pub(super) places: usize,
}

/// A piece of the file and what takes its place.
struct Span {
    start: usize,
    end: usize,
    new: Vec<u8>,
    /// The edit it belongs to, counted from 1.
    edit: usize,
}

/// Makes all edits against the same bytes. The file is called `shown` in answers.
pub(super) fn apply(
    shown: &str,
    bytes: &[u8],
    edits: &[Edit],
    occurrence: Occurrence,
) -> Result<Edited, Output> {
    let mut spans = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        let name = match edits.len() {
            1 => "the text to replace".to_owned(),
            _ => format!("the oldText of edit {}", index + 1),
        };
        let found = find(shown, bytes, edit, occurrence, &name)?;
        spans.extend(found.into_iter().map(|(start, end, new)| Span {
            start,
            end,
            new,
            edit: index + 1,
        }));
    }
    spans.sort_by_key(|span| span.start);
    check_apart(&spans)?;
    let places = spans.len();
    let (mut edited, mut done) = (Vec::with_capacity(bytes.len()), 0);
    for span in spans {
        edited.extend_from_slice(&bytes[done..span.start]);
        edited.extend_from_slice(&span.new);
        done = span.end;
    }
    edited.extend_from_slice(&bytes[done..]);
    Ok(Edited {
        bytes: edited,
        places,
    })
}

fn check_apart(spans: &[Span]) -> Result<(), Output> {
    let overlap = spans.windows(2).find(|pair| pair[1].start < pair[0].end);
    let Some([first, second]) = overlap else {
        return Ok(());
    };
    Err(Output::failure(format!(
        "edits {} and {} overlap; make one edit of them",
        first.edit.min(second.edit),
        first.edit.max(second.edit)
    )))
}

type Found = Vec<(usize, usize, Vec<u8>)>;

fn find(
    shown: &str,
    bytes: &[u8],
    edit: &Edit,
    occurrence: Occurrence,
    name: &str,
) -> Result<Found, Output> {
    if edit.old_text.is_empty() {
        return Err(Output::failure(format!(
            "{name} is empty; give the text that is there now, or use write_file to create a file"
        )));
    }
    if edit.old_text == edit.new_text {
        return Err(Output::failure(format!(
            "{name} and the new text are equal; there is nothing to change"
        )));
    }
    for (old, new) in spellings(bytes, edit) {
        let starts: Vec<usize> = match occurrence {
            Occurrence::Every => memmem::find_iter(bytes, &old).collect(),
            Occurrence::Only => first_two(bytes, &old),
        };
        match (starts.len(), occurrence) {
            (0, _) => {}
            (1, _) | (_, Occurrence::Every) => {
                let end = |start: usize| start + old.len();
                let found = starts
                    .iter()
                    .map(|start| (*start, end(*start), new.clone()));
                return Ok(found.collect());
            }
            (_, Occurrence::Only) => return Err(ambiguous(shown, bytes, &starts, name)),
        }
    }
    let near = near(bytes, &edit.old_text);
    Err(Output::failure(format!(
        "{name} is not in `{shown}`; nothing was written. {near}"
    )))
}

/// The first two places, which may overlap.
fn first_two(bytes: &[u8], old: &[u8]) -> Vec<usize> {
    let Some(first) = memmem::find(bytes, old) else {
        return Vec::new();
    };
    let second = memmem::find(&bytes[first + 1..], old).map(|second| first + 1 + second);
    [first].into_iter().chain(second).collect()
}

fn ambiguous(shown: &str, bytes: &[u8], starts: &[usize], name: &str) -> Output {
    let line = |start: usize| 1 + memchr::memchr_iter(b'\n', &bytes[..start]).count();
    let lines: Vec<String> = starts
        .iter()
        .map(|start| line(*start).to_string())
        .collect();
    Output::failure(format!(
        "{name} occurs more than once in `{shown}`, first in the lines {}; nothing was written. \
         Take more lines around it, or set replace_all",
        lines.join(" and ")
    ))
}

/// An edit in the line endings that the file may have: models write `\n` whatever they read.
fn spellings(bytes: &[u8], edit: &Edit) -> Vec<(Vec<u8>, Vec<u8>)> {
    let Edit { old_text, new_text } = edit;
    let as_given = (old_text.clone().into_bytes(), new_text.clone().into_bytes());
    let unix = || (to_lf(old_text).into_bytes(), to_lf(new_text).into_bytes());
    let dos = || (to_crlf(old_text), to_crlf(new_text));
    if is_crlf(bytes) {
        return vec![dos()];
    }
    if !old_text.contains('\n') {
        return vec![as_given];
    }
    vec![as_given, dos(), unix()]
}

/// Whether all lines end with CR and LF.
fn is_crlf(bytes: &[u8]) -> bool {
    let mut ends = memchr::memchr_iter(b'\n', bytes).peekable();
    ends.peek().is_some() && ends.all(|end| end > 0 && bytes[end - 1] == b'\r')
}

fn to_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn to_crlf(text: &str) -> Vec<u8> {
    to_lf(text).replace('\n', "\r\n").into_bytes()
}
