//! What an operation can fail at, and what the client is told.

use codewhale_model::RouteError;
use codewhale_protocol::runtime::{ApprovalRecord, OwnerId, TurnId, UnknownSpelling};
use codewhale_protocol::{ErrorBody, ErrorCode, Scope};
use codewhale_store as store;
use serde_json::json;

use crate::{SettingsError, limits};

/// An operation that could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing, or the caller may not know of it.
    #[error("no such {what}")]
    NotFound {
        /// What was asked for: thread, turn, approval, room.
        what: &'static str,
    },
    /// The caller's token does not allow it.
    #[error("this token lacks the scope {scope:?}")]
    Scope {
        /// What it would take.
        scope: Scope,
    },
    /// The caller's role does not allow it.
    #[error("your role in this workroom does not allow this")]
    Role,
    /// The parameters do not have the shape of the operation's. The cause names the member.
    #[error("the request does not fit: {0}")]
    Shape(#[source] serde_path_to_error::Error<serde_json::Error>),
    /// The parameter that says what the request is about is not there.
    #[error("the request does not fit: {name} must be there, and be text")]
    Unnamed {
        /// Which.
        name: &'static str,
    },
    /// A value is not acceptable.
    #[error("{0}")]
    Invalid(String),
    /// A mode or posture that does not exist.
    #[error(transparent)]
    Spelling(#[from] UnknownSpelling),
    /// No model can serve it.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// The thread is busy with a turn.
    #[error(
        "the thread already has an active turn; steer it, interrupt it, or wait for turn.completed"
    )]
    TurnActive {
        /// Which.
        turn: TurnId,
    },
    /// The id that a new thread was to have is taken.
    #[error("there is a thread with this id already; take another id, or leave it out")]
    ThreadExists,
    /// The turn named is not the one that runs.
    #[error("that turn is not running; it may have ended already")]
    TurnNotActive {
        /// Which one does.
        active: Option<TurnId>,
    },
    /// The item is no call, or one that does not run.
    #[error(
        "that item is not a running call: it may have ended already, or wait for an answer; give that, or interrupt the turn"
    )]
    CallNotRunning,
    /// The turn runs, but is about to stop.
    #[error("the turn is stopping; start a new one after turn.completed")]
    TurnStopping,
    /// Someone has answered before.
    #[error("the approval was already settled")]
    Settled(Box<ApprovalRecord>),
    /// Another process runs a turn of the thread.
    #[error(
        "another codewhale process (pid {pid}) is running a turn of this thread; ask that one, or wait until it is done"
    )]
    OwnedElsewhere {
        /// Which.
        owner: OwnerId,
        /// Its number.
        pid: u32,
    },
    /// A hook of the user's wants no such message.
    #[error("the hook {hook:?} refused the message: {reason}")]
    HookRefused {
        /// Which.
        hook: String,
        /// Why.
        reason: String,
    },
    /// What was looked at is not what lies there.
    #[error(
        "the workspace brings along something else than that digest says; look again and decide again"
    )]
    TrustChanged {
        /// What lies there.
        digest: Option<String>,
    },
    /// The goal is reached; there is nothing more to say about it.
    #[error("the goal is already complete; set another one")]
    GoalComplete,
    /// The task is not to begin here any more.
    #[error("the task was called off or taken by another process before its turn began")]
    TaskGone,
    /// There is nothing left of the fleet run to start.
    #[error("the fleet run has ended; restart one of its workers, or make another run")]
    FleetEnded,
    /// It is asked for more than there is.
    #[error("{0}")]
    Unsupported(String),
    /// The tree of agents has no room.
    #[error("too many sub-agents are at work; wait until one has ended")]
    TooManyAgents,
    /// Sub-agents still work below the thread.
    #[error("sub-agents of this thread are at work; interrupt them, or wait until they are done")]
    AgentsAtWork,
    /// A turn works in the workspace, or its files are being moved.
    #[error(
        "a turn is at work in this workspace, or its files are being put back; wait for its end or interrupt it"
    )]
    WorkspaceBusy,
    /// Files were being put back, and that is not settled yet.
    #[error(
        "files of this workspace are being put back; try again, and see the log of the program if it stays so"
    )]
    FilesMoving,
    /// Someone else changed the same files.
    #[error(
        "someone changed these files since: {}; look at them, then ask again with force: true to put \
         them back all the same (what they are now is kept)",
        named(files)
    )]
    FilesChanged {
        /// Which.
        files: Vec<String>,
    },
    /// Snapshots failed.
    #[error(transparent)]
    Snapshots(#[from] codewhale_snapshots::Error),
    /// The memory cannot be used so.
    #[error(transparent)]
    Memory(#[from] codewhale_tools::LibraryError),
    /// The memory could not be written.
    #[error("{0}")]
    MemoryKept(String),
    /// The key stands for another request.
    #[error(
        "this idempotency key was used for another request; take a new key for each request, and the \
         same one only to send the same request again"
    )]
    KeyReused,
    /// The same request is being answered.
    #[error("the same request is still being answered; send it again in a moment")]
    KeyInProgress,
    /// The session is a file of another program.
    #[error(
        "this session belongs to another program and is never written here; go on with it (resume-thread), and change what \
         becomes of it"
    )]
    ForeignSession,
    /// The settings stay as they are.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Others keep changing the same thing.
    #[error("the thread kept changing; try again")]
    Contended,
    /// Too many requests wait for the thread.
    #[error("too many requests for this thread at once; try again")]
    Overloaded,
    /// A defect of the program.
    #[error("the program failed at this; its log says where, and trying again may help")]
    Panicked,
    /// The runtime is shutting down.
    #[error("the runtime is shutting down")]
    Closing,
    /// An event of the log does not read back.
    #[error("an event of the log cannot be read; this version may be too old for it")]
    Unreadable(#[source] serde_json::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<Error> for ErrorBody {
    fn from(error: Error) -> ErrorBody {
        let message = error.to_string();
        let body = |code| ErrorBody::new(code, message);
        match error {
            Error::NotFound { .. } => body(ErrorCode::NotFound),
            Error::Scope { .. } | Error::Role => body(ErrorCode::Forbidden),
            Error::HookRefused { hook, .. } => {
                body(ErrorCode::Forbidden).with_data(json!({ "hook": hook }))
            }
            Error::Shape(_) | Error::Unnamed { .. } => body(ErrorCode::InvalidShape),
            Error::Invalid(_) | Error::Spelling(_) | Error::Route(_) => {
                body(ErrorCode::InvalidParams)
            }
            Error::TurnActive { turn } => {
                body(ErrorCode::Conflict).with_data(json!({ "active_turn_id": turn }))
            }
            Error::TurnNotActive { active } => {
                body(ErrorCode::Conflict).with_data(json!({ "active_turn_id": active }))
            }
            Error::Unsupported(_) => body(ErrorCode::Unsupported),
            Error::CallNotRunning
            | Error::GoalComplete
            | Error::TaskGone
            | Error::FleetEnded
            | Error::TooManyAgents
            | Error::AgentsAtWork => body(ErrorCode::Conflict),
            Error::TrustChanged { digest } => {
                body(ErrorCode::Conflict).with_data(json!({ "digest": digest }))
            }
            Error::FilesChanged { mut files } => {
                files.truncate(limits::FILES_NAMED_MAX);
                body(ErrorCode::Conflict).with_data(json!({ "files": files }))
            }
            Error::Snapshots(error) => body(snapshots(&error)),
            Error::WorkspaceBusy | Error::FilesMoving => body(ErrorCode::Conflict),
            Error::Memory(error) => body(memory(&error)),
            Error::MemoryKept(_) => body(ErrorCode::Conflict),
            Error::KeyReused | Error::KeyInProgress | Error::ForeignSession => {
                body(ErrorCode::Conflict)
            }
            Error::TurnStopping | Error::ThreadExists | Error::Contended => {
                body(ErrorCode::Conflict)
            }
            Error::Settled(record) => body(ErrorCode::Conflict).with_data(json!({
                "approval_id": record.id,
                "status": record.status,
                "decision": record.decision,
                "decided_by": record.decided_by,
                "decided_at": record.decided_at,
                "decided_seq": record.decided_seq,
            })),
            Error::OwnedElsewhere { owner, pid } => {
                body(ErrorCode::Conflict).with_data(json!({ "owner_id": owner, "pid": pid }))
            }
            Error::Settings(error) => body(match error {
                SettingsError::Refused(_) => ErrorCode::InvalidParams,
                SettingsError::Unknown(_) => ErrorCode::NotFound,
                SettingsError::Busy(_) => ErrorCode::Conflict,
                SettingsError::Failed(_) => ErrorCode::Unavailable,
            }),
            Error::Unreadable(_) => body(ErrorCode::Internal),
            Error::Overloaded => body(ErrorCode::Overloaded),
            Error::Panicked => body(ErrorCode::Internal),
            Error::Closing => body(ErrorCode::Unavailable),
            Error::Store(error) => storage(&error),
        }
    }
}

/// The first of many files.
fn named(files: &[String]) -> String {
    const NAMED: usize = 10;
    let named = files.iter().take(NAMED).map(String::as_str);
    let more = (files.len() > NAMED).then_some("and more");
    named.chain(more).collect::<Vec<_>>().join(", ")
}

/// What a client can do about failing snapshots.
fn snapshots(error: &codewhale_snapshots::Error) -> ErrorCode {
    use codewhale_snapshots::Error as Side;
    match error {
        Side::Unknown => ErrorCode::NotFound,
        Side::Busy => ErrorCode::Conflict,
        Side::NoProject { .. }
        | Side::TooLarge { .. }
        | Side::TooMany { .. }
        | Side::NotText { .. }
        | Side::Start(_)
        | Side::Slow { .. }
        | Side::Git { .. }
        | Side::Answer { .. }
        | Side::Files { .. } => ErrorCode::Internal,
    }
}

/// What a client can do about a memory that does not do what it should.
fn memory(error: &codewhale_tools::LibraryError) -> ErrorCode {
    use codewhale_tools::LibraryError as Library;
    match error {
        Library::NoSkill { .. } | Library::NoNote { .. } | Library::NoNoteAnywhere { .. } => {
            ErrorCode::NotFound
        }
        Library::MemoryOff
        | Library::BrokenSkill { .. }
        | Library::BrokenMemory { .. }
        | Library::Known { .. }
        | Library::Full { .. } => ErrorCode::Conflict,
    }
}

/// What a client is told of a failing store: enough to act on, nothing of its inside.
fn storage(error: &store::Error) -> ErrorBody {
    use store::Error as Store;
    tracing::error!(
        error = error as &dyn std::error::Error,
        "the store failed an operation"
    );
    let unavailable = |message: &str| ErrorBody::new(ErrorCode::Unavailable, message);
    match error {
        Store::Guard(_) => ErrorBody::new(ErrorCode::Conflict, Error::Contended.to_string()),
        Store::DiskFull(_) => {
            unavailable("the disk that holds the store is full; free some space and try again")
        }
        Store::ReadOnly(_) => {
            unavailable("the store cannot be written; check the permissions of its directory")
        }
        Store::Busy(_) => unavailable("the store is locked by another process; try again"),
        Store::Closed => unavailable("the store is closed; the runtime is shutting down"),
        Store::Corrupt(_) => {
            unavailable("the store is damaged; stop the program and restore a backup of runtime.db")
        }
        Store::Record(_) | Store::Database(_) => ErrorBody::new(
            ErrorCode::Internal,
            "the store failed in a way it should not; the log of the program has the cause",
        ),
    }
}
