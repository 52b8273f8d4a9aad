//! What is done around a confined command for files that are not there yet.
//!
//! A path that does not exist cannot be put under guard. So a missing protected directory is made,
//! empty, before the command starts. Some files of a repository cannot be made without changing
//! what it means; those are looked for when the command is over, and removed if it made them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Certainty, Confinement, Denial, Denied, Walls};

/// Files that lead a repository to settings elsewhere, by their names beside `config`.
const LEADING_ELSEWHERE: [&str; 2] = ["commondir", "config.worktree"];

/// What must not be there when the command is over.
#[derive(Default)]
pub(crate) struct Guards {
    absent: Vec<PathBuf>,
}

impl Guards {
    /// Makes what is missing and notes what must stay so.
    pub(crate) fn set_up(walls: &Walls) -> Self {
        match walls {
            Walls::Open => Self::default(),
            Walls::Confined(confinement) => {
                confinement
                    .protected
                    .iter()
                    .for_each(|path| hold_place(path));
                Self {
                    absent: absent_in(confinement),
                }
            }
        }
    }

    /// Removes what was made against the rules, and says so.
    pub(crate) fn look_after(&self) -> Option<Denial> {
        let made = self.absent.iter().find(|path| is_there(path))?;
        let removed = self
            .absent
            .iter()
            .filter(|path| is_there(path))
            .all(|path| fs::remove_file(path).is_ok());
        let what_became = if removed {
            "was removed"
        } else {
            "could not be removed"
        };
        Some(Denial {
            what: Denied::File {
                path: Some(made.clone()),
            },
            certainty: Certainty::Certain,
            evidence: format!(
                "{} decides which settings and hooks the repository uses; it {what_became}",
                made.display()
            ),
        })
    }
}

/// Only below a directory that exists, and never over anything.
fn hold_place(path: &Path) {
    let in_vain = is_there(path) || !path.parent().is_some_and(Path::is_dir);
    if in_vain {
        return;
    }
    let _ = if path.ends_with(".git/config") {
        fs::File::create_new(path).map(drop)
    } else {
        fs::create_dir(path)
    };
}

fn absent_in(confinement: &Confinement) -> Vec<PathBuf> {
    let settings = confinement.protected.iter();
    let settings = settings.filter(|path| path.ends_with(".git/config"));
    settings
        .flat_map(|path| LEADING_ELSEWHERE.map(|name| path.with_file_name(name)))
        .filter(|path| !is_there(path))
        .collect()
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn repository() -> (TempDir, PathBuf) {
        let directory = TempDir::new().unwrap();
        let git = directory.path().join(".git");
        fs::create_dir(&git).unwrap();
        (directory, git)
    }

    #[test]
    fn what_is_missing_is_held_by_something_empty() {
        let (directory, git) = repository();
        let walls = Walls::Confined(Confinement::workspace(directory.path()));
        Guards::set_up(&walls);
        assert!(directory.path().join(".codewhale").is_dir());
        assert!(git.join("hooks").is_dir());
        assert_eq!(fs::read(git.join("config")).unwrap(), b"");
    }

    #[test]
    fn a_file_that_leads_elsewhere_is_removed_and_told() {
        let (directory, git) = repository();
        let walls = Walls::Confined(Confinement::workspace(directory.path()));
        let guards = Guards::set_up(&walls);
        assert_eq!(guards.look_after(), None);
        fs::write(git.join("commondir"), "/elsewhere").unwrap();
        let denial = guards.look_after().expect("a denial");
        assert_eq!(denial.certainty, Certainty::Certain);
        assert!(!git.join("commondir").exists());
        assert_eq!(guards.look_after(), None);
    }

    #[test]
    fn what_was_there_before_is_left_alone() {
        let (directory, git) = repository();
        fs::write(git.join("commondir"), "/elsewhere").unwrap();
        let walls = Walls::Confined(Confinement::workspace(directory.path()));
        assert_eq!(Guards::set_up(&walls).look_after(), None);
        assert!(git.join("commondir").exists());
        assert!(Guards::set_up(&Walls::Open).absent.is_empty());
    }
}
