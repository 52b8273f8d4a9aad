//! `apply_patch`: changes to several files, all or none.

mod envelope;
mod fit;
mod patch;
mod plan;
mod unified;

use codewhale_policy::{Act, Demand, File};
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::blocking::blocking;
use crate::buffers::OpenFiles;
use crate::diff::{bounded, change};
use crate::digest::sha256_hex;
use crate::expected::{check_expected, short};
use crate::files::{Content, FileChange, commit};
use crate::limits::{CONTENT_BYTES_MAX, DIFF_BYTES_MAX, FUZZ_MAX, PATCH_BYTES_MAX};
use crate::paths::Place;
use crate::roots::Roots;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};
use patch::{Action, FilePatch};
use plan::{Fate, Leave, Plan, places};

/// Changes one or several files at once: all changes are made or none. Give exactly one of `patch`
/// and `replace`.
///
/// `patch` is a unified diff (`--- a/path`, `+++ b/path`, `@@ -1,3 +1,4 @@`, lines that begin with
/// a space, `-` or `+`; `/dev/null` creates or deletes, git's `rename from` and `rename to` move),
/// or this form, which needs no line numbers:
///
/// ```text
/// *** Begin Patch
/// *** Update File: src/a.rs
/// *** Move to: src/b.rs
/// @@ fn name_of_something_above()
///  line before
/// -old line
/// +new line
///  line after
/// *** Add File: new.txt
/// +first line
/// *** Delete File: old.txt
/// *** End Patch
/// ```
///
/// Lines to keep or remove must stand in the file exactly so; take three around each change.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The patch in one of the two forms.
    patch: Option<String>,
    /// Files with their complete new content, instead of a patch.
    #[serde(alias = "changes")]
    replace: Option<Vec<Replacement>>,
    /// The file that the hunks belong to, if the patch does not name it.
    path: Option<String>,
    /// How many lines at each end of a hunk may differ from the file, 0 to 2. Default: 0.
    fuzz: Option<usize>,
    /// Whether hunks that only add lines may create the file. Default: false.
    create_if_missing: Option<bool>,
    /// For a patch of one file: apply only if it still has this SHA-256; 12 digits are enough.
    expected_hash: Option<String>,
}

/// A file with its complete content.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replacement {
    /// The file.
    path: String,
    /// Its complete new content.
    content: String,
}

pub(crate) struct ApplyPatch;

impl Typed for ApplyPatch {
    const NAME: &'static str = "apply_patch";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Write;
    const KIND: ItemKind = ItemKind::FileChange;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let roots = context.roots();
        blocking(move || prepare(&roots, input)).await
    }
}

#[derive(Serialize)]
struct Effect {
    changes: Vec<FileChange>,
    summary: Vec<String>,
    notes: Vec<String>,
}

fn prepare(roots: &Roots, input: Input) -> Result<Prepared, Output> {
    let leave = Leave {
        fuzz: input.fuzz.unwrap_or(0).min(FUZZ_MAX),
        create_if_missing: input.create_if_missing.unwrap_or(false),
    };
    let files = read_files(&input)?;
    let places = places(roots, &files)?;
    let named = places.iter().map(|place| File {
        path: place.path.clone(),
        inside: place.inside,
    });
    let demand = Demand::Write(named.collect());
    let planned = Plan::make(roots, files, leave).and_then(|plan| {
        let (fates, notes) = plan.changed();
        check_fates(&fates, &places, input.expected_hash.as_deref())?;
        Ok((fates, notes))
    });
    match planned {
        Ok((fates, notes)) => Ok(prepared(demand, fates, notes)),
        // What a failure tells about files outside is told only to those who may see them.
        Err(failure) if demand.is_outside() => Ok(doomed(demand, failure)),
        Err(failure) => Err(failure),
    }
}

fn read_files(input: &Input) -> Result<Vec<FilePatch>, Output> {
    let unread = |why: String| Output::failure(format!("the patch cannot be read: {why}"));
    let files = match (&input.patch, &input.replace) {
        (Some(patch), None) if patch.len() > PATCH_BYTES_MAX => {
            return Err(unread(format!(
                "it is longer than {PATCH_BYTES_MAX} bytes; split it"
            )));
        }
        (Some(patch), None) if envelope::is_envelope(patch) => envelope::read(patch),
        (Some(patch), None) => unified::read(patch, input.path.as_deref()),
        (None, Some(files)) => Ok(files.iter().map(put).collect()),
        (Some(_), Some(_)) | (None, None) => {
            return Err(Output::failure("give either `patch` or `replace`"));
        }
    };
    let files = files.map_err(unread)?;
    match files.is_empty() {
        true => Err(Output::failure(
            "there is no file in it; nothing was written",
        )),
        false => Ok(files),
    }
}

fn put(file: &Replacement) -> FilePatch {
    FilePatch {
        path: file.path.clone(),
        action: Action::Put(file.content.clone()),
    }
}

fn check_fates(fates: &[Fate], places: &[Place], expected: Option<&str>) -> Result<(), Output> {
    if fates.is_empty() {
        let text = "the files have this content already; nothing was written";
        return Err(Output::failure(text));
    }
    let size = |fate: &Fate| fate.after.as_ref().map_or(0, Vec::len);
    if let Some(large) = fates.iter().find(|fate| size(fate) > CONTENT_BYTES_MAX) {
        return Err(Output::failure(format!(
            "`{}` would become longer than {CONTENT_BYTES_MAX} bytes; nothing was written",
            large.place.shown
        )));
    }
    match (expected, fates, places.len()) {
        (None, ..) => Ok(()),
        (Some(expected), [fate], 1) => {
            check_expected(&fate.place, fate.before.as_deref(), expected)
        }
        (Some(_), ..) => Err(Output::failure(
            "expected_hash is for a patch of one file; leave it out or split the patch",
        )),
    }
}

fn prepared(demand: Demand, fates: Vec<Fate>, notes: Vec<String>) -> Prepared {
    let mut diffs = String::new();
    let mut summary = Vec::new();
    for fate in &fates {
        let (diff, line) = described(fate);
        diffs.push_str(&diff);
        summary.push(line);
    }
    let preview = Preview {
        description: format!("Patch {}: {}", count(fates.len()), summary.join(", ")),
        path: match fates.as_slice() {
            [only] => Some(only.place.path.display().to_string()),
            _ => None,
        },
        diff: Some(bounded(diffs, DIFF_BYTES_MAX)),
        ..Preview::default()
    };
    let changes = fates.into_iter().map(|fate| FileChange {
        before: fate.before.as_deref().map(sha256_hex),
        after: fate.after.map(Content),
        place: fate.place,
        mode: fate.mode,
    });
    let effect = Effect {
        changes: changes.collect(),
        summary,
        notes,
    };
    Prepared::new(demand, ApplyPatch::NAME, effect, preview, run)
}

/// The change of one file: in full, and in a few words.
fn described(fate: &Fate) -> (String, String) {
    let shown = &fate.place.shown;
    let verb = match (&fate.before, &fate.after) {
        (None, _) => "created",
        (Some(_), None) => "deleted",
        (Some(_), Some(_)) => "changed",
    };
    match change(shown, fate.before.as_deref(), fate.after.as_deref()) {
        Some(change) => {
            let (added, removed) = (change.lines_added, change.lines_removed);
            (
                change.diff,
                format!("{verb} `{shown}` (+{added} -{removed})"),
            )
        }
        None => (
            format!("--- a/{shown}\n+++ b/{shown}\n[not text, {verb}]\n"),
            format!("{verb} `{shown}` (not all UTF-8)"),
        ),
    }
}

fn count(files: usize) -> String {
    match files {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    }
}

fn doomed(demand: Demand, failure: Output) -> Prepared {
    let preview = Preview {
        description: "Apply a patch, which will fail".to_owned(),
        ..Preview::default()
    };
    let run = |text: String, _: Context| async { Output::failure(text) };
    Prepared::new(demand, ApplyPatch::NAME, failure.text, preview, run)
}

/// Not given up when the turn is: the files change or they do not, and the answer says which.
async fn run(effect: Effect, context: Context) -> Output {
    if context.cancel.is_cancelled() {
        return Output::failure("interrupted before anything was written");
    }
    blocking(move || write(&effect, &context.files))
        .await
        .unwrap_or_else(|failure| failure)
}

fn write(effect: &Effect, files: &OpenFiles) -> Result<Output, Output> {
    files.check_saved(&effect.changes)?;
    commit(&effect.changes)?;
    let hashes = effect.changes.iter().map(|change| {
        let content = change.after.as_ref();
        content.map(|content| sha256_hex(&content.0))
    });
    let hashes: Vec<Option<String>> = hashes.collect();
    let lines = effect
        .summary
        .iter()
        .zip(&hashes)
        .map(|(line, hash)| match hash {
            Some(hash) => format!("{line}, SHA-256 {}", short(hash)),
            None => line.clone(),
        });
    let lines: Vec<String> = lines.chain(effect.notes.iter().cloned()).collect();
    let files: Vec<Value> = effect
        .changes
        .iter()
        .zip(&hashes)
        .map(|(change, hash)| {
            json!({
                "path": change.place.shown,
                "created": change.before.is_none(),
                "deleted": change.after.is_none(),
                "sha256": hash,
            })
        })
        .collect();
    Ok(Output::success(lines.join("\n")).with_metadata(json!({ "files": files })))
}

#[cfg(test)]
mod tests;
