//! Why a command did not run.

use std::io;
use std::path::PathBuf;

/// A command that could not be started, or was lost.
#[derive(thiserror::Error, Debug)]
pub enum Error {
    /// There is no such directory, or it may not be entered.
    #[error("could not use {} as the working directory", path.display())]
    WorkingDirectory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// There is no such program, or it may not be run.
    #[error("could not start {}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The process started and its end could not be learnt.
    #[error("could not learn how {} ended", program.display())]
    Wait {
        /// The program.
        program: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
