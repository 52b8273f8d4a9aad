//! Which crate may know which. Arrows only point down; a new one is a line here, seen in review.

use super::finding::Finding;
use super::tree::Tree;
use crate::workspace::{Dependency, Package};

/// A crate and the crates of this workspace it may depend on.
struct Row {
    noun: &'static str,
    knows: Knows,
}

#[derive(Clone, Copy)]
enum Knows {
    Only(&'static [&'static str]),
    /// Everything but the program itself and what stands beside it.
    AllBelowCli,
}

const fn row(noun: &'static str, knows: Knows) -> Row {
    Row { noun, knows }
}

/// From the bottom up. `xtask` knows what its benches drive.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("protocol", Knows::Only(&[])),
    row("sandbox", Knows::Only(&[])),
    row("snapshots", Knows::Only(&["sandbox"])),
    row("config", Knows::Only(&["protocol"])),
    row("store", Knows::Only(&["protocol"])),
    row("model", Knows::Only(&["protocol"])),
    row("policy", Knows::Only(&["protocol"])),
    row("tools", Knows::Only(&["policy", "protocol", "sandbox"])),
    row("mcp-client", Knows::Only(&["policy", "protocol", "sandbox", "tools"])),
    row("engine", Knows::Only(&["model", "policy", "protocol", "sandbox", "tools"])),
    row("runtime", Knows::Only(&["engine", "mcp-client", "model", "policy", "protocol", "sandbox", "snapshots", "store", "tools"])),
    row("client", Knows::Only(&["protocol"])),
    row("acp", Knows::Only(&["client", "protocol"])),
    row("app-server", Knows::Only(&["protocol"])),
    row("mcp-server", Knows::Only(&["client", "protocol"])),
    row("cli", Knows::AllBelowCli),
    row("testkit", Knows::AllBelowCli),
    row("xtask", Knows::Only(&["app-server", "protocol", "sandbox", "store", "testkit"])),
];

/// Not below `cli`: nothing there is part of the product's inside.
const BESIDE_CLI: &[&str] = &["cli", "testkit", "xtask"];

/// What tests may know besides: the crate, what its tests depend on, and why. Everyone's tests may
/// use `testkit`, and what their crate knows.
const TEST_ROWS: &[(&str, &str, &str)] = &[];

pub(super) fn check(members: &[Package]) -> Vec<Finding> {
    let no_row = "has no row in the list of allowed edges";
    let no_crate = "is in the list of allowed edges, not in the workspace";
    let mut findings = Vec::new();
    for member in members {
        match ROWS.iter().find(|row| row.noun == member.noun()) {
            Some(row) => findings.extend(check_member(member, row)),
            None => findings.push(failure(member.noun(), no_row)),
        }
    }
    let is_gone = |row: &&Row| members.iter().all(|member| member.noun() != row.noun);
    let gone = ROWS.iter().filter(is_gone);
    findings.extend(gone.map(|row| failure(row.noun, no_crate)));
    findings
}

/// Used by tests only, `testkit` stays out of `src/`: a unit test there would meet two copies of
/// its own crate's types.
pub(super) fn check_testkit(tree: &Tree, members: &[Package]) -> Vec<Finding> {
    let message = "testkit is for tests/ and benches/, not for unit tests";
    let mut findings = Vec::new();
    for member in members.iter().filter(|member| tests_with_testkit(member)) {
        let folder = format!("crates/{}/src/", member.noun());
        let files = tree.under(&folder);
        let named = files.filter(|(_, text)| text.contains("codewhale_testkit::"));
        findings.extend(named.map(|(path, _)| Finding::failure(path, message)));
    }
    findings
}

fn tests_with_testkit(member: &Package) -> bool {
    let mut edges = member.dependencies.iter();
    edges.any(|edge| edge.noun() == Some("testkit") && edge.is_for_tests())
}

fn check_member(member: &Package, row: &Row) -> Vec<Finding> {
    let known = member.dependencies.iter().filter_map(Dependency::noun);
    let unused = row
        .listed()
        .iter()
        .filter(|noun| !known.clone().any(|it| it == **noun));
    let unused = unused.map(|noun| warning(row.noun, format!("may know `{noun}`, and does not")));
    let edges = member.dependencies.iter();
    edges
        .filter_map(|edge| forbidden(edge, row))
        .chain(unused)
        .collect()
}

fn forbidden(edge: &Dependency, row: &Row) -> Option<Finding> {
    let noun = edge.noun()?;
    if row.allows(noun) {
        None
    } else if !edge.is_for_tests() {
        Some(failure(row.noun, format!("may not know `{noun}`")))
    } else if !tests_may_know(row.noun, noun) {
        Some(failure(
            row.noun,
            format!("its tests may not know `{noun}`"),
        ))
    } else {
        None
    }
}

impl Row {
    fn allows(&self, noun: &str) -> bool {
        match self.knows {
            Knows::Only(nouns) => nouns.contains(&noun),
            Knows::AllBelowCli => !BESIDE_CLI.contains(&noun),
        }
    }

    /// The edges that someone wrote down one by one.
    fn listed(&self) -> &'static [&'static str] {
        match self.knows {
            Knows::Only(nouns) => nouns,
            Knows::AllBelowCli => &[],
        }
    }
}

fn tests_may_know(from: &str, to: &str) -> bool {
    to == "testkit" || TEST_ROWS.iter().any(|row| (row.0, row.1) == (from, to))
}

fn failure(noun: &str, message: impl Into<String>) -> Finding {
    Finding::failure(manifest(noun), message)
}

fn warning(noun: &str, message: impl Into<String>) -> Finding {
    Finding::warning(manifest(noun), message)
}

fn manifest(noun: &str) -> String {
    format!("crates/{noun}/Cargo.toml")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tidy::finding::shown;

    /// A member with dependencies on other members: noun and kind.
    fn member(noun: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependencies: Vec<_> = dependencies
            .iter()
            .map(|(noun, kind)| json!({"name": noun, "kind": kind, "path": format!("/tree/crates/{noun}")}))
            .collect();
        let package = json!({
            "manifest_path": format!("/tree/crates/{noun}/Cargo.toml"),
            "dependencies": dependencies,
        });
        serde_json::from_value(package).unwrap()
    }

    fn check(member: Package, knows: Knows, expected: &[&str]) {
        let row = row("here", knows);
        assert_eq!(shown(&check_member(&member, &row)), expected);
    }

    #[test]
    fn a_listed_edge_is_allowed_and_an_unknown_one_is_not() {
        check(
            member(
                "here",
                &[("below", None), ("beside", None), ("build", Some("build"))],
            ),
            Knows::Only(&["below"]),
            &[
                "crates/here/Cargo.toml: may not know `beside`",
                "crates/here/Cargo.toml: may not know `build`",
            ],
        );
    }

    #[test]
    fn a_listed_edge_that_is_not_used_is_worth_a_look() {
        check(
            member("here", &[]),
            Knows::Only(&["below"]),
            &["warning: crates/here/Cargo.toml: may know `below`, and does not"],
        );
    }

    #[test]
    fn tests_may_know_testkit_and_what_their_crate_knows() {
        check(
            member(
                "here",
                &[
                    ("below", Some("dev")),
                    ("testkit", Some("dev")),
                    ("store", Some("dev")),
                ],
            ),
            Knows::Only(&["below"]),
            &["crates/here/Cargo.toml: its tests may not know `store`"],
        );
    }

    #[test]
    fn the_program_knows_everything_but_what_stands_beside_it() {
        check(
            member("here", &[("store", None), ("testkit", None)]),
            Knows::AllBelowCli,
            &["crates/here/Cargo.toml: may not know `testkit`"],
        );
    }

    #[test]
    fn a_crate_without_a_row_and_a_row_without_a_crate_are_found() {
        let findings = super::check(&[member("newcomer", &[])]);
        let lines = shown(&findings);
        assert_eq!(
            lines[0],
            "crates/newcomer/Cargo.toml: has no row in the list of allowed edges"
        );
        assert_eq!(
            lines[1],
            "crates/protocol/Cargo.toml: is in the list of allowed edges, not in the workspace"
        );
        assert_eq!(lines.len(), 1 + ROWS.len());
    }

    #[test]
    fn testkit_stays_out_of_unit_tests() {
        let tree = Tree::from([
            (
                "crates/store/src/store.rs",
                "use codewhale_testkit::model_server;",
            ),
            (
                "crates/store/tests/it.rs",
                "use codewhale_testkit::model_server;",
            ),
            (
                "crates/xtask/src/bench.rs",
                "use codewhale_testkit::model_server;",
            ),
        ]);
        let members = [
            member("store", &[("testkit", Some("dev"))]),
            member("xtask", &[("testkit", None)]),
        ];
        assert_eq!(
            shown(&check_testkit(&tree, &members)),
            ["crates/store/src/store.rs: testkit is for tests/ and benches/, not for unit tests"]
        );
    }
}
