//! `write_file`: a file with exactly this content.

use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::blocking::blocking;
use crate::diff::{Change, change};
use crate::digest::sha256_hex;
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
}

pub(crate) struct WriteFile;

impl Typed for WriteFile {
    const NAME: &'static str = "write_file";
    const ALIASES: &'static [&'static str] = &["write"];
    const ACT: Act = Act::Write;
    const KIND: ItemKind = ItemKind::FileChange;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let workspace = context.workspace.clone();
        blocking(move || {
            let place = Place::find(&workspace, &input.path)?;
            plan(place, input.content)
        })
        .await
    }
}

#[derive(Serialize)]
struct Effect {
    place: Place,
    content: String,
    /// SHA-256 of the content that is replaced; nothing when the file is new.
    before: Option<String>,
}

fn plan(place: Place, content: String) -> Result<Prepared, Output> {
    if content.len() > CONTENT_BYTES_MAX {
        return Err(Output::failure(format!(
            "the content is longer than {CONTENT_BYTES_MAX} bytes; write it in parts to several \
             files, or let a command make it"
        )));
    }
    let before = present(&place)?.map(|(_, bytes)| bytes);
    let change = change(&place.shown, before.as_deref(), &content);
    let effect = Effect {
        before: before.as_deref().map(sha256_hex),
        place,
        content,
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
async fn run(effect: Effect, context: Context) -> Output {
    if context.cancel.is_cancelled() {
        return Output::failure("interrupted before anything was written");
    }
    blocking(move || write(&effect))
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

impl Effect {
    fn step(&self) -> Step {
        match &self.before {
            None => Step::Create,
            Some(before) if *before == sha256_hex(self.content.as_bytes()) => Step::Nothing,
            Some(_) => Step::Replace,
        }
    }
}

fn describe(effect: &Effect, change: Option<&Change>) -> String {
    let shown = &effect.place.shown;
    let size = match change {
        Some(change) => format!("+{} -{} lines", change.lines_added, change.lines_removed),
        None => format!("not text, {} bytes", effect.content.len()),
    };
    match effect.step() {
        Step::Create => format!("Create {shown} ({size})"),
        Step::Replace => format!("Change {shown} ({size})"),
        Step::Nothing => format!("Leave {shown} as it is: it has this content already"),
    }
}

/// The file that is there now, if any, and its content.
fn present(place: &Place) -> Result<Option<(Metadata, Vec<u8>)>, Output> {
    let shown = &place.shown;
    let failed = |error: io::Error| Output::failure(format!("could not read `{shown}`: {error}"));
    let found = match fs::metadata(&place.path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let problem = if found.is_dir() {
        format!("`{shown}` is a directory; give the path of a file")
    } else if !found.is_file() {
        format!("`{shown}` is neither a file nor a directory; it cannot be written")
    } else if found.permissions().readonly() {
        format!("`{shown}` is write-protected; ask the user before changing that")
    } else if found.len() > CONTENT_BYTES_MAX as u64 {
        format!(
            "`{shown}` is longer than {CONTENT_BYTES_MAX} bytes and is not replaced; change it \
             with a command, or write to a new path"
        )
    } else {
        let bytes = fs::read(&place.path).map_err(failed)?;
        return Ok(Some((found, bytes)));
    };
    Err(Output::failure(problem))
}

fn write(effect: &Effect) -> Result<Output, Output> {
    let Effect {
        place,
        content,
        before,
    } = effect;
    let (shown, bytes) = (&place.shown, content.len());
    place.check_unmoved()?;
    let now = present(place)?;
    if now.as_ref().map(|(_, bytes)| sha256_hex(bytes)) != *before {
        return Err(Output::failure(format!(
            "`{shown}` changed since this call was prepared; nothing was written. Read it again \
             and write what it should be now"
        )));
    }
    let step = effect.step();
    let (written, text) = match now {
        Some(_) if step == Step::Nothing => (Ok(()), format!("`{shown}` has this content already")),
        Some((old, _)) => (
            replace(&place.path, content, &old),
            format!("replaced `{shown}`, {bytes} bytes"),
        ),
        None => (
            create(&place.path, content),
            format!("created `{shown}`, {bytes} bytes"),
        ),
    };
    written.map_err(|error| Output::failure(format!("could not write `{shown}`: {error}")))?;
    Ok(Output::success(text).with_metadata(json!({
        "path": shown,
        "bytes": bytes,
        "created": step == Step::Create,
        "changed": step != Step::Nothing,
    })))
}

/// Readers see no file or the whole file, and one that appeared meanwhile is not touched.
fn create(path: &Path, content: &str) -> io::Result<()> {
    let directory = path.parent().expect("a file has a parent");
    fs::create_dir_all(directory)?;
    // What the user's mask leaves of this is what any program would have given the file.
    let mut file = beside(directory, Permissions::from_mode(0o666))?;
    file.write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}

/// Readers see the old file or the new one, with the same owner and mode.
fn replace(path: &Path, content: &str, old: &Metadata) -> io::Result<()> {
    let directory = path.parent().expect("a file has a parent");
    let mut file = beside(directory, Permissions::from_mode(0o600))?;
    file.write_all(content.as_bytes())?;
    // Only root can give files away; for everyone else the owner is the same or cannot be kept.
    let _ = fchown(file.as_file(), Some(old.uid()), Some(old.gid()));
    file.as_file().set_permissions(old.permissions())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// A file in the same directory, so that it can take the other's place in one step.
fn beside(directory: &Path, permissions: Permissions) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".codewhale-")
        .suffix(".tmp")
        .permissions(permissions)
        .tempfile_in(directory)
}

#[cfg(test)]
mod tests;
