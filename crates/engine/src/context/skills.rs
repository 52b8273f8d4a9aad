//! Skills: a directory each, with a `SKILL.md` in it.
//!
//! The first one of a name counts, in the order of the roots: those of a trusted workspace, those of
//! the person, the one from the configuration, those of plugins. What a workspace brings counts only once it is
//! trusted, and only what lies in it: trust was given to that content and not to what a link leads
//! to. A prompt names the skills; their text is read when it is asked for.

use std::fs;
use std::path::{Path, PathBuf};

use codewhale_tools::{Catalogue, LibraryError, Skill};

use super::front_matter::{FrontMatter, split};
use super::limits::{
    ENTRIES_MAX, SKILL_BYTES_MAX, SKILL_DESCRIPTION_CHARS_MAX, SKILL_FILES_DEPTH_MAX,
    SKILL_FILES_MAX, SKILL_INDEX_CHARS_MAX, SKILL_NAME_CHARS_MAX, SKILLS_MAX,
};
use super::text::{self, one_line};
use super::{Problem, Sources};

/// Below the workspace, in this order.
const IN_WORKSPACE: &[&str] = &[
    ".agents/skills",
    "skills",
    ".opencode/skills",
    ".claude/skills",
    ".cursor/skills",
    ".codewhale/skills",
];

const INTRODUCTION: &str = "# Skills\n\
    Instructions for certain tasks. When a task fits one of them, read it with load_skill before \
    you begin.";

/// The skills there are, and what should be one and is none.
#[derive(Default)]
pub(super) struct Skills {
    pub(super) found: Vec<Found>,
    pub(super) problems: Vec<Problem>,
    directories: Vec<PathBuf>,
}

/// A skill that can be used.
pub(super) struct Found {
    front: FrontMatter,
    file: PathBuf,
    /// What it must not lead out of.
    fence: Option<PathBuf>,
}

/// The skills there are, and where they were looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkillListing {
    /// Where the user's own belong.
    pub own: PathBuf,
    /// The directories that were looked into, in order.
    pub directories: Vec<PathBuf>,
    /// The skills, in the order in which they were found.
    pub skills: Vec<ListedSkill>,
    /// What should be a skill and is none.
    pub problems: Vec<Problem>,
}

/// A skill as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedSkill {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its file.
    pub file: PathBuf,
    /// The plugin that brings it.
    pub plugin: Option<String>,
}

/// A directory with skills in it.
struct Root {
    directory: PathBuf,
    fence: Option<PathBuf>,
}

impl Skills {
    /// Looks through all roots.
    pub(super) fn discover(sources: &Sources) -> Self {
        let mut skills = Self::default();
        let mut seen = Vec::new();
        for root in roots(sources) {
            let Ok(real) = root.directory.canonicalize() else {
                continue;
            };
            if !seen.contains(&real) {
                skills.look_into(&root);
                skills.directories.push(root.directory);
                seen.push(real);
            }
        }
        skills
    }

    fn look_into(&mut self, root: &Root) {
        let names = match names_in(&root.directory) {
            Ok(names) => names,
            Err(why) => return self.problems.push(Problem::new(&root.directory, why)),
        };
        for name in names {
            let file = root.directory.join(name).join("SKILL.md");
            match read(&file, root.fence.as_deref()) {
                Ok(None) => {}
                Ok(Some(_)) if self.found.len() >= SKILLS_MAX => {
                    let why = format!("there are more than {SKILLS_MAX} skills; remove some");
                    return self.problems.push(Problem::new(&root.directory, why));
                }
                Ok(Some((front, _))) => self.add(front, file, root.fence.clone()),
                Err(why) => self.problems.push(Problem::new(&file, why)),
            }
        }
    }

    /// The first one of a name stays.
    fn add(&mut self, front: FrontMatter, file: PathBuf, fence: Option<PathBuf>) {
        if self
            .found
            .iter()
            .all(|other| other.front.name != front.name)
        {
            self.found.push(Found { front, file, fence });
        }
    }

    /// What a prompt says about them; empty when there is nothing to choose from.
    pub(super) fn index(&self) -> String {
        let offered: Vec<(&str, String)> = self.offered().collect();
        if offered.is_empty() {
            return String::new();
        }
        let mut block = INTRODUCTION.to_owned();
        for (index, (name, description)) in offered.iter().enumerate() {
            let line = format!("\n- {name}: {description}");
            let left_out = offered.len() - index;
            let rest = format!("\n[{left_out} more; load_skill without a name lists them]");
            let is_last = left_out == 1;
            let reserve = if is_last { 0 } else { rest.chars().count() };
            let chars = block.chars().count() + line.chars().count() + reserve;
            if chars > SKILL_INDEX_CHARS_MAX {
                return block + &rest;
            }
            block.push_str(&line);
        }
        block
    }

    /// All of them for whoever asks.
    pub(super) fn catalogue(&self) -> Catalogue {
        let offered = self.offered();
        Catalogue {
            skills: offered
                .map(|(name, text)| (name.to_owned(), text))
                .collect(),
            broken: self.problems.iter().map(ToString::to_string).collect(),
        }
    }

    /// All of them for people.
    pub(super) fn listing(self, sources: &Sources) -> SkillListing {
        let plugins = sources.home.join("plugins");
        let plugin = |file: &Path| {
            let below = file.strip_prefix(&plugins).ok()?.components().next()?;
            Some(below.as_os_str().to_string_lossy().into_owned())
        };
        let skills = self
            .found
            .into_iter()
            .map(|Found { front, file, .. }| ListedSkill {
                name: front.name,
                description: one_line(&front.description, SKILL_DESCRIPTION_CHARS_MAX),
                plugin: plugin(&file),
                file,
            });
        SkillListing {
            own: sources.home.join("skills"),
            directories: self.directories,
            skills: skills.collect(),
            problems: self.problems,
        }
    }

    /// Those that a model may choose by itself.
    fn offered(&self) -> impl Iterator<Item = (&str, String)> {
        let offered = self.found.iter().filter(|found| !found.front.is_explicit);
        offered.map(|Found { front, .. }| {
            let description = one_line(&front.description, SKILL_DESCRIPTION_CHARS_MAX);
            (front.name.as_str(), description)
        })
    }

    /// The text of one. Its own name goes before the other names of another.
    pub(super) fn load(&self, name: &str) -> Result<Skill, LibraryError> {
        let own = self.found.iter().find(|found| found.front.name == name);
        let is_alias = |found: &&Found| found.front.aliases.iter().any(|alias| alias == name);
        let Some(found) = own.or_else(|| self.found.iter().find(is_alias)) else {
            return Err(self.missing(name));
        };
        let broken = |why: String| LibraryError::BrokenSkill {
            name: name.to_owned(),
            why,
        };
        let gone = || broken("its file is gone".to_owned());
        let (_, body) = read(&found.file, found.fence.as_deref())
            .map_err(broken)?
            .ok_or_else(gone)?;
        let directory = found.file.parent().unwrap_or(Path::new("/"));
        let mut files = Vec::new();
        beside(directory, directory, 1, &mut files);
        files.sort();
        let more_files = files.len() > SKILL_FILES_MAX;
        files.truncate(SKILL_FILES_MAX);
        Ok(Skill {
            name: found.front.name.clone(),
            directory: directory.to_owned(),
            body,
            files,
            more_files,
        })
    }

    /// A skill that is broken is known by its directory.
    fn missing(&self, name: &str) -> LibraryError {
        let is_it = |problem: &&Problem| {
            let directory = problem.path.parent().and_then(Path::file_name);
            directory.is_some_and(|directory| directory == name)
        };
        let name = name.to_owned();
        match self.problems.iter().find(is_it) {
            Some(Problem { why, .. }) => LibraryError::BrokenSkill {
                name,
                why: why.clone(),
            },
            None => LibraryError::NoSkill { name },
        }
    }
}

/// How many skills a directory has that can be read, for those who only want to know that.
pub fn count_skills(directory: &Path, fence: Option<&Path>) -> usize {
    let names = names_in(directory).unwrap_or_default().into_iter();
    let files = names.map(|name| directory.join(name).join("SKILL.md"));
    files
        .filter(|file| matches!(read(file, fence), Ok(Some(_))))
        .count()
}

fn roots(sources: &Sources) -> Vec<Root> {
    let mut roots = Vec::new();
    if sources.trusted
        && let Ok(workspace) = sources.workspace.canonicalize()
    {
        roots.extend(IN_WORKSPACE.iter().map(|place| Root {
            directory: workspace.join(place),
            fence: Some(workspace.clone()),
        }));
    }
    let own = |place: &str| Some(sources.person.as_ref()?.join(place));
    let of_the_person = [
        own(".agents/skills"),
        own(".claude/skills"),
        Some(sources.home.join("skills")),
        own(".deepseek/skills"),
        sources.skills.clone(),
    ];
    let of_the_person = of_the_person.into_iter().flatten();
    let all = of_the_person.chain(of_plugins(&sources.home));
    roots.extend(all.map(|directory| Root {
        directory,
        fence: None,
    }));
    roots
}

/// What the user's plugins bring, the plugins in order.
fn of_plugins(home: &Path) -> impl Iterator<Item = PathBuf> {
    let plugins = home.join("plugins");
    let names = names_in(&plugins).unwrap_or_default().into_iter();
    names.map(move |name| plugins.join(name).join("skills"))
}

/// The names in a directory, in order. Hidden ones are not meant.
fn names_in(directory: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(directory).map_err(|error| format!("it cannot be read: {error}"))?;
    let mut names = Vec::new();
    for (count, entry) in entries.flatten().enumerate() {
        if count >= ENTRIES_MAX {
            // A part of them would be another part each time.
            return Err(format!(
                "it has more than {ENTRIES_MAX} entries; give the skills a directory of their own"
            ));
        }
        let name = entry.file_name().into_string();
        names.extend(name.ok().filter(|name| !name.starts_with('.')));
    }
    names.sort();
    Ok(names)
}

/// A `SKILL.md` and its body. Nothing when there is no such file.
fn read(file: &Path, fence: Option<&Path>) -> Result<Option<(FrontMatter, String)>, String> {
    let text = text::read_whole(file, fence, SKILL_BYTES_MAX);
    let Some(text) = text.map_err(|why| why.to_string())? else {
        return Ok(None);
    };
    let text = text::tidy(&text);
    let (front, body) = split(&text)?;
    let name = one_line(&front.name, SKILL_NAME_CHARS_MAX + 1);
    if name.is_empty() || name.chars().count() > SKILL_NAME_CHARS_MAX {
        return Err(format!(
            "its name must have 1 to {SKILL_NAME_CHARS_MAX} characters"
        ));
    }
    let front = FrontMatter { name, ..front };
    Ok(Some((front, body.trim().to_owned())))
}

/// The files of a skill besides its text. Links are not followed.
fn beside(root: &Path, directory: &Path, depth: usize, files: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let entries = entries.flatten().take(ENTRIES_MAX);
    let mut entries: Vec<_> = entries
        .map(|entry| (entry.path(), entry.file_type()))
        .collect();
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in entries {
        let is_hidden = |name: &str| name.starts_with('.');
        let (Ok(kind), Some(name)) = (kind, path.file_name().and_then(|name| name.to_str())) else {
            continue;
        };
        if is_hidden(name) || files.len() > SKILL_FILES_MAX {
            continue;
        }
        if kind.is_dir() && depth < SKILL_FILES_DEPTH_MAX {
            beside(root, &path, depth + 1, files);
        } else if kind.is_file() && path != root.join("SKILL.md") {
            let shown = path.strip_prefix(root).unwrap_or(&path).display();
            files.push(one_line(&shown.to_string(), usize::MAX));
        }
    }
}

#[cfg(test)]
mod tests;
