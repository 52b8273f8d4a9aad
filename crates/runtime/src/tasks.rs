//! Tasks: every one has an owner that waits for it.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Error;

/// Goes through with something of which the rest of the program is to be safe: a panic in it is an
/// error to whoever waits.
pub(crate) async fn guarded<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    // The panic itself is in the log.
    done.unwrap_or(Err(Error::Panicked))
}

/// The tasks of a runtime, and the signal that ends them.
#[derive(Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Tasks {
    /// Starts a task. The runtime waits for it when it shuts down.
    pub(crate) fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tracker.spawn(task)
    }

    /// Fires when the runtime shuts down.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Tells all tasks to end and waits until they have.
    pub(crate) async fn end(&self) {
        self.stop.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_to_whoever_waits() {
        assert_eq!(guarded(async { Ok(1) }).await.ok(), Some(1));
        let broken = guarded::<()>(async { resume_unwind(Box::new("told to break")) });
        assert!(matches!(broken.await, Err(Error::Panicked)));
    }
}
