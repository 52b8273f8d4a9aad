//! The directories that a turn works in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The workspace, which relative paths start from, and the directories that were added to it.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) workspace: PathBuf,
    /// Real paths: without links in them when they were added.
    pub(crate) added: Arc<[PathBuf]>,
}

impl Roots {
    /// Whether a path without links lies in one of those that were added.
    pub(crate) fn have_added(&self, path: &Path) -> bool {
        self.added.iter().any(|root| path.starts_with(root))
    }
}

#[cfg(test)]
impl From<&Path> for Roots {
    fn from(workspace: &Path) -> Self {
        Self {
            workspace: workspace.to_owned(),
            added: Arc::default(),
        }
    }
}
