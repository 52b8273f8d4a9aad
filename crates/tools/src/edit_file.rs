//! `edit_file`: exact replacements in one file.

mod locate;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::blocking::blocking;
use crate::buffers::OpenFiles;
use crate::diff::change;
use crate::digest::sha256_hex;
use crate::expected::{check_expected, short};
use crate::files::{Content, FileChange};
use crate::kind::binary_kind;
use crate::limits::{CONTENT_BYTES_MAX, EDITS_MAX, KIND_BYTES};
use crate::missing::missing;
use crate::paths::Place;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};
use locate::{Occurrence, apply};

/// Replaces exact pieces of text in one file. Give either `search` and `replace` for one piece, or
/// `edits` for several: all of them are looked up in the file as it is now, and all are made or
/// none. Each old text must occur exactly once, so take enough lines around it. Line endings of
/// the file are kept.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: a path relative to the workspace, or an absolute path.
    path: String,
    /// The text to replace, exactly as it stands in the file, for a single edit.
    search: Option<String>,
    /// What to put in its place. Empty to remove it.
    replace: Option<String>,
    /// Several edits of the same file. They must not overlap.
    edits: Option<Vec<Edit>>,
    /// Replace every occurrence instead of exactly one. Default: false.
    replace_all: Option<bool>,
    /// Edit only if the file still has this SHA-256, as other tools told it; 12 digits are enough.
    expected_hash: Option<String>,
}

/// One replacement.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edit {
    /// The text to replace, exactly as it stands in the file.
    #[serde(rename = "oldText", alias = "old_text", alias = "search")]
    old_text: String,
    /// What to put in its place.
    #[serde(rename = "newText", alias = "new_text", alias = "replace")]
    new_text: String,
}

pub(crate) struct EditFile;

impl Typed for EditFile {
    const NAME: &'static str = "edit_file";
    const ALIASES: &'static [&'static str] = &["edit"];
    const ACT: Act = Act::Write;
    const KIND: ItemKind = ItemKind::FileChange;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let (roots, files) = (context.roots(), context.files.clone());
        blocking(move || {
            let place = Place::find(&roots, &input.path)?;
            let planned = plan(&place, input, &files);
            planned.or_else(|failure| after_permission(&place, failure))
        })
        .await
    }
}

#[derive(Serialize)]
struct Effect {
    change: FileChange,
    places: usize,
    lines: String,
}

fn plan(place: &Place, input: Input, files: &OpenFiles) -> Result<Prepared, Output> {
    let (edits, expected) = read_edits(input.search, input.replace, input.edits)
        .map(|edits| (edits, input.expected_hash))?;
    let occurrence = match input.replace_all {
        Some(true) => Occurrence::Every,
        Some(false) | None => Occurrence::Only,
    };
    let Some((_, before)) = files.present(place)? else {
        return Err(missing(place));
    };
    if let Some(expected) = expected {
        check_expected(place, Some(&before), &expected)?;
    }
    check_text(place, &before, &edits)?;
    let edited = apply(&place.shown, &before, &edits, occurrence)?;
    if edited.bytes.len() > CONTENT_BYTES_MAX {
        return Err(Output::failure(format!(
            "the file would become longer than {CONTENT_BYTES_MAX} bytes; nothing was written"
        )));
    }
    let change = change(&place.shown, Some(&before), Some(&edited.bytes));
    let lines = change.as_ref().map_or_else(
        || "not all UTF-8".to_owned(),
        |change| format!("+{} -{} lines", change.lines_added, change.lines_removed),
    );
    let preview = Preview {
        description: format!("Edit {} ({lines})", place.shown),
        path: Some(place.path.display().to_string()),
        diff: change.map(|change| change.diff),
        ..Preview::default()
    };
    let effect = Effect {
        change: FileChange {
            place: place.clone(),
            before: Some(sha256_hex(&before)),
            after: Some(Content(edited.bytes)),
            mode: None,
        },
        places: edited.places,
        lines,
    };
    let demand = place.write_demand();
    Ok(Prepared::new(demand, EditFile::NAME, effect, preview, run))
}

/// What a failure tells about a file outside the workspace is told only to those who may see it.
fn after_permission(place: &Place, failure: Output) -> Result<Prepared, Output> {
    if place.inside {
        return Err(failure);
    }
    let preview = Preview {
        description: format!("Edit {}, which will fail", place.shown),
        path: Some(place.path.display().to_string()),
        ..Preview::default()
    };
    let demand = place.write_demand();
    let run = |text: String, _: Context| async { Output::failure(text) };
    Ok(Prepared::new(
        demand,
        EditFile::NAME,
        failure.text,
        preview,
        run,
    ))
}

fn read_edits(
    search: Option<String>,
    replace: Option<String>,
    edits: Option<Vec<Edit>>,
) -> Result<Vec<Edit>, Output> {
    let edits = match (search, replace, edits) {
        (Some(old_text), Some(new_text), None) => vec![Edit { old_text, new_text }],
        (None, None, Some(edits)) => edits,
        (Some(_), None, None) => return Err(Output::failure("`search` needs `replace` beside it")),
        _ => {
            let text = "give either `search` and `replace`, or `edits`";
            return Err(Output::failure(text));
        }
    };
    let problem = if edits.is_empty() {
        "`edits` is empty; give at least one".to_owned()
    } else if edits.len() > EDITS_MAX {
        format!("more than {EDITS_MAX} edits at once; split them, or write the file anew")
    } else {
        return Ok(edits);
    };
    Err(Output::failure(problem))
}

fn check_text(place: &Place, bytes: &[u8], edits: &[Edit]) -> Result<(), Output> {
    let shown = &place.shown;
    if let Some(kind) = binary_kind(&bytes[..bytes.len().min(KIND_BYTES)]) {
        return Err(Output::failure(format!(
            "`{shown}` is not text that can be edited: {kind}; use a command that knows the format"
        )));
    }
    // Text of another encoding keeps its bytes, and gets none that it could not read.
    let is_ascii = edits.iter().all(|edit| edit.new_text.is_ascii());
    if std::str::from_utf8(bytes).is_err() && !is_ascii {
        return Err(Output::failure(format!(
            "`{shown}` is not UTF-8; only plain ASCII can be put into it. Convert it with a \
             command first if it should be UTF-8"
        )));
    }
    Ok(())
}

/// Not given up when the turn is: the file is edited or it is not, and the answer says which.
async fn run(effect: Effect, context: Context) -> Output {
    if context.cancel.is_cancelled() {
        return Output::failure("interrupted before anything was written");
    }
    blocking(move || write(&effect, &context.files))
        .await
        .unwrap_or_else(|failure| failure)
}

fn write(effect: &Effect, files: &OpenFiles) -> Result<Output, Output> {
    let Effect {
        change,
        places,
        lines,
    } = effect;
    files.commit(change)?;
    let shown = &change.place.shown;
    let content = change.after.as_ref().map_or(&[][..], |content| &content.0);
    let hash = sha256_hex(content);
    let places_shown = if *places == 1 { "place" } else { "places" };
    let text = format!(
        "edited `{shown}` in {places} {places_shown} ({lines}); its SHA-256 is now {}",
        short(&hash)
    );
    Ok(Output::success(text).with_metadata(json!({
        "path": shown,
        "bytes": content.len(),
        "places": places,
        "changed": true,
        "sha256": hash,
    })))
}

#[cfg(test)]
mod tests;
