//! `exec_shell`: a command in the shell.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use codewhale_policy::{Act, Demand, Execution};
use codewhale_protocol::runtime::ItemKind;
use codewhale_sandbox::{Command, End, Limits, Outcome, Stdin, WALL_TIME};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

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
/// does not last. Processes still running when the shell ends, also in the background, are
/// stopped.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The command, as you would type it in bash. May have several lines.
    command: String,
    /// After how many milliseconds to stop it, from 1000 to 600000. Default: 120000.
    timeout_ms: Option<u64>,
    /// The directory to run it in: a path inside the workspace. Default: the workspace itself.
    cwd: Option<String>,
}

pub(crate) struct ExecShell;

impl Typed for ExecShell {
    const NAME: &'static str = "exec_shell";
    const ALIASES: &'static [&'static str] = &["bash"];
    const ACT: Act = Act::Execute;
    const KIND: ItemKind = ItemKind::CommandExecution;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        check_script(&input.command)?;
        let workspace = context.workspace.clone();
        let given = input.cwd.unwrap_or_else(|| ".".into());
        let (cwd, shell) = blocking(move || {
            let cwd = Place::find(&workspace, &given)?;
            check_cwd(&cwd)?;
            Ok((cwd, shell()))
        })
        .await?;
        let timeout = input.timeout_ms.map_or(WALL_TIME, |timeout_ms| {
            Duration::from_millis(timeout_ms.clamp(TIMEOUT_MS_MIN, TIMEOUT_MS_MAX))
        });
        let preview = Preview {
            description: format!("Run a command, for at most {} s", timeout.as_secs_f64()),
            command: Some(input.command.clone()),
            cwd: Some(cwd.path.display().to_string()),
            ..Preview::default()
        };
        let environment = context.environment.to_vec();
        let effect = Effect {
            shell,
            command: input.command,
            cwd,
            environment,
            timeout,
        };
        let demand = Demand::Execute(Execution::within(&effect.command, &effect.cwd.path));
        Ok(Prepared::new(demand, Self::NAME, effect, preview, run))
    }
}

#[derive(Serialize)]
struct Effect {
    shell: &'static str,
    command: String,
    cwd: Place,
    environment: Vec<(String, String)>,
    timeout: Duration,
}

async fn run(effect: Effect, context: Context) -> Output {
    let Effect {
        shell,
        command,
        cwd,
        environment,
        timeout,
    } = effect;
    let cwd = match blocking(move || cwd.check_unmoved().map(|()| cwd.path)).await {
        Ok(cwd) => cwd,
        Err(failure) => return failure,
    };
    let command = Command {
        program: shell.into(),
        arguments: vec!["-c".into(), command.into()],
        cwd,
        environment,
        stdin: Stdin::Null,
        limits: Limits {
            wall_time: timeout,
            ..Limits::default()
        },
    };
    match codewhale_sandbox::run(command, &context.cancel).await {
        Ok(outcome) => shown(outcome, timeout),
        Err(error) => not_run(&error),
    }
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

fn check_script(command: &str) -> Result<(), Output> {
    let problem = if command.trim().is_empty() {
        "the command is empty".to_owned()
    } else if command.contains('\0') {
        "the command contains a NUL character, which no command can".to_owned()
    } else if command.len() > COMMAND_BYTES_MAX {
        format!(
            "the command is longer than {COMMAND_BYTES_MAX} bytes; write it to a file with \
             write_file and run that"
        )
    } else {
        return Ok(());
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

fn shown(outcome: Outcome, timeout: Duration) -> Output {
    let Outcome {
        end,
        output,
        duration,
    } = outcome;
    let last_line = match end {
        End::Exited(code) => format!("[exit code {code}]"),
        End::Signaled(signal) => format!("[ended by signal {signal}]"),
        End::TimedOut => format!(
            "[stopped after {} s, its time limit; give it a longer timeout_ms (at most \
             {TIMEOUT_MS_MAX}) or less to do]",
            timeout.as_secs_f64()
        ),
        End::Cancelled => "[interrupted: the turn was stopped]".to_owned(),
    };
    let exit_code = match end {
        End::Exited(code) => Some(code),
        End::Signaled(_) | End::TimedOut | End::Cancelled => None,
    };
    let mut text = output.text;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&last_line);
    Output {
        text,
        success: exit_code == Some(0),
        metadata: None,
    }
    .with_metadata(json!({
        "exit_code": exit_code,
        "signal": if let End::Signaled(signal) = end { Some(signal) } else { None },
        "timed_out": end == End::TimedOut,
        "interrupted": end == End::Cancelled,
        "duration_ms": duration.as_millis() as u64,
        "bytes_total": output.bytes_total,
        "truncated": output.bytes_left_out > 0,
    }))
}

fn not_run(error: &codewhale_sandbox::Error) -> Output {
    let cause = error
        .source()
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    Output::failure(format!("the command did not run: {error}{cause}"))
}

#[cfg(test)]
mod tests;
