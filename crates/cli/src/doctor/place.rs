//! A place on the disk: where it is, whether it is there, and how much is in it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Entries of a directory that are counted; beyond them the number says nothing more.
const ENTRIES_MAX: usize = 10_000;

/// The longest file of drafts that is counted, in bytes.
const DRAFTS_BYTES_MAX: u64 = 4 * 1024 * 1024;

pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) present: bool,
    pub(super) count: usize,
}

impl Place {
    /// A directory, with its entries.
    pub(super) fn directory(path: PathBuf) -> Self {
        let entries = fs::read_dir(&path).map(|entries| entries.take(ENTRIES_MAX).count());
        Self {
            present: path.is_dir(),
            count: entries.unwrap_or(0),
            path,
        }
    }

    /// A directory of skills, with those that can be read.
    pub(super) fn skills(path: PathBuf, fence: Option<&Path>) -> Self {
        Self {
            present: path.is_dir(),
            count: codewhale_engine::count_skills(&path, fence),
            path,
        }
    }

    /// A file with a draft in each line, with those that say something.
    pub(super) fn drafts(path: PathBuf) -> Self {
        let is_short = fs::metadata(&path).is_ok_and(|it| it.len() <= DRAFTS_BYTES_MAX);
        let text = is_short.then(|| fs::read_to_string(&path).ok()).flatten();
        let is_draft = |line: &&str| match serde_json::from_str(line) {
            Ok(Value::String(text)) => !text.trim().is_empty(),
            Ok(Value::Object(draft)) => !draft.is_empty(),
            Ok(_) | Err(_) => false,
        };
        Self {
            present: path.is_file(),
            count: text.map_or(0, |text| text.lines().filter(is_draft).count()),
            path,
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({ "path": self.path, "present": self.present, "count": self.count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_say_something_are_drafts() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("stash.jsonl");
        assert!(!Place::drafts(file.clone()).present);
        fs::write(&file, "\"a\"\n\" \"\n{\"text\":\"b\"}\n{}\nbroken\n\n").unwrap();
        let found = Place::drafts(file);
        assert_eq!((found.present, found.count), (true, 2));
    }
}
