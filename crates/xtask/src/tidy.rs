//! The rules of the house that no compiler knows. Each rule is a pure function from what there is
//! to what is wrong with it; this file reads the workspace and tells.
//!
//! Environment, processes and clocks are clippy's: see `clippy.toml`.

mod crate_docs;
mod edges;
mod finding;
mod migrations;
mod modules;
mod names;
mod places;
mod sizes;
mod tree;
mod unused;
mod whitespace;
mod words;

use anyhow::{Context, Result, bail};

pub(crate) use tree::Tree;

use crate::workspace;
use finding::Finding;

/// Prints what is wrong; fails if any of it must not stay.
pub(crate) fn run() -> Result<()> {
    let findings = findings()?;
    for finding in &findings {
        println!("{finding}");
    }
    match findings.iter().filter(|it| it.is_failure()).count() {
        0 => Ok(()),
        failures => bail!("findings: {failures}"),
    }
}

fn findings() -> Result<Vec<Finding>> {
    let tree = Tree::read()?;
    let members = workspace::members()?;
    let manifest = tree.text("Cargo.toml").context("there is no Cargo.toml")?;
    let manifest = toml::from_str(manifest).context("could not read Cargo.toml")?;
    let mut findings = [
        edges::check(&members),
        edges::check_testkit(&tree, &members),
        unused::check_members(&tree, &members),
        unused::check_workspace(&manifest, &members),
        crate_docs::check(&tree, &members),
        migrations::check(&tree),
        modules::check(&tree),
        names::check(&tree),
        places::check(&tree),
        sizes::check(&tree),
        whitespace::check(&tree),
        words::check(&tree),
    ]
    .concat();
    findings.sort();
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let mut findings = findings().unwrap();
        findings.retain(Finding::is_failure);
        let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "\n{}", lines.join("\n"));
    }
}
