//! Whitespace that no one sees and every diff shows.

use super::finding::Finding;
use super::tree::Tree;

const KINDS: &[&str] = &[".rs", ".md", ".toml"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files()
        .filter(|(path, _)| KINDS.iter().any(|kind| path.ends_with(kind)))
        .flat_map(|(path, text)| check_file(path, text))
        .collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    text.split('\n')
        .enumerate()
        .filter_map(|(index, line)| {
            let message = if line.ends_with(char::is_whitespace) {
                "whitespace at the end of the line"
            } else if line.contains('\t') {
                "a tab; write spaces, or `\\t` in a literal"
            } else {
                return None;
            };
            Some(Finding::failure(path, message).at(index + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::shown;

    #[test]
    fn trailing_whitespace_and_tabs_are_found() {
        let tree = Tree::from([
            ("a.rs", "fn a() {}\nfn b() {} \n"),
            ("b.toml", "\ta = 1\r\n"),
            ("c.md", "a\tb\n"),
            ("Makefile", "\tcargo build \n"),
        ]);
        assert_eq!(
            shown(&check(&tree)),
            [
                "a.rs:2: whitespace at the end of the line",
                "b.toml:1: whitespace at the end of the line",
                "c.md:1: a tab; write spaces, or `\\t` in a literal",
            ]
        );
    }
}
