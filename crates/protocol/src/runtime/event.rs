//! Events: everything that happens, one variant and one payload each.
//!
//! The table below is the list. A variant's payload is what clients read under `payload`; the
//! envelope around it is written by the store when the event gets its place in the log.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    AgentNews, ApprovalDecision, ApprovalDetail, ApprovalId, AskedBy, AutomationNews,
    CoherenceState, FleetNews, GoalCleared, GoalUpdated, ItemKind, PermissionPosture, RoomId, Seq,
    TaskNews, ThreadId, ThreadRecord, Timestamp, ToolCallCanceled, ToolCallRequested,
    ToolCallResolved, ToolCallTimeout, TurnId, TurnItemRecord, TurnRecord, UserInputId,
    UserInputRequest,
};

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident($payload:ty) = $name:literal;)*) => {
        /// Something that happened.
        #[derive(Clone, PartialEq, Debug)]
        pub enum Event {
            $($(#[$doc])* $variant($payload),)*
            /// Something happened to a fleet run.
            Fleet(FleetNews),
        }

        impl Event {
            /// The name of every event, in the order of the table; those of fleets have their own.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The schema of every payload beside the name of its event.
            pub fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($name, generator.subschema_for::<$payload>())),*]
            }

            /// The name on the wire.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Event::$variant(_) => $name,)*
                    Event::Fleet(news) => news.name(),
                }
            }

            /// The payload as JSON text.
            pub fn payload(&self) -> String {
                match self {
                    $(Event::$variant(payload) => serde_json::to_string(payload),)*
                    Event::Fleet(news) => news.payload(),
                }
                .expect("payloads are plain data with text keys")
            }

            /// Reads an event back. `None` for a name this version does not know, which a reader
            /// must pass over.
            pub fn decode(name: &str, payload: &str) -> Option<Result<Event, serde_json::Error>> {
                match name {
                    $($name => Some(serde_json::from_str(payload).map(Event::$variant)),)*
                    other => Some(FleetNews::decode(other, payload)?.map(Event::Fleet)),
                }
            }
        }
    };
}

events! {
    /// A thread was made.
    ThreadStarted(ThreadStarted) = "thread.started";
    /// A thread was made as a copy of another.
    ThreadForked(ThreadForked) = "thread.forked";
    /// Settings of a thread changed.
    ThreadUpdated(ThreadUpdated) = "thread.updated";
    /// A turn was accepted.
    TurnStarted(TurnStarted) = "turn.started";
    /// The engine took the turn up.
    TurnLifecycle(TurnLifecycle) = "turn.lifecycle";
    /// Something was added to a running turn.
    TurnSteered(TurnSteered) = "turn.steered";
    /// Someone asked a turn to stop.
    TurnInterruptRequested(TurnInterruptRequested) = "turn.interrupt_requested";
    /// A turn ended, in whatever way.
    TurnCompleted(TurnCompleted) = "turn.completed";
    /// An item began.
    ItemStarted(ItemStarted) = "item.started";
    /// Text was added to a running item.
    ItemDelta(ItemDelta) = "item.delta";
    /// An item ended well.
    ItemCompleted(ItemChanged) = "item.completed";
    /// An item ended badly.
    ItemFailed(ItemChanged) = "item.failed";
    /// An item was cut off.
    ItemInterrupted(ItemChanged) = "item.interrupted";
    /// An item was called off.
    ItemCanceled(ItemChanged) = "item.canceled";
    /// A call waits for a person.
    ApprovalRequired(ApprovalRequired) = "approval.required";
    /// The question is answered.
    ApprovalDecided(ApprovalDecided) = "approval.decided";
    /// The time to answer ran out.
    ApprovalTimeout(ApprovalTimeout) = "approval.timeout";
    /// The agent asks a person something.
    UserInputRequired(UserInputRequired) = "user_input.required";
    /// The questions are answered.
    UserInputAnswered(UserInputAnswered) = "user_input.answered";
    /// The questions need no answer any more.
    UserInputCanceled(UserInputCanceled) = "user_input.canceled";
    /// A tool of the client is called.
    ToolCallRequested(ToolCallRequested) = "tool_call.requested";
    /// The client has answered.
    ToolCallResolved(ToolCallResolved) = "tool_call.resolved";
    /// The client has not answered in time.
    ToolCallTimeout(ToolCallTimeout) = "tool_call.timeout";
    /// The call needs no answer any more.
    ToolCallCanceled(ToolCallCanceled) = "tool_call.canceled";
    /// The walls stopped a call.
    SandboxDenied(SandboxDenied) = "sandbox.denied";
    /// A sub-agent was started.
    AgentSpawned(AgentNews) = "agent.spawned";
    /// A sub-agent has ended, in whatever way.
    AgentCompleted(AgentNews) = "agent.completed";
    /// The thread has a goal, or its goal changed.
    GoalUpdated(GoalUpdated) = "thread_goal_updated";
    /// The thread has no goal any more.
    GoalCleared(GoalCleared) = "thread_goal_cleared";
    /// A background task was accepted.
    TaskCreated(TaskNews) = "task.created";
    /// A background task stands elsewhere than before.
    TaskUpdated(TaskNews) = "task.updated";
    /// An automation was made, changed or taken away, or its moment came.
    AutomationUpdated(AutomationNews) = "automation.updated";
    /// The conversation fits the model better or worse than before.
    CoherenceChanged(CoherenceChanged) = "coherence.state";
    /// The user trusts a workspace, or does so no more.
    WorkspaceTrustChanged(WorkspaceTrustChanged) = "workspace.trust";
    /// A workroom was made.
    RoomCreated(RoomCreated) = "room.created";
    /// The store was made.
    StoreCreated(StoreCreated) = "store.created";
}

/// Payload of `thread.started`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadStarted {
    /// The thread as it began.
    pub thread: ThreadRecord,
}

/// Payload of `thread.forked`. The copied turns and items have no events of their own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadForked {
    /// The copy.
    pub thread: ThreadRecord,
    /// What it was copied from.
    pub source_thread_id: ThreadId,
    /// The last event of the source that the copy contains.
    pub source_seq: Seq,
    /// For a copy that leaves turns out: how many messages of people before the newest it goes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backtrack_depth_from_tail: Option<u64>,
    /// The first turn of the source that it leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_turn_id: Option<TurnId>,
}

/// Payload of `thread.updated`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThreadUpdated {
    /// The thread as it is now.
    pub thread: ThreadRecord,
    /// Just the members that changed; a cleared one is null.
    pub changes: Map<String, Value>,
    /// Why, where nobody asked for just that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Payload of `turn.started`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnStarted {
    /// The turn.
    pub turn: TurnRecord,
    /// True when all it does is shorten the conversation.
    #[serde(default, skip_serializing_if = "is_false")]
    pub manual_compaction: bool,
}

/// Payload of `turn.lifecycle`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnLifecycle {
    /// Always `in_progress`.
    pub status: String,
    /// When the engine took the turn up.
    pub started_at: Timestamp,
}

/// Payload of `turn.steered`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnSteered {
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn.
    pub turn_id: TurnId,
    /// What was added.
    pub input: String,
}

/// Payload of `turn.interrupt_requested`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnInterruptRequested {
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn.
    pub turn_id: TurnId,
}

/// Payload of `turn.completed`, which ends every turn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnCompleted {
    /// The turn in its final state.
    pub turn: TurnRecord,
    /// True when a later process ended it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub recovered: bool,
}

/// Payload of `item.started`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ItemStarted {
    /// The item.
    pub item: TurnItemRecord,
    /// What is called, for tool items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolInvocation>,
    /// For a conversation that is shortened: whether nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<bool>,
}

/// A call of a tool.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ToolInvocation {
    /// The model's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub input: Value,
}

/// Payload of `item.delta`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ItemDelta {
    /// Text that follows what was told so far.
    pub delta: String,
    /// What the text is: a message or a thought of the agent, which grow by it, or what a call prints
    /// while it runs, of any kind its item is. The item of a call does not grow by it; its result
    /// stands for itself.
    pub kind: ItemKind,
}

/// Payload of the events that end an item.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ItemChanged {
    /// The item in its final state.
    pub item: TurnItemRecord,
    /// For a conversation that was shortened: whether nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto: Option<bool>,
    /// How many messages it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages_before: Option<u64>,
    /// How many it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages_after: Option<u64>,
}

impl ItemStarted {
    /// An item that begins, with what is called if it is a call.
    pub fn new(item: TurnItemRecord, tool: Option<ToolInvocation>) -> Self {
        let auto = item.fact("auto").and_then(Value::as_bool);
        Self { item, tool, auto }
    }
}

impl From<TurnItemRecord> for ItemChanged {
    fn from(item: TurnItemRecord) -> Self {
        let number = |name: &str| item.fact(name).and_then(Value::as_u64);
        Self {
            auto: item.fact("auto").and_then(Value::as_bool),
            messages_before: number("messages_before"),
            messages_after: number("messages_after"),
            item,
        }
    }
}

/// Payload of `approval.required`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequired {
    /// The approval.
    pub id: ApprovalId,
    /// The same, under its older name.
    pub approval_id: ApprovalId,
    /// What is asked.
    #[serde(flatten)]
    pub detail: ApprovalDetail,
    /// When it counts as refused.
    pub expires_at: Timestamp,
    /// Who asks, when it is a sub-agent of this thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<AskedBy>,
}

/// Payload of `approval.decided`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalDecided {
    /// The approval.
    pub approval_id: ApprovalId,
    /// The answer.
    pub decision: ApprovalDecision,
    /// Whether it is to hold for the same call again.
    pub remember: bool,
    /// True when no person answered.
    #[serde(default, skip_serializing_if = "is_false")]
    pub auto: bool,
    /// True when the time ran out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub timeout: bool,
    /// True when the process that waited is gone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub expired: bool,
    /// The posture that answered by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posture: Option<PermissionPosture>,
}

/// Payload of `approval.timeout`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalTimeout {
    /// The approval.
    pub approval_id: ApprovalId,
    /// How long it waited.
    pub timeout_secs: u64,
}

/// Payload of `user_input.required`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UserInputRequired {
    /// The request.
    pub id: UserInputId,
    /// What is asked.
    pub request: UserInputRequest,
    /// Who asks, when it is a sub-agent of this thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<AskedBy>,
}

/// Payload of `user_input.answered`. The answers are not in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UserInputAnswered {
    /// The request.
    pub id: UserInputId,
    /// The same, under its other name.
    pub input_id: UserInputId,
}

/// Payload of `user_input.canceled`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UserInputCanceled {
    /// The request.
    pub id: UserInputId,
    /// The same, under its other name.
    pub input_id: UserInputId,
    /// True when the turn ended; false when only the time to answer did.
    pub terminal: bool,
}

/// Payload of `sandbox.denied`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SandboxDenied {
    /// The model's id of the call.
    pub tool_id: String,
    /// The tool.
    pub tool_name: String,
    /// What was denied.
    pub reason: String,
}

/// Payload of `coherence.state`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CoherenceChanged {
    /// The state now.
    pub state: CoherenceState,
    /// A word or two for people.
    pub label: String,
    /// A sentence for people.
    pub description: String,
}

/// Payload of `workspace.trust`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceTrustChanged {
    /// The directory.
    pub workspace: String,
    /// What is trusted from now on; nothing any more when absent.
    pub digest: Option<String>,
}

/// Payload of `room.created`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RoomCreated {
    /// The room.
    pub id: RoomId,
    /// Its title.
    pub title: String,
    /// The workspace it was made for.
    pub workspace: Option<String>,
}

/// Payload of `store.created`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoreCreated {
    /// The version that made it.
    pub version: String,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Event {
    /// The event that ends an item in the state it is in.
    pub fn item_ended(item: TurnItemRecord) -> Event {
        use super::ItemStatus;
        let changed = ItemChanged::from(item);
        match changed.item.status {
            ItemStatus::Queued | ItemStatus::InProgress | ItemStatus::Completed => {
                Event::ItemCompleted(changed)
            }
            ItemStatus::Failed => Event::ItemFailed(changed),
            ItemStatus::Interrupted => Event::ItemInterrupted(changed),
            ItemStatus::Canceled => Event::ItemCanceled(changed),
        }
    }
}
