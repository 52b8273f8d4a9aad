//! Failures of the database, sorted by what can be done about them.

/// What the database could not do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Another process holds the write lock for longer than we wait.
    #[error("the database is locked by another process")]
    Busy(#[source] rusqlite::Error),
    /// There is no room left.
    #[error("the disk is full")]
    Full(#[source] rusqlite::Error),
    /// The file or its directory cannot be written.
    #[error("the database cannot be written")]
    ReadOnly(#[source] rusqlite::Error),
    /// The file is damaged or no database at all.
    #[error("the database is damaged")]
    Corrupt(#[source] rusqlite::Error),
    /// A unique key is taken: another writer was there first.
    #[error("another writer was there first")]
    Unique(#[source] rusqlite::Error),
    /// A record does not read back.
    #[error("a stored record does not read")]
    Record(#[source] serde_json::Error),
    /// The lock file of this process or a thread could not be made.
    #[error("a lock file or thread could not be made")]
    Lock(#[source] std::io::Error),
    /// Anything else.
    #[error("the database failed")]
    Other(#[source] rusqlite::Error),
}

impl Error {
    /// What a full disk leads to, for a simulation of one.
    pub(crate) fn full() -> Self {
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        Error::Full(rusqlite::Error::SqliteFailure(full, None))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        use rusqlite::ffi;
        let Some(code) = error.sqlite_error() else {
            return Error::Other(error);
        };
        match code.code {
            Code::DatabaseBusy | Code::DatabaseLocked => Error::Busy(error),
            Code::DiskFull => Error::Full(error),
            // A full disk shows as a failed write where the file had to grow in shared memory.
            Code::SystemIoFailure
                if matches!(
                    code.extended_code,
                    ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_FSYNC
                ) =>
            {
                Error::Full(error)
            }
            Code::ReadOnly | Code::CannotOpen | Code::PermissionDenied => Error::ReadOnly(error),
            Code::DatabaseCorrupt | Code::NotADatabase => Error::Corrupt(error),
            Code::ConstraintViolation
                if matches!(
                    code.extended_code,
                    ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
                ) =>
            {
                Error::Unique(error)
            }
            _ => Error::Other(error),
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Error::Record(error)
    }
}
