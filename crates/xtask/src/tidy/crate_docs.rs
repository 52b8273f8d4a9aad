//! Each crate opens with a few lines that say what it is and what it must not know.

use std::ops::RangeInclusive;

use super::finding::Finding;
use super::tree::Tree;
use crate::workspace::Package;

/// Long enough to say it, short enough to be read.
const LINES: RangeInclusive<usize> = 5..=15;

pub(super) fn check(tree: &Tree, members: &[Package]) -> Vec<Finding> {
    let files = members.iter().flat_map(|member| {
        let path = |name| format!("crates/{}/src/{name}", member.noun());
        [
            (path("lib.rs"), Root::Library),
            (path("main.rs"), Root::Program),
        ]
    });
    files
        .filter_map(|(path, root)| {
            let message = problem(tree.text(&path)?, root)?;
            Some(Finding::failure(path, message))
        })
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Library,
    Program,
}

fn problem(text: &str, root: Root) -> Option<String> {
    let opening: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .collect();
    if !LINES.contains(&opening.len()) {
        let (least, most) = (LINES.start(), LINES.end());
        let found = opening.len();
        return Some(format!(
            "opening lines of `//!`: {found}; {least} to {most} say what it is"
        ));
    }
    let says_its_limits = opening.join(" ").contains("Must not know");
    (root == Root::Library && !says_its_limits)
        .then(|| "its opening does not say what it \"Must not know\"".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, root: Root, expected: Option<&str>) {
        assert_eq!(problem(text, root).as_deref(), expected, "{text}");
    }

    #[test]
    fn a_good_opening_may_break_its_lines_anywhere() {
        let text = "//! One.\n//!\n//! Two.\n//! Must not\n//! know: three.\n\nmod a;\n";
        check(text, Root::Library, None);
    }

    #[test]
    fn a_short_a_long_and_a_late_opening_are_found() {
        let short = "opening lines of `//!`: 1; 5 to 15 say what it is";
        let long = "opening lines of `//!`: 16; 5 to 15 say what it is";
        let none = "opening lines of `//!`: 0; 5 to 15 say what it is";
        check("//! being written\n", Root::Library, Some(short));
        check(&"//! Word.\n".repeat(16), Root::Library, Some(long));
        check("use a;\n//! Word.\n", Root::Program, Some(none));
    }

    #[test]
    fn a_library_says_what_it_must_not_know_and_a_program_need_not() {
        let text = "//! Word.\n".repeat(5);
        let silent = "its opening does not say what it \"Must not know\"";
        check(&text, Root::Library, Some(silent));
        check(&text, Root::Program, None);
    }
}
