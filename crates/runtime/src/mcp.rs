//! MCP servers: those of the user, and those that a trusted workspace brings along.

mod lists;
mod news;

use std::path::Path;
use std::sync::Arc;

use codewhale_mcp_client::{Ground, Pool, Servers, Settings, Vault};
use codewhale_policy::{Authority, Confinement, HostVerdict};
use codewhale_protocol::Secret;
use codewhale_protocol::runtime::{Mode, Permission, PermissionPosture};
use codewhale_sandbox::Walls;

use crate::runtime::Core;
use crate::walls::Common;

pub(crate) use news::{News, told};

/// The MCP servers of the user, as plain values.
pub struct McpSettings {
    /// The servers there are at the start.
    pub servers: Settings,
    /// Reads them again.
    pub again: ReadAgain,
    /// Where logins are kept.
    pub vault: Option<Arc<dyn Vault>>,
}

/// Reads the servers of the user again: nothing when they are as they were, else what they are now,
/// or why nobody can tell. May block.
pub type ReadAgain = Arc<dyn Fn() -> Result<Option<Settings>, String> + Send + Sync>;

/// The servers that run, and where to read what should.
pub(crate) struct Mcp {
    pool: Pool,
    again: ReadAgain,
}

/// The servers for a turn, and what could not be used of a file.
pub(crate) type Found = (Option<Servers>, Vec<String>);

impl Core {
    /// Starts the servers of the user; nobody waits for them.
    pub(crate) fn start_servers(&self, settings: McpSettings) -> Mcp {
        let rules = Arc::clone(&self.rules);
        let temporary = self.temporary_root();
        let ground = Ground {
            workspace: self.workspace.clone().into(),
            environment: Arc::clone(&self.child_environment),
            pipes: temporary.map_or_else(std::env::temp_dir, |root| root.join(PIPES)),
            is_shut: Arc::new(move |host| {
                let verdict = rules.law().network().judge(host);
                matches!(verdict, HostVerdict::Deny(_))
            }),
            vault: settings.vault,
        };
        Mcp {
            pool: Pool::start(settings.servers, ground),
            again: settings.again,
        }
    }

    /// The servers of the user as their file says now, and as logins are now. A file that cannot be
    /// used changes nothing, and is told of.
    async fn renewed_servers(&self) -> Option<(&Pool, Option<String>)> {
        let Mcp { pool, again } = self.mcp.as_ref()?;
        let again = Arc::clone(again);
        let problem = match self.store.apart(move || again()).await {
            Ok(Ok(Some(settings))) => {
                let secrets = settings.secrets().map(Secret::new);
                self.store.redactor().learn(secrets);
                pool.renew(settings);
                None
            }
            Ok(Ok(None)) | Err(_) => None,
            Ok(Err(why)) => Some(format!("The MCP servers stay as they were: {why}")),
        };
        pool.notice_logins().await;
        Some((pool, problem))
    }

    /// Stops all servers, and removes what they left.
    pub(crate) async fn stop_servers(&self) {
        let Some(mcp) = &self.mcp else {
            return;
        };
        mcp.pool.stop().await;
        if let Some(root) = self.temporary_root() {
            let _ = std::fs::remove_dir(root.join(PIPES));
        }
    }

    /// The servers for work in a directory: its own count while the user trusts its content, which
    /// `seal` names.
    pub(crate) async fn servers_for(&self, workspace: &Path, seal: Option<&str>) -> Found {
        let Some((pool, problem)) = self.renewed_servers().await else {
            return (None, Vec::new());
        };
        let mut problems = Vec::from_iter(problem);
        let text = match seal {
            Some(_) => self.servers_file_of(workspace).await,
            None => None,
        };
        let (Some(seal), Some(text)) = (seal, text) else {
            pool.leave(workspace).await;
            return (Some(pool.everyones()), problems);
        };
        let Some(walls) = self.walls_of_servers(workspace) else {
            let problem = "The MCP servers of this workspace do not run: this system cannot hold \
                           them in walls.";
            problems.push(problem.to_owned());
            return (Some(pool.everyones()), problems);
        };
        let servers = match pool.enter(workspace, seal, &text, walls) {
            Ok((servers, warnings)) => {
                problems.extend(warnings);
                servers
            }
            Err(error) => {
                let problem = format!("The MCP servers of this workspace do not run: {error}");
                problems.push(problem);
                pool.everyones()
            }
        };
        (Some(servers), problems)
    }

    /// Starts servers that a client lends; none where there are no servers at all.
    pub(crate) fn start_lent(&self, settings: Settings, workspace: &Path) -> Option<Servers> {
        let mcp = self.mcp.as_ref()?;
        Some(mcp.pool.guests(settings, workspace))
    }

    /// The same to look at: nothing is started for it but what the user's file says.
    async fn servers_seen_in(&self, workspace: &Path) -> Option<Servers> {
        let (pool, problem) = self.renewed_servers().await?;
        if let Some(problem) = problem {
            tracing::warn!(problem, "the user's MCP servers were not read again");
        }
        let seen = match self.trusted_content(workspace).await {
            Some(seal) => {
                let text = self.servers_file_of(workspace).await;
                text.and_then(|text| pool.look(workspace, &seal, &text).ok())
            }
            None => None,
        };
        Some(seen.unwrap_or_else(|| pool.everyones()))
    }

    /// The file with the servers of a workspace. One that cannot be read counts as none.
    async fn servers_file_of(&self, workspace: &Path) -> Option<String> {
        let file = Settings::workspace_file(workspace);
        let text = self.store.apart(move || std::fs::read_to_string(file));
        text.await.ok()?.ok()
    }

    /// Stops the servers of a workspace that is no longer trusted.
    pub(crate) async fn leave_servers_of(&self, workspace: &Path) {
        if let Some(mcp) = &self.mcp {
            mcp.pool.leave(workspace).await;
        }
    }

    /// What holds the servers of a workspace: what holds the commands of a thread in it that asks.
    /// None where nothing can.
    fn walls_of_servers(&self, workspace: &Path) -> Option<Walls> {
        let authority = self.held(Authority {
            allow_shell: true,
            ..Authority::plain(Permission {
                mode: Mode::Agent,
                posture: PermissionPosture::Ask,
            })
        });
        let is_held = authority.confined && authority.confinement != Confinement::FullAccess;
        let around = || {
            self.walls
                .around(&authority, (workspace, &[]), None, &Common::default())
        };
        is_held.then(around)
    }
}

/// The directory of pipes to servers, below that of temporary files.
const PIPES: &str = "mcp";
