//! Starting a turn: checked, written down, answered, and only then worked on.

use std::sync::Arc;

use codewhale_model::{Message, Route};
use codewhale_policy::Authority;
use codewhale_protocol::runtime::{
    Event, InputPart, ItemChanged, ItemId, ItemStarted, Permission, PermissionPosture,
    ThreadRecord, Timestamp, TurnId, TurnItemRecord, TurnLifecycle, TurnOverrides, TurnRecord,
    TurnStarted, TurnStatus, TurnWithThread, TurnsStartParams, summarize,
};
use codewhale_protocol::{Caller, Scope};
use codewhale_store::{About, Batch, Durability, Guard, Lease, Stamp};
use tokio::sync::mpsc;

use super::task::EngineTask;
use super::{Active, Command, ThreadActor};
use crate::gate::require_scope;
use crate::host::{Desk, Shots, said_item};
use crate::shelf::Kept;
use crate::walls::sandbox_mode;
use crate::{Error, limits};

/// What a turn is for.
pub(super) enum Work {
    /// To answer what someone said.
    Answer(Vec<InputPart>),
    /// To shorten the conversation, for this reason.
    Compact(Option<String>),
}

/// A turn that is about to begin.
struct Draft {
    turn: TurnRecord,
    /// What was said; nothing when the conversation is to be shortened.
    item: Option<TurnItemRecord>,
    thread: ThreadRecord,
    lease: Lease,
    agent: Arc<Stamp>,
    authority: Authority,
    route: Route,
    at: Timestamp,
}

impl ThreadActor {
    pub(super) async fn start(
        &mut self,
        caller: &Caller,
        params: TurnsStartParams,
    ) -> Result<TurnWithThread, Error> {
        let Some(parts) = params.parts() else {
            let message = "the prompt is blank; say what the agent should do";
            return Err(Error::Invalid(message.into()));
        };
        let work = Work::Answer(parts);
        self.launch(caller, &work, params.overrides).await
    }

    /// Begins a turn, unless one is going on.
    pub(super) async fn launch(
        &mut self,
        caller: &Caller,
        work: &Work,
        overrides: TurnOverrides,
    ) -> Result<TurnWithThread, Error> {
        if let Some(active) = &self.active {
            return Err(Error::TurnActive {
                turn: active.turn.id.clone(),
            });
        }
        let myself = self.myself.upgrade().ok_or(Error::Closing)?;
        for _ in 0..limits::CHANGE_ATTEMPTS {
            self.check_owner().await?;
            let draft = self.draft(caller, work, &overrides)?;
            let by = self.core.caller_stamp(caller);
            let batch = self.start_batch(&draft, &by);
            match self.commit(batch).await {
                Ok(_) => return Ok(self.begin(draft, overrides, myself)),
                Err(codewhale_store::Error::Guard(Guard::FilesSettled { .. })) => {
                    self.core.require_settled(&draft.thread.workspace).await?;
                }
                Err(codewhale_store::Error::Guard(_)) => self.reload()?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    fn draft(
        &self,
        caller: &Caller,
        work: &Work,
        overrides: &TurnOverrides,
    ) -> Result<Draft, Error> {
        let at = self.core.env.now();
        let authority = self.core.authority(&self.state.thread, overrides)?;
        if loosens(&authority, &self.state.thread) {
            require_scope(caller, Scope::Admin)?;
        }
        let route = self.route(overrides.model.as_deref())?;
        let agent = self.core.agent_stamp(&self.id, &route, caller);
        let by = self.core.caller_stamp(caller);
        let turn_id = TurnId::new(self.core.env.uuid());
        let item_id = ItemId::new(self.core.env.uuid());
        let (item, words) = match work {
            Work::Answer(parts) => {
                let item = said_item(item_id, &turn_id, &by.id, parts.clone(), at);
                let words = item.summary.clone();
                (Some(item), words)
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
        turn.permission_posture = Some(authority.permission.posture);
        turn.approval_policy = Some(authority.permission.posture.approval_policy().to_owned());
        turn.sandbox_mode = Some(sandbox_mode(&authority).to_owned());
        turn.effective_provider = Some(route.provider.clone());
        turn.effective_provider_id = route.provider_id.clone();
        turn.effective_model = Some(route.model.clone());
        turn.answered_by = Some(agent.actor.clone());
        turn.item_ids = item.iter().map(|item| item.id.clone()).collect();
        let mut thread = self.state.thread.clone();
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
            agent,
            authority,
            route,
            at,
        })
    }

    fn start_batch(&self, draft: &Draft, by: &Arc<Stamp>) -> Batch {
        let mut batch = self.batch(Durability::Synced);
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
        myself: mpsc::Sender<Command>,
    ) -> TurnWithThread {
        let ordinal = self.state.next_ordinal;
        self.state.next_ordinal += 1;
        self.state.lease.owner = Some(draft.lease.owner.clone());
        self.state.lease.epoch = draft.lease.epoch;
        self.state.thread = draft.thread.clone();
        if let Some(item) = &draft.item {
            self.state.words.latest_input = Some(draft.turn.input_summary.clone());
            self.state.words.latest_message = Some(item.summary.clone());
        }
        let desk = Arc::new(Desk::new(
            self.core(),
            (self.id.clone(), draft.turn.id.clone(), ordinal),
            draft.lease,
            draft.agent,
            draft.authority,
            Arc::clone(&self.session_grants),
            Shots::new(&draft.thread.workspace, &draft.turn.input_summary),
        ));
        match &draft.item {
            Some(item) => drop(desk.place(&mut desk.state(), &item.id)),
            // Nothing that is added could be taken.
            None => desk.state().input.shut(),
        }
        let cancel = self.core.tasks.stop().child_token();
        let known = self.conversation.take().map(Kept::take);
        let engine = EngineTask {
            desk: Arc::clone(&desk),
            actor: myself,
            route: draft.route.clone(),
            own_prompt: draft.thread.system_prompt.clone(),
            workspace: draft.thread.workspace.clone().into(),
            cancel: cancel.clone(),
            jobs: self.jobs.clone(),
            common: Arc::clone(&self.common),
            is_compaction: draft.item.is_none(),
            known: known.map(|mut conversation| {
                let said = draft.item.as_ref().and_then(|item| item.detail.clone());
                let said = said.map(|text| Message::User { text });
                conversation.extend(said);
                conversation
            }),
        };
        let answer = TurnWithThread {
            thread: draft.thread,
            turn: draft.turn.clone(),
        };
        let turn = match draft.item {
            Some(_) => self.show_beginning(&desk, draft.turn),
            None => draft.turn,
        };
        let task = self.core.tasks.spawn(engine.run());
        self.active = Some(Active {
            turn,
            ordinal,
            overrides,
            route: draft.route,
            desk,
            cancel,
            task,
            _running: self.core.activity.begin(),
            stopping: None,
        });
        answer
    }

    /// Tells that the engine takes the turn up.
    fn show_beginning(&self, desk: &Desk, mut turn: TurnRecord) -> TurnRecord {
        let now = self.core.env.now();
        turn.started_at = Some(now);
        let status = TurnStatus::InProgress.as_str().to_owned();
        let event = Event::TurnLifecycle(TurnLifecycle {
            status,
            started_at: now,
        });
        let mut batch = desk.batch(Durability::Fast);
        batch.put_turn(desk.turn_ordinal, &turn);
        desk.agent_event(&mut batch, None, now, &event);
        desk.commit(&mut desk.state(), batch);
        turn
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
