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
/// text. A file that was not there has no content before.
pub(crate) fn change(shown: &str, before: Option<&[u8]>, after: &str) -> Option<Change> {
    let old = as_text(before.unwrap_or_default())?;
    let new = as_text(after.as_bytes())?;
    let lines = TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_lines(old, new);
    let old_name = if before.is_some() {
        format!("a/{shown}")
    } else {
        "/dev/null".into()
    };
    let diff = lines
        .unified_diff()
        .header(&old_name, &format!("b/{shown}"))
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

fn bounded(mut diff: String, bytes_max: usize) -> String {
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
        let found = change("a.txt", Some(b"one\ntwo\n"), "one\n2\nthree").expect("text");
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
        let found = change("a.txt", None, "one\n").expect("text");
        assert_eq!(
            found.diff,
            "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n"
        );
    }

    #[test]
    fn what_is_not_text_has_no_diff() {
        assert_eq!(change("a", Some(b"\0"), "text"), None);
        assert_eq!(change("a", Some(b"\xe9"), "text"), None);
        assert_eq!(change("a", None, "\0"), None);
    }

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        assert_eq!(bounded("+1\n+€\n".into(), 8), "+1\n+€\n");
        assert_eq!(
            bounded("+1\n+€\n".into(), 6),
            "+1\n+\n[diff cut here; 4 more bytes]\n"
        );
        let found = change("a", None, &"0123456789\n".repeat(100_000)).expect("text");
        assert_eq!(found.lines_added, 100_000);
        assert!(found.diff.len() < DIFF_BYTES_MAX + 100);
    }
}
