//! A library to try tools with: one skill, and one note in a file of its own.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use crate::library::{
    Catalogue, Library, LibraryError, MemoryChange, MemoryPlan, MemoryStep, Note, Scope, Skill,
};

/// Where its memory lies.
pub(crate) struct Books {
    pub(crate) memory: PathBuf,
}

impl Books {
    /// One whose memory is not written.
    pub(crate) fn shared() -> Arc<dyn Library> {
        let memory = PathBuf::from("/nowhere/MEMORY.md");
        Arc::new(Self { memory })
    }
}

impl Library for Books {
    fn skills(&self) -> Catalogue {
        Catalogue {
            skills: vec![("deploy".into(), "Ships it.".into())],
            broken: vec!["/skills/bad/SKILL.md has no name".into()],
        }
    }

    fn skill(&self, name: &str) -> Result<Skill, LibraryError> {
        if name != "deploy" {
            return Err(LibraryError::NoSkill { name: name.into() });
        }
        Ok(Skill {
            name: name.into(),
            directory: "/skills/deploy".into(),
            body: "Push the button.".into(),
            files: vec!["check.sh".into(), "notes/a.md".into()],
            more_files: true,
        })
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Note>, LibraryError> {
        let note = Note {
            id: "00000001".into(),
            scope: Scope::Global,
            text: format!("Use tabs. (at most {limit})"),
        };
        Ok(match query == "nothing" {
            true => Vec::new(),
            false => vec![note],
        })
    }

    fn note(&self, id: &str) -> Result<Note, LibraryError> {
        match id {
            "00000001" => Ok(Note {
                id: id.to_owned(),
                scope: Scope::Global,
                text: "Use tabs.\n  Always.".into(),
            }),
            _ => Err(LibraryError::NoNoteAnywhere { id: id.to_owned() }),
        }
    }

    /// The file holds one line per note, and a note is its own id.
    fn plan(&self, change: &MemoryChange) -> Result<MemoryPlan, LibraryError> {
        let before = fs::read_to_string(&self.memory).ok();
        let old = before.clone().unwrap_or_default();
        let scope = change.scope;
        let (after, id) = match &change.step {
            MemoryStep::Clear => (String::new(), None),
            MemoryStep::Append(note) => (format!("{old}{note}\n"), Some(note.clone())),
            MemoryStep::Revise(id, note) => (old.replace(id, note), Some(note.clone())),
            MemoryStep::Retire(id) if !old.contains(id) => {
                let id = id.clone();
                return Err(LibraryError::NoNote { scope, id });
            }
            MemoryStep::Retire(id) => (old.replace(&format!("{id}\n"), ""), None),
        };
        let path = self.memory.clone();
        Ok(MemoryPlan {
            path,
            before,
            after,
            id,
        })
    }
}
