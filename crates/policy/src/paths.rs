//! Paths by their text alone: joined, straightened, compared by whole names.

use std::path::{Component, Path, PathBuf};

/// A path with `.` and `..` worked out. Links are not followed: nobody here looks at the disk.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

/// A path as written, seen from a directory.
pub(crate) fn join(base: &Path, text: &str) -> PathBuf {
    normal(&base.join(text))
}

/// Whether a path is the directory or lies in it.
pub(crate) fn is_inside(path: &Path, directory: &Path) -> bool {
    normal(path).starts_with(normal(directory))
}

/// The directories that a script may be in while it runs: where it starts, and wherever it goes.
/// Which of them counts at a command is left open, so a path has to be right from each.
#[derive(Clone, Debug)]
pub(crate) struct Whereabouts {
    places: Vec<PathBuf>,
    is_lost: bool,
}

/// More stops than this and we are lost; each doubles the places.
const PLACES_MAX: usize = 16;

impl Whereabouts {
    pub(crate) fn at(cwd: &Path) -> Self {
        Self {
            places: vec![normal(cwd)],
            is_lost: false,
        }
    }

    /// Follows `cd`. `None` is a place that nobody knows.
    pub(crate) fn goes(&mut self, target: Option<&str>) {
        let Some(target) = target.filter(|_| self.places.len() * 2 <= PLACES_MAX) else {
            self.is_lost = true;
            return;
        };
        let further: Vec<PathBuf> = self.places.iter().map(|it| join(it, target)).collect();
        self.places.extend(further);
        self.places.sort();
        self.places.dedup();
    }

    /// All that a path as written may mean. `None` when that is unknown.
    pub(crate) fn resolve(&self, text: &str) -> Option<Vec<PathBuf>> {
        if Path::new(text).is_absolute() {
            return Some(vec![normal(Path::new(text))]);
        }
        let seen = self.places.iter().map(|it| join(it, text));
        (!self.is_lost).then(|| seen.collect())
    }
}
/// Directories whose content makes others run things: hooks and settings of a repository, tools and
/// settings of our own.
const GUARDED: &[&str] = &[".codewhale", ".deepseek", ".git"];

/// Whether a path lies in such a directory.
pub(crate) fn is_guarded(path: &Path) -> bool {
    path.components()
        .any(|part| GUARDED.iter().any(|name| part.as_os_str() == *name))
}
