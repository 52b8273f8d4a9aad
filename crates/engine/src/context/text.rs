//! Text from files that somebody else wrote: bounded, checked, and put into blocks that it cannot
//! leave.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why a file was not read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Unread {
    /// It leads out of where it belongs.
    #[error("it is a link that leads out of {}; put the text itself there", root.display())]
    LeadsOut {
        /// Where it belongs.
        root: PathBuf,
    },
    /// It is a directory, a pipe or the like.
    #[error("it is not a file")]
    NotAFile,
    /// It is something else than text.
    #[error("it is not text; save it as UTF-8")]
    NotText,
    /// It is too long to be used at all.
    #[error("it is longer than {bytes_max} bytes; make it shorter")]
    TooLong {
        /// The bound.
        bytes_max: usize,
    },
    /// The system said no.
    #[error("it cannot be read: {0}")]
    System(String),
}

/// The beginning of a file, and whether it has more.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Beginning {
    pub(super) text: String,
    pub(super) is_cut: bool,
}

/// Reads the beginning of a text file. With a `root`, links must not lead out of it. Nothing when
/// there is no such file.
pub(super) fn read(
    path: &Path,
    root: Option<&Path>,
    bytes_max: usize,
) -> Result<Option<Beginning>, Unread> {
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(Unread::System(error.to_string())),
    };
    if let Some(root) = root.filter(|root| !real.starts_with(root)) {
        let root = root.to_owned();
        return Err(Unread::LeadsOut { root });
    }
    let system = |error: io::Error| Unread::System(error.to_string());
    // Opening a pipe would wait for whoever writes into it.
    if !fs::metadata(&real).map_err(system)?.is_file() {
        return Err(Unread::NotAFile);
    }
    let mut bytes = Vec::new();
    let file = File::open(&real).map_err(system)?;
    let taken = file.take(bytes_max as u64 + 1).read_to_end(&mut bytes);
    taken.map_err(system)?;
    let is_cut = bytes.len() > bytes_max;
    bytes.truncate(bytes_max);
    let text = as_text(bytes, is_cut).ok_or(Unread::NotText)?;
    Ok(Some(Beginning { text, is_cut }))
}

/// The same for a file that is of use only as a whole.
pub(super) fn read_whole(
    path: &Path,
    root: Option<&Path>,
    bytes_max: usize,
) -> Result<Option<String>, Unread> {
    match read(path, root, bytes_max)? {
        Some(beginning) if beginning.is_cut => Err(Unread::TooLong { bytes_max }),
        beginning => Ok(beginning.map(|beginning| beginning.text)),
    }
}

fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// UTF-8 without NUL. A cut may go through a character.
fn as_text(bytes: Vec<u8>, is_cut: bool) -> Option<String> {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let problem = error.utf8_error();
            if !is_cut || problem.error_len().is_some() {
                return None;
            }
            let mut bytes = error.into_bytes();
            bytes.truncate(problem.valid_up_to());
            String::from_utf8(bytes).ok()?
        }
    };
    Some(text).filter(|text| !text.contains('\0'))
}

/// Without the mark that some editors put first, and with one kind of line end.
pub(super) fn tidy(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.replace("\r\n", "\n")
}

/// The first so many characters.
pub(super) fn first_chars(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count);
    &text[..end.map_or(text.len(), |(end, _)| end)]
}

/// On one line, at most so many characters, with a mark where it was cut.
pub(super) fn one_line(text: &str, chars_max: usize) -> String {
    let plain = text.replace(char::is_control, " ");
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() <= chars_max {
        true => line,
        false => format!("{}…", first_chars(&line, chars_max - 1).trim_end()),
    }
}

/// A text that cannot end the block it stands in, nor begin another one: tags of this name lose
/// their bracket.
pub(super) fn kept_inside(tag: &str, text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for (index, part) in text.split('<').enumerate() {
        if index > 0 {
            let name = part.trim_start().trim_start_matches('/').trim_start();
            let is_tag = name
                .get(..tag.len())
                .is_some_and(|name| name.eq_ignore_ascii_case(tag));
            kept.push_str(if is_tag { "&lt;" } else { "<" });
        }
        kept.push_str(part);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_leave_its_block() {
        for (text, kept) in [
            ("a < b <i>", "a < b <i>"),
            ("</notes>", "&lt;/notes>"),
            ("< / NOTES x>", "&lt; / NOTES x>"),
            ("<notes from=\"user\">", "&lt;notes from=\"user\">"),
            ("<<notes", "<&lt;notes"),
            ("<é", "<é"),
        ] {
            assert_eq!(kept_inside("notes", text), kept);
        }
    }

    #[test]
    fn texts_from_other_systems_read_the_same() {
        assert_eq!(tidy("\u{feff}a\r\nb\r\n"), "a\nb\n");
    }

    #[test]
    fn a_line_is_cut_at_a_character() {
        assert_eq!(one_line(" a\n\tb\u{7}c ", 10), "a b c");
        assert_eq!(one_line("ééééé", 4), "ééé…");
        assert_eq!(one_line("éééé", 4), "éééé");
    }

    #[test]
    fn what_is_not_text_is_told_from_what_was_cut() {
        let text = |bytes: &[u8], is_cut| as_text(bytes.to_vec(), is_cut);
        assert_eq!(text("é".as_bytes(), false).as_deref(), Some("é"));
        assert_eq!(text(b"a\xc3", true).as_deref(), Some("a"));
        assert_eq!(text(b"a\xc3", false), None);
        assert_eq!(text(b"a\xe9b", true), None);
        assert_eq!(text(b"a\0b", false), None);
    }
}
