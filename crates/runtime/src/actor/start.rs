//! Starting a turn: checked, written down, answered, and only then worked on.

use std::sync::Arc;

use codewhale_engine::{Chain, Purpose};
use codewhale_model::{Effort, Message, Route, with_meta};
use codewhale_policy::Authority;
use codewhale_protocol::Scope;
use codewhale_protocol::runtime::{
    Event, InputPart, ItemChanged, ItemId, ItemStarted, Permission, PermissionPosture,
    ThreadRecord, Timestamp, TurnId, TurnItemRecord, TurnLifecycle, TurnMeta, TurnOverrides,
    TurnRecord, TurnStarted, TurnStatus, TurnWithThread, TurnsStartParams, summarize,
};
use codewhale_store::{
    About, Batch, CommitTicket, Durability, Guard, Lease, Stamp, StoredRun, StoredTask,
};
use tokio::sync::mpsc;

use super::task::EngineTask;
use super::{Active, Asker, Command, ThreadActor};
use crate::agents::{Root, Tree, beginning};
use crate::gate::require_scope;
use crate::hooks::HookScene;
use crate::host::{Belongings, Desk, Shots, said_item};
use crate::once::Once;
use crate::shelf::Kept;
use crate::walls::sandbox_mode;
use crate::{Error, limits, queue};

/// What a turn is for.
pub(super) enum Work {
    /// To answer what someone said.
    Answer(Vec<InputPart>),
    /// To shorten the conversation, for this reason.
    Compact(Option<String>),
    /// To go on towards the goal; what the agent is told.
    Continue(String),
}

/// A turn that is about to begin.
struct Draft {
    turn: TurnRecord,
    /// What was said; nothing when the conversation is to be shortened.
    item: Option<TurnItemRecord>,
    thread: ThreadRecord,
    lease: Lease,
    authority: Authority,
    route: Route,
    tree: Arc<Tree>,
    root: Option<Root>,
    /// The receipt, for the turn of a sub-agent.
    run: Option<StoredRun>,
    /// The background task it is for.
    task: Option<StoredTask>,
    at: Timestamp,
}

impl Draft {
    /// What whoever asked for the turn is told.
    fn answer(&self) -> TurnWithThread {
        TurnWithThread {
            thread: self.thread.clone(),
            turn: self.turn.clone(),
        }
    }
}

impl ThreadActor {
    pub(super) async fn start(
        &mut self,
        asker: &Asker,
        params: TurnsStartParams,
        once: Option<&Once>,
    ) -> Result<TurnWithThread, Error> {
        let Some(parts) = params.parts() else {
            let message = "the prompt is blank; say what the agent should do";
            return Err(Error::Invalid(message.into()));
        };
        let work = Work::Answer(parts);
        self.launch(asker, &work, params.overrides, once).await
    }

    /// Begins a turn, unless one is going on.
    pub(super) async fn launch(
        &mut self,
        asker: &Asker,
        work: &Work,
        overrides: TurnOverrides,
        once: Option<&Once>,
    ) -> Result<TurnWithThread, Error> {
        if let Some(active) = &self.active {
            return Err(Error::TurnActive {
                turn: active.turn.id.clone(),
            });
        }
        self.require_there()?;
        let myself = self.myself.upgrade().ok_or(Error::Closing)?;
        for _ in 0..limits::CHANGE_ATTEMPTS {
            self.check_owner().await?;
            let draft = self.draft(asker, work, &overrides)?;
            let by = self.stamp_for(asker, work);
            let mut batch = self.start_batch(&draft, work, &by);
            if let Some(once) = once {
                once.settle(&self.core, &mut batch, &draft.answer());
            }
            match self.commit(batch).await {
                Ok(_) => return Ok(self.begin(draft, overrides, asker, myself)),
                Err(codewhale_store::Error::Guard(Guard::AgentsFewer { .. })) => {
                    return Err(Error::TooManyAgents);
                }
                Err(codewhale_store::Error::Guard(Guard::FilesSettled { .. })) => {
                    self.core.require_settled(&draft.thread.workspace).await?;
                }
                // Another process has done just that.
                Err(error @ codewhale_store::Error::Guard(Guard::RequestNew { .. })) => {
                    return Err(error.into());
                }
                Err(codewhale_store::Error::Guard(_)) => self.reload()?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    fn draft(&self, asker: &Asker, work: &Work, overrides: &TurnOverrides) -> Result<Draft, Error> {
        let at = self.core.env.now();
        let authority = self.core.authority(&self.state.thread, overrides)?;
        if loosens(&authority, &self.state.thread) {
            require_scope(&asker.caller, Scope::Admin)?;
        }
        let authority = asker.bound(authority);
        let route = self.route(overrides.model.as_deref())?;
        let task = asker.task.as_ref();
        let task = task.map(|id| self.core.task_to_begin(id)).transpose()?;
        let agent = self
            .core
            .agent_stamp(&self.id, &route, &asker.caller, Purpose::Answer);
        let by = self.stamp_for(asker, work);
        let turn_id = TurnId::new(self.core.env.uuid());
        let item_id = ItemId::new(self.core.env.uuid());
        let (item, words) = match work {
            Work::Answer(parts) => {
                let item = said_item(item_id, &turn_id, &by.id, parts.clone(), at);
                let words = item.summary.clone();
                (Some(item), words)
            }
            Work::Continue(text) => {
                let parts = vec![InputPart::text(text)];
                let item = said_item(item_id, &turn_id, &by.id, parts, at);
                (Some(item), "Go on towards the goal".to_owned())
            }
            Work::Compact(reason) => {
                let reason = reason.as_deref().map(str::trim).filter(|it| !it.is_empty());
                (
                    None,
                    summarize(reason.unwrap_or("Shorten the conversation")),
                )
            }
        };
        let own_words = overrides.input_summary.as_deref().map(str::trim);
        let own_words = own_words.filter(|words| !words.is_empty()).map(summarize);
        let mut turn = TurnRecord::new(turn_id.clone(), self.id.clone(), at, by.actor.clone());
        turn.input_summary = own_words.unwrap_or(words);
        turn.meta = Some(TurnMeta {
            local_date: self.core.env.local_date(at),
            workspace: self.state.thread.workspace.clone(),
            mode: authority.permission.mode,
            route: route.label(),
        });
        turn.permission_posture = Some(authority.permission.posture);
        turn.approval_policy = Some(authority.permission.posture.approval_policy().to_owned());
        turn.sandbox_mode = Some(sandbox_mode(&authority).to_owned());
        turn.effective_provider = Some(route.provider.clone());
        turn.effective_provider_id = route.provider_id.clone();
        turn.effective_model = Some(route.model.clone());
        turn.answered_by = Some(agent.actor.clone());
        let effort = Some(self.core.effort).filter(|effort| *effort != Effort::Auto);
        turn.reasoning_effort = effort.map(|effort| effort.as_str().to_owned());
        turn.item_ids = item.iter().map(|item| item.id.clone()).collect();
        let mut thread = self.state.thread.clone();
        let root = Root::above(&thread, &turn_id);
        let tree = self.core.tree_of(&thread)?;
        let run = self.core.store.read(|reader| match &thread.parent_id {
            Some(_) => reader.agent_run(&self.id),
            None => Ok(None),
        })?;
        thread.latest_turn_id = Some(turn_id);
        thread.updated_at = at;
        let lease = Lease {
            thread: self.id.clone(),
            owner: self.core.store.owner().clone(),
            epoch: self.state.lease.epoch + 1,
        };
        Ok(Draft {
            turn,
            item,
            thread,
            lease,
            authority,
            route,
            tree,
            root,
            run,
            task,
            at,
        })
    }

    /// Who is named for a turn: whoever asks, or the goal that is pursued.
    fn stamp_for(&self, asker: &Asker, work: &Work) -> Arc<Stamp> {
        match work {
            Work::Answer(_) | Work::Compact(_) => asker.stamp(&self.core),
            Work::Continue(_) => self.core.system_stamp("goal"),
        }
    }

    fn start_batch(&self, draft: &Draft, work: &Work, by: &Arc<Stamp>) -> Batch {
        let mut batch = self.batch(Durability::Synced);
        self.begin_run(&mut batch, draft);
        if let Some(task) = &draft.task {
            queue::link(&mut batch, task, &draft.turn.id, (by, draft.at));
        }
        match work {
            Work::Answer(_) => self.wake_goal(&mut batch, by, draft.at),
            Work::Continue(_) => batch.count_continuation(&self.id, draft.at),
            Work::Compact(_) => {}
        }
        let ordinal = self.state.next_ordinal;
        batch.guard(Guard::FilesSettled {
            workspace: draft.thread.workspace.clone(),
        });
        batch.take_lease(draft.lease.clone());
        batch.put_turn(ordinal, &draft.turn);
        let mut words = self.state.words.clone();
        if let Some(item) = &draft.item {
            batch.put_item(&self.id, ordinal * limits::ITEMS_PER_TURN, item);
            words.latest_input = Some(draft.turn.input_summary.clone());
            words.latest_message = Some(item.summary.clone());
        }
        batch.put_thread(&draft.thread, &words);
        let turn_id = Some(&draft.turn.id);
        let about = About {
            stream: &self.state.stream,
            turn_id,
            item_id: None,
            at: draft.at,
            by,
        };
        let turn = draft.turn.clone();
        let shown = TurnRecord {
            item_ids: Vec::new(),
            ..turn
        };
        let started = TurnStarted {
            turn: shown,
            manual_compaction: draft.item.is_none(),
        };
        batch.event(about.clone(), &Event::TurnStarted(started));
        let Some(item) = draft.item.clone() else {
            return batch;
        };
        let item_id = Some(&item.id);
        let about = About { item_id, ..about };
        let started = ItemStarted::new(item.clone(), None);
        batch.event(about.clone(), &Event::ItemStarted(started));
        let completed = ItemChanged::from(item.clone());
        batch.event(about, &Event::ItemCompleted(completed));
        batch
    }

    /// The turn is written down: sets the engine to work.
    fn begin(
        &mut self,
        draft: Draft,
        overrides: TurnOverrides,
        asker: &Asker,
        myself: mpsc::Sender<Command>,
    ) -> TurnWithThread {
        let (ordinal, answer) = (self.state.next_ordinal, draft.answer());
        self.next = None;
        if let Some(stored) = &draft.run {
            self.core.export_receipts(stored.run.spec.workspace.clone());
            if stored.run.started_at_ms.is_none() {
                self.tell_of_spawn(&stored.run);
            }
        }
        self.state.next_ordinal += 1;
        self.state.lease.owner = Some(draft.lease.owner.clone());
        self.state.lease.epoch = draft.lease.epoch;
        self.state.thread = draft.thread.clone();
        if let Some(item) = &draft.item {
            self.state.words.latest_input = Some(draft.turn.input_summary.clone());
            self.state.words.latest_message = Some(item.summary.clone());
        }
        let desk = Desk::new(
            self.core(),
            (draft.turn.id.clone(), ordinal),
            (draft.lease, draft.thread.workroom_id.clone()),
            (&asker.caller, draft.route.clone()),
            draft.authority,
            Belongings {
                root: draft.root.map(|root| root.within(&draft.tree)),
                tree: draft.tree,
                session_grants: Arc::clone(&self.session_grants),
                shots: Shots::new(&draft.thread.workspace, &draft.turn.input_summary),
            },
        );
        let desk = Arc::new(desk.with_patience(asker.patience(&self.core)));
        match &draft.item {
            Some(item) => drop(desk.place(&mut desk.state(), &item.id)),
            // Nothing that is added could be taken.
            None => desk.state().input.shut(),
        }
        if desk.root.is_none() {
            desk.tree.set_top_turn(Some(desk.turn.clone()));
        }
        let cancel = self.core.tasks.stop().child_token();
        let scene = HookScene {
            model: draft.route.model.clone(),
            permission: draft.authority.permission,
            ..HookScene::of(&draft.thread, Some(self.session.spent))
        };
        let known = self.conversation.take().map(Kept::take);
        if known.is_none() {
            self.prompt.forget();
        }
        let engine = EngineTask {
            desk: Arc::clone(&desk),
            actor: myself,
            caller: asker.caller.clone(),
            role: draft.thread.agent_role,
            chain: self.chain(draft.route),
            prompt: Arc::clone(&self.prompt),
            own_prompt: draft.thread.system_prompt.clone(),
            workspace: draft.thread.workspace.clone().into(),
            cancel: cancel.clone(),
            jobs: self.jobs.clone(),
            common: Arc::clone(&self.common),
            is_first: !std::mem::replace(&mut self.session.begun, true),
            scene,
            news: Arc::clone(&self.news),
            is_compaction: draft.item.is_none(),
            meta: draft.turn.meta.clone(),
            known: known.map(|mut conversation| {
                let said = draft.item.as_ref().and_then(|item| item.detail.clone());
                conversation.extend(said.map(|text| Message::User {
                    text: with_meta(&text, draft.turn.meta.as_ref()),
                }));
                conversation
            }),
        };
        let beginning = draft
            .item
            .is_some()
            .then(|| self.show_beginning(&desk, &draft.turn));
        let task = self.core.tasks.spawn(engine.run());
        self.active = Some(Active {
            turn: draft.turn,
            beginning,
            ordinal,
            overrides,
            asker: asker.clone(),
            desk,
            cancel,
            task,
            _running: self.core.activity.begin(),
            stopping: None,
            is_cancelled: false,
        });
        answer
    }

    /// A sub-agent that begins is at work again, if its tree has room.
    fn begin_run(&self, batch: &mut Batch, draft: &Draft) {
        let Some(stored) = &draft.run else { return };
        if stored.run.status.is_terminal() {
            batch.guard(Guard::AgentsFewer {
                root: stored.kin.root.clone(),
                live_max: self.core.agents.live_max,
                // It is one of those that were admitted.
                admitted_max: u64::MAX,
            });
        }
        let mut run = stored.run.clone();
        beginning(&mut run, draft.at);
        batch.put_agent_run(&stored.kin, &run, 0, draft.at);
    }

    /// Tells that the engine takes the turn up.
    fn show_beginning(&self, desk: &Desk, turn: &TurnRecord) -> (Timestamp, CommitTicket) {
        let now = self.core.env.now();
        let turn = TurnRecord {
            started_at: Some(now),
            ..turn.clone()
        };
        let status = TurnStatus::InProgress.as_str().to_owned();
        let event = Event::TurnLifecycle(TurnLifecycle {
            status,
            started_at: now,
        });
        let mut batch = desk.batch(Durability::Fast);
        batch.put_turn(desk.turn_ordinal, &turn);
        desk.agent_event(&mut batch, None, now, &event);
        (now, self.core.store.commit(batch))
    }

    /// Takes in whether the store knows that the engine has taken the turn up: the record says no
    /// more than the log.
    pub(super) async fn settle_beginning(&mut self) {
        let Some(active) = &mut self.active else {
            return;
        };
        let Some((at, ticket)) = active.beginning.take() else {
            return;
        };
        match ticket.await {
            Ok(_) => active.turn.started_at = Some(at),
            Err(error) => {
                tracing::error!(%error, turn = %active.turn.id, "the start of a turn could not be kept");
                active.desk.lose();
            }
        }
    }

    /// A model with those that stand in for it.
    fn chain(&self, route: Route) -> Chain {
        let fallbacks = self.core.routes.fallbacks(&route);
        Chain::new(route, fallbacks)
    }

    /// The way to the model of the thread, or to another one for a turn.
    pub(super) fn route(&self, model: Option<&str>) -> Result<Route, Error> {
        let thread = &self.state.thread;
        let provider = thread
            .model_provider_id
            .as_deref()
            .or(thread.model_provider.as_deref());
        let model = model.map(str::trim).filter(|model| !model.is_empty());
        Ok(self
            .core
            .routes
            .resolve(provider, Some(model.unwrap_or(&thread.model)))?)
    }
}

/// Whether a turn may do something that its thread may not.
fn loosens(authority: &Authority, thread: &ThreadRecord) -> bool {
    authority.permission.loosens(thread.permission())
        || (authority.allow_shell && !thread.allow_shell)
        || (authority.trust_mode && !thread.trust_mode)
}

/// What grants more than the defaults does; who makes a thread with it needs more than `run`.
pub(crate) fn grants_more(authority: &Authority, default_shell: bool) -> bool {
    let plain = Permission {
        posture: PermissionPosture::Ask,
        ..Permission::DEFAULT
    };
    authority.permission.loosens(plain)
        || (authority.allow_shell && !default_shell)
        || authority.trust_mode
}
