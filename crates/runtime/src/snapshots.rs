//! Snapshots: files of a workspace as they were, and going back to them.
//!
//! ```text
//!   first call that may change something ──► pre-turn        (host/shots.rs)
//!   end of such a turn ────────────────────► post-turn
//!
//!   undo, retry: what differs between the two goes back      (plan.rs)
//!   restore:     everything goes back
//!        │
//!        ▼
//!   row on the disk ─► files, one by one ─► fork + row gone  (restoration.rs)
//!        └── a crash in between: the files return            (recovery.rs)
//! ```

mod list;
mod plan;
mod recovery;
mod restoration;
mod restore;
mod undo;

use std::path::Path;
use std::sync::Arc;

use codewhale_protocol::service::BoxFuture;
use codewhale_snapshots::{Settings, SideRepository};
use codewhale_tools::Repository;

use crate::runtime::Core;

/// How snapshots are kept.
#[derive(Clone)]
pub struct SnapshotSettings {
    /// Whether new ones are taken.
    pub enabled: bool,
    /// Where they are, and how many.
    pub sides: Settings,
    /// Waited for before each step of a move of files, with its number. For tests, which end the
    /// process there; everyone else passes [`SnapshotSettings::at_once`].
    pub before_step: BeforeStep,
}

/// Something to wait for before a step.
pub type BeforeStep = Arc<dyn Fn(usize) -> BoxFuture<'static, ()> + Send + Sync>;

impl SnapshotSettings {
    /// Nothing to wait for.
    pub fn at_once() -> BeforeStep {
        Arc::new(|_| Box::pin(std::future::ready(())))
    }
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoSnapshot {
    #[error("snapshots are turned off")]
    Off,
    #[error(transparent)]
    Failed(#[from] codewhale_snapshots::Error),
}

impl Core {
    /// The side repository of a workspace, to keep something in.
    pub(crate) fn side_to_keep(&self, workspace: &str) -> Result<SideRepository, NoSnapshot> {
        match &self.snapshots {
            Some(settings) if settings.enabled => self.side_of(workspace),
            Some(_) | None => Err(NoSnapshot::Off),
        }
    }

    /// The side repository of a workspace, to go back to what is kept.
    fn side_of(&self, workspace: &str) -> Result<SideRepository, NoSnapshot> {
        let settings = self.snapshots.as_ref().ok_or(NoSnapshot::Off)?;
        let workspace = Path::new(workspace);
        let project = Repository::around(workspace).map(|repository| repository.common_dir);
        let project = project.as_deref().unwrap_or(workspace);
        Ok(SideRepository::of(&settings.sides, project, workspace)?)
    }
}

/// Moments of snapshots are whole seconds.
pub(crate) fn seconds(at: codewhale_protocol::runtime::Timestamp) -> i64 {
    at.as_ms() / 1_000
}
