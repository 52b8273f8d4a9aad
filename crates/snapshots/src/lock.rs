//! One visitor at a time, over all processes.

use std::fs::{File, TryLockError};
use std::path::Path;

use tokio::time::sleep;

use crate::{Error, limits};

/// The right to work in a side repository; ends when dropped, or with the process.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the right, for a bounded time.
    pub(crate) async fn take(directory: &Path) -> Result<Self, Error> {
        let path = directory.join("lock");
        let open = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let file = open.map_err(Error::files("open", &path))?;
        let looks = limits::LOCK_WAIT.as_millis() / limits::LOCK_LOOK.as_millis();
        for _ in 0..looks {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => sleep(limits::LOCK_LOOK).await,
                Err(TryLockError::Error(error)) => return Err(Error::files("lock", &path)(error)),
            }
        }
        Err(Error::Busy)
    }
}
