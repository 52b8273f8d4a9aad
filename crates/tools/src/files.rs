//! Changes of files, all or none.
//!
//! ```text
//!  check that nothing moved ──► new content beside each file ──► one rename after another
//!                                        (a full disk ends it here)         │
//!                                                    a rename fails: the ones before go back
//! ```
//!
//! Readers see a file as it was or as it is to be, never half of it.

use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use tempfile::{NamedTempFile, TempPath};

use crate::Output;
use crate::digest::sha256_hex;
use crate::limits::CONTENT_BYTES_MAX;
use crate::paths::Place;

/// What a file is to hold. As part of an effect it is its SHA-256, which stands for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Content(pub(crate) Vec<u8>);

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        sha256_hex(&self.0).serialize(serializer)
    }
}

/// What becomes of one file.
#[derive(Serialize, Debug)]
pub(crate) struct FileChange {
    pub(crate) place: Place,
    /// SHA-256 of the content it has now; nothing when there is no file.
    pub(crate) before: Option<String>,
    /// What it is to hold; nothing when it is to go.
    pub(crate) after: Option<Content>,
    /// The mode of a new file that stands for another one; else what any program would give it.
    pub(crate) mode: Option<u32>,
}

/// The file that is there now, if any, and its content. Says so when it is none that could be
/// changed.
pub(crate) fn present(place: &Place) -> Result<Option<(Metadata, Vec<u8>)>, Output> {
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

/// Makes all of these changes, or none of them and says why.
pub(crate) fn commit(changes: &[FileChange]) -> Result<(), Output> {
    let mut found = Vec::new();
    for change in changes {
        change.place.check_unmoved()?;
        found.push(present_as_before(change)?);
    }
    let mut made = Made::default();
    let mut steps = Vec::new();
    for (change, old) in changes.iter().zip(found) {
        // Alone, a change is one rename and needs no way back.
        let keep = changes.len() > 1;
        let step = Step::stage(change, old, keep, &mut made);
        steps.push(step.map_err(|error| made.undo(change, &error))?);
    }
    for (change, step) in changes.iter().zip(steps) {
        let done = step.take(&change.place.path);
        let done = done.map_err(|error| made.undo(change, &error))?;
        made.steps.push(done);
    }
    Ok(())
}

/// Makes sure that the file is the one that the change was made for.
pub(crate) fn present_as_before(change: &FileChange) -> Result<Option<Metadata>, Output> {
    let now = present(&change.place)?;
    if now.as_ref().map(|(_, bytes)| sha256_hex(bytes)) == change.before {
        return Ok(now.map(|(old, _)| old));
    }
    Err(Output::failure(format!(
        "`{}` changed since this call was prepared; nothing was written. Read it again and write \
         what it should be now",
        change.place.shown
    )))
}

/// A change that is one rename away.
enum Step {
    Create(NamedTempFile),
    Replace(NamedTempFile, Option<TempPath>),
    Remove(Option<TempPath>),
    Nothing,
}

/// A change that was made, and what brings the old state back.
enum Done {
    Created(PathBuf),
    Changed(PathBuf, Option<TempPath>),
    Nothing,
}

impl Step {
    fn stage(
        change: &FileChange,
        old: Option<Metadata>,
        keep: bool,
        made: &mut Made,
    ) -> io::Result<Self> {
        let path = &change.place.path;
        let backup = || keep.then(|| link_beside(path)).transpose();
        Ok(match (&change.after, old) {
            (None, None) => Self::Nothing,
            (None, Some(_)) => Self::Remove(backup()?),
            (Some(content), None) => {
                made.directory(parent(path))?;
                Self::Create(new_beside(path, content, change.mode)?)
            }
            (Some(content), Some(old)) => {
                Self::Replace(same_beside(path, content, &old)?, backup()?)
            }
        })
    }

    fn take(self, path: &Path) -> io::Result<Done> {
        let path = path.to_owned();
        Ok(match self {
            // What appeared meanwhile is not touched.
            Self::Create(file) => {
                file.persist_noclobber(&path)?;
                Done::Created(path)
            }
            Self::Replace(file, backup) => {
                file.persist(&path)?;
                Done::Changed(path, backup)
            }
            Self::Remove(backup) => {
                fs::remove_file(&path)?;
                Done::Changed(path, backup)
            }
            Self::Nothing => Done::Nothing,
        })
    }
}

/// What was done so far.
#[derive(Default)]
struct Made {
    directories: Vec<PathBuf>,
    steps: Vec<Done>,
}

impl Made {
    /// Makes a directory with those on the way, and remembers which ones were missing.
    fn directory(&mut self, path: &Path) -> io::Result<()> {
        let missing = path.ancestors().take_while(|path| !path.exists());
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        self.directories.extend(missing.into_iter().rev());
        fs::create_dir_all(path)
    }

    /// Brings back what was, and says why.
    fn undo(&mut self, failed: &FileChange, error: &io::Error) -> Output {
        let mut stuck = Vec::new();
        for done in self.steps.drain(..).rev() {
            let (path, back) = match done {
                Done::Created(path) => (path.clone(), fs::remove_file(&path)),
                Done::Changed(path, Some(backup)) => {
                    let back = backup.persist(&path).map_err(|lost| lost.error);
                    (path, back)
                }
                Done::Changed(_, None) | Done::Nothing => continue,
            };
            if let Err(error) = back {
                stuck.push(format!("`{}` ({error})", path.display()));
            }
        }
        for directory in self.directories.drain(..).rev() {
            // Not empty means that somebody else uses it by now.
            let _ = fs::remove_dir(directory);
        }
        let shown = &failed.place.shown;
        if stuck.is_empty() {
            return Output::failure(format!(
                "could not write `{shown}`: {error}. Nothing changed"
            ));
        }
        Output::failure(format!(
            "could not write `{shown}`: {error}. These were changed before and could not be \
             brought back, look at them: {}",
            stuck.join(", ")
        ))
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().expect("a file has a parent")
}

fn new_beside(path: &Path, content: &Content, mode: Option<u32>) -> io::Result<NamedTempFile> {
    // What the user's mask leaves of this is what any program would have given the file.
    let mut file = beside(path, Permissions::from_mode(mode.unwrap_or(0o666)))?;
    file.write_all(&content.0)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// The same owner and mode as the old file.
fn same_beside(path: &Path, content: &Content, old: &Metadata) -> io::Result<NamedTempFile> {
    let mut file = beside(path, Permissions::from_mode(0o600))?;
    file.write_all(&content.0)?;
    // Only root can give files away; for everyone else the owner is the same or cannot be kept.
    let _ = fchown(file.as_file(), Some(old.uid()), Some(old.gid()));
    file.as_file().set_permissions(old.permissions())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// A file in the same directory, so that it can take the other's place in one step.
fn beside(path: &Path, permissions: Permissions) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(".codewhale-").suffix(".tmp");
    builder.permissions(permissions).tempfile_in(parent(path))
}

/// A second name for a file, or a copy where the file system knows no second names.
fn link_beside(path: &Path) -> io::Result<TempPath> {
    let link = |new: &Path| match fs::hard_link(path, new) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            fs::copy(path, new).map(|_| ())
        }
        other => other,
    };
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(".codewhale-").suffix(".old");
    Ok(builder.make_in(parent(path), link)?.into_temp_path())
}

#[cfg(test)]
mod tests;
