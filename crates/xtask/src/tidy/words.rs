//! Words that mark unfinished work.

use super::finding::Finding;
use super::tree::Tree;

/// In code: they compile, and then fail or say nothing.
const IN_RUST: &[&str] = &["todo!(", "unimplemented!(", "dbg!(", "#[ignore"];
/// Anywhere, as whole words.
const ANYWHERE: &[&str] = &["FIXME", "XXX"];

/// Names these words, as a rule must.
const THIS_FILE: &str = "crates/xtask/src/tidy/words.rs";
/// Checksums may hold anything.
const LOCK_FILES: &[&str] = &["Cargo.lock", "package-lock.json"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files()
        .filter(|(path, _)| {
            *path != THIS_FILE && !LOCK_FILES.iter().any(|name| path.ends_with(name))
        })
        .flat_map(|(path, text)| check_file(path, text))
        .collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let in_rust: &[&str] = if path.ends_with(".rs") { IN_RUST } else { &[] };
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let words = in_rust.iter().chain(ANYWHERE);
        for word in words.filter(|word| has_word(line, word)) {
            findings.push(
                Finding::failure(path, format!("`{word}`: finish it or leave it out"))
                    .at(index + 1),
            );
        }
    }
    findings
}

/// Whether the word stands in the line, and not in the middle of another one.
fn has_word(line: &str, word: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let goes_on = word.ends_with(continues) && after.is_some_and(continues);
        !before.is_some_and(continues) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::shown;

    #[test]
    fn unfinished_work_is_found() {
        let tree = Tree::from([
            ("a.rs", "fn a() { todo!() }\n#[ignore = \"slow\"]\n"),
            ("b.rs", "dbg!(x); unimplemented!(\"y\")"),
            ("c.md", "fine\nFIXME: later\n// XXX\n"),
        ]);
        assert_eq!(
            shown(&check(&tree)),
            [
                "a.rs:1: `todo!(`: finish it or leave it out",
                "a.rs:2: `#[ignore`: finish it or leave it out",
                "b.rs:1: `unimplemented!(`: finish it or leave it out",
                "b.rs:1: `dbg!(`: finish it or leave it out",
                "c.md:2: `FIXME`: finish it or leave it out",
                "c.md:3: `XXX`: finish it or leave it out",
            ]
        );
    }

    #[test]
    fn parts_of_other_words_and_documents_about_code_are_fine() {
        let tree = Tree::from([
            ("a.rs", "mktemp fooXXXXXX; my_dbg!(x)"),
            ("b.md", "No `#[ignore]`, no `todo!()`."),
            ("Cargo.lock", "XXX"),
            ("npm/sdk/package-lock.json", "XXX"),
        ]);
        assert!(shown(&check(&tree)).is_empty());
    }
}
