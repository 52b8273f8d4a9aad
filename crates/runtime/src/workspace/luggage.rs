//! What a repository brings along that could act: everything under the directories that agents read
//! tools, hooks, servers and skills from. It is looked at here and run by nobody.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{Error, limits};

/// Where such things stand, relative to the workspace.
const PLACES: &[&str] = &[
    ".agents",
    ".claude",
    ".codewhale",
    ".cursor",
    ".deepseek",
    ".mcp.json",
    ".opencode",
    "skills",
];

/// What the runtime itself writes there, which nobody has to trust.
const OWN: &str = ".codewhale/state";

/// The files, and a digest over their names and contents.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Luggage {
    pub(crate) files: Vec<String>,
    /// Nothing when there are no files.
    pub(crate) digest: Option<String>,
}

impl Luggage {
    /// Looks at everything. Reads files; not for the async workers.
    pub(crate) fn look(workspace: &Path) -> Result<Self, Error> {
        let unreadable = |source: io::Error| {
            let workspace = workspace.display();
            Error::Invalid(format!("{workspace} cannot be looked at: {source}"))
        };
        let mut found = Vec::new();
        for place in PLACES {
            collect(workspace, Path::new(place), &mut found).map_err(unreadable)?;
            if found.len() > limits::LUGGAGE_FILES_MAX {
                return Err(too_much(workspace));
            }
        }
        found.sort();
        let mut hasher = Sha256::new();
        let mut room = limits::LUGGAGE_BYTES_MAX;
        for path in &found {
            let digest = digest_of(&workspace.join(path), &mut room).map_err(unreadable)?;
            let Some(digest) = digest else {
                return Err(too_much(workspace));
            };
            let name = path.as_os_str().as_encoded_bytes();
            hasher.update((name.len() as u64).to_le_bytes());
            hasher.update(name);
            hasher.update(digest);
        }
        let digest = hex(&hasher.finalize());
        Ok(Self {
            digest: (!found.is_empty()).then_some(digest),
            files: found
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        })
    }
}

fn too_much(workspace: &Path) -> Error {
    Error::Invalid(format!(
        "{} brings along more files than anyone could look at; nothing of it is trusted",
        workspace.display()
    ))
}

/// Adds the files at and below a path. Links are not followed: where one leads is its content.
fn collect(workspace: &Path, relative: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if relative == Path::new(OWN) || found.len() > limits::LUGGAGE_FILES_MAX {
        return Ok(());
    }
    let path = workspace.join(relative);
    let kind = match path.symlink_metadata() {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !kind.is_dir() {
        found.push(relative.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(&path)? {
        collect(workspace, &relative.join(entry?.file_name()), found)?;
    }
    Ok(())
}

/// The digest of a file's mode and content; nothing when there is no room for it any more.
fn digest_of(path: &Path, room: &mut u64) -> io::Result<Option<[u8; 32]>> {
    let metadata = path.symlink_metadata()?;
    let mut hasher = Sha256::new();
    if metadata.is_symlink() {
        hasher.update(b"link");
        hasher.update(fs::read_link(path)?.as_os_str().as_encoded_bytes());
    } else if metadata.is_file() {
        hasher.update(if is_executable(&metadata) {
            b"prog"
        } else {
            b"file"
        });
        let mut content = fs::File::open(path)?.take(*room);
        let length = io::copy(&mut content, &mut HashWriter(&mut hasher))?;
        *room -= length;
        if *room == 0 {
            return Ok(None);
        }
    } else {
        hasher.update(b"else");
    }
    Ok(Some(hasher.finalize().into()))
}

fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_plain_repository_brings_nothing() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "src/main.rs", "fn main() {}");
        write(root.path(), ".codewhale/state/subagents.v1.json", "{}");
        assert_eq!(Luggage::look(root.path()).unwrap(), Luggage::default());
    }

    #[test]
    fn every_change_of_content_name_mode_or_link_is_another_digest() {
        let root = tempfile::tempdir().unwrap();
        let look = || Luggage::look(root.path()).unwrap();
        let mut seen = vec![look().digest];
        let mut is_new = || {
            let digest = look().digest;
            assert!(!seen.contains(&digest));
            seen.push(digest);
        };
        write(root.path(), ".codewhale/tools/greet", "echo hello");
        is_new();
        write(root.path(), ".codewhale/tools/greet", "echo farewell");
        is_new();
        let tool = root.path().join(".codewhale/tools/greet");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        is_new();
        fs::rename(&tool, tool.with_file_name("greet2")).unwrap();
        is_new();
        symlink("/etc/passwd", &tool).unwrap();
        is_new();
        fs::remove_file(&tool).unwrap();
        symlink("/etc/shadow", &tool).unwrap();
        is_new();
        assert_eq!(
            look().files,
            [".codewhale/tools/greet", ".codewhale/tools/greet2"]
        );
    }

    #[test]
    fn more_than_anyone_could_look_at_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let large = fs::File::options();
        write(root.path(), ".codewhale/large", "");
        let file = large
            .clone()
            .write(true)
            .open(root.path().join(".codewhale/large"));
        file.unwrap()
            .set_len(limits::LUGGAGE_BYTES_MAX + 1)
            .unwrap();
        assert!(Luggage::look(root.path()).is_err());
    }
}
