//! Licences, duplicates and sources of what we depend on, by the rules of `deny.toml`: with
//! cargo-deny where it is installed, else with the same rules over what cargo says.

mod packages;
mod rules;
mod spdx;

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::shell::Line;
use crate::workspace;
use packages::{Locked, Shipped};
use rules::Rules;

pub(crate) fn run() -> Result<()> {
    let rules: Rules = read("deny.toml")?;
    if Line::new("cargo deny --version").succeeds() {
        Line::new("cargo deny --workspace --locked check bans licenses sources").run()
    } else {
        check(&rules)
    }
}

fn check(rules: &Rules) -> Result<()> {
    let locked: Locked = read("Cargo.lock")?;
    let shipped = packages::shipped(&rules.graph.targets)?;
    let problems = [
        sources(&locked, rules),
        licences(&shipped, rules),
        duplicates(&shipped, rules),
    ]
    .concat();
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        count => bail!("problems with dependencies: {count}; the rules are in deny.toml"),
    }
}

fn read<T: serde::de::DeserializeOwned>(path: &str) -> Result<T> {
    let text = fs::read_to_string(workspace::root().join(path));
    let text = text.with_context(|| format!("could not read {path}"))?;
    toml::from_str(&text).with_context(|| format!("could not read {path}"))
}

/// Packages that come from elsewhere than the registries we allow, those of tests included.
fn sources(locked: &Locked, rules: &Rules) -> Vec<String> {
    locked
        .package
        .iter()
        .filter_map(|package| {
            let source = package.source.as_deref()?;
            let allowed = rules.allows_source(source);
            (!allowed).then(|| format!("{}: comes from {source}", package.name))
        })
        .collect()
}

/// Packages whose licences we do not accept.
fn licences(shipped: &[Shipped], rules: &Rules) -> Vec<String> {
    shipped
        .iter()
        .filter_map(|package| {
            let licence = &package.licence;
            let allows = |term: &str| rules.allows_licence(&package.name, term);
            match spdx::is_satisfied(licence, allows) {
                Ok(true) => None,
                Ok(false) => Some(format!("{package}: {licence} is not allowed")),
                Err(error) => Some(format!("{package}: {error}")),
            }
        })
        .collect()
}

/// Packages in more than one version, and permissions for versions that are gone.
fn duplicates(shipped: &[Shipped], rules: &Rules) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in shipped.iter().filter(|package| !rules.skips(package)) {
        versions
            .entry(&package.name)
            .or_default()
            .push(&package.version);
    }
    let mut problems: Vec<String> = versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| format!("{name}: in versions {}", versions.join(", ")))
        .collect();
    for skip in &rules.bans.skip {
        if skip.reason.trim().is_empty() {
            problems.push(format!("{}: skipped without a reason", skip.package));
        }
        if !shipped.iter().any(|package| skip.is_for(package)) {
            problems.push(format!("{}: skipped, and gone", skip.package));
        }
    }
    problems
}

#[cfg(test)]
mod tests;
