//! How many turns run, for those who have something to do when none does.

use codewhale_store::Watched;

/// Counts the turns that run.
#[derive(Default)]
pub(crate) struct Activity {
    running: Watched<usize>,
}

/// One turn that runs.
pub(crate) struct Running {
    running: Watched<usize>,
}

impl Activity {
    /// Counts a turn for as long as what this gives is kept.
    pub(crate) fn begin(&self) -> Running {
        self.running.change(|count| {
            *count += 1;
            true
        });
        Running {
            running: self.running.clone(),
        }
    }

    /// Waits until turns have run and none does any more.
    pub(crate) async fn quiet(&self) {
        self.some().await;
        self.none().await;
    }

    /// Whether no turn runs.
    pub(crate) fn is_none(&self) -> bool {
        self.running.look(|count| *count == 0)
    }

    /// Waits until a turn runs.
    pub(crate) async fn some(&self) {
        self.running.until(|count| *count > 0).await;
    }

    /// Waits until no turn runs.
    pub(crate) async fn none(&self) {
        self.running.until(|count| *count == 0).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.running.change(|count| {
            *count -= 1;
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_is_quiet_when_the_last_turn_has_ended() {
        let activity = Activity::default();
        let mut quiet = Box::pin(activity.quiet());
        assert!(futures_util::poll!(&mut quiet).is_pending());
        let (one, other) = (activity.begin(), activity.begin());
        assert!(futures_util::poll!(&mut quiet).is_pending());
        drop(one);
        assert!(futures_util::poll!(&mut quiet).is_pending());
        drop(other);
        assert!(futures_util::poll!(&mut quiet).is_ready());
    }
}
