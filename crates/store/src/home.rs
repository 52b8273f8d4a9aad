//! The directory the store lives in, and what happens when its file is damaged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::OpenError;

/// Makes the directory for its owner alone, and finds out whether it can be written.
pub(crate) fn prepare(home: &Path) -> io::Result<()> {
    if !home.exists() {
        fs::create_dir_all(home)?;
        restrict(home, 0o700);
    }
    // Several processes may look at the same time, and several stores in one.
    let probe = home.join(format!(".write-probe-{}", std::process::id()));
    fs::write(&probe, [])?;
    match fs::remove_file(&probe) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Makes the file for its owner alone before anything is in it: the log and the index that the
/// database puts beside it take over its rights.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    let mut options = fs::File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?;
    restrict(path, 0o600);
    Ok(())
}

/// Lets nobody but the owner in. Where that cannot be done the directory's own rights decide.
fn restrict(path: &Path, mode: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    }
}

/// A damaged store that was set aside is not silently replaced by an empty one: a person has to
/// restore it or move it away first.
pub(crate) fn refuse_unsettled_damage(path: &Path) -> Result<(), OpenError> {
    if path.exists() {
        return Ok(());
    }
    match set_aside_before(path) {
        Some(set_aside) => Err(OpenError::Corrupt {
            path: path.to_owned(),
            set_aside,
        }),
        None => Ok(()),
    }
}

/// Moves a damaged store out of the way, together with its log.
pub(crate) fn set_aside(path: PathBuf) -> OpenError {
    let set_aside = (1..)
        .map(|n| aside_name(&path, n))
        .find(|name| !name.exists());
    let set_aside = set_aside.expect("some number is free");
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::rename(with_suffix(&path, suffix), with_suffix(&set_aside, suffix));
    }
    OpenError::Corrupt { path, set_aside }
}

fn set_aside_before(path: &Path) -> Option<PathBuf> {
    let newest = (1..)
        .map(|n| aside_name(path, n))
        .take_while(|name| name.exists());
    newest.last()
}

fn aside_name(path: &Path, number: u32) -> PathBuf {
    with_suffix(path, &format!(".damaged-{number}"))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
