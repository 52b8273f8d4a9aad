//! Files that are too long to be seen.

use super::finding::Finding;
use super::tree::Tree;

/// Look again: is this two things?
const LINES_TO_LOOK_AGAIN: usize = 600;
/// No file that is read is longer.
const LINES_MAX: usize = 1_000;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust_files()
        .filter(|(path, _)| !is_exempt(path))
        .filter_map(|(path, text)| match text.lines().count() {
            0..=LINES_TO_LOOK_AGAIN => None,
            lines @ ..=LINES_MAX => {
                Some(Finding::warning(path, format!("{lines} lines: look again")))
            }
            lines => Some(Finding::failure(
                path,
                format!("{lines} lines; at most {LINES_MAX}"),
            )),
        })
        .collect()
}

/// What is generated is not read; a list of cases may be as long as it likes.
fn is_exempt(path: &str) -> bool {
    path.starts_with("generated/") || path.contains("/tests/") || path.ends_with("/tests.rs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::shown;

    #[test]
    fn a_long_file_is_worth_a_look_and_a_very_long_one_must_not_stay() {
        let text = |lines| "x\n".repeat(lines);
        let tree = Tree::from([
            ("a.rs", text(600).as_str()),
            ("b.rs", &text(601)),
            ("c.rs", &text(1_000)),
            ("d.rs", &text(1_001)),
            ("crates/a/src/b/tests.rs", &text(1_001)),
            ("crates/a/tests/it/b.rs", &text(1_001)),
            ("generated/a.rs", &text(1_001)),
            ("Cargo.lock", &text(1_001)),
        ]);
        assert_eq!(
            shown(&check(&tree)),
            [
                "warning: b.rs: 601 lines: look again",
                "warning: c.rs: 1000 lines: look again",
                "d.rs: 1001 lines; at most 1000",
            ]
        );
    }
}
