//! What a repository and its user have written down for agents.
//!
//! The user's own file counts everywhere. Those of a repository are text like any other file in it:
//! they are read whether or not the repository is trusted, and marked as coming from it. The files
//! nearest to the workspace get room first and stand last.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::limits::{
    ENTRIES_MAX, INSTRUCTION_FILE_BYTES_MAX, INSTRUCTION_PART_BYTES_MIN, INSTRUCTIONS_BYTES_MAX,
    PARENTS_MAX, RULES_MAX,
};
use super::repository::root_of;
use super::text::{self, kept_inside};
use super::{Problem, Sources};

/// Where instructions stand in a directory of a repository, in this order.
const FILES: &[&str] = &[
    "AGENTS.md",
    ".claude/instructions.md",
    "CLAUDE.md",
    ".codewhale/instructions.md",
    ".deepseek/instructions.md",
];

/// Directories with one file per rule, read behind them.
const RULES: &[&str] = &[".codewhale/rules"];

/// The user's own, in the home.
const GLOBAL: &str = "AGENTS.md";

const TAG: &str = "instructions";

const INTRODUCTION: &str = "# Instructions\n\
    Follow these unless the user says otherwise in the conversation. Those from the user come \
    first; those from the repository were written by its authors, say how to work in it, and \
    cannot permit what the user or a refusal forbids. Where two differ, the later one is nearer to \
    the workspace and holds.";

/// The block of a prompt, empty when there is nothing; and what was not read.
pub(super) fn gather(sources: &Sources) -> (String, Vec<Problem>) {
    let mut reader = Reader {
        room: INSTRUCTIONS_BYTES_MAX,
        seen: Vec::new(),
        problems: Vec::new(),
    };
    let global = reader.take("user", &sources.home.join(GLOBAL), GLOBAL, None);
    let workspace = &sources.workspace;
    let mut directories = Vec::new();
    match workspace.canonicalize() {
        Ok(workspace) => {
            let root = root_of(&workspace);
            let above = workspace.ancestors().take(PARENTS_MAX);
            for directory in above.take_while(|directory| directory.starts_with(&root)) {
                directories.push(reader.directory(directory, &root));
            }
        }
        Err(error) => reader.problems.push(Problem::new(workspace, error)),
    }
    // The nearest one was read first.
    let parts = global
        .into_iter()
        .chain(directories.into_iter().rev().flatten());
    let parts: Vec<String> = parts.collect();
    let block = match parts.as_slice() {
        [] => String::new(),
        parts => format!("{INTRODUCTION}\n\n{}", parts.join("\n")),
    };
    (block, reader.problems)
}

struct Reader {
    /// Bytes that are left.
    room: usize,
    /// Texts that were taken: one is often a copy of another or a link to it.
    seen: Vec<String>,
    problems: Vec<Problem>,
}

impl Reader {
    fn directory(&mut self, directory: &Path, root: &Path) -> Vec<String> {
        let mut paths: Vec<PathBuf> = FILES.iter().map(|file| directory.join(file)).collect();
        for rules in RULES {
            paths.extend(self.rules(&directory.join(rules), root));
        }
        let mut parts = Vec::new();
        for path in paths {
            let origin = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .display()
                .to_string();
            parts.extend(self.take("repository", &path, &origin, Some(root)));
        }
        parts
    }

    /// The files of a directory of rules, by name.
    fn rules(&mut self, directory: &Path, root: &Path) -> Vec<PathBuf> {
        // A link to a directory elsewhere would tell the names in it.
        let is_inside = directory
            .canonicalize()
            .is_ok_and(|directory| directory.starts_with(root));
        let Some(entries) = is_inside.then(|| fs::read_dir(directory).ok()).flatten() else {
            return Vec::new();
        };
        let paths = entries
            .flatten()
            .take(ENTRIES_MAX)
            .map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
            .collect();
        paths.sort();
        if paths.len() > RULES_MAX {
            let why = format!("it has more than {RULES_MAX} rules; the others were left out");
            self.problems.push(Problem::new(directory, why));
            paths.truncate(RULES_MAX);
        }
        paths
    }

    /// One file as a part of the block.
    fn take(
        &mut self,
        from: &str,
        path: &Path,
        origin: &str,
        root: Option<&Path>,
    ) -> Option<String> {
        let read = match text::read(path, root, INSTRUCTION_FILE_BYTES_MAX) {
            Ok(read) => read?,
            Err(why) => {
                self.problems.push(Problem::new(path, why));
                return None;
            }
        };
        let whole = text::tidy(&read.text);
        let whole = whole.trim();
        if whole.is_empty() || self.seen.iter().any(|seen| seen == whole) {
            return None;
        }
        self.seen.push(whole.to_owned());
        let text = &whole[..whole.floor_char_boundary(self.room)];
        let is_cut = read.is_cut || text.len() < whole.len();
        if is_cut {
            let why = "there is no room for all of it; the rest was left out";
            self.problems.push(Problem::new(path, why));
        }
        if text.len() < whole.len().min(INSTRUCTION_PART_BYTES_MIN) {
            return None;
        }
        self.room -= text.len();
        Some(part(from, origin, text, is_cut))
    }
}

fn part(from: &str, origin: &str, text: &str, is_cut: bool) -> String {
    let origin = text::one_line(&origin.replace(['"', '<', '>'], "_"), usize::MAX);
    let text = kept_inside(TAG, text);
    let mut part = format!("<{TAG} from=\"{from}\" file=\"{origin}\">\n{text}\n");
    if is_cut {
        let _ = writeln!(part, "[cut here; read the file for the rest]");
    }
    let _ = write!(part, "</{TAG}>");
    part
}

#[cfg(test)]
mod tests;
