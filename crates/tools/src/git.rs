//! `git_status`, `git_diff`, `git_log`, `git_show`, `git_blame`: a look at the repository, which
//! changes nothing and runs nothing that the repository names.

mod blame;
mod diff;
mod log;
pub(crate) mod repository;
mod show;
mod status;

use std::path::PathBuf;

use codewhale_policy::{Demand, File};
use codewhale_sandbox::{Command, End, Limits, Stdin};
use serde::Serialize;
use serde_json::json;

use crate::blocking::blocking;
use crate::limits::{CHILD_OUTPUT_BYTES_MAX, GIT_ARGUMENT_BYTES_MAX, GIT_TIME};
use crate::paths::{Place, path_bytes};
use crate::results::fit;
use crate::roots::Roots;
use crate::{Context, Output, Prepared, Preview};
use repository::Repository;

pub(crate) use blame::GitBlame;
pub(crate) use diff::GitDiff;
pub(crate) use log::GitLog;
pub(crate) use show::GitShow;
pub(crate) use status::GitStatus;

/// Diffs as git itself makes them: no program that a configuration names takes part.
const PLAIN_DIFF: [&str; 4] = [
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
];

/// What one of the tools asks of git.
struct Call {
    tool: &'static str,
    arguments: Vec<String>,
    scope: Scope,
    /// What to say when git has nothing to say.
    empty: &'static str,
}

/// Which files the answer may speak of.
enum Scope {
    /// Those at this path, or in the workspace.
    Path(Option<String>),
    /// What the arguments name, relative to the workspace.
    Arguments,
}

#[derive(Serialize)]
struct Effect {
    repository: Repository,
    #[serde(serialize_with = "path_bytes")]
    workspace: PathBuf,
    /// Must still lead where it led.
    place: Place,
    arguments: Vec<String>,
    empty: &'static str,
}

async fn prepare(call: Call, context: &Context) -> Result<Prepared, Output> {
    let roots = context.roots();
    blocking(move || plan(&roots, call)).await
}

fn plan(roots: &Roots, call: Call) -> Result<Prepared, Output> {
    let Call {
        tool,
        mut arguments,
        scope,
        empty,
    } = call;
    arguments.iter().try_for_each(|argument| check(argument))?;
    let (path, limited) = match scope {
        Scope::Path(path) => (path.unwrap_or_else(|| ".".into()), true),
        Scope::Arguments => (".".into(), false),
    };
    let root = Place::find(roots, ".")?;
    let place = Place::find(roots, &path)?;
    let Some(repository) = Repository::around(&root.path) else {
        return Err(Output::failure(
            "the workspace is not in a git repository; git_* tools are of no use here",
        ));
    };
    if limited {
        arguments.push("--".into());
        arguments.push(pathspec(&root, &place, &repository)?);
    }
    let description = format!("git {}", arguments.join(" "));
    let preview = Preview {
        description,
        path: Some(place.path.display().to_string()),
        ..Preview::default()
    };
    let mut files = vec![File {
        path: place.path.clone(),
        inside: place.inside,
    }];
    if !repository.belongs_to(&root.path) {
        files.push(File {
            path: repository.common_dir.clone(),
            inside: false,
        });
    }
    let effect = Effect {
        repository,
        workspace: root.path,
        place,
        arguments,
        empty,
    };
    Ok(Prepared::new(
        Demand::Read(files),
        tool,
        effect,
        preview,
        run,
    ))
}

/// A path as git takes it: literally, and relative to where it runs.
fn pathspec(root: &Place, place: &Place, repository: &Repository) -> Result<String, Output> {
    if !place.path.starts_with(&repository.work_tree) {
        return Err(Output::failure(format!(
            "`{}` is not in the repository of the workspace",
            place.shown
        )));
    }
    let path = place.path.strip_prefix(&root.path).unwrap_or(&place.path);
    match path.to_str() {
        Some("") => Ok(".".into()),
        Some(path) => Ok(path.to_owned()),
        None => Err(Output::failure("the path is not UTF-8; use exec_shell")),
    }
}

fn check(argument: &str) -> Result<(), Output> {
    match argument.contains('\0') || argument.len() > GIT_ARGUMENT_BYTES_MAX {
        true => Err(Output::failure("a parameter is too long or contains NUL")),
        false => Ok(()),
    }
}

/// A revision, which must not be taken for an option.
fn checked_revision(revision: String) -> Result<String, Output> {
    let problem = if revision.trim().is_empty() {
        "`rev` is empty; give a commit, branch or tag, or leave it out"
    } else if revision.starts_with('-') {
        "`rev` begins with `-`; give a commit, branch or tag"
    } else if revision.contains(char::is_control) {
        "`rev` contains a control character"
    } else {
        return Ok(revision);
    };
    Err(Output::failure(problem))
}

async fn run(effect: Effect, context: Context) -> Output {
    let Effect {
        repository,
        workspace,
        place,
        arguments,
        empty,
    } = effect;
    let environment = context.environment.to_vec();
    let stand_in = blocking(move || {
        place.check_unmoved()?;
        let made = repository.stand_in(environment);
        made.map_err(|error| Output::failure(format!("could not look at the repository: {error}")))
    });
    let stand_in = match stand_in.await {
        Ok(stand_in) => stand_in,
        Err(failure) => return failure,
    };
    let start = ["--no-pager", "--no-optional-locks", "--literal-pathspecs"];
    let arguments = start.map(str::to_owned).into_iter().chain(arguments);
    let command = Command {
        program: "git".into(),
        arguments: arguments.map(Into::into).collect(),
        cwd: workspace,
        environment: stand_in.environment.clone(),
        stdin: Stdin::Null,
        errors: codewhale_sandbox::Errors::WithOutput,
        limits: Limits {
            wall_time: GIT_TIME,
            output_bytes_max: CHILD_OUTPUT_BYTES_MAX,
            ..Limits::default()
        },
        walls: codewhale_sandbox::Walls::Open,
        terminal: None,
    };
    match codewhale_sandbox::run(command, &context.cancel).await {
        Ok(outcome) => {
            let left_out = outcome.output.bytes_left_out > 0;
            shown(outcome.end, outcome.output.text, left_out, empty, &context).await
        }
        Err(error) => Output::failure(format!("git did not run: {error}; is it installed?")),
    }
}

async fn shown(
    end: End,
    text: String,
    left_out: bool,
    empty: &'static str,
    context: &Context,
) -> Output {
    match end {
        End::Exited(0) if text.trim().is_empty() => Output::success(format!("[{empty}]")),
        End::Exited(0) => {
            let fitted = fit(text, context).await;
            Output::success(fitted.text).with_metadata(json!({
                "truncated": fitted.truncated || left_out,
                "ref": fitted.reference,
            }))
        }
        End::Exited(code) => {
            let text = fit(text, context).await.text;
            let text = text.trim_end();
            Output::failure(format!("{text}\n[git ended with code {code}]"))
        }
        End::Signaled(signal) => Output::failure(format!("git was ended by signal {signal}")),
        End::TimedOut => Output::failure(format!(
            "git took longer than {} s; ask for a smaller path or fewer commits",
            GIT_TIME.as_secs()
        )),
        End::Cancelled => Output::failure("stopped before its end"),
    }
}

#[cfg(test)]
mod tests;
