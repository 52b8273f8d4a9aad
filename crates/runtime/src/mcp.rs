//! MCP servers: those of the user, and those that a trusted workspace brings along.

mod lists;
mod news;

use std::path::Path;
use std::sync::Arc;

use codewhale_mcp_client::{Ground, Pool, Servers, Settings};
use codewhale_policy::{Authority, Confinement, HostVerdict};
use codewhale_protocol::runtime::{Mode, Permission, PermissionPosture};
use codewhale_sandbox::Walls;

use crate::runtime::Core;
use crate::walls::Common;

pub(crate) use news::{News, told};

/// The servers for a turn, and what could not be used of a file.
pub(crate) type Found = (Option<Servers>, Vec<String>);

impl Core {
    /// Starts the servers of the user; nobody waits for them.
    pub(crate) fn start_servers(&self, settings: Settings) -> Pool {
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
        };
        Pool::start(settings, ground)
    }

    /// Stops all servers, and removes what they left.
    pub(crate) async fn stop_servers(&self) {
        let Some(pool) = &self.mcp else {
            return;
        };
        pool.stop().await;
        if let Some(root) = self.temporary_root() {
            let _ = std::fs::remove_dir(root.join(PIPES));
        }
    }

    /// The servers for work in a directory: its own count while the user trusts its content, which
    /// `seal` names.
    pub(crate) async fn servers_for(&self, workspace: &Path, seal: Option<&str>) -> Found {
        let Some(pool) = &self.mcp else {
            return (None, Vec::new());
        };
        let text = match seal {
            Some(_) => self.servers_file_of(workspace).await,
            None => None,
        };
        let (Some(seal), Some(text)) = (seal, text) else {
            pool.leave(workspace).await;
            return (Some(pool.everyones()), Vec::new());
        };
        let Some(walls) = self.walls_of_servers(workspace) else {
            let problem = "The MCP servers of this workspace do not run: this system cannot hold \
                           them in walls.";
            return (Some(pool.everyones()), vec![problem.to_owned()]);
        };
        match pool.enter(workspace, seal, &text, walls) {
            Ok((servers, warnings)) => (Some(servers), warnings),
            Err(error) => {
                let problem = format!("The MCP servers of this workspace do not run: {error}");
                (Some(pool.everyones()), vec![problem])
            }
        }
    }

    /// The file with the servers of a workspace. One that cannot be read counts as none.
    async fn servers_file_of(&self, workspace: &Path) -> Option<String> {
        let file = Settings::workspace_file(workspace);
        let text = self.store.apart(move || std::fs::read_to_string(file));
        text.await.ok()?.ok()
    }

    /// Stops the servers of a workspace that is no longer trusted.
    pub(crate) async fn leave_servers_of(&self, workspace: &Path) {
        if let Some(pool) = &self.mcp {
            pool.leave(workspace).await;
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
        let around = || self.walls.around(&authority, workspace, &Common::default());
        is_held.then(around)
    }
}

/// The directory of pipes to servers, below that of temporary files.
const PIPES: &str = "mcp";
