//! Files that are open in an editor: their text there counts, saved or not.
//!
//! File tools work on threads that may block, so the editor is waited for there.

use std::fs::{self, Metadata};
use std::path::Path;
use std::slice;
use std::sync::Arc;

use codewhale_protocol::lent::Buffers;
use tokio::runtime::Handle;

use crate::Output;
use crate::digest::sha256_hex;
use crate::files::{FileChange, commit, present};
use crate::paths::Place;

/// The files of an editor; none where nobody has lent any.
#[derive(Clone, Default, Debug)]
pub struct OpenFiles(Option<Arc<dyn Buffers>>);

impl OpenFiles {
    /// Those of this editor.
    pub fn of(buffers: Option<Arc<dyn Buffers>>) -> Self {
        Self(buffers)
    }

    /// The text of a file as the editor has it. Nothing when it has none to tell, or the file is no
    /// text on the disk: an editor would change what it cannot show.
    pub(crate) fn read(&self, path: &Path, on_disk: &[u8]) -> Option<Vec<u8>> {
        let buffers = self.0.as_ref()?;
        std::str::from_utf8(on_disk).ok()?;
        let text = Handle::current().block_on(buffers.read(path))?;
        Some(text.into_bytes())
    }

    /// Whether there is an editor at all.
    pub(crate) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// The file that is there now, as the editor shows it.
    pub(crate) fn present(&self, place: &Place) -> Result<Option<(Metadata, Vec<u8>)>, Output> {
        let Some((found, bytes)) = present(place)? else {
            return Ok(None);
        };
        let shown = self.read(&place.path, &bytes);
        Ok(Some((found, shown.unwrap_or(bytes))))
    }

    /// Makes sure that the file is the one that a change was made for.
    pub(crate) fn check_as_before(&self, change: &FileChange) -> Result<(), Output> {
        let now = self.present(&change.place)?;
        if now.map(|(_, bytes)| sha256_hex(&bytes)) == change.before {
            return Ok(());
        }
        Err(Output::failure(format!(
            "`{}` changed since this call was prepared; nothing was written. Read it again and \
             write what it should be now",
            change.place.shown
        )))
    }

    /// Makes a change of one file: through the editor, or on the disk where there is none.
    pub(crate) fn commit(&self, change: &FileChange) -> Result<(), Output> {
        let text = change.after.as_ref().map(|it| std::str::from_utf8(&it.0));
        let (Some(buffers), Some(Ok(text))) = (&self.0, text) else {
            return commit(slice::from_ref(change));
        };
        change.place.check_unmoved()?;
        self.check_as_before(change)?;
        let (path, shown) = (&change.place.path, &change.place.shown);
        let failed = |why: &dyn std::fmt::Display| {
            Output::failure(format!("the editor could not write `{shown}`: {why}"))
        };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| failed(&error))?;
        }
        let written = Handle::current().block_on(buffers.write(path, text));
        written.map_err(|why| failed(&why))
    }

    /// Says so when the editor has text of one of these files that is not on the disk: a change of
    /// several files goes there, all of it or nothing, and would be lost in the editor.
    pub(crate) fn check_saved(&self, changes: &[FileChange]) -> Result<(), Output> {
        for place in changes.iter().map(|change| &change.place) {
            let Some((_, bytes)) = present(place)? else {
                continue;
            };
            if self.read(&place.path, &bytes).is_some_and(|it| it != bytes) {
                return Err(Output::failure(format!(
                    "`{}` has changes in the editor that are not saved; nothing was written. Ask \
                     the user to save it, or change it with edit_file",
                    place.shown
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
