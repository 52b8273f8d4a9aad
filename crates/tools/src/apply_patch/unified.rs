//! Reads unified diffs, with or without the headers of git.

use std::iter::Peekable;
use std::str::Split;

use super::patch::{Action, FilePatch, Hunk, Kind, Line};

/// Lines with the CR that belongs to them, which `str::lines` would drop.
type Lines<'a> = Split<'a, char>;

/// What the headers say about a file.
#[derive(Default)]
struct Headers {
    /// Names as they stand in the patch.
    git: Option<(String, String)>,
    old: Option<String>,
    new: Option<String>,
    renamed: Option<(String, String)>,
    created: bool,
    deleted: bool,
}

const NOWHERE: &str = "/dev/null";

/// `path` is the file that hunks without a header belong to.
pub(super) fn read(patch: &str, path: Option<&str>) -> Result<Vec<FilePatch>, String> {
    let patch = transported(patch);
    let mut lines = patch.trim_end_matches('\n').split('\n').peekable();
    let mut files = Vec::new();
    while lines.peek().is_some() {
        let headers = read_headers(&mut lines)?;
        let hunks = read_hunks(&mut lines)?;
        if let Some(file) = headers.file(hunks, path)? {
            files.push(file);
        }
    }
    match files.is_empty() {
        true => Err(
            "there is no file in it: it needs `--- a/path` and `+++ b/path` lines, or \
                     `*** Begin Patch`"
                .to_owned(),
        ),
        false => Ok(files),
    }
}

/// A patch whose every line ends with CR and LF got that on its way; the files did not.
pub(super) fn transported(patch: &str) -> String {
    match patch.matches('\n').count() == patch.matches("\r\n").count() {
        true => patch.replace("\r\n", "\n"),
        false => patch.to_owned(),
    }
}

/// Everything up to the first hunk.
fn read_headers(lines: &mut Peekable<Lines<'_>>) -> Result<Headers, String> {
    let mut headers = Headers::default();
    let mut begun = false;
    while let Some(line) = lines.peek().copied() {
        let starts_next = line.starts_with("diff --git ");
        if line.starts_with("@@") || (starts_next && begun) {
            break;
        }
        lines.next();
        begun |= starts_next;
        if starts_next {
            headers.git = git_names(line);
        } else if let Some(name) = line.strip_prefix("--- ") {
            headers.old = Some(name_of(name));
        } else if let Some(name) = line.strip_prefix("+++ ") {
            headers.new = Some(name_of(name));
        } else if let Some(name) = line.strip_prefix("rename from ") {
            headers.renamed = Some((name_of(name), String::new()));
        } else if let Some(name) = line.strip_prefix("rename to ") {
            headers.renamed.get_or_insert_default().1 = name_of(name);
        } else if line.starts_with("new file mode ") {
            headers.created = true;
        } else if line.starts_with("deleted file mode ") {
            headers.deleted = true;
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err("it changes a binary file, which a patch cannot; use a command".to_owned());
        } else if line.starts_with("copy from ") {
            return Err("it copies a file; create the copy as a new file instead".to_owned());
        }
        // Anything else is a mode, an index line or prose around the patch.
    }
    Ok(headers)
}

fn read_hunks(lines: &mut Peekable<Lines<'_>>) -> Result<Vec<Hunk>, String> {
    let mut hunks = Vec::new();
    while let Some(header) = lines.next_if(|line| line.starts_with("@@")) {
        let mut hunk = read_hunk(header, lines)?;
        trim_extra(&mut hunk, header);
        if !hunk.lines.is_empty() {
            hunks.push(hunk);
        }
    }
    Ok(hunks)
}

/// The lines of a hunk: as many as its header promises, and those behind them that look like more,
/// because models miscount.
fn read_hunk(header: &str, lines: &mut Peekable<Lines<'_>>) -> Result<Hunk, String> {
    let (mut hunk, mut old, mut new) = hunk_of(header);
    while let Some(line) = lines.peek().copied() {
        let promised = old > 0 || new > 0;
        let is_over = !promised && (is_file_header(lines) || is_signature(line));
        if is_over || line.starts_with("@@") || line.starts_with("diff --git ") {
            break;
        }
        if !hunk.push(line) {
            if !promised {
                break;
            }
            return Err(format!(
                "{line:?} in the hunk {header:?} begins neither with a space nor with `+` or `-`"
            ));
        }
        lines.next();
        if !line.starts_with('\\') {
            let kind = hunk.lines.last().map(|line| line.kind);
            old = old.saturating_sub(usize::from(kind != Some(Kind::Insert)));
            new = new.saturating_sub(usize::from(kind != Some(Kind::Remove)));
        }
    }
    Ok(hunk)
}

/// Empty lines behind the promised ones are the end of a text block, not of the file.
fn trim_extra(hunk: &mut Hunk, header: &str) {
    let (_, old, _) = hunk_of(header);
    if hunk.old().count() > old {
        let spare = hunk.old().count() - old;
        let blank = |line: &&Line| line.kind == Kind::Keep && line.text.is_empty();
        let blanks = hunk.lines.iter().rev().take_while(blank).count();
        let keep = hunk.lines.len() - spare.min(blanks);
        hunk.lines.truncate(keep);
    }
}

/// What mail programs put between a patch and the version of git.
fn is_signature(line: &str) -> bool {
    line == "-- "
}

/// Whether `--- a` and `+++ b` come next.
fn is_file_header(lines: &Peekable<Lines<'_>>) -> bool {
    let mut ahead = lines.clone();
    let first = ahead.next().is_some_and(|line| line.starts_with("--- "));
    first && ahead.next().is_some_and(|line| line.starts_with("+++ "))
}

/// A hunk from its header `@@ -1,2 +3,4 @@`, with the lines it promises. Without numbers, what
/// stands there is a line to look for.
fn hunk_of(header: &str) -> (Hunk, usize, usize) {
    let mut hunk = Hunk {
        header: header.trim_end().to_owned(),
        ..Hunk::default()
    };
    let rest = header.trim_start_matches('@').trim();
    let numbers = rest.split_once("@@").map_or(rest, |(numbers, _)| numbers);
    let mut ranges = numbers.split_whitespace();
    let old = ranges.next().and_then(|range| range.strip_prefix('-'));
    let new = ranges.next().and_then(|range| range.strip_prefix('+'));
    let (Some(old), Some(new)) = (old.and_then(range), new.and_then(range)) else {
        let anchor = rest.trim_end_matches('@').trim();
        hunk.anchor = (!anchor.is_empty()).then(|| anchor.to_owned());
        return (hunk, 0, 0);
    };
    // `-5,0` means behind line 5, `-5,2` means from line 5 on.
    hunk.hint = Some(old.0.saturating_sub(usize::from(old.1 > 0)));
    (hunk, old.1, new.1)
}

fn range(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

impl Headers {
    fn file(self, hunks: Vec<Hunk>, path: Option<&str>) -> Result<Option<FilePatch>, String> {
        let Some((old, new)) = self.names(path) else {
            return match hunks.is_empty() {
                true => Ok(None),
                false => Err(
                    "a hunk stands before any `--- a/path` line; name the file in `path` \
                              or in the patch"
                        .to_owned(),
                ),
            };
        };
        let (path, action) = if old == NOWHERE || self.created {
            let content = hunks.iter().map(Hunk::inserted).collect();
            (new, Action::Create(content))
        } else if new == NOWHERE || self.deleted {
            (old, Action::Delete(hunks))
        } else {
            let moved_to = (old != new).then_some(new);
            if hunks.is_empty() && moved_to.is_none() {
                // A change of mode alone.
                return Ok(None);
            }
            (old, Action::Update { hunks, moved_to })
        };
        Ok(Some(FilePatch { path, action }))
    }

    /// The names before and after. Only git's own headers mean that a file moves.
    fn names(&self, path: Option<&str>) -> Option<(String, String)> {
        if let Some((old, new)) = &self.renamed {
            return Some((old.clone(), new.clone()));
        }
        let (old, new) = match (&self.old, &self.new, &self.git, path) {
            (Some(old), Some(new), ..) => (old.clone(), new.clone()),
            (_, _, Some(names), _) => names.clone(),
            (.., Some(path)) => (path.to_owned(), path.to_owned()),
            _ => return None,
        };
        let (old, new) = without_sides(old, new);
        match old == NOWHERE || new == NOWHERE {
            true => Some((old, new)),
            // Plain diffs compare `x.orig` with `x`: the file is the new one.
            false => Some((new.clone(), new)),
        }
    }
}

/// Takes away `a/` and `b/`, which name the sides and no directories.
fn without_sides(old: String, new: String) -> (String, String) {
    let bare = |name: &str, side| match name {
        NOWHERE => Some(NOWHERE.to_owned()),
        name => name.strip_prefix(side).map(str::to_owned),
    };
    match (bare(&old, "a/"), bare(&new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

fn git_names(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix("diff --git ")?.trim_end();
    if rest.starts_with('"') {
        return None;
    }
    // Without a rename both names are the same, so the middle is where they part.
    let middle = rest.len() / 2;
    let (old, new) = (rest.get(..middle)?, rest.get(middle + 1..)?);
    Some((old.to_owned(), new.to_owned()))
}

/// A name without the time behind it and without the quotes around it.
fn name_of(given: &str) -> String {
    let name = given.split('\t').next().unwrap_or(given).trim_end();
    match name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'))
    {
        Some(quoted) => unquoted(quoted),
        None => name.to_owned(),
    }
}

/// Git writes bytes beyond ASCII as three octal digits.
fn unquoted(quoted: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), quoted.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let octal = rest
            .get(..3)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(value) => {
                bytes.push(value);
                rest = &rest[3..];
            }
            None => {
                let escaped = rest.first().copied().unwrap_or(b'\\');
                bytes.push(match escaped {
                    b'n' => b'\n',
                    b't' => b'\t',
                    other => other,
                });
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
