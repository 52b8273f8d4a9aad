//! How many turns run, for those who have something to do when none does.

use tokio::sync::watch;

/// Counts the turns that run.
pub(crate) struct Activity {
    running: watch::Sender<usize>,
}

/// One turn that runs.
pub(crate) struct Running {
    running: watch::Sender<usize>,
}

impl Default for Activity {
    fn default() -> Self {
        Self {
            running: watch::Sender::new(0),
        }
    }
}

impl Activity {
    /// Counts a turn for as long as what this gives is kept.
    pub(crate) fn begin(&self) -> Running {
        self.running.send_modify(|count| *count += 1);
        Running {
            running: self.running.clone(),
        }
    }

    /// Waits until turns have run and none does any more.
    pub(crate) async fn quiet(&self) {
        let mut running = self.running.subscribe();
        for is_due in [|count: &usize| *count > 0, |count: &usize| *count == 0] {
            // The sender stands beside us.
            let _ = running.wait_for(is_due).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.running.send_modify(|count| *count -= 1);
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
