//! What is said while the servers come up.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use codewhale_protocol::{
    McpStartupCompleteEvent, McpStartupFailure, McpStartupStatus, McpStartupUpdateEvent,
};
use tokio::sync::watch;

/// A step of the way up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Startup {
    /// One server moved. One that was slow or failed may still become ready later.
    Update(McpStartupUpdateEvent),
    /// Every server was heard of; said once.
    Complete(McpStartupCompleteEvent),
}

type Listener = Arc<dyn Fn(Startup) + Send + Sync>;

/// Collects what the supervisors report.
pub(crate) struct Startups {
    listener: Listener,
    open: Mutex<Open>,
    is_summed_up: AtomicBool,
    /// Counts what was passed on.
    steps: watch::Sender<u64>,
}

/// What is known of each server.
type Open = BTreeMap<String, Steps>;

#[derive(Default)]
struct Steps {
    /// What became of it first; nothing while it is on its way.
    first: Option<McpStartupStatus>,
    /// What was said last.
    last: Option<McpStartupStatus>,
}

impl Steps {
    /// Whether there is something new to say.
    fn take(&mut self, status: &McpStartupStatus) -> bool {
        let is_news = match status {
            McpStartupStatus::Starting => self.last.is_none(),
            McpStartupStatus::Cancelled => self.first.is_none(),
            McpStartupStatus::Ready | McpStartupStatus::Failed { .. } => {
                self.last.as_ref() != Some(status)
            }
        };
        if is_news {
            self.last = Some(status.clone());
            if *status != McpStartupStatus::Starting {
                self.first.get_or_insert_with(|| status.clone());
            }
        }
        is_news
    }
}

impl Startups {
    pub(crate) fn new(names: impl Iterator<Item = String>, listener: Listener) -> Self {
        let startups = Self {
            listener,
            open: Mutex::new(names.map(|name| (name, Steps::default())).collect()),
            is_summed_up: AtomicBool::new(false),
            steps: watch::Sender::new(0),
        };
        startups.sum_up();
        startups
    }

    /// Passes a step on, and the sum when it was the last one.
    pub(crate) fn report(&self, server: &str, status: McpStartupStatus) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = open
            .get_mut(server)
            .is_some_and(|steps| steps.take(&status));
        drop(open);
        if is_news {
            (self.listener)(Startup::Update(McpStartupUpdateEvent {
                server_name: server.to_owned(),
                status,
            }));
            self.sum_up();
            self.steps.send_modify(|steps| *steps += 1);
        }
    }

    /// Waits until it is known what became of a server.
    pub(crate) async fn heard(&self, server: &str) {
        let is_heard = |_: &u64| {
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.get(server).is_none_or(|steps| steps.first.is_some())
        };
        let _ = self.steps.subscribe().wait_for(is_heard).await;
    }

    fn sum_up(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.values().any(|steps| steps.first.is_none()) {
            return;
        }
        let summary = summary(&open);
        drop(open);
        if !self.is_summed_up.swap(true, Ordering::Relaxed) {
            (self.listener)(Startup::Complete(summary));
        }
    }
}

fn summary(open: &Open) -> McpStartupCompleteEvent {
    let mut summary = McpStartupCompleteEvent {
        ready: Vec::new(),
        failed: Vec::new(),
        cancelled: Vec::new(),
    };
    for (name, steps) in open {
        match &steps.first {
            Some(McpStartupStatus::Ready) => summary.ready.push(name.clone()),
            Some(McpStartupStatus::Failed { error }) => summary.failed.push(McpStartupFailure {
                server_name: name.clone(),
                error: error.clone(),
            }),
            Some(McpStartupStatus::Cancelled) => summary.cancelled.push(name.clone()),
            Some(McpStartupStatus::Starting) | None => {}
        }
    }
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_said_once_and_the_sum_after_the_last() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let to = heard.clone();
        let listener = Arc::new(move |step| to.lock().unwrap().push(step));
        let startups = Startups::new(["a", "b"].map(str::to_owned).into_iter(), listener);
        let failed = || McpStartupStatus::Failed {
            error: "slow".to_owned(),
        };
        for (server, status) in [
            ("a", McpStartupStatus::Starting),
            ("b", McpStartupStatus::Starting),
            ("a", failed()),
            ("a", McpStartupStatus::Starting),
            ("a", failed()),
            ("b", McpStartupStatus::Cancelled),
            ("a", McpStartupStatus::Ready),
            ("a", McpStartupStatus::Cancelled),
        ] {
            startups.report(server, status);
        }
        let heard = heard.lock().unwrap();
        let kinds: Vec<_> = heard
            .iter()
            .map(|step| match step {
                Startup::Update(update) => format!("{}: {:?}", update.server_name, update.status),
                Startup::Complete(sum) => format!("{:?} {:?}", sum.ready, sum.cancelled),
            })
            .collect();
        assert_eq!(
            kinds,
            [
                "a: Starting",
                "b: Starting",
                "a: Failed { error: \"slow\" }",
                "b: Cancelled",
                "[] [\"b\"]",
                "a: Ready",
            ]
        );
    }
}
