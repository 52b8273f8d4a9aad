//! What the runtime is given.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use codewhale_engine::RetryPolicy;
use codewhale_model::catalogue::prices::PriceBook;
use codewhale_model::{Effort, Routes};
use codewhale_tools::Registry;

use crate::{
    AgentSettings, Env, FleetSettings, GoalSettings, HookSettings, LibrarySettings, McpSettings,
    RuleBook, Settings, SnapshotSettings, TimeZone, WallSettings,
};

/// Everything that decides how a runtime behaves, as plain values.
pub struct Options {
    /// Time and ids.
    pub env: Env,
    /// The directory of threads that name none.
    pub workspace: String,
    /// The models.
    pub routes: Routes,
    /// What they cost.
    pub prices: PriceBook,
    /// How hard they think.
    pub effort: Effort,
    /// The tools.
    pub tools: Registry,
    /// The environment of child processes, without any secret.
    pub child_environment: Arc<[(String, String)]>,
    /// Whether threads that do not say otherwise offer the shell.
    pub allow_shell: bool,
    /// How patient turns are with their provider.
    pub retry: RetryPolicy,
    /// How long an approval waits for a person.
    pub approval_timeout: Duration,
    /// The MCP servers of the user; without, those of workspaces do not count either.
    pub mcp: Option<McpSettings>,
    /// Instructions, skills and memory; none without.
    pub library: Option<LibrarySettings>,
    /// What runs when something happens.
    pub hooks: HookSettings,
    /// How far commands reach.
    pub walls: WallSettings,
    /// What the user has laid down once for many calls.
    pub rules: RuleBook,
    /// Where results that are too long for the model are kept; nowhere when there is no place.
    pub results: Option<PathBuf>,
    /// How far trees of agents may grow.
    pub agents: AgentSettings,
    /// How fleets are run; not at all without.
    pub fleet: Option<FleetSettings>,
    /// How goals are pursued.
    pub goals: GoalSettings,
    /// The zone whose clocks schedules follow. Finding it reads many files, so it is found when there
    /// is a schedule.
    pub time_zone: LazyLock<TimeZone>,
    /// How many background tasks run at once, up to 8; with none, this process takes nothing from the
    /// queue and keeps no schedule.
    pub workers: usize,
    /// How files are kept for undo; not at all without.
    pub snapshots: Option<SnapshotSettings>,
    /// Where other programs keep their sessions.
    pub old_sessions: Vec<PathBuf>,
    /// Who knows and changes the settings; without, they stay as they are.
    pub settings: Option<Arc<dyn Settings>>,
    /// The version told to clients.
    pub version: String,
}
