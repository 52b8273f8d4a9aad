//! Runs a command, to its end or in the background.

use std::time::Duration;

use codewhale_sandbox::{Command, Limits, Stdin, Terminal, Walls};
use serde::Serialize;
use serde_json::json;

use super::Permissions;
use super::shown::{not_run, shown};
use crate::blocking::blocking;
use crate::paths::Place;
use crate::{Context, Output};

/// Everything that decides what runs. The walls of the thread are not part of it: they come from
/// the context, and the call can only ask for other ones.
#[derive(Serialize)]
pub(super) struct Effect {
    pub(super) shell: &'static str,
    pub(super) command: String,
    pub(super) cwd: Place,
    pub(super) environment: Vec<(String, String)>,
    pub(super) timeout: Duration,
    pub(super) background: bool,
    pub(super) stdin: Option<String>,
    pub(super) tty: bool,
    pub(super) permissions: Permissions,
}

pub(super) async fn run(effect: Effect, context: Context) -> Output {
    let walls = walls(effect.permissions, &context);
    let Effect {
        shell,
        command: script,
        cwd,
        environment,
        timeout,
        background,
        stdin,
        tty,
        permissions: _,
    } = effect;
    let cwd = match blocking(move || cwd.check_unmoved().map(|()| cwd.path)).await {
        Ok(cwd) => cwd,
        Err(failure) => return failure,
    };
    let stdin = match (stdin, background) {
        (Some(text), false) => Stdin::Bytes(text.into_bytes()),
        (None, false) => Stdin::Null,
        (_, true) => Stdin::Open,
    };
    let command = Command {
        program: shell.into(),
        arguments: vec!["-c".into(), script.clone().into()],
        cwd,
        environment,
        stdin,
        errors: codewhale_sandbox::Errors::WithOutput,
        limits: Limits {
            wall_time: timeout,
            ..Limits::default()
        },
        walls,
        terminal: tty.then(Terminal::default),
    };
    if background {
        return start(command, &script, &context).await;
    }
    match context.live.run(command, &context.cancel).await {
        Ok(outcome) => shown(outcome, timeout),
        Err(error) => not_run(&error),
    }
}

/// The walls of the thread, or the wider ones that the call asked for. That it runs at all means
/// they were granted.
fn walls(permissions: Permissions, context: &Context) -> Walls {
    match permissions {
        Permissions::WorkspaceWrite => context.walls.clone().renewed(),
        Permissions::Network => context.walls.clone().renewed().with_network(),
        Permissions::DangerFullAccess => Walls::Open,
    }
}

async fn start(command: Command, script: &str, context: &Context) -> Output {
    let title = script.lines().next().unwrap_or_default();
    match context.jobs.start(command, title).await {
        Ok(job) => {
            let id = job.id;
            let text = format!(
                "[{id} runs in the background; use action poll, wait, stdin or cancel with task_id \
                 {id}]"
            );
            Output::success(text)
                .with_metadata(json!({"task_id": id.to_string(), "state": "running"}))
        }
        Err(error) => not_run(&error),
    }
}
