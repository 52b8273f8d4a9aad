//! The files of the workspace, with their texts.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};

use crate::shell::Line;
use crate::workspace;

/// Paths are relative to the root and written with `/`.
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Every file that git does not ignore. Git is asked with an empty repository of its own, so
    /// that a file counts before it is added, and so that an exported tree, or one of another
    /// user, is read all the same.
    pub(crate) fn read() -> Result<Self> {
        let repository = tempfile::tempdir().context("could not make a folder for git")?;
        let repository = repository
            .path()
            .to_str()
            .context("a path that is no text")?;
        Line::new("git init --quiet --bare")
            .with([repository])
            .run()?;
        let listing = Line::new("git")
            .with([format!("--git-dir={repository}")])
            .with("--work-tree=. ls-files --others --exclude-standard -z".split(' '))
            .read()?;
        let mut files = BTreeMap::new();
        for path in listing.split_terminator('\0') {
            if workspace::root().join(path).symlink_metadata()?.is_file() {
                files.insert(path.to_owned(), text(path)?);
            }
        }
        Ok(Self { files })
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files among them.
    pub(super) fn rust_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// The files under a folder, which ends with `/`, or the one file of this path.
    pub(super) fn under(&self, folder: &str) -> impl Iterator<Item = (&str, &str)> {
        self.files()
            .filter(move |(path, _)| path.starts_with(folder))
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }
}

/// The text of a file; none of it if it is no text.
fn text(path: &str) -> Result<String> {
    let bytes =
        fs::read(workspace::root().join(path)).with_context(|| format!("could not read {path}"))?;
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Tree {
    fn from(files: [(&str, &str); N]) -> Self {
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        Self {
            files: files.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_holds_sources_and_nothing_that_was_built() {
        let tree = Tree::read().unwrap();
        assert!(tree.text("crates/xtask/src/tidy/tree.rs").is_some());
        assert!(tree.paths().all(|path| !path.starts_with("target/")));
        assert!(tree.paths().all(|path| !path.starts_with(".git/")));
    }
}
