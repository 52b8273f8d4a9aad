//! Where the standing context of a thread comes from, and what was found there.

use std::fmt;
use std::path::{Path, PathBuf};

use codewhale_tools::{
    Catalogue, Library, LibraryError, MemoryChange, MemoryPlan, Note, Scope, Skill,
};

use super::memory::KeptNote;
use super::skills::{SkillListing, Skills};
use super::{instructions, memory};

/// Where to look. Plain values: whoever makes them knows the configuration and the trust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// The directory that the agent works in.
    pub workspace: PathBuf,
    /// The home of the product, with the user's instructions, skills and memory.
    pub home: PathBuf,
    /// The person's own directory, with skills for agents of all kinds.
    pub person: Option<PathBuf>,
    /// One more directory of skills, from the configuration.
    pub skills: Option<PathBuf>,
    /// Whether the workspace is trusted with its present content.
    pub trusted: bool,
    /// Whether the user has turned memory on.
    pub memory: bool,
}

impl Sources {
    /// The skills there are, for people. Not for the async threads.
    pub fn list_skills(&self) -> SkillListing {
        Skills::discover(self).listing(self)
    }

    /// All notes of a memory. Not for the async threads.
    pub fn notes(&self, scope: Scope) -> Result<Vec<KeptNote>, LibraryError> {
        memory::notes(self, scope)
    }

    /// Reads it all. The same files give the same bytes. Not for the async threads.
    pub fn gather(&self) -> Standing {
        let (instructions, mut problems) = instructions::gather(self);
        let skills = Skills::discover(self);
        let (memory, forgotten) = memory::gather(self);
        let index = skills.index();
        problems.extend(skills.problems);
        problems.extend(forgotten);
        Standing {
            instructions,
            skills: index,
            memory,
            problems,
        }
    }
}

/// What tools may take from the same places. Looked up anew each time, so that what was just
/// written counts.
impl Library for Sources {
    fn skills(&self) -> Catalogue {
        Skills::discover(self).catalogue()
    }

    fn skill(&self, name: &str) -> Result<Skill, LibraryError> {
        Skills::discover(self).load(name)
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Note>, LibraryError> {
        memory::search(self, query, limit)
    }

    fn note(&self, id: &str) -> Result<Note, LibraryError> {
        memory::note(self, id)
    }

    fn plan(&self, change: &MemoryChange) -> Result<MemoryPlan, LibraryError> {
        memory::plan(self, change)
    }
}

/// The standing context of a thread: blocks of its prompt, each empty when there is nothing to say.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Standing {
    /// Instructions of the user and of the repository.
    pub instructions: String,
    /// The skills to choose from.
    pub skills: String,
    /// Notes from earlier threads.
    pub memory: String,
    /// What was there and could not be used, for the user.
    pub problems: Vec<Problem>,
}

impl Standing {
    /// The blocks that have something to say, the most lasting one first.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &str> {
        let blocks = [&self.instructions, &self.skills, &self.memory];
        blocks
            .into_iter()
            .map(String::as_str)
            .filter(|block| !block.is_empty())
    }
}

/// A file or directory that was not used, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Which one.
    pub path: PathBuf,
    /// What is wrong with it, and what would mend it.
    pub why: String,
}

impl Problem {
    pub(super) fn new(path: &Path, why: impl fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}
