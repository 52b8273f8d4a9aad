//! What the store can fail at.

use std::path::PathBuf;
use std::sync::Arc;

use crate::Guard;
use crate::db;
use crate::migrate::MigrateError;

/// The store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The state was not what the batch relied on; nothing of it was written.
    #[error("the state changed meanwhile")]
    Guard(Guard),
    /// There is no room left on the disk.
    #[error("the disk that holds the store is full")]
    DiskFull(#[source] Cause),
    /// The file cannot be written any more.
    #[error("the store cannot be written")]
    ReadOnly(#[source] Cause),
    /// The file is damaged.
    #[error("the store is damaged")]
    Corrupt(#[source] Cause),
    /// Another process does not let go of it.
    #[error("the store is locked by another process")]
    Busy(#[source] Cause),
    /// A record does not read back.
    #[error("a stored record does not read")]
    Record(#[source] Cause),
    /// Something else failed below.
    #[error("the store failed")]
    Database(#[source] Cause),
    /// The store is being closed.
    #[error("the store is closed")]
    Closed,
}

/// The database's own words, for logs. Shared by all whom one failed commit concerns.
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
pub struct Cause(Arc<db::Error>);

impl From<db::Error> for Error {
    fn from(error: db::Error) -> Self {
        Error::shared(&Arc::new(error))
    }
}

impl Error {
    pub(crate) fn shared(error: &Arc<db::Error>) -> Self {
        let cause = Cause(Arc::clone(error));
        match **error {
            db::Error::Full(_) => Error::DiskFull(cause),
            db::Error::ReadOnly(_) => Error::ReadOnly(cause),
            db::Error::Corrupt(_) => Error::Corrupt(cause),
            db::Error::Busy(_) => Error::Busy(cause),
            db::Error::Record(_) => Error::Record(cause),
            db::Error::Unique(_) | db::Error::Lock(_) | db::Error::Other(_) => {
                Error::Database(cause)
            }
        }
    }
}

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The directory cannot be made or written.
    #[error("cannot write to {}; make the directory writable or set CODEWHALE_HOME to another one", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write to {}; check its owner and permissions", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Cause,
    },
    /// There is no room to open it.
    #[error("the disk that holds {} is full; free some space and start again", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Cause,
    },
    /// A newer program made it.
    #[error(
        "{} was written by a newer version (schema {found}, this version knows up to {known}); \
         update codewhale, or set CODEWHALE_HOME to another directory",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The newest version known here.
        known: u64,
    },
    /// It is no database, or a damaged one. It was moved aside, not deleted.
    #[error(
        "{} is damaged and was set aside as {}; restore a backup as {}, or move the damaged file \
         out of the directory to begin with an empty store",
        path.display(), set_aside.display(), path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where it is now.
        set_aside: PathBuf,
    },
    /// Something else failed.
    #[error("cannot open {}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Cause,
    },
}

impl OpenError {
    pub(crate) fn from_database(path: PathBuf, error: MigrateError) -> Self {
        let error = match error {
            MigrateError::Newer { found, known } => return Self::Newer { path, found, known },
            MigrateError::Database(error) => error,
        };
        match error {
            db::Error::ReadOnly(_) => Self::ReadOnly {
                path,
                source: Cause(Arc::new(error)),
            },
            db::Error::Full(_) => Self::DiskFull {
                path,
                source: Cause(Arc::new(error)),
            },
            _ => Self::Other {
                path,
                source: Cause(Arc::new(error)),
            },
        }
    }
}
