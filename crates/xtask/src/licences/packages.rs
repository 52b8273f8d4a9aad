//! The packages that the workspace depends on.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell::Line;

/// The packages of `Cargo.lock`: all of them, for every platform, tests included.
#[derive(Deserialize)]
pub(super) struct Locked {
    pub(super) package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
pub(super) struct LockedPackage {
    pub(super) name: String,
    /// None for what lies in this workspace.
    pub(super) source: Option<String>,
}

/// A package of someone else that a build takes in, tests aside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shipped {
    pub(super) name: String,
    pub(super) version: String,
    /// Empty if the package does not say.
    pub(super) licence: String,
}

/// Asks `cargo tree`, because `cargo metadata` also lists optional packages that no feature turns on.
pub(super) fn shipped(targets: &[String]) -> Result<Vec<Shipped>> {
    let line = Line::new("cargo tree --workspace --edges normal,build --prefix none --locked")
        .with(["--format", "{p}|{l}"])
        .with(targets.iter().flat_map(|target| ["--target", target]));
    parse(&line.read()?)
}

fn parse(text: &str) -> Result<Vec<Shipped>> {
    let lines = text.lines().filter(|line| !line.is_empty());
    let packages: BTreeSet<Shipped> = lines
        .filter_map(|line| package(line).transpose())
        .collect::<Result<_>>()?;
    Ok(packages.into_iter().collect())
}

/// A line is `name v1.2.3|MIT`, with `(/folder)` after the version if the package is ours, and
/// `(*)` at the end if it was shown before.
fn package(line: &str) -> Result<Option<Shipped>> {
    let read = || {
        let (package, licence) = line.rsplit_once('|')?;
        let (name, rest) = package.split_once(" v")?;
        let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let shipped = Shipped {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: licence.trim_end_matches("(*)").trim().to_owned(),
        };
        let is_ours = rest.starts_with("(/");
        Some((!is_ours).then_some(shipped))
    };
    read().with_context(|| format!("could not read a line of `cargo tree`: {line}"))
}

/// As `deny.toml` names a package.
impl fmt::Display for Shipped {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}@{}", self.name, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_into_packages() {
        let text = "\
ours v0.1.0 (/tree/crates/ours)|MIT
serde v1.0.1|MIT OR Apache-2.0
derive v1.0.1 (proc-macro)|MIT/Apache-2.0
mute v2.0.0|

other-of-ours v0.1.0 (/tree/crates/other)|MIT (*)
serde v1.0.1|MIT OR Apache-2.0 (*)
";
        let package = |name: &str, version: &str, licence: &str| Shipped {
            name: name.into(),
            version: version.into(),
            licence: licence.into(),
        };
        assert_eq!(
            parse(text).unwrap(),
            [
                package("derive", "1.0.1", "MIT/Apache-2.0"),
                package("mute", "2.0.0", ""),
                package("serde", "1.0.1", "MIT OR Apache-2.0"),
            ]
        );
    }

    #[test]
    fn a_line_of_another_shape_is_an_error() {
        assert!(parse("serde 1.0.1").is_err());
    }
}
