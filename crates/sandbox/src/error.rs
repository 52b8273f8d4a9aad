//! Why a command did not run.

use std::io;
use std::path::PathBuf;

use crate::limits::JOBS_RUNNING_MAX;

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
    /// The walls that were asked for could not be put up, so nothing ran.
    #[error(
        "the command did not run, because it could not be confined: {why}; `doctor` tells what is \
         missing, and it can be allowed to run without walls"
    )]
    CannotConfine {
        /// What stood in the way.
        why: String,
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
    /// Too many commands run in the background already.
    #[error(
        "{JOBS_RUNNING_MAX} commands run in the background already; stop one or wait for one first"
    )]
    TooManyJobs,
    /// The command was started without an input that stays open, or it was closed.
    #[error("the command takes no input any more; start it with an input that stays open")]
    InputClosed,
    /// The command does not read what is written to it.
    #[error("the command did not read its input in time; wait until it asks for some")]
    InputNotRead,
}
