//! Starting a turn: checked, written down, answered, and only then worked on.

mod draft;

use std::path::PathBuf;
use std::sync::Arc;

use codewhale_engine::{Asking, Chain};
use codewhale_model::{Message, Route, ToolCall, with_meta};
use codewhale_policy::Authority;
use codewhale_protocol::runtime::{
    Event, InputPart, Permission, PermissionPosture, ThreadRecord, Timestamp, TurnLifecycle,
    TurnOverrides, TurnRecord, TurnStatus, TurnWithThread, TurnsStartParams,
};
use codewhale_store::{CommitTicket, Durability, Guard};
use tokio::sync::mpsc;

use super::task::{EngineTask, TaskWork};
use super::{Active, Asker, Command, ThreadActor};
use crate::agents::Allowance;
use crate::hooks::HookScene;
use crate::host::{Belongings, Desk, Shots};
use crate::once::Once;
use crate::shelf::Kept;
use crate::{Error, limits};

use draft::Draft;

/// What a turn is for.
pub(super) enum Work {
    /// To answer what someone said.
    Answer(Vec<InputPart>),
    /// To shorten the conversation, for this reason.
    Compact(Option<String>),
    /// To go on towards the goal; what the agent is told.
    Continue(String),
    /// To run one call that someone made themselves.
    Call(Box<Called>),
}

/// A call that someone made themselves.
#[derive(Clone)]
pub(crate) struct Called {
    pub(crate) call: ToolCall,
    pub(crate) asking: Asking,
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
                Ok(_) => return Ok(self.begin(draft, work, overrides, (asker, myself))),
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

    /// The turn is written down: sets the engine to work.
    fn begin(
        &mut self,
        draft: Draft,
        work: &Work,
        overrides: TurnOverrides,
        (asker, myself): (&Asker, mpsc::Sender<Command>),
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
                bounds: draft.bounds,
            },
        );
        let desk = Arc::new(desk.with_patience(asker.patience(&self.core)));
        if let Some(item) = &draft.item {
            let _ = desk.place(&mut desk.state(), &item.id);
        }
        let task_work = TaskWork::of(work);
        if !task_work.asks_model() {
            // Nothing that is added could be taken.
            desk.state().input.shut();
        }
        if desk.root.is_none() {
            desk.tree.set_top_turn(Some(desk.turn.clone()));
            desk.tree.allow(Allowance::of(&desk.bounds));
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
            client_tools: overrides.dynamic_tools.clone().unwrap_or_default(),
            prompt: Arc::clone(&self.prompt),
            own_prompt: own_prompt(&draft.thread, &overrides),
            effort: draft.effort,
            workspace: draft.thread.workspace.clone().into(),
            added: draft
                .thread
                .additional_directories
                .iter()
                .map(PathBuf::from)
                .collect(),
            cancel: cancel.clone(),
            jobs: self.jobs.clone(),
            common: Arc::clone(&self.common),
            is_first: !std::mem::replace(&mut self.session.begun, true),
            scene,
            news: Arc::clone(&self.news),
            work: task_work,
            meta: draft.turn.meta.clone(),
            known: known.map(|mut conversation| {
                conversation.extend(draft.item.as_ref().map(|item| {
                    let text = item.detail.as_deref().unwrap_or_default();
                    Message::User {
                        text: with_meta(text, draft.turn.meta.as_ref()),
                        attachments: item.attachments(),
                    }
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
        let fallbacks = self.core.preferences().routes.fallbacks(&route);
        Chain::new(route, fallbacks)
    }

    /// The way to the model of the thread, or to another one for a turn.
    pub(super) fn route(
        &self,
        provider: Option<&str>,
        model: Option<&str>,
    ) -> Result<Route, Error> {
        let thread = &self.state.thread;
        let provider = provider.map(str::trim).filter(|it| !it.is_empty());
        if let Some(provider) = provider {
            return Ok(self
                .core
                .preferences()
                .routes
                .resolve(Some(provider), model)?);
        }
        let provider = thread
            .model_provider_id
            .as_deref()
            .or(thread.model_provider.as_deref());
        let model = model.map(str::trim).filter(|model| !model.is_empty());
        Ok(self
            .core
            .preferences()
            .routes
            .resolve(provider, Some(model.unwrap_or(&thread.model)))?)
    }
}

/// The instructions of a thread, and those of its turn behind them.
fn own_prompt(thread: &ThreadRecord, overrides: &TurnOverrides) -> Option<String> {
    let appended = overrides.append_system_prompt.as_deref().map(str::trim);
    let added = match thread.additional_directories.as_slice() {
        [] => None,
        added => Some(format!(
            "You also work in these directories: {}",
            added.join(", ")
        )),
    };
    let parts = [thread.system_prompt.as_deref(), added.as_deref(), appended];
    let parts: Vec<&str> = parts
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
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
