//! A turn that is about to begin: checked, drawn up, and put into a batch.

use std::sync::Arc;

use codewhale_engine::Purpose;
use codewhale_model::{Effort, Route};
use codewhale_policy::{Authority, Confinement};
use codewhale_protocol::Scope;
use codewhale_protocol::runtime::{
    Bounds, Event, InputPart, ItemChanged, ItemId, ItemStarted, ThreadRecord, Timestamp, TurnId,
    TurnItemRecord, TurnMeta, TurnOverrides, TurnRecord, TurnStarted, TurnWithThread, summarize,
};
use codewhale_store::{About, Batch, Durability, Guard, Lease, Stamp, StoredRun, StoredTask};

use crate::actor::{Asker, ThreadActor};
use crate::agents::{Root, Tree, beginning};
use crate::gate::require_scope;
use crate::host::said_item;
use crate::walls::sandbox_mode;
use crate::{Error, bounds, limits, queue};

use super::Work;

/// A turn that is about to begin.
pub(super) struct Draft {
    pub(super) turn: TurnRecord,
    /// What was said; nothing when the conversation is to be shortened.
    pub(super) item: Option<TurnItemRecord>,
    pub(super) thread: ThreadRecord,
    pub(super) lease: Lease,
    pub(super) authority: Authority,
    /// What it may not exceed.
    pub(super) bounds: Bounds,
    pub(super) effort: Effort,
    pub(super) route: Route,
    pub(super) tree: Arc<Tree>,
    pub(super) root: Option<Root>,
    /// The receipt, for the turn of a sub-agent.
    pub(super) run: Option<StoredRun>,
    /// The background task it is for.
    pub(super) task: Option<StoredTask>,
    pub(super) at: Timestamp,
}

impl Draft {
    /// What whoever asked for the turn is told.
    pub(super) fn answer(&self) -> TurnWithThread {
        TurnWithThread {
            thread: self.thread.clone(),
            turn: self.turn.clone(),
        }
    }
}

impl ThreadActor {
    pub(super) fn draft(
        &self,
        asker: &Asker,
        work: &Work,
        overrides: &TurnOverrides,
    ) -> Result<Draft, Error> {
        let at = self.core.env.now();
        let authority = self.core.authority(&self.state.thread, overrides)?;
        if loosens(&authority, &self.state.thread) {
            require_scope(&asker.caller, Scope::Admin)?;
        }
        let authority = asker.bound(authority);
        let bounds = self.bounds_of(overrides)?;
        let effort = self.effort_of(overrides)?;
        let provider = overrides.model_provider.as_deref();
        let route = self.route(provider, overrides.model.as_deref())?;
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
                self.core.check_parts(&self.id, parts, &route)?;
                let item = said_item(item_id, &turn_id, &by.id, parts.clone(), at);
                let words = item.summary.clone();
                (Some(item), words)
            }
            Work::Continue(text) => {
                let parts = vec![InputPart::text(text)];
                let item = said_item(item_id, &turn_id, &by.id, parts, at);
                (Some(item), "Go on towards the goal".to_owned())
            }
            Work::Call(called) => {
                let call = &called.call;
                let text = format!("Run the tool {} as I call it here.", call.name);
                let item = said_item(item_id, &turn_id, &by.id, vec![InputPart::text(&text)], at);
                (Some(item), summarize(&format!("Call of {}", call.name)))
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
        let told = Some(effort).filter(|effort| *effort != Effort::Auto);
        turn.reasoning_effort = told;
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
            bounds,
            effort,
            route,
            tree,
            root,
            run,
            task,
            at,
        })
    }

    /// What a turn may not exceed: what its thread may not, and what it may not itself.
    fn bounds_of(&self, overrides: &TurnOverrides) -> Result<Bounds, Error> {
        let thread = &self.state.thread;
        let own = overrides.bounds.as_ref();
        let own = own.map(|own| bounds::checked(own, &thread.workspace));
        let own = own.transpose()?.unwrap_or_default();
        Ok(match &thread.bounds {
            Some(bounds) => bounds.within(&own),
            None => own,
        })
    }

    /// How hard the model thinks: as the turn says, else its thread, else the configuration.
    fn effort_of(&self, overrides: &TurnOverrides) -> Result<Effort, Error> {
        let own = overrides.reasoning_effort.as_deref().map(Effort::parse);
        let own = own.transpose()?.or(self.state.thread.reasoning_effort);
        Ok(own.unwrap_or_else(|| self.core.preferences().effort))
    }

    /// Who is named for a turn: whoever asks, or the goal that is pursued.
    pub(super) fn stamp_for(&self, asker: &Asker, work: &Work) -> Arc<Stamp> {
        match work {
            Work::Answer(_) | Work::Compact(_) | Work::Call(_) => asker.stamp(&self.core),
            Work::Continue(_) => self.core.system_stamp("goal"),
        }
    }

    pub(super) fn start_batch(&self, draft: &Draft, work: &Work, by: &Arc<Stamp>) -> Batch {
        let mut batch = self.batch(Durability::Synced);
        self.begin_run(&mut batch, draft);
        if let Some(task) = &draft.task {
            queue::link(&mut batch, task, &draft.turn.id, (by, draft.at));
        }
        match work {
            Work::Answer(_) => self.wake_goal(&mut batch, by, draft.at),
            Work::Continue(_) => batch.count_continuation(&self.id, draft.at),
            Work::Compact(_) | Work::Call(_) => {}
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
}

/// Whether a turn may do something that its thread may not.
fn loosens(authority: &Authority, thread: &ThreadRecord) -> bool {
    authority.permission.loosens(thread.permission())
        || (authority.allow_shell && !thread.allow_shell)
        || (authority.trust_mode && !thread.trust_mode)
        || authority.confinement > Confinement::of(thread.permission())
}
