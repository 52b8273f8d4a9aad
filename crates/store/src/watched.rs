//! A value that others wait on. Unlike the channel of tokio that does the same, it wakes them in the
//! order in which they began to wait, never by chance, so that a simulation repeats itself.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

/// The value. All clones are one.
#[derive(Debug)]
pub struct Watched<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    /// With how often it has changed.
    value: Mutex<(u64, T)>,
    changed: Notify,
    watchers: AtomicUsize,
}

/// A place from which the value is watched.
#[derive(Debug)]
pub struct Watch<T> {
    watched: Watched<T>,
    seen: u64,
}

impl<T> Watched<T> {
    /// A value that nobody watches yet.
    pub fn new(value: T) -> Self {
        Self(Arc::new(Shared {
            value: Mutex::new((0, value)),
            changed: Notify::new(),
            watchers: AtomicUsize::new(0),
        }))
    }

    /// Changes the value. Those who wait are woken when `change` says that they should know.
    pub fn change(&self, change: impl FnOnce(&mut T) -> bool) {
        let mut value = self.lock();
        if change(&mut value.1) {
            value.0 += 1;
            drop(value);
            self.0.changed.notify_waiters();
        }
    }

    /// Begins to watch: what is there now counts as seen.
    pub fn watch(&self) -> Watch<T> {
        self.0.watchers.fetch_add(1, Ordering::Relaxed);
        Watch {
            seen: self.lock().0,
            watched: self.clone(),
        }
    }

    /// Looks at the value.
    pub fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.lock().1)
    }

    /// How many watch.
    pub fn watchers(&self) -> usize {
        self.0.watchers.load(Ordering::Relaxed)
    }

    /// Waits until the value is as wanted.
    pub async fn until(&self, is_wanted: impl Fn(&T) -> bool) {
        let mut watch = self.watch();
        while !watch.look(&is_wanted) {
            watch.changed().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, (u64, T)> {
        self.0
            .value
            .lock()
            .expect("nothing panics while it holds a watched value")
    }
}

impl Watched<()> {
    /// Tells those who wait that something has happened.
    pub fn stir(&self) {
        self.change(|()| true);
    }
}

impl<T> Clone for Watched<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Default> Default for Watched<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Watch<T> {
    /// Looks at the value, which then counts as seen.
    pub fn look<R>(&mut self, look: impl FnOnce(&T) -> R) -> R {
        let value = self.watched.lock();
        self.seen = value.0;
        look(&value.1)
    }

    /// Waits for a change, or takes one that came since the last look. Dropping the future loses
    /// nothing.
    pub async fn changed(&mut self) {
        loop {
            // Made before the look: a change in between is told to it.
            let change = self.watched.0.changed.notified();
            let times = self.watched.lock().0;
            if times != self.seen {
                self.seen = times;
                return;
            }
            change.await;
        }
    }
}

impl<T> Drop for Watch<T> {
    fn drop(&mut self) {
        self.watched.0.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Wake, Waker};

    use super::*;

    /// Writes down who was woken.
    struct Note(usize, Arc<Mutex<Vec<usize>>>);

    impl Wake for Note {
        fn wake(self: Arc<Self>) {
            self.1.lock().expect("no test panics here").push(self.0);
        }
    }

    #[test]
    fn those_who_wait_are_woken_in_the_order_they_came() {
        let watched = Watched::default();
        let woken = Arc::new(Mutex::new(Vec::new()));
        let mut watches: Vec<_> = (0..20).map(|_| watched.watch()).collect();
        let mut waiting: Vec<_> = watches
            .iter_mut()
            .map(|it| Box::pin(it.changed()))
            .collect();
        for (number, waits) in waiting.iter_mut().enumerate() {
            let waker = Waker::from(Arc::new(Note(number, Arc::clone(&woken))));
            assert!(
                waits
                    .as_mut()
                    .poll(&mut Context::from_waker(&waker))
                    .is_pending()
            );
        }
        watched.stir();
        let woken = woken.lock().expect("no test panics here");
        assert!(woken.iter().copied().eq(0..20), "{woken:?}");
        drop(waiting);
        assert_eq!(watched.watchers(), 20);
        drop(watches);
        assert_eq!(watched.watchers(), 0);
    }

    #[tokio::test]
    async fn a_change_between_two_looks_is_told_and_one_that_nobody_should_know_is_not() {
        let watched = Watched::new(1);
        let mut watch = watched.watch();
        watched.change(|value| {
            *value = 2;
            true
        });
        watch.changed().await;
        assert_eq!(watch.look(|value| *value), 2);
        watched.change(|value| {
            *value = 3;
            false
        });
        let mut waits = Box::pin(watch.changed());
        let mut context = Context::from_waker(Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending());
        drop(waits);
        assert_eq!(watch.look(|value| *value), 3);
        watched.until(|value| *value == 3).await;
    }
}
