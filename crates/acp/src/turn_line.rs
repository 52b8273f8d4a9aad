//! The line in front of a session: prompts are served one after another, in the order they came.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

use crate::limits::PROMPTS_WAITING_MAX;

/// Gives out tickets, and tells whose turn it is.
pub(crate) struct TurnLine {
    next: AtomicU64,
    served: watch::Sender<u64>,
}

/// A place in the line.
pub(crate) struct Ticket(u64);

/// Whoever holds it is served; the next one is when it is gone.
pub(crate) struct Served<'a> {
    line: &'a TurnLine,
}

impl TurnLine {
    pub(crate) fn new() -> Self {
        Self {
            next: AtomicU64::new(0),
            served: watch::Sender::new(0),
        }
    }

    /// The last place in the line; none when it is too long.
    pub(crate) fn enter(&self) -> Option<Ticket> {
        let served = *self.served.borrow();
        let entered = self
            .next
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |next| {
                (next - served <= PROMPTS_WAITING_MAX).then_some(next + 1)
            });
        entered.ok().map(Ticket)
    }

    /// Waits for one's turn. A ticket must be waited for to the end, or the line stands still.
    pub(crate) async fn served(&self, ticket: Ticket) -> Served<'_> {
        let mut served = self.served.subscribe();
        let turn = served.wait_for(|served| *served == ticket.0).await;
        turn.expect("the sender stands beside us");
        Served { line: self }
    }

    /// Waits until nobody is served or waits.
    pub(crate) async fn idle(&self) {
        let mut served = self.served.subscribe();
        let all = || self.next.load(Ordering::Acquire);
        let _ = served.wait_for(|served| *served >= all()).await;
    }

    /// Whether somebody is served or waits.
    pub(crate) fn is_busy(&self) -> bool {
        self.next.load(Ordering::Acquire) > *self.served.borrow()
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        self.line.served.send_modify(|served| *served += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_came_first_is_served_first() {
        let line = TurnLine::new();
        let (first, second) = (line.enter().unwrap(), line.enter().unwrap());
        let waiting = line.served(second);
        tokio::pin!(waiting);
        tokio::select! {
            biased;
            _ = &mut waiting => panic!("the first one is not served yet"),
            () = std::future::ready(()) => {}
        }
        drop(line.served(first).await);
        drop(waiting.await);
        assert!(!line.is_busy());
    }

    #[tokio::test]
    async fn the_line_has_an_end() {
        let line = TurnLine::new();
        let tickets: Vec<_> = std::iter::from_fn(|| line.enter()).collect();
        assert_eq!(tickets.len() as u64, PROMPTS_WAITING_MAX + 1);
        let mut tickets = tickets.into_iter();
        drop(line.served(tickets.next().unwrap()).await);
        assert!(line.enter().is_some());
    }
}
