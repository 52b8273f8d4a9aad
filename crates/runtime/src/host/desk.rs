//! The desk: everything a running turn has in the open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use codewhale_engine::Purpose;
use codewhale_model::Route;
use codewhale_policy::{Authority, Rule};
use codewhale_protocol::Caller;
use codewhale_protocol::ext::UserInputAnswer;
use codewhale_protocol::runtime::{
    ApprovalId, ApprovalRecord, Bounds, ClientCallId, Event, GoalId, ItemId, PendingUserInput,
    RoomId, StreamId, ThreadId, Timestamp, TurnId, TurnItemRecord, Usage, UserInputId,
};
use codewhale_store::{
    About, Batch, CommitTicket, DeltaWriter, Durability, Error, Guard, Lease, Stamp, UsageRow,
};
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use super::agents::{Agents, Ledger, Spent};
use super::{PendingCall, RunningCall, Shots};
use crate::agents::{Member, Root, Tree};
use crate::limits;
use crate::runtime::Core;

/// The open side of a running turn.
pub(crate) struct Desk {
    pub(crate) core: Arc<Core>,
    pub(crate) thread: ThreadId,
    room: RoomId,
    pub(crate) stream: StreamId,
    pub(crate) turn: TurnId,
    pub(crate) turn_ordinal: u64,
    pub(crate) lease: Lease,
    /// For whom the turn works.
    caller: Caller,
    /// The agents that work, as the present model makes them.
    agents: Mutex<Arc<Agents>>,
    /// What the thread and all agents below its top may cost.
    pub(crate) tree: Arc<Tree>,
    /// The top of the tree, for the turn of a sub-agent.
    pub(crate) root: Option<Root>,
    /// Calls that the person has allowed for as long as the thread is loaded, by digest.
    pub(crate) session_grants: Arc<Mutex<BTreeSet<String>>>,
    /// How long a question waits for a person.
    pub(crate) patience: Duration,
    /// What is kept of the files.
    pub(super) shots: Shots,
    /// What the turn may not exceed.
    pub(crate) bounds: Bounds,
    state: Mutex<State>,
    /// Tells that an addition which was on its way has arrived, or will not.
    input_settled: Notify,
}

/// What changes while a turn runs.
pub(crate) struct State {
    /// All items, in the order they began.
    pub(crate) items: Vec<ItemId>,
    next_index: u64,
    /// Those that have not ended.
    pub(crate) open: Vec<OpenItem>,
    pub(crate) input: Input,
    pub(crate) authority: Authority,
    pub(crate) ledger: Ledger,
    /// What it cost, by the goal it was for.
    pub(crate) charged: Vec<(GoalId, u64)>,
    /// What the latest request sent, cached tokens included.
    pub(crate) latest_input_tokens: u64,
    pub(crate) dispatched_at: Option<Timestamp>,
    /// When the latest request went to the provider.
    asked_at: Option<Timestamp>,
    /// What the latest call of the model used, until an item shows it.
    unshown: Option<Value>,
    /// How many calls of tools there were.
    pub(crate) calls: u64,
    /// Approvals that wait for a person.
    pub(crate) pending: BTreeMap<ApprovalId, Pending>,
    /// Questions of the agent that wait for a person.
    pub(crate) inputs: BTreeMap<UserInputId, PendingInput>,
    /// Calls that wait for the client.
    pub(crate) client_calls: BTreeMap<ClientCallId, PendingCall>,
    /// The last message that was said to its end.
    pub(crate) final_message: Option<(ItemId, String)>,
    /// Commits nobody has waited for yet.
    tickets: Vec<CommitTicket>,
    /// Writers of items that have ended, until it is known that their text is in the log.
    pub(crate) unsettled: Vec<DeltaWriter>,
    /// Something did not get there.
    lost: bool,
    /// Deltas since the last look whether the writer keeps up.
    pub(super) unchecked: u32,
}

/// An item that has not ended.
pub(crate) struct OpenItem {
    pub(crate) record: TurnItemRecord,
    pub(crate) ordinal: u64,
    /// Its text so far, as it stands in the log; nothing for a call.
    pub(crate) text: String,
    pub(crate) writer: Option<DeltaWriter>,
    /// How much more is told of what its call prints, in bytes; `None` once that was cut.
    pub(crate) room_to_print: Option<usize>,
    /// Whether its call was let go at the world outside.
    pub(crate) begun: bool,
    /// Its call, once that runs.
    pub(crate) call: Option<RunningCall>,
}

/// A question that waits.
pub(crate) struct Pending {
    pub(crate) record: ApprovalRecord,
    /// The rule that makes a yes last, if one can.
    pub(crate) remembering: Option<Rule>,
    pub(crate) reply: oneshot::Sender<codewhale_engine::Answer>,
}

/// Questions that wait.
pub(crate) struct PendingInput {
    pub(crate) pending: PendingUserInput,
    pub(crate) reply: oneshot::Sender<Vec<UserInputAnswer>>,
}

/// What people add to a running turn. Everything that is accepted is taken by the turn: it cannot
/// end while something waits or is being written down.
#[derive(Default)]
pub(crate) struct Input {
    waiting: Vec<String>,
    /// How many have their place among the items, and have not been taken.
    pub(crate) unread: usize,
    reserved: u32,
    closed: bool,
}

impl Input {
    /// Takes nothing from the start.
    pub(crate) fn shut(&mut self) {
        self.closed = true;
    }

    /// What has arrived since the last look.
    pub(crate) fn take(&mut self) -> Vec<String> {
        self.unread -= self.waiting.len();
        std::mem::take(&mut self.waiting)
    }

    /// Ends the time for additions; false when one is there, `None` while one is on its way.
    fn close(&mut self) -> Option<bool> {
        if self.waiting.is_empty() && self.reserved > 0 {
            return None;
        }
        self.closed = self.waiting.is_empty();
        Some(self.closed)
    }
}

/// A place in the input that keeps the turn from ending, until it is filled or given up.
pub(crate) struct Reserved<'a>(&'a Desk);

impl Reserved<'_> {
    pub(crate) fn fill(self, text: String) {
        self.0.state().input.waiting.push(text);
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.0.state().input.reserved -= 1;
        self.0.input_settled.notify_one();
    }
}

/// What a turn has from its thread.
pub(crate) struct Belongings {
    pub(crate) tree: Arc<Tree>,
    pub(crate) root: Option<Root>,
    pub(crate) session_grants: Arc<Mutex<BTreeSet<String>>>,
    pub(crate) shots: Shots,
    pub(crate) bounds: Bounds,
}

impl Desk {
    pub(crate) fn new(
        core: Arc<Core>,
        (turn, turn_ordinal): (TurnId, u64),
        (lease, room): (Lease, RoomId),
        (caller, route): (&Caller, Route),
        authority: Authority,
        belongings: Belongings,
    ) -> Self {
        let Belongings {
            tree,
            root,
            session_grants,
            shots,
            bounds,
        } = belongings;
        let state = State {
            items: Vec::new(),
            next_index: 0,
            open: Vec::new(),
            input: Input::default(),
            authority,
            ledger: Ledger::default(),
            charged: Vec::new(),
            latest_input_tokens: 0,
            dispatched_at: None,
            asked_at: None,
            unshown: None,
            calls: 0,
            pending: BTreeMap::new(),
            inputs: BTreeMap::new(),
            client_calls: BTreeMap::new(),
            final_message: None,
            tickets: Vec::new(),
            unsettled: Vec::new(),
            lost: false,
            unchecked: 0,
        };
        let thread = lease.thread.clone();
        let agents = Agents::new(&core, &thread, caller, route);
        let stream = StreamId::Thread(thread.clone());
        let state = Mutex::new(state);
        Self {
            patience: core.approval_timeout,
            core,
            thread,
            room,
            stream,
            turn,
            turn_ordinal,
            lease,
            caller: caller.clone(),
            agents: Mutex::new(Arc::new(agents)),
            tree,
            root,
            session_grants,
            shots,
            bounds,
            state,
            input_settled: Notify::new(),
        }
    }

    /// The same with questions that wait so long.
    pub(crate) fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the desk")
    }

    /// Keeps the turn from ending until an addition is written down. `None` when it is too late.
    pub(crate) fn reserve_input(&self) -> Option<Reserved<'_>> {
        let mut state = self.state();
        if state.input.closed {
            return None;
        }
        state.input.reserved += 1;
        Some(Reserved(self))
    }

    /// Ends the time for additions, once what is on its way has arrived. False when something has.
    pub(crate) async fn close_input(&self) -> bool {
        loop {
            if let Some(closed) = self.state().input.close() {
                return closed;
            }
            self.input_settled.notified().await;
        }
    }

    /// Gives the next item of the turn its place.
    pub(crate) fn place(&self, state: &mut State, item: &ItemId) -> u64 {
        let index = state.next_index;
        state.next_index += 1;
        state.items.push(item.clone());
        self.turn_ordinal * limits::ITEMS_PER_TURN + index
    }

    /// A batch that holds only while this process runs the turn.
    pub(crate) fn batch(&self, durability: Durability) -> Batch {
        let mut batch = self.core.store.batch(durability);
        batch.guard(Guard::LeaseHeld {
            lease: self.lease.clone(),
        });
        batch
    }

    pub(crate) fn about<'a>(
        &'a self,
        item: Option<&'a ItemId>,
        at: Timestamp,
        by: &'a Arc<Stamp>,
    ) -> About<'a> {
        About {
            stream: &self.stream,
            turn_id: Some(&self.turn),
            item_id: item,
            at,
            by,
        }
    }

    pub(crate) fn agent_event(
        &self,
        batch: &mut Batch,
        item: Option<&ItemId>,
        at: Timestamp,
        event: &Event,
    ) {
        batch.event(self.about(item, at, &self.agents().talker), event);
    }

    /// The agents that work, as the present model makes them.
    pub(crate) fn agents(&self) -> Arc<Agents> {
        self.agents
            .lock()
            .expect("nothing panics while it holds the agents")
            .clone()
    }

    /// Takes that another model answers from now on.
    pub(crate) fn switch(&self, route: Route) {
        let next = Agents::new(&self.core, &self.thread, &self.caller, route);
        *self
            .agents
            .lock()
            .expect("nothing panics while it holds the agents") = Arc::new(next);
    }

    /// Hands a batch over without waiting; [`Desk::settle`] waits for all of them.
    pub(crate) fn commit(&self, state: &mut State, batch: Batch) {
        state.tickets.push(self.core.store.commit(batch));
    }

    /// Waits until everything so far is in the log, or is known not to be.
    pub(crate) async fn settle(&self) -> Result<(), Error> {
        let tickets = std::mem::take(&mut self.state().tickets);
        let mut settled = Ok(());
        for ticket in tickets {
            settled = settled.and(ticket.await.map(drop));
        }
        let mut state = self.state();
        let writers = std::mem::take(&mut state.unsettled);
        settled = settled.and(writers.iter().try_for_each(DeltaWriter::check));
        state.lost |= settled.is_err();
        settled
    }

    /// Takes that something did not get there.
    pub(crate) fn lose(&self) {
        self.state().lost = true;
    }

    /// Whether something that happened did not reach the log.
    pub(crate) fn has_lost(&self) -> bool {
        self.state().lost
    }

    /// Where in its tree the thread is.
    pub(crate) fn member(&self) -> Member {
        match self.root {
            Some(_) => Member::Below,
            None => Member::Top,
        }
    }

    /// What an agent below may not exceed. What the turn may use, both use together.
    pub(crate) fn bounds_below(&self) -> Option<Bounds> {
        let bounds = Bounds {
            max_tokens: None,
            max_tool_calls: None,
            ..self.bounds.clone()
        };
        (!bounds.is_empty()).then_some(bounds)
    }

    pub(crate) fn dispatched(&self) {
        let now = self.core.env.now();
        let mut state = self.state();
        state.dispatched_at.get_or_insert(now);
        state.asked_at = Some(now);
    }

    /// What each agent has used so far.
    pub(crate) fn usage_rows(&self, state: &State, at: Timestamp) -> Vec<UsageRow> {
        let row = |spent: &Spent| UsageRow {
            turn_id: self.turn.clone(),
            thread_id: self.thread.clone(),
            room_id: self.room.clone(),
            actor_id: spent.by.id.clone(),
            provider: spent.provider.clone(),
            model: spent.model.clone(),
            began_at: state.dispatched_at.unwrap_or(at),
            ended_at: at,
            usage: spent.usage,
            cost_microusd: spent.cost_microusd,
            priced_by: spent.priced_by.map(str::to_owned),
        };
        state.ledger.spent().iter().map(row).collect()
    }

    /// Takes what a request used, and writes it down at once: it was paid for, whatever becomes of
    /// the turn. The prices are those of the turn's first request, so that they
    /// follow from its record.
    pub(crate) fn used(&self, usage: Usage, purpose: Purpose) {
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        let goal = self.tree.charge(self.member(), tokens);
        let (agents, now) = (self.agents(), self.core.env.now());
        let mut state = self.state();
        let at = state.dispatched_at.unwrap_or(now);
        let used = (usage, purpose);
        state.ledger.add(&agents, used, &self.core.prices, at);
        state.latest_input_tokens = usage.input_tokens;
        if purpose == Purpose::Answer {
            state.unshown = Some(shown_usage(usage, state.asked_at, now));
        }
        if let Some(goal) = goal {
            match state.charged.iter_mut().find(|(known, _)| *known == goal) {
                Some((_, sum)) => *sum = sum.saturating_add(tokens),
                None => state.charged.push((goal, tokens)),
            }
        }
        let mut batch = self.batch(Durability::Fast);
        for row in self.usage_rows(&state, now) {
            batch.put_usage(row);
        }
        self.commit(&mut state, batch);
    }
}

impl State {
    /// Takes what the latest call of the model used, to show it on the item that ends it.
    pub(super) fn take_usage(&mut self) -> Option<Value> {
        self.unshown.take()
    }
}

/// What one call of the model used, as the item that ends it tells it.
fn shown_usage(usage: Usage, asked_at: Option<Timestamp>, now: Timestamp) -> Value {
    let mut shown = serde_json::to_value(usage).unwrap_or_default();
    if let Some(asked_at) = asked_at {
        shown["duration_ms"] = now.ms_since(asked_at).into();
    }
    shown
}
