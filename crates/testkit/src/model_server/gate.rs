//! A place in a reply where the server stops until the test lets it go on.

use std::sync::Arc;

use tokio::sync::watch;

use super::WAIT;

/// A gate, closed at first. Clones are the same gate.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    is_open: watch::Sender<bool>,
    /// How many replies have come to it.
    arrivals: watch::Sender<usize>,
}

impl Gate {
    /// A closed gate.
    #[expect(
        clippy::new_without_default,
        reason = "a default gate says nothing about being closed"
    )]
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            is_open: watch::Sender::new(false),
            arrivals: watch::Sender::new(0),
        }))
    }

    /// Lets everyone through, now and later.
    pub fn open(&self) {
        self.0.is_open.send_replace(true);
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        *self.0.is_open.borrow()
    }

    /// Waits until it is open.
    pub async fn wait(&self) {
        let mut is_open = self.0.is_open.subscribe();
        is_open
            .wait_for(|is_open| *is_open)
            .await
            .expect("the gate itself keeps its channel alive");
    }

    /// Waits until the server stands before it: everything ahead of it in the reply was sent.
    pub async fn reached(&self) {
        let mut arrivals = self.0.arrivals.subscribe();
        let waited = tokio::time::timeout(WAIT, arrivals.wait_for(|arrivals| *arrivals > 0)).await;
        assert!(
            waited.is_ok(),
            "waited {WAIT:?} for the server to reach the gate"
        );
    }

    /// Waits at it, as a reply does.
    pub(super) async fn pass(&self) {
        self.0.arrivals.send_modify(|arrivals| *arrivals += 1);
        self.wait().await;
    }
}
