//! `write_file`: a file with exactly this content.

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::blocking::blocking;
use crate::buffers::OpenFiles;
use crate::diff::{Change, change};
use crate::digest::sha256_hex;
use crate::expected::check_expected;
use crate::files::{Content, FileChange};
use crate::limits::CONTENT_BYTES_MAX;
use crate::paths::Place;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Writes a file: creates it, with the directories on the way, or replaces its whole content. The
/// content is written exactly as given. Read a file before you replace it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: a path relative to the workspace, or an absolute path.
    path: String,
    /// The complete new content. Usually ends with a newline.
    content: String,
    /// Write only if the file still has this SHA-256, as other tools told it; 12 digits are enough.
    expected_hash: Option<String>,
}

pub(crate) struct WriteFile;

impl Typed for WriteFile {
    const NAME: &'static str = "write_file";
    const ALIASES: &'static [&'static str] = &["write"];
    const ACT: Act = Act::Write;
    const KIND: ItemKind = ItemKind::FileChange;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let (roots, files) = (context.roots(), context.files.clone());
        blocking(move || {
            let place = Place::find(&roots, &input.path)?;
            plan(place, input, &files)
        })
        .await
    }
}

fn plan(place: Place, input: Input, files: &OpenFiles) -> Result<Prepared, Output> {
    let content = input.content;
    if content.len() > CONTENT_BYTES_MAX {
        return Err(Output::failure(format!(
            "the content is longer than {CONTENT_BYTES_MAX} bytes; write it in parts to several \
             files, or let a command make it"
        )));
    }
    let before = files.present(&place)?.map(|(_, bytes)| bytes);
    if let Some(expected) = &input.expected_hash {
        check_expected(&place, before.as_deref(), expected)?;
    }
    let change = change(&place.shown, before.as_deref(), Some(content.as_bytes()));
    let effect = FileChange {
        before: before.as_deref().map(sha256_hex),
        place,
        after: Some(Content(content.into_bytes())),
        mode: None,
    };
    let preview = Preview {
        description: describe(&effect, change.as_ref()),
        path: Some(effect.place.path.display().to_string()),
        diff: change
            .map(|change| change.diff)
            .filter(|diff| !diff.is_empty()),
        ..Preview::default()
    };
    let demand = effect.place.write_demand();
    Ok(Prepared::new(demand, WriteFile::NAME, effect, preview, run))
}

/// Not given up when the turn is: a file is replaced or it is not, and the answer says which.
async fn run(effect: FileChange, context: Context) -> Output {
    if context.cancel.is_cancelled() {
        return Output::failure("interrupted before anything was written");
    }
    blocking(move || write(&effect, &context.files))
        .await
        .unwrap_or_else(|failure| failure)
}

/// What writing amounts to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Create,
    Replace,
    Nothing,
}

fn step(effect: &FileChange) -> Step {
    match &effect.before {
        None => Step::Create,
        Some(before) if *before == sha256_hex(content(effect)) => Step::Nothing,
        Some(_) => Step::Replace,
    }
}

fn content(effect: &FileChange) -> &[u8] {
    let content = effect.after.as_ref();
    content.map_or(&[], |content| &content.0)
}

fn describe(effect: &FileChange, change: Option<&Change>) -> String {
    let shown = &effect.place.shown;
    let size = match change {
        Some(change) => format!("+{} -{} lines", change.lines_added, change.lines_removed),
        None => format!("not text, {} bytes", content(effect).len()),
    };
    match step(effect) {
        Step::Create => format!("Create {shown} ({size})"),
        Step::Replace => format!("Change {shown} ({size})"),
        Step::Nothing => format!("Leave {shown} as it is: it has this content already"),
    }
}

fn write(effect: &FileChange, files: &OpenFiles) -> Result<Output, Output> {
    let (shown, bytes) = (&effect.place.shown, content(effect).len());
    let step = step(effect);
    let text = match step {
        Step::Nothing => format!("`{shown}` has this content already"),
        Step::Replace => format!("replaced `{shown}`, {bytes} bytes"),
        Step::Create => format!("created `{shown}`, {bytes} bytes"),
    };
    if step == Step::Nothing {
        effect.place.check_unmoved()?;
        files.check_as_before(effect)?;
    } else {
        files.commit(effect)?;
    }
    Ok(Output::success(text).with_metadata(json!({
        "path": shown,
        "bytes": bytes,
        "created": step == Step::Create,
        "changed": step != Step::Nothing,
        "sha256": sha256_hex(content(effect)),
    })))
}

#[cfg(test)]
mod tests;
