//! Reads the log of a session's thread and tells the editor. It alone learns of ends, so that the
//! answer to a prompt comes after everything its turn has shown.

mod asking;
mod terminals;
mod views;

use std::sync::Arc;

use codewhale_protocol::Surface;
use codewhale_protocol::operations::AttachmentsGet;
use codewhale_protocol::runtime::{
    AgentNews, AttachmentParams, Event, ItemKind, RuntimeEventEnvelope, ThreadRecord,
    ThreadSummary, ThreadUpdated, TurnItemRecord, TurnRecord,
};
use codewhale_protocol::service::Cursor;
use futures_util::{FutureExt, StreamExt};

use crate::session::Session;
use crate::show::{self, Show};
use crate::wire::{Cost, Severity, Update};
use crate::{commands, controls};
use asking::Asking;
use terminals::Terminals;

pub(crate) use terminals::Stirs;

/// The reader of one session.
pub(crate) struct Follower {
    session: Arc<Session>,
    show: Show,
    /// Whether the running turn was asked for here, so that its prompt needs no telling.
    is_ours: bool,
    asking: Asking,
    terminals: Terminals,
}

impl Follower {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        let can = session.link.can();
        let workspace = session.record().workspace;
        Self {
            terminals: Terminals::new(session.take_stirs()),
            session,
            show: Show::new(&workspace, can.shows_notices(), can.shows_compaction()),
            is_ours: false,
            asking: Asking::default(),
        }
    }

    /// Tells everything that is there already.
    pub(crate) async fn tell_history(&mut self, turns: &[TurnRecord], items: &[TurnItemRecord]) {
        let mut items = items.iter().peekable();
        for turn in turns {
            while let Some(item) = items.next_if(|item| item.turn_id == turn.id) {
                let update = self.show.again(item);
                self.tell(update).await;
                self.tell_attached(item).await;
            }
            let update = self.show.cut_off(turn);
            self.tell(update).await;
        }
    }

    /// Tells how full the model was last, and what all of it has cost.
    pub(crate) async fn tell_usage(&self, turns: &[TurnRecord]) {
        let cost = self.session.news.borrow().cost_usd;
        let latest = turns.iter().rev().find_map(|turn| usage(turn, cost));
        self.tell(latest).await;
    }

    /// Learns what is going on, without telling it.
    pub(crate) fn learn_history(&mut self, items: &[TurnItemRecord]) {
        for item in items.iter().filter(|item| !item.status.is_terminal()) {
            self.show.begun(item);
        }
    }

    /// Follows until the session is closed.
    pub(crate) async fn run(mut self) {
        let session = Arc::clone(&self.session);
        let closed = session.closed.clone();
        session.tell(commands::offered()).await;
        tokio::select! {
            () = closed.cancelled() => {}
            () = self.follow() => {}
        }
        session.news.send_modify(|news| news.is_over = true);
        self.asking.tasks.shutdown().await;
    }

    async fn follow(&mut self) {
        let session = Arc::clone(&self.session);
        let mut place = session.place.subscribe();
        loop {
            let (thread, after) = place.borrow_and_update().clone();
            let followed = session
                .link
                .client
                .follow(thread, Cursor::after(after))
                .await;
            let mut events = match followed {
                Ok(events) => events,
                Err(error) => {
                    tracing::warn!(%error, "a session could not be followed");
                    return;
                }
            };
            let mut next = None;
            loop {
                let event = match next.take() {
                    Some(event) => event,
                    None => tokio::select! {
                        biased;
                        moved = place.changed() => match moved {
                            Ok(()) => break,
                            Err(_) => return,
                        },
                        stir = self.terminals.stir() => {
                            self.stirred(stir).await;
                            continue;
                        }
                        event = events.next() => event,
                    },
                };
                match event {
                    // What is settled in the same moment, by nobody, is not asked.
                    Some(Ok(envelope)) if is_question(&envelope) => {
                        next = events.next().now_or_never();
                        let settled = next.as_ref().and_then(Option::as_ref);
                        let settled = settled.and_then(|it| it.as_ref().ok());
                        if !settled.is_some_and(|it| is_answer(it, &envelope)) {
                            self.take(envelope).await;
                        }
                    }
                    Some(Ok(envelope)) => self.take(envelope).await,
                    Some(Err(error)) => {
                        tracing::warn!(%error, "a session is not followed any more");
                        return;
                    }
                    None => return,
                }
            }
        }
    }

    async fn take(&mut self, envelope: RuntimeEventEnvelope) {
        let event = match envelope.decode() {
            Some(Ok(event)) => event,
            Some(Err(error)) => {
                tracing::warn!(%error, seq = %envelope.seq, "an event does not read");
                return;
            }
            None => return,
        };
        match event {
            Event::ThreadStarted(_) | Event::ThreadForked(_) => {}
            Event::ThreadUpdated(updated) => self.thread_updated(updated).await,
            Event::TurnStarted(started) => self.turn_started(started.turn).await,
            Event::TurnCompleted(completed) => self.turn_completed(completed.turn).await,
            Event::ItemStarted(started) => {
                let update = self.show.begun(&started.item);
                self.tell(update).await;
                self.terminal_begun(&started.item);
            }
            Event::ItemDelta(delta) => {
                let id = envelope.item_id.as_ref();
                let update = id.and_then(|id| self.show.more(id, delta.kind, &delta.delta));
                self.tell(update).await;
            }
            Event::ItemCompleted(changed)
            | Event::ItemFailed(changed)
            | Event::ItemInterrupted(changed)
            | Event::ItemCanceled(changed) => self.item_over(&changed.item).await,
            Event::ApprovalRequired(required) => self.approval_required(required, &envelope),
            Event::ApprovalDecided(decided) => self.approval_decided(&decided).await,
            Event::UserInputRequired(required) => self.input_required(required, &envelope).await,
            Event::UserInputAnswered(answered) => self.input_settled(&answered.id),
            Event::UserInputCanceled(canceled) => self.input_settled(&canceled.id),
            Event::SandboxDenied(denied) => {
                let title = format!("{}: {}", denied.tool_name, denied.reason);
                let update = self.show.information(Severity::Warning, &title);
                self.tell(update).await;
            }
            Event::CoherenceChanged(changed) => {
                let update = self.show.information(Severity::Info, &changed.description);
                self.tell(update).await;
            }
            Event::AgentSpawned(news) | Event::AgentCompleted(news) => self.agent(news).await,
            Event::TurnLifecycle(_)
            | Event::TurnSteered(_)
            | Event::TurnInterruptRequested(_)
            | Event::ApprovalTimeout(_)
            | Event::GoalUpdated(_)
            | Event::GoalCleared(_)
            | Event::TaskCreated(_)
            | Event::TaskUpdated(_)
            | Event::AutomationUpdated(_)
            | Event::Fleet(_)
            | Event::ToolCallRequested(_)
            | Event::ToolCallResolved(_)
            | Event::ToolCallTimeout(_)
            | Event::ToolCallCanceled(_)
            | Event::WorkspaceTrustChanged(_)
            | Event::RoomCreated(_)
            | Event::StoreCreated(_) => {}
        }
    }

    async fn tell(&self, update: Option<Update>) {
        if let Some(update) = update {
            self.session.tell(update).await;
        }
    }

    async fn thread_updated(&mut self, updated: ThreadUpdated) {
        let ThreadUpdated {
            thread, changes, ..
        } = updated;
        self.show.work_in(&thread.workspace);
        self.session.set_record(thread.clone());
        if changes.contains_key("mode") {
            let current_mode_id = thread.mode.as_str();
            self.tell(Some(Update::CurrentModeUpdate { current_mode_id }))
                .await;
        }
        let settings = ["mode", "model", "reasoning_effort", "permission_posture"];
        if settings.iter().any(|name| changes.contains_key(*name)) {
            let config_options = controls::options(&thread, &self.session.models);
            self.tell(Some(Update::ConfigOptionUpdate { config_options }))
                .await;
        }
        if changes.contains_key("title") {
            let title = thread.title.clone();
            self.tell(Some(info(&thread, title))).await;
        }
    }

    async fn turn_started(&mut self, turn: TurnRecord) {
        let session = &self.session;
        let is_of_an_editor = turn.origin.surface == Surface::Acp;
        self.is_ours = is_of_an_editor && session.line.is_busy();
        session
            .news
            .send_modify(|news| news.active = Some(turn.id.clone()));
        let mut record = session.record();
        record.updated_at = turn.created_at;
        session.set_record(record.clone());
        if record.title.is_none() {
            let (title, _) = ThreadSummary::words(None, Some(&turn.input_summary), None);
            self.tell(Some(info(&record, Some(title)))).await;
        }
    }

    async fn turn_completed(&mut self, turn: TurnRecord) {
        self.show.forget_calls();
        self.terminals.forget();
        self.asking.settle_all();
        self.session.news.send_modify(|news| {
            news.questions.clear();
        });
        let cost = self.session.news.borrow().cost_usd;
        let cost = match (cost, turn.cost_usd) {
            (None, None) => None,
            (before, now) => Some(before.unwrap_or_default() + now.unwrap_or_default()),
        };
        self.tell(usage(&turn, cost)).await;
        // To a prompt of this editor it is the answer.
        if !self.is_ours {
            let update = self.show.cut_off(&turn);
            self.tell(update).await;
        }
        self.session.news.send_modify(|news| news.end(turn));
    }

    async fn item_over(&mut self, item: &TurnItemRecord) {
        if item.kind == ItemKind::UserMessage && self.is_ours {
            return;
        }
        let update = self.show.over(item);
        let update = update.map(|update| self.terminal_over(item, update));
        self.tell(update).await;
        self.tell_attached(item).await;
    }

    /// Shows pictures and sounds behind the text that numbers them: those of a prompt, and those that
    /// came of a call.
    async fn tell_attached(&self, item: &TurnItemRecord) {
        // A summary only repeats what was shown before.
        if item.kind == ItemKind::ContextCompaction {
            return;
        }
        let mut contents = Vec::new();
        for attachment_id in item.attachments() {
            let params = AttachmentParams {
                thread_id: self.session.thread(),
                attachment_id,
            };
            let client = &self.session.link.client;
            match client.call::<AttachmentsGet>(params).await {
                Ok(content) => contents.push(content),
                Err(error) => tracing::warn!(%error, "an attachment cannot be shown"),
            }
        }
        for update in show::attached(item, contents) {
            self.tell(Some(update)).await;
        }
    }

    async fn agent(&mut self, news: AgentNews) {
        if let Some(item) = &news.item {
            let update = match item.status.is_terminal() {
                true => self.show.over(item),
                false => None,
            };
            self.tell(update).await;
        }
    }
}

/// How full the model was in a turn, where that is known.
fn usage(turn: &TurnRecord, cost: Option<f64>) -> Option<Update> {
    let (used, size) = (turn.context_tokens?, turn.context_window?);
    let cost = cost.map(|amount| Cost {
        amount,
        currency: "USD",
    });
    Some(Update::UsageUpdate { used, size, cost })
}

fn is_question(envelope: &RuntimeEventEnvelope) -> bool {
    envelope.event == "approval.required"
}

fn is_answer(envelope: &RuntimeEventEnvelope, question: &RuntimeEventEnvelope) -> bool {
    let approval = |it: &RuntimeEventEnvelope| it.payload["approval_id"].clone();
    envelope.event == "approval.decided" && approval(envelope) == approval(question)
}

fn info(thread: &ThreadRecord, title: Option<String>) -> Update {
    Update::SessionInfoUpdate {
        title,
        updated_at: thread.updated_at.to_string(),
    }
}
