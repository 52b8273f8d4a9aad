//! Speaks with commands in the background.

use std::time::Duration;

use codewhale_policy::{Demand, Execution, Walls};
use codewhale_sandbox::{Job, JobId, State};
use serde::Serialize;
use serde_json::json;

use super::shown::{end_line, facts, not_run, with_denial};
use super::{Action, ExecShell, Input};
use crate::limits::{COMMAND_BYTES_MAX, TASK_WAIT};
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Looking and stopping stays inside the turn: the command was approved when it started. Writing to
/// it does not: what a shell or an interpreter reads is a command like any other, and runs in the
/// walls of that task.
pub(super) fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
    let action = input.action;
    let wait = super::timeout(&input)?.unwrap_or(TASK_WAIT);
    let name = ExecShell::NAME;
    if input.command.is_some() {
        return Err(Output::failure(
            "`command` is for action run; leave it out, or leave out `action`",
        ));
    }
    if action == Action::List {
        let preview = told("List the commands in the background");
        return Ok(Prepared::new(
            Demand::Inward,
            name,
            (),
            preview,
            |(), context| async move { list(&context) },
        ));
    }
    let job = find(&input, context)?;
    let effect = Effect {
        task: job.id.to_string(),
        text: input.stdin.unwrap_or_default(),
        wait,
    };
    let title = &job.title;
    Ok(match action {
        Action::Stdin => {
            check_text(&effect.text)?;
            let demand = Demand::Execute(Execution {
                walls: walls_of(&job, context),
                ..Execution::within(&effect.text, &context.workspace)
            });
            let preview = Preview {
                command: Some(effect.text.clone()),
                ..told(format!("Write to the running command {title}"))
            };
            Prepared::new(demand, name, effect, preview, |effect, _| {
                write(job, effect)
            })
        }
        Action::Cancel => {
            let preview = told(format!("Stop the running command {title}"));
            Prepared::new(Demand::Inward, name, effect, preview, |_, _| stop(job))
        }
        Action::Wait => {
            let preview = told(format!("Wait for the running command {title}"));
            Prepared::new(Demand::Inward, name, effect, preview, |effect, context| {
                wait_for(job, effect.wait, context)
            })
        }
        Action::Poll | Action::Run | Action::List => {
            let preview = told(format!("Look at the running command {title}"));
            Prepared::new(Demand::Inward, name, effect, preview, |_, _| async move {
                news(&job, job.running.state())
            })
        }
    })
}

#[derive(Serialize)]
struct Effect {
    task: String,
    text: String,
    wait: Duration,
}

fn told(description: impl Into<String>) -> Preview {
    Preview {
        description: description.into(),
        ..Preview::default()
    }
}

fn find(input: &Input, context: &Context) -> Result<Job, Output> {
    let Some(task) = &input.task_id else {
        return Err(Output::failure(
            "`task_id` is missing; use action list to see them",
        ));
    };
    let id: Option<JobId> = task.parse().ok();
    id.and_then(|id| context.jobs.get(id)).ok_or_else(|| {
        Output::failure(format!(
            "there is no task {task}; use action list to see them"
        ))
    })
}

fn check_text(text: &str) -> Result<(), Output> {
    if text.is_empty() {
        Err(Output::failure("`stdin` is missing: the text to write"))
    } else if text.len() > COMMAND_BYTES_MAX {
        let problem =
            format!("`stdin` is longer than {COMMAND_BYTES_MAX} bytes; write it in parts");
        Err(Output::failure(problem))
    } else {
        Ok(())
    }
}

fn walls_of(job: &Job, context: &Context) -> Walls {
    if job.walls == context.walls {
        Walls::Usual
    } else if job.walls == context.walls.clone().with_network() {
        Walls::Network
    } else {
        Walls::Without
    }
}

async fn write(job: Job, effect: Effect) -> Output {
    match job.running.write_stdin(effect.text.as_bytes()).await {
        Ok(()) => Output::success(format!(
            "[written; use action poll with task_id {}]",
            job.id
        )),
        Err(error) => not_run(&error),
    }
}

async fn stop(job: Job) -> Output {
    let state = job.running.kill().await;
    Output {
        success: true,
        ..news(&job, state)
    }
}

async fn wait_for(job: Job, at_most: Duration, context: Context) -> Output {
    tokio::select! {
        biased;
        () = context.cancel.cancelled() => Output::failure("[the wait was stopped]"),
        state = job.running.wait(at_most) => news(&job, state),
    }
}

/// What the command said since somebody last looked, and how it stands.
fn news(job: &Job, state: State) -> Output {
    let mut text = job.running.unread().text;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let id = job.id.to_string();
    match state {
        State::Running => {
            text.push_str(&format!("[{id} still runs]"));
            Output::success(text).with_metadata(json!({"task_id": id, "state": "running"}))
        }
        State::Over(outcome) => {
            text.push_str(&end_line(outcome.end, None));
            let mut metadata = facts(&outcome);
            metadata["task_id"] = id.into();
            metadata["state"] = "over".into();
            let output = Output {
                success: outcome.end == codewhale_sandbox::End::Exited(0),
                ..Output::success(text)
            };
            with_denial(output.with_metadata(metadata), outcome.denial)
        }
        State::Lost => {
            text.push_str(&format!("[{id} is over; how it ended is not known]"));
            Output::failure(text).with_metadata(json!({"task_id": id, "state": "over"}))
        }
    }
}

fn list(context: &Context) -> Output {
    let lines = context.jobs.list().into_iter().map(|job| {
        let state = match job.running.state() {
            State::Running => "runs".to_owned(),
            State::Over(outcome) => end_line(outcome.end, None),
            State::Lost => "is over".to_owned(),
        };
        let (id, title, bytes) = (job.id, &job.title, job.running.bytes_total());
        format!("{id} {state}, {bytes} bytes of output: {title}")
    });
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() {
        Output::success("[no commands in the background]")
    } else {
        Output::success(lines.join("\n"))
    }
}
