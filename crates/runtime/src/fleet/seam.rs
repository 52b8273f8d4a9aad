//! The seam between fleets and those who do the work.

use std::path::PathBuf;
use std::time::Duration;

use codewhale_protocol::service::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What a worker is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkOrder {
    /// The words behind the name of its program. No secret is among them.
    pub arguments: Vec<String>,
    /// What it reads.
    pub prompt: String,
    /// Where it works.
    pub directory: PathBuf,
    /// How long it may take.
    pub wall_time: Duration,
}

/// How the work ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorkEnd {
    /// By itself.
    Exited {
        /// Its code.
        code: i32,
        /// What it said beside its lines.
        errors: String,
    },
    /// Someone killed it.
    Signaled {
        /// With which signal.
        signal: i32,
        /// What it said beside its lines.
        errors: String,
    },
    /// Its time was over.
    TimedOut,
    /// It was told to stop.
    Stopped,
    /// It never began.
    NotStarted {
        /// Why.
        reason: String,
    },
}

/// Does the work of fleets.
pub trait FleetWorkers: Send + Sync + 'static {
    /// Does what it is told, to the end. What it says goes to `said`, line by line. It ends soon after
    /// `stop` fires, and at once when the future is dropped; nothing of it runs on then.
    fn work(
        &self,
        order: WorkOrder,
        said: mpsc::Sender<String>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, WorkEnd>;
}
