//! What can go wrong with snapshots.

use std::io;
use std::path::PathBuf;

/// A snapshot that could not be taken, read or gone back to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A directory that holds more than a project.
    #[error(
        "{} holds more than a project; open a directory of the project instead", path.display()
    )]
    NoProject {
        /// The directory.
        path: PathBuf,
    },
    /// Too much lies in the workspace.
    #[error(
        "the workspace holds more than {bytes_max} bytes; ignore what need not be kept, or raise \
         snapshots.max_workspace_gb"
    )]
    TooLarge {
        /// What it may hold.
        bytes_max: u64,
    },
    /// Too many files lie in the workspace.
    #[error("the workspace holds more than {entries_max} files; ignore what need not be kept")]
    TooMany {
        /// How many it may hold.
        entries_max: usize,
    },
    /// Another process works on the snapshots of the same workspace.
    #[error("the snapshots of this workspace are in use by another process; try again")]
    Busy,
    /// There is no such snapshot any more.
    #[error("there is no such snapshot; the oldest are dropped after a while")]
    Unknown,
    /// A path that is not text.
    #[error("the path {} is not text; snapshots need one that is", path.display())]
    NotText {
        /// The path.
        path: PathBuf,
    },
    /// git could not be started.
    #[error("git could not be started; snapshots need it to be installed")]
    Start(#[source] codewhale_sandbox::Error),
    /// git took too long and was stopped.
    #[error("git {task} took too long and was stopped")]
    Slow {
        /// What it was asked.
        task: String,
    },
    /// git failed.
    #[error("git {task} failed: {said}")]
    Git {
        /// What it was asked.
        task: String,
        /// What it said.
        said: String,
    },
    /// git answered something that does not read.
    #[error("git {task} answered in a way that is not understood")]
    Answer {
        /// What it was asked.
        task: &'static str,
    },
    /// The file system failed.
    #[error("could not {what} {}", path.display())]
    Files {
        /// What was attempted.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn files(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Files { what, path, source }
    }
}
