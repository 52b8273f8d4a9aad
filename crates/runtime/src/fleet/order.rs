//! What a worker is told: its words, its prompt, its bounds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use codewhale_protocol::runtime::{AgentRole, FleetRunId};
use codewhale_store::{FleetRun, FleetTask};
use serde_json::{Value, json};

use super::seam::WorkOrder;
use crate::limits;

/// Whether a task may change files.
pub(super) fn writes(role: Option<&str>) -> bool {
    !role
        .and_then(AgentRole::parse)
        .is_some_and(AgentRole::only_reads)
}

/// How long an attempt may take.
pub(super) fn wall_time(task: &FleetTask) -> Duration {
    let budget = task.spec.budget.and_then(|budget| budget.max_seconds);
    let seconds = [task.spec.timeout_seconds, budget];
    let shortest = seconds.into_iter().flatten().min();
    let wanted = shortest.map_or(limits::FLEET_WALL, Duration::from_secs);
    wanted.min(limits::FLEET_WALL)
}

/// The order for an attempt.
pub(super) fn order(run: &FleetRun, task: &FleetTask, worker: &str, directory: &Path) -> WorkOrder {
    let who = task.spec.worker.clone().unwrap_or_default();
    let mut arguments = vec!["-C".to_owned(), directory.display().to_string()];
    arguments.extend(["exec", "--output-format", "stream-json"].map(str::to_owned));
    arguments.push("--tool-authority-json".to_owned());
    arguments.push(authority(&run.id, task, worker).to_string());
    let named = [
        ("--model", &who.model),
        ("--provider", &who.provider),
        ("--reasoning-effort", &who.thinking),
    ];
    for (flag, value) in named {
        if let Some(value) = value {
            arguments.extend([flag.to_owned(), value.clone()]);
        }
    }
    let walls = match writes(who.role.as_deref()) {
        true => &["--auto", "--sandbox", "workspace-write"][..],
        false => &["--sandbox", "read-only"][..],
    };
    arguments.extend(walls.iter().map(|&word| word.to_owned()));
    arguments.push("-".to_owned());
    WorkOrder {
        arguments,
        prompt: prompt(task),
        directory: directory.to_owned(),
        wall_time: wall_time(task),
    }
}

/// What the worker may do, in the form that it reads.
fn authority(run: &FleetRunId, task: &FleetTask, worker: &str) -> Value {
    let spec = &task.spec;
    let budget = spec.budget.unwrap_or_default();
    let mut authority = json!({
        "run_id": run, "task_id": spec.id, "worker_id": worker, "attempt": task.attempt,
    });
    let tools = spec.worker.as_ref().map(|worker| &worker.tools);
    if let Some(tools) = tools.filter(|tools| !tools.is_empty()) {
        authority["tools"] = json!(tools);
    }
    if !spec.writable_paths().is_empty() {
        authority["writable_paths"] = json!(spec.writable_paths());
    }
    let bounds = [
        ("max_tokens", budget.max_tokens),
        ("max_tool_calls", budget.max_tool_calls),
        ("max_seconds", budget.max_seconds),
    ];
    for (name, bound) in bounds {
        if let Some(bound) = bound {
            authority[name] = json!(bound);
        }
    }
    authority
}

fn prompt(task: &FleetTask) -> String {
    let spec = &task.spec;
    let role = spec.role().unwrap_or("worker");
    let mut text = format!(
        "You work alone, as {role}, on the task \"{}\".\n",
        spec.name
    );
    let said = [
        ("Objective", &spec.objective),
        ("About it", &spec.description),
    ];
    for (label, words) in said {
        if let Some(words) = words {
            text.push_str(&format!("\n{label}: {words}\n"));
        }
    }
    text.push_str(&format!("\n{}\n", spec.instructions.trim()));
    if !spec.input_files.is_empty() {
        text.push_str(&format!("\nLook at: {}\n", spec.input_files.join(", ")));
    }
    if !spec.writable_paths().is_empty() {
        let paths = spec.writable_paths().join(", ");
        text.push_str(&format!("\nWrite nothing outside of: {paths}\n"));
    }
    for artifact in &spec.expected_artifacts {
        let (kind, path) = artifact.parts();
        text.push_str(&format!("\nLeave a {kind} at {path}.\n"));
    }
    for part in &spec.context {
        let words = match part {
            Value::String(words) => words.clone(),
            other => other.to_string(),
        };
        text.push_str(&format!("\n{words}\n"));
    }
    text
}

/// Where in a directory a task works.
pub(super) fn place_of(task: &FleetTask, directory: &Path) -> PathBuf {
    let root = task.spec.workspace.as_ref();
    match root.and_then(|workspace| workspace.root.as_deref()) {
        Some(root) => directory.join(root),
        None => directory.to_owned(),
    }
}
