//! A batch: everything that must happen together or not at all.
//!
//! A batch is decided before it is sent: guards say what it relies on, writes are the new rows,
//! events explain them. Everything that enters is sealed here, so nothing unmasked can be stored.

use std::sync::Arc;

use codewhale_protocol::runtime::{
    AgentRun, ApprovalRecord, AttachmentRecord, AutomationId, ClientCallId, ErrandId, Event,
    FleetRunId, Goal, ItemId, OwnerId, PendingUserInput, Seq, StreamId, SubjectChange, TaskId,
    ThreadId, ThreadRecord, Timestamp, ToolCallRequested, TurnId, TurnItemRecord, TurnRecord,
    UserInputId, project,
};
use codewhale_protocol::{Redactor, Sealed, ThreadGoalStatus};
use serde::Serialize;

use crate::tables::{
    AgentRunRow, ApprovalRow, AttachmentRow, AutomationRow, ClientCallRow, ErrandRow, FleetPartRow,
    FleetRunRow, GoalRow, Intent, ItemRow, MemberRow, PrincipalRow, RequestRow, Restoration,
    RoomRow, RunRow, SnapshotRow, SubjectRow, TaskRow, ThreadRow, TurnRow, UsageRow, UserInputRow,
};
use crate::{
    FleetSeat, FleetTask, Guard, Kin, Lease, NewRun, Spending, Stamp, StoredAutomation,
    StoredFleetRun, StoredTask, ThreadWords,
};

/// Whether a commit waits for the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Survives the end of the process.
    Fast,
    /// Survives loss of power as well: for what a person or the outside world relies on.
    Synced,
}

/// A row to be written.
#[derive(Debug)]
pub(crate) enum Write {
    Thread(ThreadRow),
    Turn(TurnRow),
    Item(ItemRow),
    Approval(ApprovalRow),
    UserInput(UserInputRow),
    SettleUserInput(UserInputId),
    ClientCall(ClientCallRow),
    SettleClientCall(ClientCallId),
    Errand(ErrandRow),
    AnswerErrand(ErrandId, Sealed),
    DropErrand(ErrandId),
    DropErrandsOf(OwnerId),
    Attachment(AttachmentRow),
    CopyAttachments {
        from: ThreadId,
        to: ThreadId,
    },
    Intent(Intent),
    SettleEffect(ItemId, Timestamp),
    Trust {
        path: String,
        digest: Option<String>,
    },
    Principal(PrincipalRow),
    Room(RoomRow),
    Member(MemberRow),
    RoomWorkspace {
        path: String,
        room_id: String,
    },
    TakeLease(Lease),
    ReleaseLease(ThreadId),
    Usage(UsageRow),
    AgentRun(AgentRunRow),
    Goal(GoalRow),
    MoveGoal(ThreadId, ThreadGoalStatus, Timestamp),
    CountContinuation(ThreadId, Timestamp),
    SpendOnGoal(Spending),
    ClearGoal(ThreadId),
    Task(TaskRow),
    Automation(AutomationRow),
    AutomationRun(RunRow),
    DropAutomation(AutomationId),
    DropAutomationRun(TaskId),
    FleetRun(FleetRunRow),
    FleetPart(FleetPartRow),
    Snapshot(SnapshotRow),
    BeginRestoration(Restoration),
    EndRestoration(String),
    Request(RequestRow),
    NewSubject(SubjectRow),
    Subject {
        thread: ThreadId,
        change: SubjectChange,
        /// Which event of the same batch is the last that counts.
        event: usize,
    },
}

/// An event without its place in the log.
#[derive(Debug)]
pub(crate) struct NewEvent {
    pub(crate) stream: StreamId,
    pub(crate) name: &'static str,
    pub(crate) turn_id: Option<TurnId>,
    pub(crate) item_id: Option<ItemId>,
    pub(crate) at: Timestamp,
    pub(crate) stamp: Arc<Stamp>,
    pub(crate) payload: Sealed,
}

/// Everything that must happen together or not at all.
pub struct Batch {
    pub(crate) durability: Durability,
    pub(crate) guards: Vec<Guard>,
    pub(crate) writes: Vec<Write>,
    pub(crate) events: Vec<NewEvent>,
    redactor: Arc<Redactor>,
}

/// Where an event belongs, when, and by whom.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The stream.
    pub stream: &'a StreamId,
    /// The turn, if it is about one.
    pub turn_id: Option<&'a TurnId>,
    /// The item, if it is about one.
    pub item_id: Option<&'a ItemId>,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: &'a Arc<Stamp>,
}

impl Batch {
    pub(crate) fn new(redactor: Arc<Redactor>, durability: Durability) -> Self {
        Self {
            durability,
            guards: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
            redactor,
        }
    }

    /// Adds something the batch relies on.
    pub fn guard(&mut self, guard: Guard) {
        self.guards.push(guard);
    }

    /// Adds an event, and what it means for the counters of its thread.
    pub fn event(&mut self, about: About<'_>, event: &Event) {
        self.events.push(NewEvent {
            stream: about.stream.clone(),
            name: event.name(),
            turn_id: about.turn_id.cloned(),
            item_id: about.item_id.cloned(),
            at: about.at,
            stamp: Arc::clone(about.by),
            payload: self.redactor.seal_payload(event),
        });
        if let StreamId::Thread(thread) = about.stream
            && let Some(change) = project(event)
        {
            self.count(thread, event, change);
        }
    }

    fn count(&mut self, thread: &ThreadId, event: &Event, change: SubjectChange) {
        match event {
            Event::ThreadStarted(started) => {
                self.writes
                    .push(Write::NewSubject(SubjectRow::of(&started.thread)));
            }
            Event::ThreadForked(forked) => {
                self.writes
                    .push(Write::NewSubject(SubjectRow::of(&forked.thread)));
            }
            _ => {}
        }
        let event = self.events.len() - 1;
        for write in &mut self.writes {
            if let Write::Subject {
                thread: known,
                change: so_far,
                event: last,
            } = write
                && known == thread
            {
                *so_far = so_far.and(change);
                *last = event;
                return;
            }
        }
        self.writes.push(Write::Subject {
            thread: thread.clone(),
            change,
            event,
        });
    }

    /// Writes a thread with the words lists show for it.
    pub fn put_thread(&mut self, thread: &ThreadRecord, words: &ThreadWords) {
        self.writes
            .push(Write::Thread(ThreadRow::new(&self.redactor, thread, words)));
    }

    /// Writes the `ordinal`-th turn of its thread.
    pub fn put_turn(&mut self, ordinal: u64, turn: &TurnRecord) {
        self.writes
            .push(Write::Turn(TurnRow::new(&self.redactor, ordinal, turn)));
    }

    /// Writes an item of a thread; `ordinal` sorts it among all items of the thread.
    pub fn put_item(&mut self, thread: &ThreadId, ordinal: u64, item: &TurnItemRecord) {
        self.writes.push(Write::Item(ItemRow::new(
            &self.redactor,
            thread,
            ordinal,
            item,
        )));
    }

    /// Writes an approval that waits.
    pub fn put_approval(&mut self, approval: &ApprovalRecord) {
        self.writes.push(Write::Approval(ApprovalRow::new(
            &self.redactor,
            approval,
            None,
        )));
    }

    /// Writes an approval that the event added last has settled.
    pub fn settle_approval(&mut self, approval: &ApprovalRecord) {
        let event = self.events.len().checked_sub(1);
        self.writes.push(Write::Approval(ApprovalRow::new(
            &self.redactor,
            approval,
            event,
        )));
    }

    /// Writes down that a call waits for the client that runs it.
    pub fn put_client_call(&mut self, call: &ToolCallRequested) {
        let row = ClientCallRow::new(&self.redactor, call);
        self.writes.push(Write::ClientCall(row));
    }

    /// Takes that a call waits no more.
    pub fn settle_client_call(&mut self, id: &ClientCallId) {
        self.writes.push(Write::SettleClientCall(id.clone()));
    }

    /// Leaves a request of one process for another.
    pub fn put_errand(
        &mut self,
        id: &ErrandId,
        from_to: (&OwnerId, &OwnerId),
        request: &impl Serialize,
    ) {
        let row = ErrandRow::new(&self.redactor, id, from_to, request);
        self.writes.push(Write::Errand(row));
    }

    /// Writes what came of it, if somebody still waits for that.
    pub fn answer_errand(&mut self, id: &ErrandId, answer: &impl Serialize) {
        let answer = self.redactor.seal_json(answer);
        self.writes.push(Write::AnswerErrand(id.clone(), answer));
    }

    /// Takes an errand away.
    pub fn drop_errand(&mut self, id: &ErrandId) {
        self.writes.push(Write::DropErrand(id.clone()));
    }

    /// Takes the errands to and from a dead process away.
    pub fn drop_errands_of(&mut self, owner: &OwnerId) {
        self.writes.push(Write::DropErrandsOf(owner.clone()));
    }

    /// Writes questions that wait.
    pub fn put_user_input(&mut self, thread: &ThreadId, pending: &PendingUserInput) {
        let row = UserInputRow::new(&self.redactor, thread, pending);
        self.writes.push(Write::UserInput(row));
    }

    /// Writes that questions wait no more.
    pub fn settle_user_input(&mut self, id: &UserInputId) {
        self.writes.push(Write::SettleUserInput(id.clone()));
    }

    /// Writes that a call is about to reach outside.
    pub fn intend(&mut self, intent: Intent) {
        self.writes.push(Write::Intent(intent));
    }

    /// Writes that the call of an item has ended, if it was meant to reach outside.
    pub fn settle_effect(&mut self, item: &ItemId, at: Timestamp) {
        self.writes.push(Write::SettleEffect(item.clone(), at));
    }

    /// Writes what of a workspace is trusted; nothing any more without a digest.
    pub fn set_trust(&mut self, path: &str, digest: Option<String>) {
        let path = path.to_owned();
        self.writes.push(Write::Trust { path, digest });
    }

    /// Writes a principal.
    pub fn put_principal(&mut self, principal: PrincipalRow) {
        self.writes.push(Write::Principal(principal));
    }

    /// Writes a room with its first member and the workspace it is for.
    pub fn put_room(&mut self, room: RoomRow, owner: MemberRow, workspace: &str) {
        let room_id = room.id.to_string();
        self.writes.push(Write::Room(room));
        self.writes.push(Write::Member(owner));
        self.writes.push(Write::RoomWorkspace {
            path: workspace.to_owned(),
            room_id,
        });
    }

    /// Writes a member of a room.
    pub fn put_member(&mut self, member: MemberRow) {
        self.writes.push(Write::Member(member));
    }

    /// Takes the right to run the turn of a thread.
    pub fn take_lease(&mut self, lease: Lease) {
        self.writes.push(Write::TakeLease(lease));
    }

    /// Gives it back.
    pub fn release_lease(&mut self, thread: &ThreadId) {
        self.writes.push(Write::ReleaseLease(thread.clone()));
    }

    /// Writes all that an agent has used for a turn, in place of what was known before.
    pub fn put_usage(&mut self, usage: UsageRow) {
        self.writes.push(Write::Usage(usage));
    }

    /// Writes the receipt of a sub-agent; `tokens` is what it cost since the last writing.
    pub fn put_agent_run(&mut self, kin: &Kin, run: &AgentRun, tokens: u64, at: Timestamp) {
        let row = AgentRunRow::new(&self.redactor, kin, run, tokens, at);
        self.writes.push(Write::AgentRun(row));
    }

    /// Gives a thread a goal, in place of the one it has.
    pub fn set_goal(&mut self, goal: &Goal, by: &Stamp, at: Timestamp) {
        self.writes.push(Write::Goal(GoalRow {
            thread_id: goal.thread_id.clone(),
            goal_id: goal.goal_id.clone(),
            objective: self.redactor.seal(&goal.objective),
            token_budget: goal.token_budget,
            created_by: by.id.clone(),
            at,
        }));
    }

    /// Changes where the goal of a thread stands.
    pub fn move_goal(&mut self, thread: &ThreadId, status: ThreadGoalStatus, at: Timestamp) {
        self.writes
            .push(Write::MoveGoal(thread.clone(), status, at));
    }

    /// Counts a turn that the agent started by itself to reach the goal.
    pub fn count_continuation(&mut self, thread: &ThreadId, at: Timestamp) {
        self.writes
            .push(Write::CountContinuation(thread.clone(), at));
    }

    /// Adds to what a goal has cost.
    pub fn spend_on_goal(&mut self, spending: Spending) {
        self.writes.push(Write::SpendOnGoal(spending));
    }

    /// Takes the goal of a thread away.
    pub fn clear_goal(&mut self, thread: &ThreadId) {
        self.writes.push(Write::ClearGoal(thread.clone()));
    }

    /// Writes a background task; a new one goes to the end of the queue.
    pub fn put_task(&mut self, task: &StoredTask) {
        self.writes
            .push(Write::Task(TaskRow::new(&self.redactor, task)));
    }

    /// Writes an automation.
    pub fn put_automation(&mut self, automation: &StoredAutomation) {
        let row = AutomationRow::new(&self.redactor, automation);
        self.writes.push(Write::Automation(row));
    }

    /// Writes that a run of an automation begins.
    pub fn put_automation_run(&mut self, run: NewRun) {
        let row = RunRow::new(&self.redactor, run);
        self.writes.push(Write::AutomationRun(row));
    }

    /// Takes an automation away, with its runs.
    pub fn drop_automation(&mut self, id: &AutomationId) {
        self.writes.push(Write::DropAutomation(id.clone()));
    }

    /// Takes the run of a task away.
    pub fn drop_automation_run(&mut self, task: &TaskId) {
        self.writes.push(Write::DropAutomationRun(task.clone()));
    }

    /// Writes a fleet run.
    pub fn put_fleet_run(&mut self, run: &StoredFleetRun) {
        let row = FleetRunRow::new(&self.redactor, run);
        self.writes.push(Write::FleetRun(row));
    }

    /// Writes the task of a fleet run at its place.
    pub fn put_fleet_task(&mut self, run: &FleetRunId, place: u64, task: &FleetTask) {
        let row = FleetPartRow::task(&self.redactor, run, place, task);
        self.writes.push(Write::FleetPart(row));
    }

    /// Writes the worker of a fleet run at its place.
    pub fn put_fleet_seat(&mut self, run: &FleetRunId, place: u64, seat: &FleetSeat) {
        let row = FleetPartRow::seat(&self.redactor, run, place, seat);
        self.writes.push(Write::FleetPart(row));
    }

    /// Writes an attachment of a thread with its content in base64. What the thread has already stays.
    pub fn attach(&mut self, record: AttachmentRecord, data: String) {
        let row = AttachmentRow { record, data };
        self.writes.push(Write::Attachment(row));
    }

    /// Gives a copy of a thread the attachments of the thread.
    pub fn copy_attachments(&mut self, from: &ThreadId, to: &ThreadId) {
        let (from, to) = (from.clone(), to.clone());
        self.writes.push(Write::CopyAttachments { from, to });
    }

    /// Writes what a snapshot belongs to.
    pub fn put_snapshot(&mut self, snapshot: SnapshotRow) {
        self.writes.push(Write::Snapshot(snapshot));
    }

    /// Writes that files are about to move to another snapshot.
    pub fn begin_restoration(&mut self, restoration: Restoration) {
        self.writes.push(Write::BeginRestoration(restoration));
    }

    /// Writes that they have, or are back.
    pub fn end_restoration(&mut self, id: &str) {
        self.writes.push(Write::EndRestoration(id.to_owned()));
    }

    /// Writes what a request was answered with. The batch relies on that being the first time.
    pub fn answer_request(&mut self, request: RequestRow) {
        self.guards.push(Guard::RequestNew {
            id: request.id.clone(),
            since: request.since,
        });
        self.writes.push(Write::Request(request));
    }

    /// Text for a room title or the like, masked.
    pub fn seal(&self, text: &str) -> Sealed {
        self.redactor.seal(text)
    }
}

/// What a commit did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Committed {
    /// The places of the batch's events, in their order.
    pub seqs: Vec<Seq>,
}

impl Committed {
    /// The place of the last event.
    pub fn last(&self) -> Option<Seq> {
        self.seqs.last().copied()
    }
}
