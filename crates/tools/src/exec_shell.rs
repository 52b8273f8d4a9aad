//! `exec_shell`: a command in the shell.
//!
//! This file reads the input and says what would happen; `exec_shell/run.rs` runs commands,
//! `exec_shell/task.rs` speaks with those in the background, `exec_shell/shown.rs` says what came
//! of them.

mod run;
mod shown;
mod task;

use std::path::Path;
use std::time::Duration;

use codewhale_policy::{Act, Demand, Execution, Walls};
use codewhale_protocol::runtime::ItemKind;
use codewhale_sandbox::{JOB_WALL_TIME, WALL_TIME};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocking::blocking;
use crate::limits::{COMMAND_BYTES_MAX, TIMEOUT_MS_MAX, TIMEOUT_MS_MIN};
use crate::paths::Place;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Runs a shell command and waits for its end. Returns what it wrote to standard output and
/// standard error, in the order it was written, then a line with its exit code. Output over
/// 30,000 bytes loses its middle.
///
/// The command has no terminal and nothing to read, so pass flags that answer questions (such as
/// `-y`) and avoid pagers and editors. Each call is a new shell: a `cd` or an exported variable
/// does not last. Processes still running when the shell ends are stopped.
///
/// For a server or a long build set `background`: the call comes back at once with a task id. Use
/// `action` with that `task_id` to `poll` for new output, `wait` for the end, write to its `stdin`,
/// or `cancel` it; `list` shows all.
///
/// Commands may be confined: then they can write in the workspace and in /tmp only, not to
/// .git/config, .git/hooks and .codewhale, and reach no network. If one fails for that reason and
/// needs more, run it again with `sandbox_permissions` and a `justification`; a person may be asked.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What to do: `run` a command (default), or `wait`, `poll`, `stdin`, `cancel` for a task in the
    /// background, or `list` them.
    #[serde(default)]
    action: Action,
    /// The command, as you would type it in bash. May have several lines.
    command: Option<String>,
    /// After how many milliseconds to stop it, from 1000 to 600000. Default: 120000. In the
    /// background it has no such limit unless given; for `wait`, how long to wait.
    timeout_ms: Option<u64>,
    /// The same in seconds, as some models are used to.
    #[schemars(skip)]
    timeout: Option<f64>,
    /// The directory to run it in: a path inside the workspace. Default: the workspace itself.
    cwd: Option<String>,
    /// Whether to leave it running in the background.
    #[serde(default)]
    background: bool,
    /// The task in the background, for actions other than `run` and `list`.
    task_id: Option<String>,
    /// What the command reads. With `action` `stdin`, text for a task: add a newline to end a line.
    stdin: Option<String>,
    /// Whether to give it a terminal of 24 lines and 80 columns, for programs that insist on one.
    #[serde(default)]
    tty: bool,
    /// More than the usual walls leave: `network`, or `danger-full-access` for no walls at all.
    #[serde(default)]
    sandbox_permissions: Permissions,
    /// Why it needs more, in one sentence for the person who is asked.
    justification: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    #[default]
    Run,
    Wait,
    Poll,
    Stdin,
    Cancel,
    List,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Permissions {
    #[default]
    WorkspaceWrite,
    Network,
    DangerFullAccess,
}

impl Permissions {
    fn wish(self) -> Walls {
        match self {
            Self::WorkspaceWrite => Walls::Usual,
            Self::Network => Walls::Network,
            Self::DangerFullAccess => Walls::Without,
        }
    }
}

pub(crate) struct ExecShell;

impl Typed for ExecShell {
    const NAME: &'static str = "exec_shell";
    const ALIASES: &'static [&'static str] = &["bash"];
    const ACT: Act = Act::Execute;
    const KIND: ItemKind = ItemKind::CommandExecution;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        match input.action {
            Action::Run => prepare_run(input, context).await,
            Action::Wait | Action::Poll | Action::Stdin | Action::Cancel | Action::List => {
                task::prepare(input, context)
            }
        }
    }
}

async fn prepare_run(input: Input, context: &Context) -> Result<Prepared, Output> {
    let timeout = timeout(&input)?;
    let script = script(&input)?;
    let roots = context.roots();
    let given = input.cwd.clone().unwrap_or_else(|| ".".into());
    let (cwd, shell) = blocking(move || {
        let cwd = Place::find(&roots, &given)?;
        check_cwd(&cwd)?;
        Ok((cwd, shell()))
    })
    .await?;
    let preview = Preview {
        description: description(&input, timeout),
        command: Some(script.clone()),
        cwd: Some(cwd.path.display().to_string()),
        ..Preview::default()
    };
    let demand = Demand::Execute(Execution {
        walls: input.sandbox_permissions.wish(),
        ..Execution::within(&script, &cwd.path)
    });
    let effect = run::Effect {
        shell,
        command: script,
        cwd,
        environment: context.environment.to_vec(),
        timeout: timeout.unwrap_or(if input.background {
            JOB_WALL_TIME
        } else {
            WALL_TIME
        }),
        background: input.background,
        stdin: input.stdin,
        tty: input.tty,
        permissions: input.sandbox_permissions,
    };
    let name = ExecShell::NAME;
    Ok(Prepared::new(demand, name, effect, preview, run::run))
}

/// What a person reads first: whether it leaves the walls, and why.
fn description(input: &Input, timeout: Option<Duration>) -> String {
    let walls = match input.sandbox_permissions {
        Permissions::WorkspaceWrite => "",
        Permissions::Network => " with the network open",
        Permissions::DangerFullAccess => " without any walls",
    };
    let time = match (input.background, timeout) {
        (false, timeout) => {
            let seconds = timeout.unwrap_or(WALL_TIME).as_secs_f64();
            format!(", for at most {seconds} s")
        }
        (true, Some(timeout)) => format!(
            " in the background, for at most {} s",
            timeout.as_secs_f64()
        ),
        (true, None) => " in the background".to_owned(),
    };
    let why = match &input.justification {
        Some(why) if !why.trim().is_empty() => format!(": {}", why.trim()),
        Some(_) | None => String::new(),
    };
    format!("Run a command{walls}{time}{why}")
}

fn timeout(input: &Input) -> Result<Option<Duration>, Output> {
    let seconds = input.timeout.map(|seconds| (seconds * 1000.0) as u64);
    let Some(wanted) = input.timeout_ms.or(seconds) else {
        return Ok(None);
    };
    if input.timeout_ms.is_some() && input.timeout.is_some() {
        return Err(Output::failure(
            "`timeout_ms` and `timeout` say the same; give one of them",
        ));
    }
    let most = if input.background {
        JOB_WALL_TIME.as_millis() as u64
    } else {
        TIMEOUT_MS_MAX
    };
    let bounded = wanted.clamp(TIMEOUT_MS_MIN, most);
    Ok(Some(Duration::from_millis(bounded)))
}

/// The same path on every call, so that what was approved is what runs. Where bash is missing,
/// the system's shell understands most of it.
fn shell() -> &'static str {
    const BASH: &str = "/bin/bash";
    if Path::new(BASH).exists() {
        BASH
    } else {
        "/bin/sh"
    }
}

fn script(input: &Input) -> Result<String, Output> {
    let command = input.command.as_deref().unwrap_or_default();
    let problem = if command.trim().is_empty() {
        "the command is empty".to_owned()
    } else if command.contains('\0') {
        "the command contains a NUL character, which no command can".to_owned()
    } else if command.len() > COMMAND_BYTES_MAX {
        format!(
            "the command is longer than {COMMAND_BYTES_MAX} bytes; write it to a file with \
             write_file and run that"
        )
    } else if input.task_id.is_some() {
        "`task_id` is for actions on a task in the background; leave it out to run a command"
            .to_owned()
    } else {
        return Ok(command.to_owned());
    };
    Err(Output::failure(problem))
}

fn check_cwd(place: &Place) -> Result<(), Output> {
    let shown = &place.shown;
    let problem = if !place.inside {
        format!("`{shown}` is outside the workspace; `cwd` must be inside it")
    } else if !place.path.is_dir() {
        format!("`{shown}` is not a directory; `cwd` must be one")
    } else {
        return Ok(());
    };
    Err(Output::failure(problem))
}

#[cfg(test)]
mod tests;
