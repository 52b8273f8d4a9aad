//! Threads that a client wants to hear of: it is told that one has changed, and reads it when it likes.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use codewhale_client::{Client, Envelopes};
use codewhale_protocol::runtime::{Event, RuntimeEventEnvelope, Seq, ThreadId};
use codewhale_protocol::service::Cursor;
use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt};
use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::task::{AbortHandle, JoinSet};

use crate::error::{invalid, refused};
use crate::{Door, limits, resources};

/// The subscriptions of one session, by the address as the client wrote it. They end with it.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<Open>);

#[derive(Default)]
struct Open {
    tasks: JoinSet<()>,
    by_address: BTreeMap<String, AbortHandle>,
}

impl Subscriptions {
    /// Tells the client of changes from now on. Twice is once.
    pub(crate) async fn add(
        &self,
        client: &Client,
        peer: &Peer<RoleServer>,
        (address, thread): (String, ThreadId),
    ) -> Result<(), ErrorData> {
        let mut changes = Changes::from_now(client, thread).await?;
        let peer = peer.clone();
        let mut open = self.open();
        if open.by_address.contains_key(&address) {
            return Ok(());
        }
        if open.by_address.len() >= limits::SUBSCRIPTIONS_MAX {
            return Err(invalid("too many subscriptions; unsubscribe from some"));
        }
        let notice = ResourceUpdatedNotificationParam::new(address.clone());
        let task = open.tasks.spawn(async move {
            while changes.next().await.is_some() {
                if peer.notify_resource_updated(notice.clone()).await.is_err() {
                    return;
                }
            }
        });
        open.by_address.insert(address, task);
        Ok(())
    }

    pub(crate) fn remove(&self, address: &str) {
        let mut open = self.open();
        if let Some(task) = open.by_address.remove(address) {
            task.abort();
        }
        while open.tasks.try_join_next().is_some() {}
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Door {
    /// The thread that an address leads to.
    pub(crate) fn watched(&self, address: &str) -> Result<ThreadId, ErrorData> {
        resources::thread_of(address, &self.options().workspace).ok_or_else(|| {
            let words = format!("{address:?} is no thread; only threads are told of");
            ErrorData::resource_not_found(words, None)
        })
    }

    /// What of a wish is granted: addresses of threads, up to a bound.
    pub(crate) fn granted(&self, wish: &SubscriptionFilter) -> SubscriptionFilter {
        let wished = wish.resource_subscriptions.iter().flatten();
        let threads = wished.filter(|address| self.watched(address).is_ok());
        let threads = threads.take(limits::SUBSCRIPTIONS_MAX).cloned().collect();
        let mut granted = SubscriptionFilter::new();
        granted.resource_subscriptions = Some(threads);
        granted
    }

    /// Tells of what was granted, until the client calls it off. A thread that is not there is not told of.
    pub(crate) async fn tell_all(&self, context: &SubscriptionContext) -> Result<(), ErrorData> {
        let client = self.client(context.request_context())?;
        let addresses = context.accepted().resource_subscriptions.iter().flatten();
        let all = join_all(addresses.map(|address| self.tell_one(&client, context, address)));
        tokio::select! {
            biased;
            () = context.cancelled() => {}
            () = self.inner.gone.cancelled() => {}
            _ = all => context.cancelled().await,
        }
        Ok(())
    }

    async fn tell_one(
        &self,
        client: &Client,
        context: &SubscriptionContext,
        address: &str,
    ) -> Result<(), ErrorData> {
        let mut changes = Changes::from_now(client, self.watched(address)?).await?;
        while changes.next().await.is_some() {
            if context
                .sink()
                .notify_resource_updated(address)
                .await
                .is_err()
            {
                break;
            }
        }
        Ok(())
    }
}

/// The changes of a thread that a reader would see.
struct Changes(Envelopes);

impl Changes {
    async fn from_now(client: &Client, thread: ThreadId) -> Result<Self, ErrorData> {
        let cursor = Cursor {
            after: Seq::ZERO,
            replay_limit: Some(0),
        };
        let events = client.follow(thread, cursor).await;
        events.map(Self).map_err(refused)
    }

    /// Waits for the next change; those that came meanwhile are one. Nothing when no more will come.
    async fn next(&mut self) -> Option<()> {
        while !is_shown(&self.0.next().await?.ok()?) {}
        while let Some(Some(Ok(_))) = self.0.next().now_or_never() {}
        Some(())
    }
}

/// Whether a reader of the thread would see something new. Pieces of text come whole at their end.
fn is_shown(envelope: &RuntimeEventEnvelope) -> bool {
    !matches!(envelope.decode(), None | Some(Ok(Event::ItemDelta(_))))
}
