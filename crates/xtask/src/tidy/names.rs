//! How files are called.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::tree::Tree;

const DECISIONS: &str = "docs/decisions/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    [old_module_files(tree), decisions(tree)].concat()
}

fn old_module_files(tree: &Tree) -> Vec<Finding> {
    tree.paths()
        .filter(|path| path.rsplit('/').next() == Some("mod.rs"))
        .map(|path| Finding::failure(path, "`foo.rs` beside `foo/`, no `mod.rs`"))
        .collect()
}

/// A decision is known by its number, so no two share one.
fn decisions(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut numbers = BTreeMap::new();
    for path in tree.paths() {
        let Some(name) = path.strip_prefix(DECISIONS) else {
            continue;
        };
        let Some(number) = decision_number(name) else {
            findings.push(Finding::failure(path, "a decision is called NNNN-title.md"));
            continue;
        };
        if let Some(other) = numbers.insert(number, path) {
            findings.push(Finding::failure(path, format!("has the number of {other}")));
        }
    }
    findings
}

fn decision_number(name: &str) -> Option<&str> {
    let (number, title) = name.strip_suffix(".md")?.split_once('-')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let well_named = !title.is_empty() && title.chars().all(plain);
    (is_number(number) && well_named).then_some(number)
}

/// Four digits.
pub(super) fn is_number(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::shown;

    #[test]
    fn a_mod_rs_is_found() {
        let tree = Tree::from([
            ("crates/a/src/b/mod.rs", ""),
            ("crates/a/src/my_mod.rs", ""),
        ]);
        assert_eq!(
            shown(&check(&tree)),
            ["crates/a/src/b/mod.rs: `foo.rs` beside `foo/`, no `mod.rs`"]
        );
    }

    #[test]
    fn a_decision_has_a_number_of_its_own_and_a_title() {
        let tree = Tree::from([
            ("docs/decisions/0001-one-log.md", ""),
            ("docs/decisions/0002-actors.md", ""),
            ("docs/decisions/0002-locks.md", ""),
            ("docs/decisions/3-late.md", ""),
            ("docs/decisions/0004-Big Words.md", ""),
            ("docs/decisions/notes.txt", ""),
            ("docs/glossary.md", ""),
        ]);
        assert_eq!(
            shown(&check(&tree)),
            [
                "docs/decisions/0002-locks.md: has the number of docs/decisions/0002-actors.md",
                "docs/decisions/0004-Big Words.md: a decision is called NNNN-title.md",
                "docs/decisions/3-late.md: a decision is called NNNN-title.md",
                "docs/decisions/notes.txt: a decision is called NNNN-title.md",
            ]
        );
    }
}
