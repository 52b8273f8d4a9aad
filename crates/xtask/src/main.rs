//! The menu of the workspace: `cargo xtask <command>`.
//!
//! `test` is everything a clean checkout needs, `check` its quick half, `fix` what a machine can
//! put right. Each is a list of [`steps`]; a step is a command line, shown as it is run, or a
//! function here. `bench` shows what the product costs, `sim` a history that failed. `tidy` holds the
//! rules of the house that no compiler knows, `licences` the rules on what we depend on, `gen` the
//! files that are written from code.
//!
//! Start reading at [`mod@test`].
#![expect(
    clippy::print_stdout,
    reason = "a menu talks to the person at the terminal"
)]

mod bench;
mod check;
mod r#gen;
mod licences;
mod npm;
mod setup;
mod shell;
mod sim;
mod steps;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The menu of the workspace")]
struct Menu {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything a clean checkout needs, the whole suite last
    Test {
        /// Also the hundreds of cases that take long (CODEWHALE_LONG_TESTS=1)
        #[arg(long)]
        long: bool,
        /// Only the suite, and in it only tests whose names contain one of these
        filters: Vec<String>,
    },
    /// What needs no test run: format, clippy, tidy, licences, generated files
    Check,
    /// What a machine can put right: clippy's suggestions, format, generated files
    Fix,
    /// What the product costs, beside what it may cost
    Bench(bench::Options),
    /// A history of the simulation by its seed, checked all along the way
    Sim(sim::Options),
    /// Installs the parts that tests need and this machine lacks
    Setup,
    /// The rules of the house that no compiler knows
    Tidy,
    /// Licences, duplicates and sources of what we depend on
    Licences,
    /// Writes the generated files
    Gen {
        /// Fails when one is out of date, and writes none
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match run(Menu::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Test { long, filters } => steps::run(test::steps(long.into(), &filters)),
        Command::Check => steps::run(check::steps()),
        Command::Fix => steps::run(check::fixes()),
        Command::Bench(options) => bench::run(&options),
        Command::Sim(options) => sim::run(&options),
        Command::Setup => setup::run(),
        Command::Tidy => tidy::run(),
        Command::Licences => licences::run(),
        Command::Gen { check: true } => r#gen::check(),
        Command::Gen { check: false } => r#gen::write(),
    }
}
