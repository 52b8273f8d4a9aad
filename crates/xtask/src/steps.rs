//! Steps: run in order, timed, until the first one that fails.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::shell::Line;

pub(crate) struct Step {
    name: &'static str,
    work: Work,
}

enum Work {
    Line(Line),
    /// A function here, and the line that runs it alone.
    Function(fn() -> Result<()>, &'static str),
}

impl Step {
    pub(crate) fn line(name: &'static str, line: Line) -> Self {
        let work = Work::Line(line);
        Self { name, work }
    }

    pub(crate) fn function(
        name: &'static str,
        alone: &'static str,
        run: fn() -> Result<()>,
    ) -> Self {
        let work = Work::Function(run, alone);
        Self { name, work }
    }

    /// What to type to see this step alone.
    fn alone(&self) -> String {
        match &self.work {
            Work::Line(line) => line.to_string(),
            Work::Function(_, alone) => (*alone).to_owned(),
        }
    }

    fn run(&self) -> Result<()> {
        match &self.work {
            Work::Line(line) => line.run(),
            Work::Function(run, _) => run(),
        }
    }
}

/// Runs the steps; the first failure ends it. Behind the last one nothing more is said when it
/// went well: what it said itself is what counts.
pub(crate) fn run(steps: Vec<Step>) -> Result<()> {
    let Some((last, before)) = steps.split_last() else {
        return Ok(());
    };
    before
        .iter()
        .try_for_each(|step| timed(step, Place::Inside))?;
    timed(last, Place::Last)
}

/// Where a step stands in its run.
#[derive(PartialEq, Eq)]
enum Place {
    Inside,
    Last,
}

fn timed(step: &Step, place: Place) -> Result<()> {
    let name = step.name;
    println!("==> {name}");
    let started = Instant::now();
    let outcome = step.run();
    if outcome.is_err() || place == Place::Inside {
        println!("{}", closing_line(step, &outcome, started.elapsed()));
    }
    outcome.with_context(|| format!("the step `{name}` failed"))
}

fn closing_line(step: &Step, outcome: &Result<()>, took: Duration) -> String {
    let (name, seconds) = (step.name, took.as_secs_f64());
    match outcome {
        Ok(()) => format!("<== {name}: {seconds:.1} s"),
        Err(_) => format!(
            "<== {name}: failed after {seconds:.1} s; to see it alone: {}",
            step.alone()
        ),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    fn fails() -> Result<()> {
        bail!("a reason")
    }

    fn is_never_reached() -> Result<()> {
        panic!("a step ran after one that failed")
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let error = run(vec![
            Step::line("good", Line::new("true")),
            Step::function("bad", "xtask bad", fails),
            Step::function("later", "xtask later", is_never_reached),
        ])
        .unwrap_err();
        assert_eq!(format!("{error:#}"), "the step `bad` failed: a reason");
    }

    #[test]
    fn a_step_ends_with_its_time_and_a_failure_says_how_to_see_it_alone() {
        let took = Duration::from_millis(1_230);
        let line = Step::line("fmt", Line::new("cargo fmt --check"));
        let function = Step::function("tidy", "cargo xtask tidy", fails);
        assert_eq!(closing_line(&line, &Ok(()), took), "<== fmt: 1.2 s");
        assert_eq!(
            closing_line(&line, &fails(), took),
            "<== fmt: failed after 1.2 s; to see it alone: cargo fmt --check"
        );
        assert_eq!(
            closing_line(&function, &fails(), took),
            "<== tidy: failed after 1.2 s; to see it alone: cargo xtask tidy"
        );
    }
}
