//! The end of a turn: one terminal state, one `turn.completed`, whatever happened before.

mod closing;

use std::sync::Arc;

use codewhale_engine::{Failure, Outcome, TurnEnd};
use codewhale_model::Message;
use codewhale_protocol::runtime::{
    ApprovalDecision, CoherenceChanged, Event, FailureClass, Goal, GoalId, GoalUpdated, ItemId,
    ItemKind, ThreadRecord, Timestamp, ToolCallCancelReason, ToolCallRequested, TurnCompleted,
    TurnItemRecord, TurnRecord, TurnStatus, UserInputId, summarize,
};
use codewhale_store::{
    About, Batch, Durability, Guard, Spending, Stamp, StoredRun, ThreadWords, UsageRow,
};
use tokio::task::JoinError;

use super::answer::cancel_input;
use super::resolve::cancel_call;
use super::settle::{Settlement, settle};
use super::{Active, ThreadActor};
use crate::agents::{Ended, ended, tell_parent};
use crate::limits;
use crate::recovery::{Cut, end_run};

use closing::{answered_by, closed_items, coherence, error_item, fill, last_words};

/// Everything that the end of a turn writes. Decided once; written until it is written.
struct Ending {
    turn: TurnRecord,
    thread: ThreadRecord,
    words: ThreadWords,
    /// Items that end with the turn, with their places.
    items: Vec<(u64, TurnItemRecord)>,
    pending: Vec<codewhale_protocol::runtime::ApprovalRecord>,
    inputs: Vec<UserInputId>,
    client_calls: Vec<ToolCallRequested>,
    coherence: Option<CoherenceChanged>,
    usage: Vec<UsageRow>,
    /// The receipt of a sub-agent, and what the turn cost.
    run: Option<(StoredRun, u64)>,
    /// Sub-agents that were made and never begun.
    stranded: Vec<(StoredRun, ThreadRecord)>,
    goal: Option<Goal>,
    spendings: Vec<Spending>,
    by: Arc<Stamp>,
    at: Timestamp,
}

/// Who wrote the end of a turn.
#[derive(PartialEq, Eq)]
enum Written {
    Here,
    /// Another process has, or the next one will.
    Elsewhere,
}

impl ThreadActor {
    /// Ends the running turn, with what its task left.
    pub(super) async fn end_turn(&mut self, result: Result<Outcome, JoinError>) {
        self.settle_beginning().await;
        let Some(active) = self.active.take() else {
            return;
        };
        if let Err(error) = active.desk.settle().await {
            tracing::error!(%error, turn = %active.turn.id, "a turn could not be kept");
        }
        let lost = active.desk.has_lost();
        if lost && let Err(error) = self.look_what_is_open(&active) {
            tracing::error!(%error, turn = %active.turn.id, "what is open could not be read");
        }
        if active.desk.root.is_none() {
            active.desk.tree.set_top_turn(None);
        }
        let (end, conversation) = end_of(&active, result, lost);
        let mut ending = self.ending(&active, &end);
        if lost || active.stopping.is_some() {
            match self.core.stranded_below(&self.id) {
                Ok(stranded) => ending.stranded = stranded,
                Err(error) => tracing::error!(%error, "sub-agents could not be looked for"),
            }
        }
        if self.write_end(&active, &mut ending).await == Written::Here {
            if self.state.thread.parent_id.is_none() {
                self.core.goal_changed(&self.id, ending.goal.as_ref());
                self.plan_continuation(ending.goal.as_ref(), &active.asker.afterwards());
            }
            if let Some((stored, _)) = &ending.run {
                self.core.export_receipts(stored.run.spec.workspace.clone());
                self.tell_of_report(&stored.run);
            }
            if active.stopping.is_some() {
                self.core.stop_crew(&self.id, &active.asker);
            }
            self.tell_of_end(&active, &ending.turn);
            self.core.queue.stir();
            self.state.thread = ending.thread;
            self.state.words = ending.words;
            self.state.lease.owner = None;
            // A turn that did not complete is told anew from its items, which are whole.
            let whole = conversation.filter(|_| end == TurnEnd::Completed);
            self.conversation = whole.and_then(|messages| self.core.shelf.keep(messages));
        }
    }

    fn ending(&self, active: &Active, end: &TurnEnd) -> Ending {
        let at = self.core.env.now();
        let desk = &active.desk;
        let agents = desk.agents();
        let by = match (end, &active.stopping) {
            (TurnEnd::Interrupted, Some((by, _))) => Arc::clone(by),
            _ => Arc::clone(&agents.talker),
        };
        let mut state = desk.state();
        let report = last_words(&state);
        let mut items = closed_items(&mut state, end, at);
        if let TurnEnd::Failed(failure) = end {
            let record = error_item(active, failure, ItemId::new(self.core.env.uuid()), at);
            let ordinal = desk.place(&mut state, &record.id);
            // The cause comes first, then what it took down.
            items.insert(0, (ordinal, record));
        }
        let mut turn = active.turn.clone();
        fill(&mut turn, end, at);
        turn.usage = Some(state.ledger.usage().unwrap_or_default());
        turn.cost_usd = Some(state.ledger.cost_usd());
        answered_by(&mut turn, &agents);
        turn.effective_dispatched_at = state.dispatched_at;
        turn.context_tokens = Some(state.latest_input_tokens).filter(|tokens| *tokens > 0);
        turn.context_window = agents.route.context_window;
        turn.item_ids = state.items.clone();
        turn.ended_by = Some(by.actor.clone());
        let last = state.final_message.clone();
        if turn.status == TurnStatus::Completed {
            turn.final_item_id = last.as_ref().map(|(id, _)| id.clone());
        }
        let mut thread = self.state.thread.clone();
        thread.updated_at = at;
        if let Some(id) = &turn.final_item_id {
            thread.latest_response_bookmark = Some(id.clone());
        }
        let coherence = coherence(&agents.route, state.latest_input_tokens, &mut thread);
        let mut words = self.state.words.clone();
        if let Some((_, text)) = last {
            words.latest_message = Some(summarize(&text))
                .filter(|text| !text.is_empty())
                .or(words.latest_message);
        }
        let usage = desk.usage_rows(&state, at);
        let charged = std::mem::take(&mut state.charged);
        let calls = state.calls;
        let pending = std::mem::take(&mut state.pending);
        let pending = pending
            .into_values()
            .map(|waiting| waiting.record)
            .collect();
        let inputs = std::mem::take(&mut state.inputs).into_keys().collect();
        let client_calls = std::mem::take(&mut state.client_calls);
        let client_calls = client_calls.into_values().map(|it| it.call).collect();
        drop(state);
        let goal = self.goal_after(active, end, &charged, at);
        let spendings = self.spendings(&charged, goal.as_ref(), at.ms_since(turn.created_at));
        let run = self.run_after(active, &turn, (report.as_deref(), calls), at);
        Ending {
            turn,
            thread,
            words,
            items,
            pending,
            inputs,
            client_calls,
            coherence,
            usage,
            run,
            stranded: Vec::new(),
            goal,
            spendings,
            by,
            at,
        }
    }

    /// What the goal of the tree is charged with.
    fn spendings(
        &self,
        charged: &[(GoalId, u64)],
        goal: Option<&Goal>,
        time_ms: u64,
    ) -> Vec<Spending> {
        let thread = self.state.thread.root_id.as_ref().unwrap_or(&self.id);
        let newest = goal.map(|goal| &goal.goal_id);
        let newest = newest.or(charged.last().map(|(id, _)| id)).cloned();
        let mut sums: Vec<Spending> = charged
            .iter()
            .map(|(goal, tokens)| Spending {
                thread: thread.clone(),
                goal: goal.clone(),
                tokens: *tokens,
                time_ms: 0,
            })
            .collect();
        // Time is that of people: what sub-agents do beside each other is not added up.
        if self.state.thread.parent_id.is_none()
            && let Some(newest) = newest
        {
            sums.push(Spending {
                thread: thread.clone(),
                goal: newest,
                tokens: 0,
                time_ms,
            });
        }
        sums
    }

    /// The receipt of a sub-agent after a turn of its.
    fn run_after(
        &self,
        active: &Active,
        turn: &TurnRecord,
        (report, calls): (Option<&str>, u64),
        at: Timestamp,
    ) -> Option<(StoredRun, u64)> {
        self.state.thread.parent_id.as_ref()?;
        let stored = self.core.store.read(|reader| reader.agent_run(&self.id));
        let mut stored = stored.ok().flatten()?;
        let usage = turn.usage.unwrap_or_default();
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        let how = Ended {
            turn,
            report,
            is_cancelled: active.is_cancelled,
            calls,
            usage,
            budget: active.desk.tree.agents(),
        };
        ended(&mut stored.run, &how, at);
        Some((stored, tokens))
    }

    /// Writes the end down, for as long as that takes: nothing else can be done with the thread.
    async fn write_end(&mut self, active: &Active, ending: &mut Ending) -> Written {
        let mut wait = limits::END_RETRY_FIRST;
        loop {
            let mut batch = end_batch(active, ending);
            let task = self.core.end_task_with(
                &mut batch,
                &ending.thread,
                (&ending.turn, ending.words.latest_message.as_deref()),
                &ending.by,
            );
            let committed = match task {
                Ok(()) => self.commit(batch).await,
                Err(error) => Err(error),
            };
            match committed {
                Ok(_) => return Written::Here,
                // The store could not take that question: nobody has seen it.
                Err(codewhale_store::Error::Guard(Guard::ApprovalPending { id })) => {
                    ending.pending.retain(|record| record.id != id);
                    continue;
                }
                // It could not take the beginning of that item either.
                Err(codewhale_store::Error::Guard(Guard::ItemBegun { id })) => {
                    ending.items.retain(|(_, record)| record.id != id);
                    ending.turn.item_ids.retain(|known| *known != id);
                    continue;
                }
                // Someone told the task to stop in this moment.
                Err(codewhale_store::Error::Guard(Guard::TaskAt { .. })) => continue,
                // The lease is gone: another process has ended the turn for us.
                Err(codewhale_store::Error::Guard(_)) => {
                    tracing::warn!(turn = %ending.turn.id, "another process ended this turn");
                    if let Err(error) = self.reload() {
                        tracing::error!(%error, "the thread could not be read again");
                    }
                    return Written::Elsewhere;
                }
                Err(codewhale_store::Error::Closed) => return Written::Elsewhere,
                Err(error) => {
                    tracing::error!(%error, turn = %ending.turn.id, "the end of a turn could not be written; trying again");
                }
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(limits::END_RETRY_LONGEST);
        }
    }
}

/// How the turn ended, all things considered, and the conversation if it is still good.
fn end_of(
    active: &Active,
    result: Result<Outcome, JoinError>,
    lost: bool,
) -> (TurnEnd, Option<Vec<Message>>) {
    if active.stopping.is_some() {
        return (TurnEnd::Interrupted, None);
    }
    let fail = |class, message: &str, retryable| {
        let message = message.to_owned();
        (
            TurnEnd::Failed(Failure {
                message,
                class,
                retryable,
            }),
            None,
        )
    };
    match result {
        _ if lost => fail(
            FailureClass::Storage,
            "the store could not keep what happened in this turn; see the log of the program",
            true,
        ),
        Ok(outcome) => (outcome.end, Some(outcome.conversation)),
        Err(error) => {
            tracing::error!(%error, turn = %active.turn.id, "the task of a turn broke down");
            let message = "a fault inside codewhale ended this turn; see the log of the program";
            fail(FailureClass::Internal, message, true)
        }
    }
}

fn end_batch(active: &Active, ending: &Ending) -> Batch {
    let desk = &active.desk;
    let mut batch = desk.batch(Durability::Synced);
    let settlement = Settlement::decided(
        ApprovalDecision::Deny,
        &ending.by,
        "the turn ended before the answer",
    );
    for record in &ending.pending {
        settle(&mut batch, desk, record, &settlement, ending.at);
    }
    for input in &ending.inputs {
        let about = desk.about(None, ending.at, &ending.by);
        cancel_input(&mut batch, about, desk.root.as_ref(), (input, true));
    }
    for call in &ending.client_calls {
        let about = desk.about(None, ending.at, &ending.by);
        cancel_call(&mut batch, about, call, ToolCallCancelReason::TurnTerminal);
    }
    for (ordinal, item) in &ending.items {
        // The cause begins and ends here; everything else has begun before.
        if item.kind != ItemKind::Error {
            batch.guard(Guard::ItemBegun {
                id: item.id.clone(),
            });
        }
        batch.put_item(&desk.thread, *ordinal, item);
        if item.kind.is_tool() {
            batch.settle_effect(&item.id, ending.at);
        }
        let about = desk.about(Some(&item.id), ending.at, &ending.by);
        batch.event(about, &Event::item_ended(item.clone()));
    }
    if let Some(coherence) = &ending.coherence {
        let about = desk.about(None, ending.at, &ending.by);
        batch.event(about, &Event::CoherenceChanged(coherence.clone()));
    }
    batch.put_turn(active.ordinal, &ending.turn);
    batch.put_thread(&ending.thread, &ending.words);
    batch.release_lease(&desk.thread);
    for usage in &ending.usage {
        batch.put_usage(usage.clone());
    }
    for spending in &ending.spendings {
        batch.spend_on_goal(spending.clone());
    }
    if let Some(goal) = &ending.goal {
        batch.move_goal(&desk.thread, goal.status, ending.at);
        let about = About {
            turn_id: None,
            ..desk.about(None, ending.at, &ending.by)
        };
        batch.event(about, &Event::GoalUpdated(GoalUpdated::from(goal.clone())));
    }
    if let Some((stored, tokens)) = &ending.run {
        let (run, kin) = (&stored.run, &stored.kin);
        batch.put_agent_run(kin, run, *tokens, ending.at);
        tell_parent(
            &mut batch,
            run,
            kin,
            &ending.thread,
            (&ending.by, ending.at),
        );
    }
    for (stored, thread) in &ending.stranded {
        let cut = Cut {
            cause: "it was stopped before it began",
            tokens: 0,
        };
        let told = (ending.at, &ending.by);
        end_run(&mut batch, stored, thread, &cut, told);
    }
    let completed = TurnCompleted {
        turn: ending.turn.clone(),
        recovered: false,
    };
    let about = desk.about(None, ending.at, &ending.by);
    batch.event(about, &Event::TurnCompleted(completed));
    batch
}
