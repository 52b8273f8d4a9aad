//! What waits for the writer. Deltas that pile up here are merged per item, so a slow disk makes
//! larger deltas and never a growing queue.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use codewhale_protocol::runtime::{StreamId, Timestamp};
use tokio::sync::{Notify, oneshot};

use crate::envelope::DeltaTemplate;
use crate::{Batch, Committed, Error, limits};

/// One thing for the writer to do.
pub(crate) enum Entry {
    Batch(Box<Batch>, oneshot::Sender<Result<Committed, Error>>),
    Delta(Delta),
}

/// Text for a running item, already escaped for JSON.
pub(crate) struct Delta {
    pub(crate) target: Arc<DeltaTarget>,
    pub(crate) at: Timestamp,
    pub(crate) escaped: String,
}

/// The item that deltas are for.
#[derive(Debug)]
pub(crate) struct DeltaTarget {
    pub(crate) template: DeltaTemplate,
    /// Set when a delta could not be stored: the log then lacks text that the item has.
    pub(crate) lost: AtomicBool,
}

/// What the writer finds when it looks.
pub(crate) enum Taken {
    Entries(Vec<Entry>),
    /// Nothing came for the time given.
    Nothing,
    Closed,
}

pub(crate) struct Queue {
    inner: Mutex<Inner>,
    arrived: Condvar,
    /// The same for a writer that is no thread.
    filled: Notify,
    /// Tells those who wait for room that the writer took everything.
    taken: Notify,
    merge: bool,
}

#[derive(Default)]
struct Inner {
    entries: Vec<Entry>,
    /// The entry that a delta of the stream's running item may still be merged into.
    open: HashMap<StreamId, usize>,
    bytes: usize,
    writer_waits: bool,
    /// The writer is to come back from waiting although there is nothing for it.
    nudged: bool,
    closed: bool,
}

impl Queue {
    pub(crate) fn new(merge: bool) -> Self {
        Self {
            inner: Mutex::default(),
            arrived: Condvar::new(),
            filled: Notify::new(),
            taken: Notify::new(),
            merge,
        }
    }

    pub(crate) fn push_batch(
        &self,
        batch: Batch,
        reply: oneshot::Sender<Result<Committed, Error>>,
    ) {
        let mut inner = self.lock();
        if inner.closed {
            drop(inner);
            let _ = reply.send(Err(Error::Closed));
            return;
        }
        for event in &batch.events {
            inner.open.remove(&event.stream);
        }
        inner.entries.push(Entry::Batch(Box::new(batch), reply));
        self.wake(inner);
    }

    pub(crate) fn push_delta(&self, target: &Arc<DeltaTarget>, at: Timestamp, escaped: &str) {
        let mut inner = self.lock();
        if inner.closed {
            target.lost.store(true, Ordering::Release);
            return;
        }
        inner.bytes += escaped.len();
        let stream = &target.template.stream;
        let open = inner.open.get(stream).copied().filter(|_| self.merge);
        if let Some(index) = open
            && let Some(Entry::Delta(delta)) = inner.entries.get_mut(index)
            && Arc::ptr_eq(&delta.target, target)
            && delta.escaped.len() < limits::DELTA_BYTES_MAX
        {
            delta.escaped.push_str(escaped);
            return;
        }
        let index = inner.entries.len();
        inner.open.insert(stream.clone(), index);
        let delta = Delta {
            target: Arc::clone(target),
            at,
            escaped: escaped.to_owned(),
        };
        inner.entries.push(Entry::Delta(delta));
        self.wake(inner);
    }

    /// Waits until the queue is short enough to add to.
    pub(crate) async fn room(&self) {
        loop {
            let taken = self.taken.notified();
            {
                let inner = self.lock();
                let full = inner.bytes > limits::QUEUE_BYTES_MAX
                    || inner.entries.len() > limits::QUEUE_ENTRIES_MAX;
                if !full || inner.closed {
                    return;
                }
            }
            taken.await;
        }
    }

    /// Takes all there is, waiting for the first entry.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> Taken {
        let mut inner = self.lock();
        loop {
            if !inner.entries.is_empty() {
                return Taken::Entries(self.drain(inner));
            }
            if inner.closed {
                return Taken::Closed;
            }
            if std::mem::take(&mut inner.nudged) {
                return Taken::Nothing;
            }
            inner.writer_waits = true;
            match timeout {
                None => inner = self.arrived.wait(inner).expect(NOT_POISONED),
                Some(timeout) => {
                    let (again, result) = self
                        .arrived
                        .wait_timeout(inner, timeout)
                        .expect(NOT_POISONED);
                    inner = again;
                    if result.timed_out() && inner.entries.is_empty() && !inner.closed {
                        inner.writer_waits = false;
                        return Taken::Nothing;
                    }
                }
            }
            inner.writer_waits = false;
        }
    }

    /// Waits until there is something to take.
    pub(crate) async fn filled(&self) {
        loop {
            {
                let mut inner = self.lock();
                inner.writer_waits = inner.entries.is_empty();
                if !inner.writer_waits {
                    return;
                }
            }
            self.filled.notified().await;
        }
    }

    /// Makes a waiting writer think again about how long to wait.
    pub(crate) fn nudge(&self) {
        let mut inner = self.lock();
        inner.nudged = true;
        self.wake(inner);
    }

    /// Takes all there is now.
    pub(crate) fn take(&self) -> Vec<Entry> {
        self.drain(self.lock())
    }

    /// Lets nothing more in. What is already there will still be written.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        drop(inner);
        self.arrived.notify_all();
        self.taken.notify_waiters();
    }

    fn drain(&self, mut inner: MutexGuard<'_, Inner>) -> Vec<Entry> {
        inner.open.clear();
        inner.bytes = 0;
        let entries = std::mem::take(&mut inner.entries);
        drop(inner);
        self.taken.notify_waiters();
        entries
    }

    fn wake(&self, inner: MutexGuard<'_, Inner>) {
        let waits = inner.writer_waits;
        drop(inner);
        if waits {
            self.arrived.notify_one();
            self.filled.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect(NOT_POISONED)
    }
}

const NOT_POISONED: &str = "nothing panics while it holds the queue";

#[cfg(test)]
mod tests {
    use codewhale_protocol::Redactor;
    use codewhale_protocol::runtime::ItemKind;

    use super::*;
    use crate::Durability;

    fn target(thread: &str, item: &str) -> Arc<DeltaTarget> {
        let template = DeltaTemplate::new(
            &thread.into(),
            &"turn_1".into(),
            &item.into(),
            ItemKind::AgentMessage,
            &"act_1".into(),
        );
        Arc::new(DeltaTarget {
            template,
            lost: AtomicBool::new(false),
        })
    }

    fn texts(queue: &Queue) -> Vec<String> {
        let text = |entry: Entry| match entry {
            Entry::Delta(delta) => delta.escaped,
            Entry::Batch(..) => "batch".to_owned(),
        };
        queue.take().into_iter().map(text).collect()
    }

    fn push(queue: &Queue, target: &Arc<DeltaTarget>, text: &str) {
        queue.push_delta(target, Timestamp::from_ms(0), text);
    }

    fn push_batch(queue: &Queue, stream: &str) {
        let redactor = Arc::new(Redactor::new([]));
        let mut batch = Batch::new(Arc::clone(&redactor), Durability::Fast);
        crate::testing::event_on(&mut batch, &redactor, stream);
        queue.push_batch(batch, oneshot::channel().0);
    }

    #[test]
    fn waiting_deltas_of_one_item_become_one() {
        let queue = Queue::new(true);
        let (a, b) = (target("thr_a", "item_1"), target("thr_b", "item_2"));
        push(&queue, &a, "1");
        push(&queue, &b, "x");
        push(&queue, &a, "2");
        push(&queue, &b, "y");
        assert_eq!(texts(&queue), ["12", "xy"]);
        push(&queue, &a, "3");
        assert_eq!(texts(&queue), ["3"], "what was taken is not merged into");
    }

    #[test]
    fn nothing_is_merged_across_another_event_of_the_stream() {
        let queue = Queue::new(true);
        let (first, second) = (target("thr_a", "item_1"), target("thr_a", "item_2"));
        push(&queue, &first, "1");
        push_batch(&queue, "thr_b");
        push(&queue, &first, "2");
        push_batch(&queue, "thr_a");
        push(&queue, &first, "3");
        push(&queue, &second, "x");
        push(&queue, &first, "4");
        assert_eq!(texts(&queue), ["12", "batch", "batch", "3", "x", "4"]);
    }

    #[test]
    fn with_merging_off_every_delta_stays_its_own() {
        let queue = Queue::new(false);
        let a = target("thr_a", "item_1");
        push(&queue, &a, "1");
        push(&queue, &a, "2");
        assert_eq!(texts(&queue), ["1", "2"]);
    }

    #[test]
    fn a_closed_queue_says_so_to_both_sides() {
        let queue = Queue::new(true);
        let a = target("thr_a", "item_1");
        push(&queue, &a, "1");
        queue.close();
        assert!(matches!(queue.wait(None), Taken::Entries(entries) if entries.len() == 1));
        assert!(matches!(queue.wait(None), Taken::Closed));
        push(&queue, &a, "2");
        assert!(a.lost.load(Ordering::Acquire));
        let (reply, answer) = oneshot::channel();
        let batch = Batch::new(Arc::new(Redactor::new([])), Durability::Fast);
        queue.push_batch(batch, reply);
        assert!(matches!(answer.blocking_recv(), Ok(Err(Error::Closed))));
    }
}
