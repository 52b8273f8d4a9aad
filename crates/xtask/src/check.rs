//! `check`: what needs no test run. `fix`: what a machine can put right of it.

use crate::shell::Line;
use crate::steps::Step;
use crate::{r#gen, licences, tidy};

pub(crate) fn steps() -> Vec<Step> {
    vec![
        Step::line("fmt", Line::new("cargo fmt --all --check")),
        Step::line(
            "clippy",
            Line::new("cargo clippy --workspace --all-targets --locked -- -D warnings"),
        ),
        Step::function("tidy", "cargo xtask tidy", tidy::run),
        Step::function("licences", "cargo xtask licences", licences::run),
        Step::function("generated files", "cargo xtask gen --check", r#gen::check),
    ]
}

/// Format comes after clippy, whose suggestions are not formatted.
pub(crate) fn fixes() -> Vec<Step> {
    let suggestions = "cargo clippy --fix --workspace --all-targets --allow-dirty --allow-staged";
    vec![
        Step::line("clippy", Line::new(suggestions)),
        Step::line("fmt", Line::new("cargo fmt --all")),
        Step::function("generated files", "cargo xtask gen", r#gen::write),
    ]
}
