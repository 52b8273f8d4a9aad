//! File work off the async threads.

use std::future::pending;
use std::panic::resume_unwind;

use tokio_util::sync::CancellationToken;

use crate::Output;

/// Does work that waits for the file system.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work)
        .await
        .map_err(|lost| lost.try_into_panic())
    {
        Ok(value) => value,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime is going away, and this future with it.
        Err(Err(_)) => pending().await,
    }
}

/// The same for work that only reads: nothing is lost when nobody waits for its end any more. The
/// thread is left to finish by itself, which it does, because all reading is bounded.
pub(crate) async fn reading(
    cancel: &CancellationToken,
    work: impl FnOnce() -> Result<Output, Output> + Send + 'static,
) -> Output {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Output::failure("interrupted before the file system answered"),
        output = blocking(work) => output.unwrap_or_else(|failure| failure),
    }
}
