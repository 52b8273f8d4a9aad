//! Questions to the store, all answered from one moment of the log.

mod attachments;
mod log;
mod work;

use std::ops::Range;

use codewhale_protocol::operations::Role;
use codewhale_protocol::runtime::{
    ApprovalId, ApprovalRecord, Event, Goal, ItemId, OwnerId, PendingApproval, PendingUserInput,
    PrincipalId, RoomId, RuntimeEventEnvelope, StreamId, ThreadDetail, ThreadId, Timestamp,
    ToolCallRequested, TurnId, TurnItemRecord, UserInputId,
};

use crate::db::{self, Connection};
use crate::tables::{
    agent_runs, approvals, client_calls, effects, events, goals, items, leases, requests,
    restorations, rooms, sessions, snapshots, subjects, threads, trust, turns, usage, user_inputs,
};
use crate::{
    Answered, Error, LeaseState, ListedThread, Located, OwnerRow, RequestId, Restoration,
    SessionFigures, SessionQuery, StoredItem, StoredRun, StoredSnapshot, StoredThread, StoredTurn,
    SubjectState, Tally, ThreadQuery, UsageQuery, UsageRow, UsageSum,
};

pub use log::Verified;

/// Behind the last ordinal that the store can hold.
const ORDINAL_MAX: u64 = i64::MAX as u64;

/// Reads from one moment of the store.
pub struct Reader<'a> {
    connection: &'a Connection,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self { connection }
    }

    /// A thread.
    pub fn thread(&self, id: &ThreadId) -> Result<Option<StoredThread>, Error> {
        Ok(threads::get(self.connection, id)?)
    }

    /// Threads, the last changed first.
    pub fn threads(&self, query: &ThreadQuery<'_>) -> Result<Vec<ListedThread>, Error> {
        Ok(threads::list(self.connection, query)?)
    }

    /// Threads that have something in them, the last changed first.
    pub fn sessions(&self, query: &SessionQuery<'_>) -> Result<Vec<ListedThread>, Error> {
        Ok(sessions::list(self.connection, query)?)
    }

    /// What a thread amounts to.
    pub fn session_figures(&self, id: &ThreadId) -> Result<SessionFigures, Error> {
        Ok(sessions::figures(self.connection, id)?)
    }

    /// Threads that were deleted: no door shows them.
    pub fn hidden_threads(&self) -> Result<Vec<ThreadId>, Error> {
        Ok(sessions::hidden(self.connection)?)
    }

    /// The turns of a thread, oldest first.
    pub fn turns(&self, thread: &ThreadId) -> Result<Vec<StoredTurn>, Error> {
        Ok(turns::of_thread(self.connection, thread)?)
    }

    /// The newest turn of a thread.
    pub fn latest_turn(&self, thread: &ThreadId) -> Result<Option<StoredTurn>, Error> {
        Ok(turns::latest(self.connection, thread)?)
    }

    /// A turn, whatever thread it belongs to.
    pub fn turn(&self, id: &TurnId) -> Result<Option<StoredTurn>, Error> {
        Ok(turns::get(self.connection, id)?)
    }

    /// All turns that have not ended, whoever runs them.
    pub fn unfinished_turns(&self) -> Result<Vec<StoredTurn>, Error> {
        Ok(turns::unfinished(self.connection)?)
    }

    /// The items of a thread from an ordinal on. Running ones have their text so far.
    pub fn items(&self, thread: &ThreadId, from_ordinal: u64) -> Result<Vec<StoredItem>, Error> {
        self.items_within(thread, from_ordinal..ORDINAL_MAX)
    }

    /// The items of a thread with these ordinals.
    pub fn items_within(
        &self,
        thread: &ThreadId,
        ordinals: Range<u64>,
    ) -> Result<Vec<StoredItem>, Error> {
        let mut items = items::of_thread(self.connection, thread, ordinals)?;
        for item in items
            .iter_mut()
            .filter(|item| !item.record.status.is_terminal() && !item.record.kind.is_tool())
        {
            self.fold_deltas(thread, item)?;
        }
        Ok(items)
    }

    /// An item of a thread, as it began or as it ended.
    pub fn item(&self, thread: &ThreadId, id: &ItemId) -> Result<Option<StoredItem>, Error> {
        Ok(items::get(self.connection, thread, id)?)
    }

    /// The text of a running item is in its deltas. Those of a call are only told.
    fn fold_deltas(&self, thread: &ThreadId, item: &mut StoredItem) -> Result<(), Error> {
        let stream = StreamId::Thread(thread.clone());
        let Some(head) = self.stream(&stream)? else {
            return Ok(());
        };
        let record = &mut item.record;
        events::for_each_behind(self.connection, head.stream, item.since_seq, |event| {
            if event.name == crate::envelope::DELTA
                && let Some(text) = delta_for(&record.id, event.body)?
            {
                record.detail.get_or_insert_default().push_str(&text);
            }
            Ok::<_, db::Error>(true)
        })?;
        Ok(())
    }

    /// An approval.
    pub fn approval(&self, id: &ApprovalId) -> Result<Option<ApprovalRecord>, Error> {
        Ok(approvals::get(self.connection, id)?)
    }

    /// The approvals of a thread that wait.
    pub fn pending_approvals(&self, thread: &ThreadId) -> Result<Vec<ApprovalRecord>, Error> {
        Ok(approvals::pending(self.connection, thread)?)
    }

    /// Calls of a thread that wait for the client that runs them.
    pub fn pending_client_calls(&self, thread: &ThreadId) -> Result<Vec<ToolCallRequested>, Error> {
        Ok(client_calls::pending(self.connection, thread)?)
    }

    /// The questions that wait on a thread: of its agent, and of those below it.
    pub fn pending_user_inputs(&self, thread: &ThreadId) -> Result<Vec<PendingUserInput>, Error> {
        Ok(user_inputs::pending(self.connection, thread)?)
    }

    /// The thread whose agent asked these questions.
    pub fn asking_thread(&self, id: &UserInputId) -> Result<Option<ThreadId>, Error> {
        Ok(user_inputs::thread(self.connection, id)?)
    }

    /// What a thread works towards.
    pub fn goal(&self, thread: &ThreadId) -> Result<Option<Goal>, Error> {
        Ok(goals::get(self.connection, thread)?)
    }

    /// The receipt of the sub-agent that has this thread.
    pub fn agent_run(&self, thread: &ThreadId) -> Result<Option<StoredRun>, Error> {
        Ok(agent_runs::get(self.connection, thread)?)
    }

    /// The receipts of the sub-agents that a thread started.
    pub fn agent_runs_of(&self, parent: &ThreadId) -> Result<Vec<StoredRun>, Error> {
        Ok(agent_runs::of_parent(self.connection, parent)?)
    }

    /// The receipts of all sub-agents below the top of a tree.
    pub fn agent_runs_below(&self, root: &ThreadId, limit: u64) -> Result<Vec<StoredRun>, Error> {
        Ok(agent_runs::of_root(self.connection, root, limit)?)
    }

    /// The newest receipts that a principal may see.
    pub fn agent_runs(&self, principal: &str, limit: u64) -> Result<Vec<StoredRun>, Error> {
        Ok(agent_runs::visible(self.connection, principal, limit)?)
    }

    /// The newest receipts of a workspace.
    pub fn agent_runs_in(&self, workspace: &str, limit: u64) -> Result<Vec<StoredRun>, Error> {
        Ok(agent_runs::of_workspace(self.connection, workspace, limit)?)
    }

    /// Receipts of sub-agents that count as at work although no turn of theirs is going on.
    pub fn stranded_runs(&self) -> Result<Vec<StoredRun>, Error> {
        Ok(agent_runs::stranded(self.connection)?)
    }

    /// How many agents a tree has and what they cost.
    pub fn tally(&self, root: &ThreadId) -> Result<Tally, Error> {
        Ok(agent_runs::tally(self.connection, root)?)
    }

    /// The digest of what is trusted of a workspace.
    pub fn trust(&self, path: &str) -> Result<Option<String>, Error> {
        Ok(trust::get(self.connection, path)?)
    }

    /// What each agent used for a turn.
    pub fn usage(&self, turn: &TurnId) -> Result<Vec<UsageRow>, Error> {
        Ok(usage::of_turn(self.connection, turn)?)
    }

    /// What turns used, added up as asked.
    pub fn usage_sums(&self, query: &UsageQuery<'_>) -> Result<Vec<(String, UsageSum)>, Error> {
        Ok(usage::sums(self.connection, query)?)
    }

    /// What a request was answered with, if that was not before `since`.
    pub fn answered(&self, id: &RequestId, since: Timestamp) -> Result<Option<Answered>, Error> {
        Ok(requests::get(self.connection, id, since)?)
    }

    /// The items of a turn whose calls began to reach outside and have no end.
    pub fn open_effects(&self, turn: &TurnId) -> Result<Vec<ItemId>, Error> {
        Ok(effects::open(self.connection, turn)?)
    }

    /// The snapshots of a thread, oldest first.
    pub fn snapshots(&self, thread: &ThreadId) -> Result<Vec<StoredSnapshot>, Error> {
        Ok(snapshots::of_thread(self.connection, thread)?)
    }

    /// The newest snapshots of a workspace, each with the thread it was taken in.
    pub fn snapshots_in(&self, workspace: &str, limit: u64) -> Result<Vec<StoredSnapshot>, Error> {
        Ok(snapshots::of_workspace(self.connection, workspace, limit)?)
    }

    /// A snapshot, with the thread it was taken in.
    pub fn snapshot(&self, id: &str) -> Result<Option<StoredSnapshot>, Error> {
        Ok(snapshots::get(self.connection, id)?)
    }

    /// Whether no turn works in a directory and no files of it are being moved.
    pub fn is_still(&self, workspace: &str) -> Result<bool, Error> {
        Ok(restorations::is_still(self.connection, workspace)?)
    }

    /// Whether no files of a directory are being moved.
    pub fn is_settled(&self, workspace: &str) -> Result<bool, Error> {
        Ok(restorations::is_settled(self.connection, workspace)?)
    }

    /// All moves of files that are under way, whoever makes them.
    pub fn open_restorations(&self) -> Result<Vec<Restoration>, Error> {
        Ok(restorations::open(self.connection)?)
    }

    /// A whole thread with the place in the log that this shows.
    pub fn detail(&self, id: &ThreadId) -> Result<Option<ThreadDetail>, Error> {
        let Some(thread) = self.thread(id)? else {
            return Ok(None);
        };
        let items: Vec<TurnItemRecord> = self
            .items(id, 0)?
            .into_iter()
            .map(|item| item.record)
            .collect();
        let mut turns: Vec<_> = self
            .turns(id)?
            .into_iter()
            .map(|turn| turn.record)
            .collect();
        for turn in turns.iter_mut().filter(|turn| !turn.status.is_terminal()) {
            let own = items.iter().filter(|item| item.turn_id == turn.id);
            turn.item_ids = own.map(|item| item.id.clone()).collect();
        }
        Ok(Some(ThreadDetail {
            thread: thread.record,
            turns,
            items,
            latest_seq: self.head(&StreamId::Thread(id.clone()))?,
            pending_approvals: self.shown_approvals(id)?,
            pending_user_inputs: self.pending_user_inputs(id)?,
            pending_dynamic_tool_calls: self.pending_client_calls(id)?,
        }))
    }

    /// Approvals that wait and stand on a thread: its own, and those of agents below it.
    pub fn shown_approvals(&self, id: &ThreadId) -> Result<Vec<PendingApproval>, Error> {
        let pending = approvals::shown(self.connection, id)?;
        let shown = pending.iter();
        let shown = shown.map(|record| PendingApproval::shown_on(id, record));
        Ok(shown.collect())
    }

    /// Who holds the lease of a thread.
    pub fn lease(&self, thread: &ThreadId) -> Result<LeaseState, Error> {
        Ok(leases::get(self.connection, thread)?)
    }

    /// A process that uses or used the store.
    pub fn owner(&self, id: &OwnerId) -> Result<Option<OwnerRow>, Error> {
        Ok(leases::owner(self.connection, id)?)
    }

    /// What a principal is in the room something belongs to.
    pub fn role(
        &self,
        principal: &PrincipalId,
        located: Located<'_>,
    ) -> Result<Option<Role>, Error> {
        Ok(rooms::role(self.connection, principal, located)?)
    }

    /// The room that new threads of a workspace go to.
    pub fn room_of_workspace(&self, path: &str) -> Result<Option<RoomId>, Error> {
        Ok(rooms::of_workspace(self.connection, path)?)
    }

    /// The operator of the store.
    pub fn operator(&self) -> Result<Option<PrincipalId>, Error> {
        Ok(rooms::operator(self.connection)?)
    }

    /// The counters of a thread.
    pub fn subject(&self, thread: &ThreadId) -> Result<Option<SubjectState>, Error> {
        Ok(subjects::get(self.connection, thread)?)
    }
}

/// The text of a delta, if it is for this item.
fn delta_for(item: &ItemId, body: &str) -> Result<Option<String>, db::Error> {
    let envelope: RuntimeEventEnvelope = serde_json::from_str(body)?;
    if envelope.item_id.as_ref() != Some(item) {
        return Ok(None);
    }
    match envelope.decode() {
        Some(Ok(Event::ItemDelta(delta))) => Ok(Some(delta.delta)),
        Some(Err(error)) => Err(error.into()),
        Some(Ok(_)) | None => Ok(None),
    }
}
