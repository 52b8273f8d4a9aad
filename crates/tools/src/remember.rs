//! `remember`: a note for later threads.
//!
//! What stands in a memory is read by later turns, so a note is a change of a file like any other:
//! planned, shown as a diff, judged, and then written as a whole or not at all.

use std::fs::File;
use std::io;
use std::path::Path;
use std::slice;

use codewhale_policy::{Act, Demand};
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::blocking::blocking;
use crate::diff::change;
use crate::digest::sha256_hex;
use crate::files::{Content, FileChange, commit, present_as_before};
use crate::library::{MemoryChange, MemoryPlan, MemoryStep, Scope};
use crate::limits::NOTE_BYTES_MAX;
use crate::paths::Place;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Keeps a note for later threads, changes one, or removes one that no longer holds. Keep what a
/// newcomer would have to find out again: decisions, ways of working, traps. Never keep secrets,
/// and nothing that a file of the workspace says already.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What to do: `append` a note, `revise` the note `replaces`, or `retire` it. Default: append.
    #[serde(default)]
    action: Action,
    /// For `append` and `revise`: the note, a sentence or two, at most 2000 bytes.
    note: Option<String>,
    /// Where it holds: in this `workspace`, or everywhere (`global`). Default: workspace.
    #[serde(default)]
    scope: Reach,
    /// For `revise` and `retire`: the id of the note, as memory_search shows it.
    replaces: Option<String>,
    /// How you know it: a file, a command, the user's own words. It becomes part of the note.
    evidence: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    Append,
    Revise,
    Retire,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Reach {
    Global,
    #[default]
    Workspace,
}

/// What happens to the memory, and to its file.
#[derive(Serialize)]
struct Effect {
    file: FileChange,
    id: Option<String>,
    scope: Scope,
    done: &'static str,
}

pub(crate) struct Remember;

impl Typed for Remember {
    const NAME: &'static str = "remember";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Write;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let scope = match input.scope {
            Reach::Global => Scope::Global,
            Reach::Workspace => Scope::Workspace,
        };
        let (step, done) = step_of(input).map_err(Output::failure)?;
        let change = MemoryChange { scope, step };
        let library = context.library.clone();
        blocking(move || {
            let plan = library.plan(&change);
            let plan = plan.map_err(|error| Output::failure(error.to_string()))?;
            Ok(prepared(plan, scope, done))
        })
        .await
    }
}

fn step_of(input: Input) -> Result<(MemoryStep, &'static str), String> {
    let note = || note_of(input.note.as_deref(), input.evidence.as_deref());
    let replaces = input.replaces.as_deref().map(str::trim);
    let id = || match replaces.filter(|id| !id.is_empty()) {
        Some(id) if id.len() <= NOTE_BYTES_MAX => Ok(id.to_owned()),
        Some(_) | None => Err("`replaces` must be the id of a note, as memory_search shows it"),
    };
    Ok(match input.action {
        Action::Append if replaces.is_some() => {
            return Err("to replace a note, use the action `revise`".to_owned());
        }
        Action::Append => (MemoryStep::Append(note()?), "remembered"),
        Action::Revise => (MemoryStep::Revise(id()?, note()?), "revised"),
        Action::Retire => (MemoryStep::Retire(id()?), "retired"),
    })
}

/// A note is one line: what looks like more than one note would become more than one.
fn note_of(note: Option<&str>, evidence: Option<&str>) -> Result<String, String> {
    let one_line = |text: &str| {
        let plain = text.replace(char::is_control, " ");
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut text = one_line(note.unwrap_or_default());
    if text.is_empty() {
        return Err("`note` is empty; say what is to be remembered".to_owned());
    }
    if let Some(evidence) = evidence.map(one_line).filter(|text| !text.is_empty()) {
        text = format!("{text} (evidence: {evidence})");
    }
    match text.len() <= NOTE_BYTES_MAX {
        true => Ok(text),
        false => Err(format!(
            "the note is longer than {NOTE_BYTES_MAX} bytes; keep what matters, in a sentence or two"
        )),
    }
}

fn prepared(plan: MemoryPlan, scope: Scope, done: &'static str) -> Prepared {
    let shown = format!("the {} memory", scope.as_str());
    let before = plan.before.as_deref().map(str::as_bytes);
    let change = change("MEMORY.md", before, Some(plan.after.as_bytes()));
    let preview = Preview {
        description: match done {
            "retired" => format!("Remove a note from {shown}"),
            _ => format!("Write a note into {shown}"),
        },
        path: Some(plan.path.display().to_string()),
        diff: change.map(|change| change.diff),
        ..Preview::default()
    };
    // The user opened this one file to the agent by turning memory on, so it does not count as
    // outside; the law still judges the change of a file.
    let demand = Demand::write(plan.path.clone(), true);
    let effect = Effect {
        file: file_change(&plan, shown),
        id: plan.id,
        scope,
        done,
    };
    Prepared::new(demand, Remember::NAME, effect, preview, run)
}

fn file_change(plan: &MemoryPlan, shown: String) -> FileChange {
    FileChange {
        before: plan
            .before
            .as_deref()
            .map(|text| sha256_hex(text.as_bytes())),
        place: Place {
            path: plan.path.clone(),
            shown,
            inside: true,
        },
        after: Some(Content(plan.after.clone().into_bytes())),
        mode: Some(0o600),
    }
}

impl MemoryPlan {
    /// Puts it into effect for a person, unless the file has changed since. Says why not.
    pub fn write(&self, scope: Scope) -> Result<(), String> {
        let shown = format!("the {} memory", scope.as_str());
        put(&file_change(self, shown)).map_err(|failure| failure.text)
    }
}

/// A text as the one line that a note is.
pub fn note_text(text: &str) -> Result<String, String> {
    note_of(Some(text), None)
}

/// Not given up when the turn is: a note is written or it is not, and the answer says which.
async fn run(effect: Effect, context: Context) -> Output {
    if context.cancel.is_cancelled() {
        return Output::failure("interrupted before anything was written");
    }
    blocking(move || write(&effect))
        .await
        .unwrap_or_else(|failure| failure)
}

fn write(effect: &Effect) -> Result<Output, Output> {
    put(&effect.file)?;
    let scope = effect.scope.as_str();
    let text = match &effect.id {
        Some(id) => format!("{} in the {scope} memory, as note {id}", effect.done),
        None => format!("{} in the {scope} memory", effect.done),
    };
    Ok(Output::success(text).with_metadata(json!({ "scope": scope, "id": effect.id })))
}

fn put(file: &FileChange) -> Result<(), Output> {
    let directory = file.place.path.parent().unwrap_or(Path::new("/"));
    let _held = hold(directory).map_err(|error| {
        Output::failure(format!(
            "could not get at the memory: {error}. Nothing was written; try once more"
        ))
    })?;
    if present_as_before(file).is_err() {
        return Err(Output::failure(
            "the memory changed since this call was prepared; nothing was written. Repeat the call \
             if the note is still wanted",
        ));
    }
    commit(slice::from_ref(file))
}

/// Keeps other threads and processes away while a memory is compared and replaced.
fn hold(directory: &Path) -> io::Result<File> {
    std::fs::create_dir_all(directory)?;
    let held = File::open(directory)?;
    held.try_lock()?;
    Ok(held)
}

#[cfg(test)]
mod tests;
