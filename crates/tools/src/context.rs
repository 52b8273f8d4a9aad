//! Where a call runs.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

/// What a tool may know about the turn it works for.
#[derive(Clone, Debug)]
pub struct Context {
    /// The directory that relative paths start from and that file tools stay in.
    pub workspace: PathBuf,
    /// The environment of child processes: chosen by the configuration, without any secret.
    pub environment: Arc<[(String, String)]>,
    /// Fires when the turn is to stop.
    pub cancel: CancellationToken,
}

impl Context {
    /// A turn in a workspace, with nothing beyond the least.
    pub fn new(
        workspace: impl Into<PathBuf>,
        environment: Arc<[(String, String)]>,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            workspace: workspace.into(),
            environment,
            cancel,
        }
    }
}
