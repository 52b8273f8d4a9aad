//! What the user keeps for the agent: skills, and a memory. Tools ask for it; where it lies and
//! what of it counts is known to whoever hands it in.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// Skills to read and notes to find. Every call reads files, so none belongs on an async thread.
pub trait Library: Send + Sync {
    /// The skills that a model may choose by itself, and those that cannot be used.
    fn skills(&self) -> Catalogue;

    /// The skill of exactly this name, or of this other name.
    fn skill(&self, name: &str) -> Result<Skill, LibraryError>;

    /// The notes that fit these words best, the best one first.
    fn search(&self, query: &str, limit: usize) -> Result<Vec<Note>, LibraryError>;

    /// The note of this id, with its text as it stands in the file.
    fn note(&self, id: &str) -> Result<Note, LibraryError>;

    /// What the file of a memory would become. Nothing is written: that is up to the caller, who
    /// asks first.
    fn plan(&self, change: &MemoryChange) -> Result<MemoryPlan, LibraryError>;
}

/// The skills there are.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Catalogue {
    /// Names and what they are for.
    pub skills: Vec<(String, String)>,
    /// What should be a skill and is none, a sentence each.
    pub broken: Vec<String>,
}

/// A skill, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
    /// What it says, without the lines about itself.
    pub body: String,
    /// Files beside it, relative to its directory, in order.
    pub files: Vec<String>,
    /// Whether there are more of them.
    pub more_files: bool,
}

/// Whose work a note is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// All of it.
    Global,
    /// That in this workspace.
    Workspace,
}

impl Scope {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Workspace => "workspace",
        }
    }
}

/// Something that was written down to be known later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Made of its text, so that it stays as long as the text does.
    pub id: String,
    /// Where it holds.
    pub scope: Scope,
    /// What it says; among others on one line, which may be shortened.
    pub text: String,
}

/// What is to become of a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryChange {
    /// Which memory.
    pub scope: Scope,
    /// What happens to it.
    pub step: MemoryStep,
}

/// What happens to a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemoryStep {
    /// A note is added.
    Append(String),
    /// A note takes the place of the one with this id.
    Revise(String, String),
    /// The note with this id goes.
    Retire(String),
    /// All notes go.
    Clear,
}

/// What the file of a memory is and would become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryPlan {
    /// The file.
    pub path: PathBuf,
    /// What it holds now; nothing when there is none.
    pub before: Option<String>,
    /// What it would hold.
    pub after: String,
    /// The id of the new note.
    pub id: Option<String>,
}

/// Why something in the library cannot be had.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LibraryError {
    /// No skill has this name.
    #[error(
        "there is no skill named {name:?}; call load_skill without a name to see those there are"
    )]
    NoSkill {
        /// The name.
        name: String,
    },
    /// A skill is there and cannot be used.
    #[error("the skill {name:?} cannot be used: {why}")]
    BrokenSkill {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// The user has not turned memory on.
    #[error(
        "memory is off, and nothing is kept between threads; the user can turn it on in the configuration"
    )]
    MemoryOff,
    /// A file of the memory cannot be used.
    #[error("the memory {} cannot be used: {why}. Leave it alone and tell the user", path.display())]
    BrokenMemory {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// No note has this id.
    #[error("the {} memory has no note {id:?}; find its id with memory_search", scope.as_str())]
    NoNote {
        /// The memory.
        scope: Scope,
        /// The id.
        id: String,
    },
    /// No memory has a note of this id.
    #[error("no note has the id {id:?}; find it with memory_search")]
    NoNoteAnywhere {
        /// The id.
        id: String,
    },
    /// The note is there already.
    #[error("the {} memory says this already, in note {id}", scope.as_str())]
    Known {
        /// The memory.
        scope: Scope,
        /// The id of the note.
        id: String,
    },
    /// There is no room for another note.
    #[error("the {} memory is full; retire notes that no longer hold, or revise one", scope.as_str())]
    Full {
        /// The memory.
        scope: Scope,
    },
}

/// For turns without a library.
pub(crate) struct NoLibrary;

impl Library for NoLibrary {
    fn skills(&self) -> Catalogue {
        Catalogue::default()
    }

    fn skill(&self, name: &str) -> Result<Skill, LibraryError> {
        Err(LibraryError::NoSkill {
            name: name.to_owned(),
        })
    }

    fn search(&self, _: &str, _: usize) -> Result<Vec<Note>, LibraryError> {
        Err(LibraryError::MemoryOff)
    }

    fn note(&self, _: &str) -> Result<Note, LibraryError> {
        Err(LibraryError::MemoryOff)
    }

    fn plan(&self, _: &MemoryChange) -> Result<MemoryPlan, LibraryError> {
        Err(LibraryError::MemoryOff)
    }
}

impl fmt::Debug for dyn Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Library")
    }
}
