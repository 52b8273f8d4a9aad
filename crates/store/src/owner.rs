//! Owners: processes that use the store. Each holds a lock on a file of its own for as long as it
//! lives, so that its end, however sudden, is known at once.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use codewhale_protocol::runtime::OwnerId;

/// The directory of the lock files, beside the database.
const DIRECTORY: &str = "run";

/// Proof that this process lives.
pub(crate) struct OwnerLock {
    path: PathBuf,
    _file: File,
}

impl OwnerLock {
    /// Makes and locks the file. It appears under its name only when it is locked, so that nobody
    /// can take a process that is just starting for a dead one.
    pub(crate) fn take(home: &Path, id: &OwnerId) -> io::Result<Self> {
        let directory = home.join(DIRECTORY);
        fs::create_dir_all(&directory)?;
        let path = directory.join(file_name(id));
        let unnamed = path.with_extension("new");
        let file = File::options()
            .create(true)
            .truncate(true)
            .write(true)
            .open(&unnamed)?;
        file.lock()?;
        fs::rename(&unnamed, &path)?;
        Ok(Self { path, _file: file })
    }
}

impl Drop for OwnerLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Waits until no other process is opening the store, and keeps others waiting as long as what it
/// gives is kept. A new database cannot be made by several at once.
pub(crate) fn wait_to_open(home: &Path) -> io::Result<File> {
    let directory = home.join(DIRECTORY);
    fs::create_dir_all(&directory)?;
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.join("opening"))?;
    file.lock()?;
    Ok(file)
}

/// Whether the process behind an id lives. One whose file cannot be looked at counts as alive:
/// taking a living process's turns away does harm, leaving a dead one's for later does not.
pub(crate) fn is_alive(home: &Path, id: &OwnerId) -> bool {
    let path = home.join(DIRECTORY).join(file_name(id));
    match File::open(&path) {
        Ok(file) => matches!(file.try_lock(), Err(TryLockError::WouldBlock)),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// The ids of all lock files, of living and dead processes.
pub(crate) fn all(home: &Path) -> Vec<OwnerId> {
    let Ok(entries) = fs::read_dir(home.join(DIRECTORY)) else {
        return Vec::new();
    };
    let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    let mut ids: Vec<OwnerId> = entries
        .filter_map(name)
        .filter_map(|name| Some(name.strip_suffix(".lock")?.into()))
        .collect();
    ids.sort();
    ids
}

/// Removes the file of a dead process.
pub(crate) fn forget(home: &Path, id: &OwnerId) {
    let _ = fs::remove_file(home.join(DIRECTORY).join(file_name(id)));
}

fn file_name(id: &OwnerId) -> String {
    format!("{id}.lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_lives_exactly_as_long_as_it_holds_its_lock() {
        let home = tempfile::tempdir().unwrap();
        let id = OwnerId::from("owner_1");
        assert!(!is_alive(home.path(), &id));
        let lock = OwnerLock::take(home.path(), &id).unwrap();
        assert!(is_alive(home.path(), &id));
        assert_eq!(all(home.path()), std::slice::from_ref(&id));
        drop(lock);
        assert!(!is_alive(home.path(), &id));
        assert!(all(home.path()).is_empty());
    }

    #[test]
    fn an_owner_whose_file_cannot_be_looked_at_counts_as_alive() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(DIRECTORY), "no directory").unwrap();
        assert!(is_alive(home.path(), &OwnerId::from("owner_1")));
    }

    #[test]
    fn a_file_left_behind_without_its_lock_is_a_dead_owner() {
        let home = tempfile::tempdir().unwrap();
        let id = OwnerId::from("owner_1");
        let lock = OwnerLock::take(home.path(), &id).unwrap();
        let path = lock.path.clone();
        drop(lock);
        fs::write(&path, "").unwrap();
        assert!(!is_alive(home.path(), &id));
        assert_eq!(all(home.path()), std::slice::from_ref(&id));
        forget(home.path(), &id);
        assert!(all(home.path()).is_empty());
    }
}
