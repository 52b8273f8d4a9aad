//! Where servers run.

use std::path::PathBuf;
use std::sync::Arc;

use codewhale_sandbox::Walls;

use crate::Vault;

/// Where servers run.
#[derive(Clone)]
pub struct Place {
    /// The directory they start in.
    pub workspace: PathBuf,
    /// The environment of their processes: chosen by the configuration, without any secret.
    pub environment: Arc<[(String, String)]>,
    /// What stands around the servers that came with the workspace; the user's own have none.
    pub walls: Walls,
    /// A directory for the pipes to their processes, which is ours alone.
    pub pipes: PathBuf,
    /// Whether the network policy shuts a host.
    pub is_shut: IsShut,
    /// Where logins are kept; without it nobody is logged in.
    pub vault: Option<Arc<dyn Vault>>,
}

/// Whether the network policy shuts a host.
pub type IsShut = Arc<dyn Fn(&str) -> bool + Send + Sync>;
