//! A change as a person reads it.

use similar::{ChangeTag, TextDiff};

use crate::kind::binary_kind;
use crate::limits::{DIFF_BYTES_MAX, DIFF_TIME, KIND_BYTES};

/// A change of one text into another.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Change {
    /// In unified form, bounded.
    pub(crate) diff: String,
    /// Lines that are new.
    pub(crate) lines_added: usize,
    /// Lines that are gone.
    pub(crate) lines_removed: usize,
}

/// Compares the content of the file called `shown` before and after. Nothing if either is not
/// text. A file that is not there has no content.
pub(crate) fn change(shown: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<Change> {
    let old = as_text(before.unwrap_or_default())?;
    let new = as_text(after.unwrap_or_default())?;
    let lines = TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_lines(old, new);
    let name = |side, content: Option<&[u8]>| match content {
        Some(_) => format!("{side}/{shown}"),
        None => "/dev/null".to_owned(),
    };
    let diff = lines
        .unified_diff()
        .header(&name("a", before), &name("b", after))
        .to_string();
    let count = |tag| {
        lines
            .iter_all_changes()
            .filter(|change| change.tag() == tag)
            .count()
    };
    Some(Change {
        diff: bounded(diff, DIFF_BYTES_MAX),
        lines_added: count(ChangeTag::Insert),
        lines_removed: count(ChangeTag::Delete),
    })
}

fn as_text(bytes: &[u8]) -> Option<&str> {
    let start = &bytes[..bytes.len().min(KIND_BYTES)];
    if binary_kind(start).is_some() {
        None
    } else {
        std::str::from_utf8(bytes).ok()
    }
}

pub(crate) fn bounded(mut diff: String, bytes_max: usize) -> String {
    if diff.len() <= bytes_max {
        return diff;
    }
    let end = diff.floor_char_boundary(bytes_max);
    let missing = diff.len() - end;
    diff.truncate(end);
    diff.push_str(&format!("\n[diff cut here; {missing} more bytes]\n"));
    diff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_shows_its_lines_and_counts_them() {
        let found = change("a.txt", Some(b"one\ntwo\n"), Some(b"one\n2\nthree")).expect("text");
        let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n\
                    \\ No newline at end of file\n";
        assert_eq!(
            found,
            Change {
                diff: diff.into(),
                lines_added: 2,
                lines_removed: 1
            }
        );
    }

    #[test]
    fn a_new_file_comes_from_nowhere() {
        let found = change("a.txt", None, Some(b"one\n")).expect("text");
        assert_eq!(
            found.diff,
            "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n"
        );
    }

    #[test]
    fn a_file_that_goes_leads_nowhere() {
        let found = change("a.txt", Some(b"one\n"), None).expect("text");
        let diff = "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
        assert_eq!(found.diff, diff);
    }

    #[test]
    fn what_is_not_text_has_no_diff() {
        assert_eq!(change("a", Some(b"\0"), Some(b"text")), None);
        assert_eq!(change("a", Some(b"\xe9"), Some(b"text")), None);
        assert_eq!(change("a", None, Some(b"\0")), None);
    }

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        assert_eq!(bounded("+1\n+€\n".into(), 8), "+1\n+€\n");
        assert_eq!(
            bounded("+1\n+€\n".into(), 6),
            "+1\n+\n[diff cut here; 4 more bytes]\n"
        );
        let found =
            change("a", None, Some("0123456789\n".repeat(100_000).as_bytes())).expect("text");
        assert_eq!(found.lines_added, 100_000);
        assert!(found.diff.len() < DIFF_BYTES_MAX + 100);
    }
}
