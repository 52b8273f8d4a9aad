//! Files of an attempt: read without leaving the workspace, kept with a digest.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use codewhale_protocol::runtime::{FleetArtifact, FleetRunId};
use sha2::{Digest, Sha256};

use crate::limits;

/// What was read of a file.
pub(super) struct Bounded {
    pub(super) bytes: Vec<u8>,
    /// How long the file is.
    pub(super) size: u64,
}

/// Reads the beginning of a plain file below a directory. Links that lead out of it do not count.
pub(super) fn read_bounded(directory: &Path, path: &str, most: u64) -> io::Result<Bounded> {
    let root = directory.canonicalize()?;
    let whole = root.join(path).canonicalize()?;
    if !whole.starts_with(&root) {
        return Err(io::Error::other("it is outside the workspace"));
    }
    let file = File::open(&whole)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Bounded {
        bytes,
        size: facts.len(),
    })
}

/// Where an attempt keeps what it leaves.
#[derive(Clone)]
pub(super) struct Shelf {
    directory: PathBuf,
}

impl Shelf {
    /// Makes the directory of an attempt, for the user alone.
    pub(super) fn make(
        root: &Path,
        run: &FleetRunId,
        task: &str,
        attempt: u64,
    ) -> io::Result<Self> {
        let directory = root.join(run.as_str()).join(task).join(attempt.to_string());
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&directory)?;
        Ok(Self { directory })
    }

    /// A path in it.
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Keeps bytes under a name.
    pub(super) fn keep(&self, kind: &str, name: &str, bytes: &[u8]) -> io::Result<FleetArtifact> {
        let path = self.at(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut file = private(&path)?;
        file.write_all(bytes)?;
        Ok(artifact(kind, &path, bytes))
    }

    /// Keeps a file of the workspace, unless it is too long.
    pub(super) fn copy(
        &self,
        kind: &str,
        directory: &Path,
        path: &str,
    ) -> io::Result<FleetArtifact> {
        let most = limits::FLEET_ARTIFACT_BYTES_MAX;
        let file = read_bounded(directory, path, most)?;
        if file.size > most {
            return Err(io::Error::other(format!("it is longer than {most} bytes")));
        }
        self.keep(kind, &format!("kept/{path}"), &file.bytes)
    }
}

fn artifact(kind: &str, path: &Path, bytes: &[u8]) -> FleetArtifact {
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    let mime = match kind {
        "patch" => "text/x-diff",
        "log" => "application/x-ndjson",
        _ if is_json => "application/json",
        _ if std::str::from_utf8(bytes).is_ok() => "text/plain",
        _ => "application/octet-stream",
    };
    FleetArtifact {
        kind: kind.to_owned(),
        path: path.display().to_string(),
        checksum: Some(checksum(bytes)),
        mime_type: Some(mime.to_owned()),
        size_bytes: Some(bytes.len() as u64),
    }
}

fn checksum(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

/// What a worker said, as it says it. Bounded: the beginning counts, and that there was more.
pub(super) struct Log {
    path: PathBuf,
    file: File,
    hasher: Sha256,
    bytes: u64,
    is_full: bool,
}

impl Log {
    pub(super) fn begin(shelf: &Shelf) -> io::Result<Self> {
        let path = shelf.at("worker.log");
        Ok(Self {
            file: private(&path)?,
            path,
            hasher: Sha256::new(),
            bytes: 0,
            is_full: false,
        })
    }

    /// Adds a line, masked before. What cannot be written is not worth ending the work.
    pub(super) fn line(&mut self, line: &str) {
        if self.is_full {
            return;
        }
        let mut text = format!("{line}\n");
        if self.bytes + text.len() as u64 > limits::FLEET_LOG_BYTES_MAX {
            self.is_full = true;
            text = "[the rest of the log was left out]\n".to_owned();
        }
        if self.file.write_all(text.as_bytes()).is_ok() {
            self.hasher.update(text.as_bytes());
            self.bytes += text.len() as u64;
        }
    }

    pub(super) fn end(self) -> FleetArtifact {
        let digest = self.hasher.finalize();
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        FleetArtifact {
            kind: "log".to_owned(),
            path: self.path.display().to_string(),
            checksum: Some(format!("sha256:{hex}")),
            mime_type: Some("application/x-ndjson".to_owned()),
            size_bytes: Some(self.bytes),
        }
    }
}
