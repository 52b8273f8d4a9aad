//! Files that no module includes: they would not be compiled, and their tests would not run.

use super::finding::Finding;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust_files()
        .filter_map(|(path, _)| {
            let message = problem(tree, &Place::of(path)?)?;
            Some(Finding::failure(path, message))
        })
        .collect()
}

fn problem(tree: &Tree, file: &Place<'_>) -> Option<String> {
    let parents = file.parents();
    let texts: Vec<&str> = parents.iter().filter_map(|it| tree.text(it)).collect();
    if texts.is_empty() {
        Some(format!("there is no {}", parents.join(" or ")))
    } else if texts.iter().any(|text| includes(text, file)) {
        None
    } else {
        Some(format!("{} does not include it", parents.join(" or ")))
    }
}

/// Where a file that needs a parent lies: `crates/x/tests/it/chain.rs` is `chain` in
/// `crates/x/tests/it`.
struct Place<'a> {
    folder: &'a str,
    stem: &'a str,
}

impl<'a> Place<'a> {
    /// None for a file that cargo finds by itself.
    fn of(path: &'a str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/')?;
        let stem = name.strip_suffix(".rs")?;
        let inside: Vec<&str> = path.split('/').collect();
        let ["crates", _, kind, inside @ ..] = &inside[..] else {
            return None;
        };
        let found_by_cargo = match (*kind, inside) {
            ("src", [name]) => matches!(*name, "lib.rs" | "main.rs"),
            ("tests" | "benches" | "examples", [_]) | ("src", ["bin", _]) => true,
            ("tests" | "benches" | "examples", [_, "main.rs"]) => true,
            ("src" | "tests" | "benches" | "examples", _) => false,
            _ => true,
        };
        (!found_by_cargo).then_some(Self { folder, stem })
    }

    /// The files one of which includes it.
    fn parents(&self) -> Vec<String> {
        let folder = self.folder;
        if folder.ends_with("/src") {
            vec![format!("{folder}/lib.rs"), format!("{folder}/main.rs")]
        } else {
            vec![format!("{folder}.rs"), format!("{folder}/main.rs")]
        }
    }
}

/// As a module, or by its path.
fn includes(text: &str, file: &Place<'_>) -> bool {
    let Place { folder, stem } = file;
    let folder = folder.rsplit('/').next().unwrap_or_default();
    let forms = [
        format!("mod {stem};"),
        format!("mod r#{stem};"),
        format!("\"{folder}/{stem}.rs\"]"),
    ];
    text.lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
        .any(|line| forms.iter().any(|form| line.ends_with(form)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::shown;

    #[test]
    fn what_is_included_or_found_by_cargo_is_fine() {
        let tree = Tree::from([
            ("crates/a/src/lib.rs", "pub mod one;\nmod r#gen;\n"),
            ("crates/a/src/one.rs", "    pub(crate) mod two;"),
            ("crates/a/src/gen.rs", ""),
            ("crates/a/src/one/two.rs", ""),
            ("crates/a/src/bin/tool.rs", ""),
            ("crates/a/tests/it/main.rs", "mod chain;"),
            ("crates/a/tests/it/chain.rs", ""),
            (
                "crates/a/tests/parity.rs",
                "#[path = \"parity/app.rs\"]\nmod application;",
            ),
            ("crates/a/tests/parity/app.rs", ""),
            ("crates/a/benches/append.rs", ""),
            ("crates/a/build.rs", ""),
        ]);
        assert!(shown(&check(&tree)).is_empty());
    }

    #[test]
    fn a_forgotten_file_is_found() {
        let tree = Tree::from([
            ("crates/a/src/lib.rs", "// mod one;\nmod someone;"),
            ("crates/a/src/one.rs", ""),
            ("crates/a/src/someone.rs", ""),
            ("crates/a/tests/it/main.rs", "mod other;"),
            ("crates/a/tests/it/chain.rs", ""),
            ("crates/a/tests/lost/x.rs", ""),
        ]);
        assert_eq!(
            shown(&check(&tree)),
            [
                "crates/a/src/one.rs: crates/a/src/lib.rs or crates/a/src/main.rs does not include it",
                "crates/a/tests/it/chain.rs: crates/a/tests/it.rs or crates/a/tests/it/main.rs does not include it",
                "crates/a/tests/lost/x.rs: there is no crates/a/tests/lost.rs or crates/a/tests/lost/main.rs",
            ]
        );
    }
}
