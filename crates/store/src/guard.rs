//! Guards: what a batch relies on.

use codewhale_protocol::runtime::{
    ApprovalId, AutomationId, FleetRunId, ItemId, OwnerId, Seq, StreamId, TaskId, ThreadId,
    Timestamp,
};

use crate::RequestId;

/// What a batch relies on. When it does not hold, nothing of the batch is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// The stream has seen nothing newer than this.
    Head {
        /// The stream.
        stream: StreamId,
        /// Its last event.
        seq: Seq,
    },
    /// No process runs a turn of the thread.
    LeaseFree {
        /// The thread.
        thread: ThreadId,
    },
    /// This process runs a turn of the thread, and has since that taking.
    LeaseHeld {
        /// The thread and who holds it.
        lease: Lease,
    },
    /// A process runs a turn of some thread.
    Leasing {
        /// The process.
        owner: OwnerId,
    },
    /// The approval still waits.
    ApprovalPending {
        /// The approval.
        id: ApprovalId,
    },
    /// The item has begun: what the store could not take then does not appear later.
    ItemBegun {
        /// The item.
        id: ItemId,
    },
    /// The workspace has no room yet.
    WorkspaceFree {
        /// Its path.
        path: String,
    },
    /// No files of the workspace are being moved to another snapshot.
    FilesSettled {
        /// Its path.
        workspace: String,
    },
    /// No turn works in the workspace, and no files of it are being moved.
    WorkspaceStill {
        /// Its path.
        workspace: String,
    },
    /// The task has not changed since.
    TaskAt {
        /// The task.
        task: TaskId,
        /// How often it had changed.
        lifecycle_seq: u64,
    },
    /// The automation has not changed since.
    AutomationAt {
        /// The automation.
        automation: AutomationId,
        /// How often it had been written.
        version: u64,
    },
    /// The clock has begun no run of the automation for this moment.
    SlotFree {
        /// The automation.
        automation: AutomationId,
        /// The moment.
        slot: Timestamp,
    },
    /// The fleet run and its tasks have not changed since.
    FleetRunAt {
        /// The run.
        run: FleetRunId,
        /// How often it had been written.
        version: u64,
    },
    /// The store has no operator yet.
    NoOperator,
    /// No request of this name was answered.
    RequestNew {
        /// The request.
        id: RequestId,
        /// Those before do not count any more.
        since: Timestamp,
    },
    /// The tree has room for one more agent.
    AgentsFewer {
        /// The thread at its top.
        root: ThreadId,
        /// Fewer than these are at work.
        live_max: u64,
        /// Fewer than these ever were.
        admitted_max: u64,
    },
}

/// The right to run the turn of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    /// The thread.
    pub thread: ThreadId,
    /// The process.
    pub owner: OwnerId,
    /// The how-manieth taking this is.
    pub epoch: u64,
}
