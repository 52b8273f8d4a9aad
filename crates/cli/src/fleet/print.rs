//! Runs, workers and what they left, for people.

use anyhow::Context;
use codewhale_protocol::runtime::{FleetDetail, FleetInspection, FleetRuns, FleetStatus};
use serde::Serialize;

/// What is shown of one log, in characters: the contract's number.
const LOG_CHARS_MAX: usize = 16 * 1024;

fn as_json(value: &impl Serialize) {
    let text = serde_json::to_string_pretty(value).expect("answers are plain data");
    println!("{text}");
}

pub(super) fn runs(runs: &FleetRuns, json: bool) {
    if json {
        return as_json(&runs.runs);
    }
    if runs.runs.is_empty() {
        println!("no fleet runs");
    }
    for run in &runs.runs {
        let (id, name) = (&run.id, &run.name);
        let (stands, done) = (run.lifecycle_status.as_str(), run.status.completed);
        println!(
            "{id}  {stands}  {done}/{}  {name}  ({})",
            run.task_count, run.workspace
        );
    }
}

pub(super) fn status(status: &FleetStatus, json: bool) {
    if json {
        return as_json(status);
    }
    let counts = [
        ("runs", status.runs),
        ("queued", status.queued),
        ("running", status.running),
        ("stale", status.stale),
        ("completed", status.completed),
        ("partial", status.partial),
        ("failed", status.failed),
        ("cancelled", status.cancelled),
    ];
    let counts = counts.map(|(name, count)| format!("{name}={count}"));
    println!("{}", counts.join(" "));
    for (worker, status) in &status.workers {
        println!("  {worker}  {}", status.as_str());
    }
}

pub(super) fn detail(detail: &FleetDetail, json: bool) {
    if json {
        return as_json(detail);
    }
    let run = &detail.summary;
    println!(
        "{}  {}  {}",
        run.id,
        run.lifecycle_status.as_str(),
        run.name
    );
    for task in &run.tasks {
        let worker = task.leased_to.as_deref().unwrap_or("-");
        let (id, stands) = (&task.task_id, task.status.as_str());
        println!("  {id}  {stands}  attempts={}  {worker}", task.attempts);
    }
    status(&run.status, false);
}

pub(super) fn artifacts(worker: &FleetInspection, json: bool) {
    if json {
        return as_json(&worker.artifacts);
    }
    if worker.artifacts.is_empty() {
        println!("{} has left nothing", worker.worker_id);
    }
    for artifact in &worker.artifacts {
        let size = artifact
            .size_bytes
            .map_or(String::new(), |it| format!("  {it} bytes"));
        println!("{}  {}{size}", artifact.kind, artifact.path);
    }
}

pub(super) fn logs(worker: &FleetInspection) -> anyhow::Result<()> {
    let log = worker.artifacts.iter().find(|it| it.kind == "log");
    let Some(log) = log else {
        println!("{} has no log", worker.worker_id);
        return Ok(());
    };
    let text = std::fs::read(&log.path).with_context(|| format!("cannot read {}", log.path))?;
    let text = plain(&String::from_utf8_lossy(&text));
    let length = text.chars().count();
    let end: String = text
        .chars()
        .skip(length.saturating_sub(LOG_CHARS_MAX))
        .collect();
    if length > LOG_CHARS_MAX {
        println!(
            "[the last {LOG_CHARS_MAX} of {length} characters of {}]",
            log.path
        );
    }
    println!("{}", end.trim_end());
    Ok(())
}

/// A text without what would move or colour a terminal.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut all = text.chars().peekable();
    while let Some(c) = all.next() {
        if c == '\u{1b}' {
            if all.next_if_eq(&'[').is_some() {
                // Up to the letter that ends it.
                while all.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            continue;
        }
        if !c.is_control() || matches!(c, '\n' | '\t') {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_printed_moves_the_terminal() {
        assert_eq!(plain("a\u{1b}[31mred\u{1b}[0m\tb\nc\u{7}\r"), "ared\tb\nc");
        assert_eq!(plain("\u{1b}[2J\u{1b}]0;title"), "]0;title");
    }
}
