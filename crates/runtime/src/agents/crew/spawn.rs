//! Starting a sub-agent: admitted, written down together with its parent's news, then begun.

use std::sync::Arc;

use codewhale_protocol::Origin;
use codewhale_protocol::Surface;
use codewhale_protocol::runtime::{
    AgentRun, CoherenceState, Event, ItemId, StreamId, ThreadId, ThreadRecord, ThreadStarted,
};
use codewhale_store::{About, Batch, Durability, Guard, Kin, ThreadWords};
use codewhale_tools::{Order, Refusal};

use super::{Crew, refusal};
use crate::actor::clean_title;
use crate::agents::news::news;
use crate::agents::role::{authority_of, instructions};
use crate::agents::run::{Place, lost, new_run};
use crate::agents::tree::Member;

impl Crew {
    pub(super) async fn spawn(&self, order: Order) -> Result<AgentRun, Refusal> {
        let core = self.core();
        if let Some(why) = self.desk.tree.spent(Member::Below) {
            return Err(Refusal(format!("{why}; do the rest yourself")));
        }
        let place = self.place()?;
        if !order.role.only_reads() {
            // What it changes is undone with this turn.
            self.desk.keep_before().await;
        }
        let thread = self.new_thread(&order, &place)?;
        let kin = Kin {
            thread: thread.id.clone(),
            room: thread.workroom_id.clone(),
            root: place.root.clone(),
            parent: self.desk.thread.clone(),
        };
        let mut run = new_run(&thread, &order, place);
        self.write_down(&thread, &kin, &run).await?;
        if let Err(refusal) = self.give(&thread.id, order.prompt).await {
            lost(&mut run, &refusal.0, core.env.now());
            let mut batch = core.store.batch(Durability::Synced);
            batch.put_agent_run(&kin, &run, 0, core.env.now());
            if core.store.commit(batch).await.is_err() {
                // It is ended together with this turn.
                self.desk.lose();
            }
            return Err(refusal);
        }
        self.run_now(&thread.id)
    }

    /// Where the new one stands, if there is room for it below this thread.
    fn place(&self) -> Result<Place, Refusal> {
        let core = self.core();
        let own = core
            .store
            .read(|reader| reader.agent_run(&self.desk.thread));
        let own = own.map_err(|error| refusal(&error.into()))?;
        let depth_max = core.agents.depth_max;
        let depth = own.as_ref().map_or(0, |own| own.run.spec.spawn_depth) + 1;
        if depth > depth_max {
            return Err(Refusal(format!(
                "agents may be at most {depth_max} below the thread of the user, and you are; do \
                 the work yourself"
            )));
        }
        let top = || self.desk.thread.clone();
        Ok(Place {
            root: own.as_ref().map_or_else(top, |own| own.kin.root.clone()),
            parent_run: own.map(|own| own.run.spec.run_id),
            depth,
            depth_max,
        })
    }

    fn new_thread(&self, order: &Order, place: &Place) -> Result<ThreadRecord, Refusal> {
        let route = &self.desk.agents().route;
        let core = self.core();
        let parent = core.store.read(|reader| reader.thread(&self.desk.thread));
        let parent = parent.map_err(|error| refusal(&error.into()))?;
        let parent = parent.ok_or("this thread is gone")?.record;
        let authority = authority_of(order.role, self.desk.state().authority);
        let now = core.env.now();
        let mut thread = ThreadRecord {
            id: ThreadId::new(core.env.uuid()),
            created_at: now,
            updated_at: now,
            model: route.model.clone(),
            model_provider: Some(route.provider.clone()),
            model_provider_id: route.provider_id.clone(),
            allow_shell: authority.allow_shell,
            trust_mode: authority.trust_mode,
            latest_turn_id: None,
            latest_response_bookmark: None,
            archived: false,
            system_prompt: Some(instructions(order.role)),
            task_id: None,
            title: order.name.as_deref().and_then(clean_title),
            session_id: None,
            coherence_state: CoherenceState::Healthy,
            origin: Origin::of(Surface::Runtime),
            parent_id: Some(self.desk.thread.clone()),
            root_id: Some(place.root.clone()),
            agent_role: Some(order.role),
            bounds: self.desk.bounds_below(),
            ..parent
        };
        thread.set_permission(authority.permission);
        core.show_walls(&mut thread);
        Ok(thread)
    }

    /// The thread, its receipt and the news on the parent, all or nothing, if the tree has room.
    async fn write_down(
        &self,
        thread: &ThreadRecord,
        kin: &Kin,
        run: &AgentRun,
    ) -> Result<(), Refusal> {
        let (core, desk) = (self.core(), &self.desk);
        let mut batch = desk.batch(Durability::Synced);
        batch.guard(Guard::AgentsFewer {
            root: kin.root.clone(),
            live_max: core.agents.live_max,
            admitted_max: core.agents.admitted_max,
        });
        batch.put_thread(thread, &ThreadWords::default());
        self.tell_beginning(&mut batch, thread);
        batch.put_agent_run(kin, run, 0, thread.created_at);
        let item = desk.status_item(&format!(
            "Started the sub-agent {} ({})",
            run.spec.worker_id,
            run.spec.agent_type.as_str()
        ));
        let id = item.id.clone();
        let news = Event::AgentSpawned(news(run, kin, thread, Some(item.clone())));
        desk.agent_event(&mut batch, Some(&id), thread.created_at, &news);
        let ticket = {
            // Place and commit in one go, so that the order of places is the order of the log.
            let mut state = desk.state();
            let ordinal = desk.place(&mut state, &id);
            batch.put_item(&desk.thread, ordinal, &item);
            core.store.commit(batch)
        };
        match ticket.await {
            Ok(_) => {
                desk.tree.stir();
                Ok(())
            }
            Err(error) => {
                desk.state().items.retain(|item: &ItemId| *item != id);
                Err(self.why_not(error))
            }
        }
    }

    fn tell_beginning(&self, batch: &mut Batch, thread: &ThreadRecord) {
        let stream = StreamId::Thread(thread.id.clone());
        let about = About {
            stream: &stream,
            turn_id: None,
            item_id: None,
            at: thread.created_at,
            by: &Arc::clone(&self.desk.agents().talker),
        };
        let started = ThreadStarted {
            thread: thread.clone(),
        };
        batch.event(about, &Event::ThreadStarted(started));
    }

    fn why_not(&self, error: codewhale_store::Error) -> Refusal {
        let agents = &self.core().agents;
        match error {
            codewhale_store::Error::Guard(Guard::AgentsFewer { .. }) => Refusal(format!(
                "there is no room for another sub-agent: at most {} of a thread work at once, and \
                 it has at most {} in all; wait for one, or do the work yourself",
                agents.live_max, agents.admitted_max
            )),
            other => refusal(&other.into()),
        }
    }
}
