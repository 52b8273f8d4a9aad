//! File work off the async threads.

use std::future::pending;
use std::panic::resume_unwind;

/// Does work that waits for the file system.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    match done.map_err(tokio::task::JoinError::try_into_panic) {
        Ok(value) => value,
        Err(Ok(panic)) => resume_unwind(panic),
        // The process is going away, and this future with it.
        Err(Err(_)) => pending().await,
    }
}
