//! From what was asked to a run: everything is checked while someone is there to be told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use codewhale_protocol::runtime::{
    AgentRole, FleetCreateParams, FleetHost, FleetRole, FleetRunId, FleetScorer, FleetTaskSpec,
    FleetTaskStatus, FleetWorkerSpec, FleetWorkerView,
};
use codewhale_store::{FleetSeat, FleetTask};

use super::judge;
use super::order::writes;
use crate::{Error, limits};

/// The one target there is.
pub(super) const THIS_COMPUTER: &str = "this_computer";

/// What a request comes to.
pub(super) struct Plan {
    pub(super) name: String,
    pub(super) roles: Vec<FleetRole>,
    pub(super) tasks: Vec<FleetTask>,
    pub(super) workers: u64,
    pub(super) stale_after_seconds: u64,
    /// Whether a task may change files.
    pub(super) writes: bool,
    pub(super) warnings: Vec<String>,
}

/// Checks a request.
pub(super) fn plan(
    params: &FleetCreateParams,
    environment: &[(String, String)],
) -> Result<Plan, Error> {
    check_reach(params)?;
    let roles = roles(&params.roles)?;
    check_count(
        "tasks",
        params.workflow.tasks.len(),
        limits::FLEET_TASKS_MAX,
    )?;
    check_token("the id of the workflow", &params.workflow.id)?;
    let mut warnings = Vec::new();
    let mut known = BTreeSet::new();
    let mut tasks = Vec::new();
    for spec in &params.workflow.tasks {
        let spec = task(spec, &roles, environment)?;
        if !known.insert(spec.id.clone()) {
            return invalid(format!("two tasks have the id {:?}", spec.id));
        }
        if spec.alert_policy.is_some() {
            let id = &spec.id;
            warnings.push(format!(
                "task {id}: alerts are kept in the spec and not sent"
            ));
        }
        tasks.push(spec);
    }
    let idle = |role: &&FleetRole| !tasks.iter().any(|it| it.role() == Some(&role.name));
    if let Some(idle) = roles.iter().find(idle) {
        return invalid(format!("the role {:?} has no task", idle.name));
    }
    check_overlaps(&tasks)?;
    let name = params.name.clone();
    let name = name.unwrap_or_else(|| params.workflow.id.clone());
    check_line("the name of the run", &name)?;
    let workers = params.max_workers;
    let workers = workers.unwrap_or(roles.len().min(tasks.len()) as u64);
    if !(1..=limits::FLEET_WORKERS_MAX).contains(&workers) {
        let most = limits::FLEET_WORKERS_MAX;
        return invalid(format!("max_workers must be 1 to {most}"));
    }
    Ok(Plan {
        name,
        workers: workers.min(tasks.len() as u64),
        stale_after_seconds: patience(params.stale_after_seconds)?,
        writes: tasks.iter().any(|task| writes(task.role())),
        tasks: tasks.into_iter().map(waiting).collect(),
        roles,
        warnings,
    })
}

/// How long workers may be silent.
pub(super) fn patience(wanted: Option<u64>) -> Result<u64, Error> {
    let seconds = wanted.unwrap_or(limits::FLEET_STALE_SECONDS);
    match (1..=limits::FLEET_STALE_SECONDS_MAX).contains(&seconds) {
        true => Ok(seconds),
        false => {
            let most = limits::FLEET_STALE_SECONDS_MAX;
            invalid(format!("stale_after_seconds must be 1 to {most}"))
        }
    }
}

/// What is asked for and cannot be done here.
fn check_reach(params: &FleetCreateParams) -> Result<(), Error> {
    match params.target.as_str() {
        THIS_COMPUTER => {}
        "another_computer" | "cloud" => {
            let message = "workers run on this_computer only; other targets are not there yet";
            return Err(Error::Unsupported(message.into()));
        }
        other => {
            return invalid(format!(
                "the target {other:?} is not one; say this_computer"
            ));
        }
    }
    let elsewhere = [&params.worker_specs, &params.workers];
    if elsewhere
        .into_iter()
        .flatten()
        .any(|specs| !specs.is_empty())
    {
        let message = "workers cannot be described yet; leave worker_specs out and set max_workers";
        return Err(Error::Unsupported(message.into()));
    }
    if params.security_policy.is_some() {
        let message = "a security_policy is not there yet; leave it out";
        return Err(Error::Unsupported(message.into()));
    }
    match params.workflow.kind.as_str() {
        "parallel" => Ok(()),
        other => invalid(format!(
            "the workflow kind {other:?} is not one; say parallel"
        )),
    }
}

fn roles(asked: &[FleetRole]) -> Result<Vec<FleetRole>, Error> {
    check_count("roles", asked.len(), limits::FLEET_ROLES_MAX)?;
    let mut known = BTreeSet::new();
    let mut roles = Vec::new();
    for role in asked {
        check_token("the name of a role", &role.name)?;
        let name = canonical(&role.name);
        if !known.insert(name.clone()) {
            return invalid(format!("two roles have the name {name:?}"));
        }
        roles.push(FleetRole {
            name,
            agent_profile: role.agent_profile.clone(),
        });
    }
    Ok(roles)
}

/// Two older names of the one who gives advice.
fn canonical(role: &str) -> String {
    match role {
        "oracle" | "advisor" => AgentRole::Consultant.as_str().to_owned(),
        other => other.to_owned(),
    }
}

fn task(
    spec: &FleetTaskSpec,
    roles: &[FleetRole],
    environment: &[(String, String)],
) -> Result<FleetTaskSpec, Error> {
    let mut spec = spec.clone();
    check_token("the id of a task", &spec.id)?;
    let id = spec.id.clone();
    check_line(&format!("the name of task {id}"), &spec.name)?;
    if spec.instructions.trim().is_empty() {
        return invalid(format!("task {id} has no instructions"));
    }
    if spec.instructions.len() > limits::FLEET_INSTRUCTIONS_BYTES_MAX {
        let most = limits::FLEET_INSTRUCTIONS_BYTES_MAX;
        return invalid(format!(
            "the instructions of task {id} are longer than {most} bytes"
        ));
    }
    let mut worker = spec.worker.take().unwrap_or_default();
    worker.role = worker.role.as_deref().map(canonical);
    let Some(role) = roles
        .iter()
        .find(|role| Some(&role.name) == worker.role.as_ref())
    else {
        return invalid(format!(
            "task {id} needs a worker.role that is one of the roles"
        ));
    };
    if worker.agent_profile.is_some() && worker.agent_profile != role.agent_profile {
        let role = &role.name;
        return invalid(format!(
            "task {id} has another profile than its role {role}"
        ));
    }
    worker.agent_profile.clone_from(&role.agent_profile);
    for (what, value) in [
        ("model", &worker.model),
        ("provider", &worker.provider),
        ("thinking", &worker.thinking),
    ] {
        if value
            .as_deref()
            .is_some_and(|it| it.starts_with('-') || it.trim().is_empty())
        {
            return invalid(format!("the {what} of task {id} is not a name"));
        }
    }
    spec.worker = Some(worker);
    check_paths(&spec)?;
    check_bounds(&spec)?;
    judge::check(spec.scorer.as_ref())
        .map_err(|why| Error::Invalid(format!("the scorer of task {id} cannot be used: {why}")))?;
    let wanted = spec
        .workspace
        .as_ref()
        .and_then(|it| it.environment.as_ref());
    for name in wanted.into_iter().flat_map(|it| &it.required) {
        if !environment.iter().any(|(known, _)| known == name) {
            return invalid(format!(
                "task {id} requires the variable {name}, which child processes do not get"
            ));
        }
    }
    Ok(spec)
}

fn check_bounds(spec: &FleetTaskSpec) -> Result<(), Error> {
    let id = &spec.id;
    let budget = spec.budget.unwrap_or_default();
    let bounds = [
        ("timeout_seconds", spec.timeout_seconds),
        ("budget.max_seconds", budget.max_seconds),
        ("budget.max_tokens", budget.max_tokens),
        ("budget.max_tool_calls", budget.max_tool_calls),
    ];
    if let Some((name, _)) = bounds.iter().find(|(_, value)| *value == Some(0)) {
        return invalid(format!("{name} of task {id} must be at least 1"));
    }
    let Some(policy) = spec.retry_policy else {
        return Ok(());
    };
    let most = limits::FLEET_ATTEMPTS_MAX;
    if !(1..=most).contains(&policy.max_attempts) {
        return invalid(format!(
            "retry_policy.max_attempts of task {id} must be 1 to {most}"
        ));
    }
    match policy.backoff_multiplier.is_finite() && policy.backoff_multiplier >= 1.0 {
        true => Ok(()),
        false => invalid(format!(
            "retry_policy.backoff_multiplier of task {id} must be at least 1"
        )),
    }
}

fn check_paths(spec: &FleetTaskSpec) -> Result<(), Error> {
    let workspace = spec.workspace.clone().unwrap_or_default();
    let scored = match spec.scorer.as_ref() {
        Some(
            FleetScorer::FileExists { path }
            | FleetScorer::RegexMatch { path, .. }
            | FleetScorer::JsonPath { path, .. },
        ) => Some(path.as_str()),
        Some(
            FleetScorer::ExitCode
            | FleetScorer::Command { .. }
            | FleetScorer::CodeWhaleVerifierPrompt { .. }
            | FleetScorer::Manual,
        )
        | None => None,
    };
    let artifacts = spec.expected_artifacts.iter().map(|it| it.parts().1);
    let all = workspace.root.as_deref().into_iter();
    let all = all
        .chain(workspace.required_files.iter().map(String::as_str))
        .chain(workspace.writable_paths.iter().map(String::as_str))
        .chain(spec.input_files.iter().map(String::as_str))
        .chain(artifacts)
        .chain(scored);
    for path in all {
        if !is_inside(path) {
            let id = &spec.id;
            return invalid(format!(
                "the path {path:?} of task {id} must be relative and stay in the workspace"
            ));
        }
    }
    Ok(())
}

/// Whether a path stays where it begins.
pub(super) fn is_inside(path: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    !path.is_empty() && Path::new(path).components().all(plain)
}

/// Two tasks may not write the same.
fn check_overlaps(tasks: &[FleetTaskSpec]) -> Result<(), Error> {
    let mut seen: Vec<(String, &str)> = Vec::new();
    for task in tasks {
        let root = task.workspace.as_ref().and_then(|it| it.root.as_deref());
        let paths = task.writable_paths().iter();
        let whole = paths.map(|path| normal(Path::new(root.unwrap_or("")).join(path).as_path()));
        for path in whole {
            let clash = seen.iter().find(|(other, owner)| {
                *owner != task.id && (within(other, &path) || within(&path, other))
            });
            if let Some((other, owner)) = clash {
                let id = &task.id;
                return invalid(format!(
                    "tasks {owner} and {id} both write {other:?} and {path:?}; no two tasks may \
                     write the same"
                ));
            }
            seen.push((path, &task.id));
        }
    }
    Ok(())
}

/// A path without what does not matter in it.
fn normal(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => part.to_str(),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn within(inner: &str, outer: &str) -> bool {
    outer.is_empty()
        || inner == outer
        || inner
            .strip_prefix(outer)
            .is_some_and(|it| it.starts_with('/'))
}

fn waiting(spec: FleetTaskSpec) -> FleetTask {
    FleetTask {
        spec,
        status: FleetTaskStatus::Enqueued,
        leased_to: None,
        attempt: 0,
        tries: 0,
        not_before: None,
        wanted_by: None,
        restarts: 0,
        thread_id: None,
        receipt: None,
    }
}

/// The workers of a run.
pub(super) fn seats(run: &FleetRunId, count: u64) -> Vec<FleetSeat> {
    let seat = |number: u64| {
        let name = format!("w{number}");
        let id = format!("{run}.{name}");
        FleetSeat {
            spec: FleetWorkerSpec {
                id: id.clone(),
                name,
                host: FleetHost::Local,
                labels: BTreeMap::new(),
                capabilities: Vec::new(),
                max_concurrent_tasks: 1,
            },
            view: FleetWorkerView {
                worker_id: id,
                task_id: None,
                events: 0,
                latest_heartbeat_at: None,
                latest_event: None,
                artifacts: Vec::new(),
                last_error: None,
                runtime_state: None,
            },
        }
    };
    (1..=count).map(seat).collect()
}

fn check_count(what: &str, count: usize, most: usize) -> Result<(), Error> {
    match (1..=most).contains(&count) {
        true => Ok(()),
        false => invalid(format!("there must be 1 to {most} {what}")),
    }
}

fn check_token(what: &str, text: &str) -> Result<(), Error> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_token = !text.is_empty()
        && text.len() <= limits::FLEET_TOKEN_BYTES_MAX
        && text.bytes().all(is_plain)
        && !text.trim_matches('.').is_empty();
    match is_token {
        true => Ok(()),
        false => invalid(format!(
            "{what} must be 1 to {} letters, digits, dots, dashes or underscores",
            limits::FLEET_TOKEN_BYTES_MAX
        )),
    }
}

fn check_line(what: &str, text: &str) -> Result<(), Error> {
    let most = limits::FLEET_LINE_NAME_BYTES_MAX;
    let is_line = !text.trim().is_empty() && text.len() <= most && !text.contains(char::is_control);
    match is_line {
        true => Ok(()),
        false => invalid(format!("{what} must be one line of at most {most} bytes")),
    }
}

fn invalid<T>(message: String) -> Result<T, Error> {
    Err(Error::Invalid(message))
}

#[cfg(test)]
mod tests;
