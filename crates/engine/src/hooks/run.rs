//! Runs one hook: with a clean environment, bounded in time and words, gone with whoever waits.

use codewhale_sandbox::{Command, Errors, Limits, Stdin, Walls};
use tokio_util::sync::CancellationToken;

use super::verdict::{Fault, Ran};
use super::{Hook, HookSource, Moment, Stage, moment};
use crate::limits;

/// Runs a hook to its end.
pub(crate) async fn run(
    hook: &Hook,
    stage: &Stage,
    moment: &Moment,
    cancel: &CancellationToken,
) -> Result<Ran, Fault> {
    let command = Command {
        arguments: vec!["-c".into(), hook.command.clone().into()],
        environment: environment(stage, moment),
        stdin: stdin(stage, moment),
        errors: Errors::Apart,
        limits: Limits {
            wall_time: hook.timeout,
            output_bytes_max: limits::HOOK_OUTPUT_BYTES_MAX,
            ..Limits::default()
        },
        walls: walls(hook.source, stage)?,
        ..Command::new("/bin/sh", cwd(hook, stage))
    };
    let outcome = codewhale_sandbox::run(command, cancel).await;
    let outcome = outcome.map_err(|error| Fault::NotStarted(error.to_string()))?;
    Ok(Ran {
        end: outcome.end,
        output: outcome.output,
        errors: outcome.errors,
    })
}

fn cwd(hook: &Hook, stage: &Stage) -> std::path::PathBuf {
    match &hook.working_dir {
        // One that is relative is so to the workspace.
        Some(directory) => stage.workspace.join(directory),
        None => stage.workspace.clone(),
    }
}

fn walls(source: HookSource, stage: &Stage) -> Result<Walls, Fault> {
    match source {
        HookSource::User => Ok(Walls::Open),
        HookSource::Repository => match &stage.walls {
            Some(walls @ Walls::Confined(_)) => Ok(walls.clone()),
            Some(Walls::Open) | None => Err(Fault::NoWalls),
        },
    }
}

fn environment(stage: &Stage, moment: &Moment) -> Vec<(String, String)> {
    let workspace = stage.workspace.to_string_lossy();
    let tokens = stage.total_tokens.map(|tokens| tokens.to_string());
    let common = [
        ("SESSION_ID", stage.session_id.as_str()),
        ("WORKSPACE", &workspace),
        ("MODEL", &stage.model),
    ];
    let tokens = tokens.as_deref().map(|tokens| ("TOTAL_TOKENS", tokens));
    let cost = stage.session_cost.as_deref();
    let cost = cost.map(|cost| ("SESSION_COST", cost));
    let own = moment.variables.iter();
    let own = own.map(|(name, value)| (*name, value.as_str()));
    let told = common.into_iter().chain(tokens).chain(cost).chain(own);
    let told = moment::environment(told, &stage.redactor);
    stage.environment.iter().cloned().chain(told).collect()
}

fn stdin(stage: &Stage, moment: &Moment) -> Stdin {
    let Some(members) = &moment.payload else {
        return Stdin::Null;
    };
    let mut all = members.clone();
    let mode = moment.facts.mode.map(|mode| mode.as_str());
    for (name, value) in [
        ("event", Some(moment.event.as_str())),
        ("session_id", Some(stage.session_id.as_str())),
        ("workspace", stage.workspace.to_str()),
        ("mode", mode),
        ("model", Some(stage.model.as_str())),
    ] {
        all.entry(name).or_insert_with(|| value.into());
    }
    Stdin::Bytes(moment::payload(&all, &stage.redactor).into_bytes())
}
