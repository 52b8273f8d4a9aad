//! A session: a thread that an editor has open.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use codewhale_client::Client;
use codewhale_protocol::lent::Lent;
use codewhale_protocol::operations::{ProvidersModels, TurnsInterrupt};
use codewhale_protocol::runtime::{
    ModelInfo, PendingUserInput, ProviderParams, Seq, ThreadId, ThreadRecord, TurnId, TurnRecord,
    TurnsInterruptParams,
};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::door::Options;
use crate::follower::Stirs;
use crate::limits::ENDS_KEPT_MAX;
use crate::peer::Peer;
use crate::turn_line::TurnLine;
use crate::wire::{Chunk, ClientCapabilities, ContentBlock, Update};

/// What everything on one connection shares.
pub(crate) struct Link {
    pub(crate) client: Client,
    pub(crate) peer: Peer,
    pub(crate) options: Options,
    /// What the client said that it can do; nothing before it has.
    pub(crate) can: OnceLock<ClientCapabilities>,
    /// Whether a view of a call was refused or failed: another would too.
    pub(crate) views_fail: AtomicBool,
    /// Everything that runs for this connection.
    pub(crate) tasks: TaskTracker,
    /// Fires when there is nobody left to tell anything.
    pub(crate) gone: CancellationToken,
}

impl Link {
    /// What the client can do.
    pub(crate) fn can(&self) -> ClientCapabilities {
        self.can.get().cloned().unwrap_or_default()
    }
}

/// A thread that an editor has open, under an id that stays the same.
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) link: Arc<Link>,
    /// Prompts, one after another.
    pub(crate) line: TurnLine,
    /// What its follower has learned.
    pub(crate) news: watch::Sender<News>,
    /// The thread, and from where on it is followed.
    pub(crate) place: watch::Sender<(ThreadId, Seq)>,
    /// The models that its provider has.
    pub(crate) models: Vec<ModelInfo>,
    /// What the editor lends to its thread.
    pub(crate) lent: Lent,
    /// Fires when the session is closed.
    pub(crate) closed: CancellationToken,
    /// Where its terminals stir, until its follower hears of it.
    stirs: Mutex<Option<Stirs>>,
    record: Mutex<ThreadRecord>,
    stop: Mutex<CancellationToken>,
}

/// What is known of a thread as far as it was told.
#[derive(Default)]
pub(crate) struct News {
    /// The turn that runs.
    pub(crate) active: Option<TurnId>,
    /// Turns that have ended, everything of them told.
    pub(crate) ended: VecDeque<TurnRecord>,
    /// Questions that were asked as a message and wait for a prompt.
    pub(crate) questions: Vec<PendingUserInput>,
    /// What all its turns have cost.
    pub(crate) cost_usd: Option<f64>,
    /// Whether nothing more will be learned.
    pub(crate) is_over: bool,
}

impl News {
    /// A turn has ended.
    pub(crate) fn end(&mut self, turn: TurnRecord) {
        self.active.take_if(|active| *active == turn.id);
        if let Some(cost) = turn.cost_usd {
            *self.cost_usd.get_or_insert_default() += cost;
        }
        self.ended.push_back(turn);
        while self.ended.len() > ENDS_KEPT_MAX {
            self.ended.pop_front();
        }
    }
}

impl Session {
    pub(crate) async fn new(
        link: Arc<Link>,
        record: ThreadRecord,
        lent: Lent,
        after: Seq,
        news: News,
    ) -> Self {
        let shows_terminals = link.can().has_terminals() && link.options.viewer.is_some();
        let stirs = shows_terminals.then(Stirs::new);
        let watcher = stirs.as_ref().map(Stirs::watcher);
        Self {
            lent: Lent { watcher, ..lent },
            stirs: Mutex::new(stirs),
            models: models_of(&link.client, &record).await,
            id: record.id.to_string(),
            closed: link.gone.child_token(),
            link,
            line: TurnLine::new(),
            news: watch::Sender::new(news),
            place: watch::Sender::new((record.id.clone(), after)),
            record: Mutex::new(record),
            stop: Mutex::default(),
        }
    }

    /// Where its terminals stir. It is heard by one follower.
    pub(crate) fn take_stirs(&self) -> Option<Stirs> {
        lock(&self.stirs).take()
    }

    /// The thread that its prompts go to.
    pub(crate) fn thread(&self) -> ThreadId {
        self.place.borrow().0.clone()
    }

    /// The thread as it was last told.
    pub(crate) fn record(&self) -> ThreadRecord {
        lock(&self.record).clone()
    }

    /// The thread has changed.
    pub(crate) fn set_record(&self, record: ThreadRecord) {
        *lock(&self.record) = record;
    }

    /// Goes on in another thread, of which nothing was told yet.
    pub(crate) fn move_to(&self, record: ThreadRecord) {
        let place = (record.id.clone(), Seq::ZERO);
        self.set_record(record);
        self.place.send_replace(place);
    }

    /// Fires when what is asked from now on is to stop.
    pub(crate) fn stopper(&self) -> CancellationToken {
        lock(&self.stop).child_token()
    }

    /// Stops everything that was asked so far.
    pub(crate) fn stop_prompts(&self) {
        std::mem::take(&mut *lock(&self.stop)).cancel();
    }

    /// Stops a turn that no prompt of this session waits for.
    pub(crate) async fn stop_others(&self) {
        let active = self.news.borrow().active.clone();
        if let Some(turn) = active.filter(|_| !self.line.is_busy()) {
            self.interrupt(&turn).await;
        }
    }

    /// Stops a turn. One that has ended meanwhile is stopped.
    pub(crate) async fn interrupt(&self, turn: &TurnId) {
        let params = TurnsInterruptParams {
            thread_id: self.thread(),
            turn_id: turn.clone(),
        };
        if let Err(error) = self.link.client.call::<TurnsInterrupt>(params).await {
            tracing::debug!(%error, "a turn was not stopped");
        }
    }

    /// Tells the person something that the agent did not say.
    pub(crate) async fn say(&self, about: &str, text: String) {
        let chunk = Chunk {
            content: ContentBlock::text(text),
            message_id: format!("{about}-{}", self.id),
        };
        self.tell(Update::AgentMessageChunk(chunk)).await;
    }

    /// Tells the client something of this session.
    pub(crate) async fn tell(&self, update: Update) {
        let params = json!({ "sessionId": self.id, "update": update });
        self.link.peer.notify("session/update", params).await;
    }
}

/// The models of a thread's provider, as far as they are known by name.
async fn models_of(client: &Client, thread: &ThreadRecord) -> Vec<ModelInfo> {
    let provider = thread
        .model_provider_id
        .as_ref()
        .or(thread.model_provider.as_ref());
    let Some(provider_id) = provider.cloned() else {
        return Vec::new();
    };
    let models = client
        .call::<ProvidersModels>(ProviderParams { provider_id })
        .await;
    match models {
        Ok(known) => known.models,
        // Nothing is configured, or another program was: the thread has its model all the same.
        Err(error) => {
            tracing::debug!(%error, "the models of a provider are not known");
            Vec::new()
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
