//! Dependencies that a manifest lists and no code names.

use std::collections::BTreeSet;

use super::finding::Finding;
use super::tree::Tree;
use crate::workspace::{Dependency, Package};

/// Dependencies that work without being named: the crate's noun, the dependency, and why.
const UNNAMED: &[(&str, &str, &str)] = &[];

/// Where the code of a crate lies. Tests may also use what the crate uses.
const CODE: &[&str] = &["src/", "build.rs"];
const TEST_CODE: &[&str] = &["src/", "tests/", "benches/", "examples/"];

pub(super) fn check_members(tree: &Tree, members: &[Package]) -> Vec<Finding> {
    members
        .iter()
        .flat_map(|member| check_member(tree, member))
        .collect()
}

/// Versions that the workspace fixes and no member uses.
pub(super) fn check_workspace(manifest: &toml::Table, members: &[Package]) -> Vec<Finding> {
    let used: BTreeSet<&str> = members
        .iter()
        .flat_map(|member| &member.dependencies)
        .map(Dependency::key)
        .collect();
    let fixed = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(toml::Value::as_table);
    fixed
        .into_iter()
        .flat_map(toml::Table::keys)
        .filter(|name| !used.contains(name.as_str()))
        .map(|name| Finding::failure("Cargo.toml", format!("no crate uses `{name}`")))
        .collect()
}

fn check_member(tree: &Tree, member: &Package) -> Vec<Finding> {
    let noun = member.noun();
    let unused = member
        .dependencies
        .iter()
        .filter(|dependency| !is_excused(noun, dependency) && !is_named(tree, noun, dependency));
    unused
        .map(|dependency| {
            let message = format!("lists `{}`, and no code names it", dependency.name);
            Finding::failure(format!("crates/{noun}/Cargo.toml"), message)
        })
        .collect()
}

fn is_excused(noun: &str, dependency: &Dependency) -> bool {
    UNNAMED
        .iter()
        .any(|row| (row.0, row.1) == (noun, dependency.name.as_str()))
}

fn is_named(tree: &Tree, noun: &str, dependency: &Dependency) -> bool {
    let places = if dependency.is_for_tests() {
        TEST_CODE
    } else {
        CODE
    };
    let library = dependency.library();
    places.iter().any(|place| {
        let place = format!("crates/{noun}/{place}");
        let mut code = tree.under(&place).filter(|(path, _)| path.ends_with(".rs"));
        code.any(|(_, text)| names(text, &library))
    })
}

/// Whether the text has a path that starts with the library: `library::`, `use library;`.
fn names(text: &str, library: &str) -> bool {
    text.match_indices(library).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = &text[at + library.len()..];
        let whole = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let imported =
            text[..at].ends_with("use ") && (after.starts_with(';') || after.starts_with(" as "));
        whole && (after.starts_with("::") || imported)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tidy::finding::shown;

    fn member(dependencies: &serde_json::Value) -> Package {
        let package = json!({
            "manifest_path": "/tree/crates/here/Cargo.toml",
            "dependencies": dependencies,
        });
        serde_json::from_value(package).unwrap()
    }

    #[test]
    fn a_library_is_named_by_a_path_that_starts_with_it() {
        let check = |text, expected| assert_eq!(names(text, "http_body"), expected, "{text}");
        check("use http_body::Body;", true);
        check("fn body() -> ::http_body::Frame {}", true);
        check("use http_body as body;", true);
        check("use http_body;", true);
        check("use http_body_util::Full;", false);
        check("let my_http_body::X", false);
        check("// about http_body, in words", false);
    }

    #[test]
    fn a_dependency_that_no_code_names_is_found() {
        let tree = Tree::from([
            ("crates/here/src/lib.rs", "use serde::Serialize;"),
            (
                "crates/here/tests/it.rs",
                "use insta::assert_snapshot; use bytes::Bytes;",
            ),
            ("crates/here-too/src/lib.rs", "use http::Uri;"),
        ]);
        let member = member(&json!([
            {"name": "serde", "kind": null},
            {"name": "bytes", "kind": null},
            {"name": "http", "kind": null},
            {"name": "insta", "kind": "dev"},
        ]));
        assert_eq!(
            shown(&check_members(&tree, &[member])),
            [
                "crates/here/Cargo.toml: lists `bytes`, and no code names it",
                "crates/here/Cargo.toml: lists `http`, and no code names it",
            ]
        );
    }

    #[test]
    fn a_version_that_no_crate_uses_is_found() {
        let manifest =
            toml::from_str("[workspace.dependencies]\nserde = '1'\nrand = '0.9'").unwrap();
        let member = member(&json!([{"name": "serde", "kind": null}]));
        assert_eq!(
            shown(&check_workspace(&manifest, &[member])),
            ["Cargo.toml: no crate uses `rand`"]
        );
    }
}
