//! What a patch makes of the files it names, before anything is written.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::fit::fit;
use super::patch::{Action, FilePatch, Hunk};
use crate::Output;
use crate::files::present;
use crate::kind::binary_kind;
use crate::limits::{KIND_BYTES, PATCH_CONTENT_BYTES_MAX, PATCH_FILES_MAX};
use crate::missing::missing;
use crate::paths::Place;
use crate::roots::Roots;

/// A file as it is and as it is to be.
#[derive(Debug)]
pub(super) struct Fate {
    pub(super) place: Place,
    pub(super) before: Option<Vec<u8>>,
    pub(super) after: Option<Vec<u8>>,
    /// The mode it has, or that of the file it was before it got this name.
    pub(super) mode: Option<u32>,
}

/// The files of a patch. Steps of the patch see what the steps before them made.
pub(super) struct Plan {
    fates: BTreeMap<PathBuf, Fate>,
    pub(super) notes: Vec<String>,
    bytes: usize,
}

/// How strictly a patch is taken.
#[derive(Clone, Copy)]
pub(super) struct Leave {
    pub(super) fuzz: usize,
    pub(super) create_if_missing: bool,
}

/// The places that a patch names, each once: what it asks permission for.
pub(super) fn places(roots: &Roots, files: &[FilePatch]) -> Result<Vec<Place>, Output> {
    let mut places = BTreeMap::new();
    for file in files {
        let moved_to = match &file.action {
            Action::Update { moved_to, .. } => moved_to.as_deref(),
            Action::Create(_) | Action::Put(_) | Action::Delete(_) => None,
        };
        for path in [file.path.as_str()].into_iter().chain(moved_to) {
            let place = Place::find(roots, path)?;
            places.insert(place.path.clone(), place);
        }
    }
    if places.len() > PATCH_FILES_MAX {
        return Err(Output::failure(format!(
            "the patch names more than {PATCH_FILES_MAX} files; split it"
        )));
    }
    Ok(places.into_values().collect())
}

impl Plan {
    pub(super) fn make(roots: &Roots, files: Vec<FilePatch>, leave: Leave) -> Result<Self, Output> {
        let mut plan = Self {
            fates: BTreeMap::new(),
            notes: Vec::new(),
            bytes: 0,
        };
        for FilePatch { path, action } in files {
            let place = plan.look(roots, &path)?;
            match action {
                Action::Put(content) => plan.set(&place, Some(content.into_bytes()))?,
                Action::Create(content) => plan.create(&place, content)?,
                Action::Delete(hunks) => plan.delete(&place, &hunks, leave)?,
                Action::Update { hunks, moved_to } => {
                    plan.update(&place, &hunks, leave)?;
                    if let Some(moved_to) = moved_to {
                        let target = plan.look(roots, &moved_to)?;
                        plan.rename(&place, &target)?;
                    }
                }
            }
        }
        Ok(plan)
    }

    /// The files that change.
    pub(super) fn changed(self) -> (Vec<Fate>, Vec<String>) {
        let fates = self.fates.into_values();
        let changed = fates.filter(|fate| fate.before != fate.after);
        (changed.collect(), self.notes)
    }

    fn look(&mut self, roots: &Roots, path: &str) -> Result<Place, Output> {
        let place = Place::find(roots, path)?;
        if !self.fates.contains_key(&place.path) {
            let (mode, before) = match present(&place)? {
                Some((found, bytes)) => (Some(found.permissions().mode() & 0o7777), Some(bytes)),
                None => (None, None),
            };
            self.count(before.as_deref())?;
            let fate = Fate {
                place: place.clone(),
                after: before.clone(),
                before,
                mode,
            };
            self.fates.insert(place.path.clone(), fate);
        }
        Ok(place)
    }

    fn content(&self, place: &Place) -> Option<&[u8]> {
        let fate = self.fates.get(&place.path)?;
        fate.after.as_deref()
    }

    fn set(&mut self, place: &Place, content: Option<Vec<u8>>) -> Result<(), Output> {
        self.count(content.as_deref())?;
        if let Some(fate) = self.fates.get_mut(&place.path) {
            fate.after = content;
        }
        Ok(())
    }

    fn count(&mut self, content: Option<&[u8]>) -> Result<(), Output> {
        self.bytes += content.map_or(0, <[u8]>::len);
        match self.bytes > PATCH_CONTENT_BYTES_MAX {
            true => Err(Output::failure(format!(
                "the files of the patch are longer than {PATCH_CONTENT_BYTES_MAX} bytes together; \
                 split it"
            ))),
            false => Ok(()),
        }
    }

    fn create(&mut self, place: &Place, content: String) -> Result<(), Output> {
        match self.content(place) {
            // Done before, or by someone else: the wish is fulfilled.
            Some(there) if there == content.as_bytes() => Ok(()),
            Some(_) => Err(refused(
                place,
                "is to be created and exists already; update it instead, or delete it first",
            )),
            None => self.set(place, Some(content.into_bytes())),
        }
    }

    fn delete(&mut self, place: &Place, hunks: &[Hunk], leave: Leave) -> Result<(), Output> {
        let Some(content) = self.content(place) else {
            return Err(missing(place));
        };
        if !hunks.is_empty() {
            let rest = fit(content, hunks, leave.fuzz).map_err(|why| refused(place, &why))?;
            if !rest.bytes.is_empty() {
                let why = "is to be deleted, but holds lines that the patch does not know";
                return Err(refused(place, why));
            }
        }
        self.set(place, None)
    }

    fn update(&mut self, place: &Place, hunks: &[Hunk], leave: Leave) -> Result<(), Output> {
        let content = match self.content(place) {
            Some(content) => content,
            None if leave.create_if_missing && hunks.iter().all(Hunk::only_inserts) => &[],
            None => return Err(missing(place)),
        };
        if let Some(kind) = binary_kind(&content[..content.len().min(KIND_BYTES)]) {
            let why = format!("is not text that can be patched: {kind}");
            return Err(refused(place, &why));
        }
        let fitted = fit(content, hunks, leave.fuzz).map_err(|why| refused(place, &why))?;
        let notes = fitted.notes.iter();
        self.notes
            .extend(notes.map(|note| format!("`{}`: {note}", place.shown)));
        self.set(place, Some(fitted.bytes))
    }

    fn rename(&mut self, from: &Place, to: &Place) -> Result<(), Output> {
        if from == to {
            return Ok(());
        }
        if self.content(to).is_some() {
            let why = "is the new name of a file and exists already";
            return Err(refused(to, why));
        }
        let Some(fate) = self.fates.get_mut(&from.path) else {
            return Ok(());
        };
        let (content, mode) = (fate.after.take(), fate.mode);
        self.set(to, content)?;
        if let Some(fate) = self.fates.get_mut(&to.path) {
            fate.mode = mode;
        }
        Ok(())
    }
}

fn refused(place: &Place, why: &str) -> Output {
    Output::failure(format!(
        "`{}`: {why}\nNothing was written; the patch applies as a whole or not at all. Read the \
         file again and mend the patch",
        place.shown
    ))
}
