//! `test`: everything a clean checkout needs on a machine with Rust, gcc and git.

use crate::shell::Line;
use crate::steps::Step;
use crate::{check, npm, setup};

/// How many cases the tests go through.
#[derive(Clone, Copy)]
pub(crate) enum Extent {
    Short,
    Long,
}

impl From<bool> for Extent {
    fn from(long: bool) -> Self {
        if long { Self::Long } else { Self::Short }
    }
}

/// The suite stands last, so that the run ends with its summary. Whoever names tests wants to see
/// those, and gets the suite only.
pub(crate) fn steps(extent: Extent, filters: &[String]) -> Vec<Step> {
    let mut steps = vec![Step::function("setup", "cargo xtask setup", setup::run)];
    if filters.is_empty() {
        steps.extend(check::steps());
        steps.extend(before_the_suite(extent));
    }
    steps.push(Step::line("suite", suite(runner(), extent, filters)));
    steps
}

fn before_the_suite(extent: Extent) -> [Step; 4] {
    let documents = Line::new("cargo doc --workspace --no-deps --locked");
    let parity = Line::new("cargo test -p codewhale-protocol --test parity_protocol --locked");
    let examples = Line::new("cargo test --doc --workspace --locked");
    [
        Step::line("doc", documents.environment("RUSTDOCFLAGS", "-D warnings")),
        Step::line("parity", at_length(parity, extent)),
        Step::line("doc tests", at_length(examples, extent)),
        Step::function("npm", npm::TEST, npm::test),
    ]
}

#[derive(Clone, Copy)]
enum Runner {
    Nextest,
    Cargo,
}

fn runner() -> Runner {
    if Line::new("cargo nextest --version").succeeds() {
        Runner::Nextest
    } else {
        Runner::Cargo
    }
}

/// Neither runner stops at the first failure. The doc tests had their own step.
fn suite(runner: Runner, extent: Extent, filters: &[String]) -> Line {
    let line = match runner {
        Runner::Nextest => Line::new("cargo nextest run --workspace --locked --no-fail-fast"),
        Runner::Cargo => Line::new("cargo test --workspace --locked --no-fail-fast --tests"),
    };
    let line = if filters.is_empty() {
        line
    } else {
        line.with(["--"]).with(filters)
    };
    at_length(line, extent)
}

/// Tests read this variable through one helper of `testkit`.
fn at_length(line: Line, extent: Extent) -> Line {
    match extent {
        Extent::Short => line,
        Extent::Long => line
            .environment("CODEWHALE_LONG_TESTS", "1")
            .environment("NEXTEST_PROFILE", "long"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(runner: Runner, extent: Extent, filters: &[&str], expected: &str) {
        let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
        assert_eq!(suite(runner, extent, &filters).to_string(), expected);
    }

    #[test]
    fn the_suite_is_the_whole_workspace_with_either_runner() {
        let nextest = "cargo nextest run --workspace --locked --no-fail-fast";
        let cargo = "cargo test --workspace --locked --no-fail-fast --tests";
        check(Runner::Nextest, Extent::Short, &[], nextest);
        check(Runner::Cargo, Extent::Short, &[], cargo);
    }

    #[test]
    fn filters_and_length_reach_the_runner() {
        check(
            Runner::Cargo,
            Extent::Long,
            &["chain", "commit"],
            "CODEWHALE_LONG_TESTS=1 NEXTEST_PROFILE=long cargo test --workspace --locked --no-fail-fast --tests -- chain commit",
        );
    }
}
