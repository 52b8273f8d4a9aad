//! The file of keys: what `auth set` and `mcp login` keep, for this user's eyes only.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use codewhale_protocol::Secret;

use crate::Error;

/// Where it lies, in the home.
const PLACE: &str = "secrets/secrets.json";

/// Everyone but the owner.
const OTHERS: u32 = 0o077;

/// Keys by their names: that of a provider, or that of a login.
#[derive(Clone, Debug)]
pub struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    /// That of a home. It need not exist.
    pub fn of(home: &Path) -> Self {
        Self {
            path: home.join(PLACE),
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All keys in it. One that others could read is not believed to be a secret any more.
    pub fn read(&self) -> Result<BTreeMap<String, Secret>, Error> {
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => return Ok(BTreeMap::new()),
            Err(error) => return Err(self.failed(error)),
        };
        if metadata.mode() & OTHERS != 0 {
            return Err(Error::KeysInTheOpen {
                path: self.path.clone(),
            });
        }
        let text = fs::read_to_string(&self.path).map_err(|error| self.failed(error))?;
        let keys: BTreeMap<String, String> =
            serde_json::from_str(&text).map_err(|error| self.failed(io::Error::other(error)))?;
        Ok(keys
            .into_iter()
            .map(|(name, key)| (name, Secret::new(key)))
            .collect())
    }

    /// Keeps a key, in place of one it may have had.
    pub fn set(&self, name: &str, key: &Secret) -> Result<(), Error> {
        let _alone = self.alone()?;
        let mut keys = self.read()?;
        keys.insert(name.to_owned(), key.clone());
        self.write(&keys)
    }

    /// Forgets a key; false when there was none.
    pub fn clear(&self, name: &str) -> Result<bool, Error> {
        let _alone = self.alone()?;
        let mut keys = self.read()?;
        let was_there = keys.remove(name).is_some();
        if was_there {
            self.write(&keys)?;
        }
        Ok(was_there)
    }

    /// Keeps other processes from changing the file until what this returns is dropped: a server
    /// that renews a login must not undo what the user keeps at the same time.
    fn alone(&self) -> Result<File, Error> {
        let lock = || -> io::Result<File> {
            self.make_directory()?;
            let mut options = File::options();
            let options = options.write(true).create(true).truncate(false);
            let file = options.mode(0o600).open(self.path.with_extension("lock"))?;
            file.lock()?;
            Ok(file)
        };
        lock().map_err(|error| self.failed(error))
    }

    fn make_directory(&self) -> io::Result<()> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
    }

    /// Written beside it and put in its place, so that no moment shows half of it or shows it to
    /// others.
    fn write(&self, keys: &BTreeMap<String, Secret>) -> Result<(), Error> {
        let plain: BTreeMap<&str, &str> = keys
            .iter()
            .map(|(name, key)| (name.as_str(), key.expose()))
            .collect();
        let text = serde_json::to_string_pretty(&plain).expect("names and keys are text");
        let put = || -> io::Result<()> {
            let fresh = self.path.with_extension("new");
            match fs::remove_file(&fresh) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = File::options()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&fresh)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&fresh, &self.path)
        };
        put().map_err(|error| self.failed(error))
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Keys {
            path: self.path.clone(),
            source,
        }
    }
}

/// Where the home is not even a directory, others will say so.
fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn names(file: &KeyFile) -> Vec<String> {
        file.read().unwrap().into_keys().collect()
    }

    #[test]
    fn keys_are_kept_for_the_owner_alone_and_forgotten_on_request() {
        let home = tempfile::tempdir().unwrap();
        let file = KeyFile::of(home.path());
        assert!(names(&file).is_empty());
        file.set("deepseek", &Secret::new("k1")).unwrap();
        file.set("openai", &Secret::new("k2")).unwrap();
        file.set("deepseek", &Secret::new("k3")).unwrap();
        assert_eq!(names(&file), ["deepseek", "openai"]);
        assert_eq!(file.read().unwrap()["deepseek"].expose(), "k3");
        assert_eq!(fs::metadata(file.path()).unwrap().mode() & 0o777, 0o600);
        assert!(file.clear("deepseek").unwrap());
        assert!(!file.clear("deepseek").unwrap());
        assert_eq!(names(&file), ["openai"]);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_what_to_do() {
        let home = tempfile::tempdir().unwrap();
        let file = KeyFile::of(home.path());
        file.set("openai", &Secret::new("k")).unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).unwrap();
        let refused = file.read().unwrap_err().to_string();
        assert!(refused.contains("chmod 600"), "{refused}");
    }

    #[test]
    fn keys_that_are_kept_at_the_same_time_are_all_kept() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let file = KeyFile::of(home.path());
                scope.spawn(move || file.set(&format!("p{number}"), &Secret::new("k")).unwrap());
            }
        });
        assert_eq!(names(&KeyFile::of(home.path())).len(), 8);
    }

    #[test]
    fn a_file_that_makes_no_sense_is_not_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let file = KeyFile::of(home.path());
        file.set("openai", &Secret::new("k")).unwrap();
        fs::write(file.path(), "not json").unwrap();
        assert!(file.set("deepseek", &Secret::new("k")).is_err());
        assert_eq!(fs::read_to_string(file.path()).unwrap(), "not json");
    }
}
