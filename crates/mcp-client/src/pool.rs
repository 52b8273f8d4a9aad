//! The servers of a program that works in many workspaces: those of the user run once, those that a
//! trusted workspace brings along run for it alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codewhale_sandbox::Walls;

use crate::SettingsError;
use crate::limits::WORKSPACES_MAX;
use crate::place::{IsShut, Place};
use crate::servers::Servers;
use crate::settings::{Origin, Settings};

/// What all servers stand on.
#[derive(Clone)]
pub struct Ground {
    /// Where the user's own start.
    pub workspace: PathBuf,
    /// The environment of their processes: chosen by the configuration, without any secret.
    pub environment: Arc<[(String, String)]>,
    /// A directory for pipes, which is ours alone.
    pub pipes: PathBuf,
    /// Whether the network policy shuts a host.
    pub is_shut: IsShut,
}

/// All servers. Cloning gives another handle.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    ground: Ground,
    everyones: Servers,
    brought: Mutex<Brought>,
}

/// What workspaces brought along.
#[derive(Default)]
struct Brought {
    by_workspace: BTreeMap<PathBuf, Guest>,
    /// Counts the visits.
    visits: u64,
}

struct Guest {
    /// The content that was trusted. With another one, other servers count.
    seal: String,
    servers: Servers,
    visit: u64,
}

impl Pool {
    /// Starts the user's own servers, and waits for none.
    pub fn start(settings: Settings, ground: Ground) -> Self {
        let place = Place {
            workspace: ground.workspace.clone(),
            environment: ground.environment.clone(),
            walls: Walls::Open,
            pipes: ground.pipes.clone(),
            is_shut: ground.is_shut.clone(),
        };
        let everyones = Servers::start(settings, place, |_| {});
        let brought = Mutex::default();
        Self {
            inner: Arc::new(Inner {
                ground,
                everyones,
                brought,
            }),
        }
    }

    /// The servers of the user.
    pub fn everyones(&self) -> Servers {
        self.inner.everyones.clone()
    }

    /// The servers that run for a workspace, if any of its own do.
    pub fn running(&self, workspace: &Path) -> Option<Servers> {
        let brought = self.brought();
        let guest = brought.by_workspace.get(workspace)?;
        Some(guest.servers.clone())
    }

    /// The servers for work in a workspace that is trusted, its own over the user's. `text` is its
    /// file, `seal` names the content that is trusted. Placeholders in the file are filled from the
    /// environment of child processes: a repository does not choose which key is sent where.
    pub fn enter(
        &self,
        workspace: &Path,
        seal: &str,
        text: &str,
        walls: Walls,
    ) -> Result<(Servers, Vec<String>), SettingsError> {
        // Nobody else enters meanwhile: two turns that begin at once share the servers.
        let mut brought = self.brought();
        if let Some(servers) = brought.again(workspace, seal) {
            return Ok((servers, Vec::new()));
        }
        let ground = &self.inner.ground;
        let (settings, warnings) = read(text, &ground.environment)?;
        let place = Place {
            workspace: workspace.to_owned(),
            environment: ground.environment.clone(),
            walls,
            pipes: ground.pipes.clone(),
            is_shut: ground.is_shut.clone(),
        };
        let servers = self.inner.everyones.start_over(settings, place, |_| {});
        let guest = Guest {
            seal: seal.to_owned(),
            servers: servers.clone(),
            visit: brought.visits,
        };
        brought.by_workspace.insert(workspace.to_owned(), guest);
        brought.make_room();
        Ok((servers, warnings))
    }

    /// Stops what a workspace brought along: it is no longer trusted.
    pub async fn leave(&self, workspace: &Path) {
        let guest = self.brought().by_workspace.remove(workspace);
        if let Some(guest) = guest {
            guest.servers.stop().await;
        }
    }

    /// Stops all servers, politely first, and waits until their processes are gone.
    pub async fn stop(&self) {
        let guests = std::mem::take(&mut self.brought().by_workspace);
        for guest in guests.into_values() {
            guest.servers.stop().await;
        }
        self.inner.everyones.stop().await;
    }

    fn brought(&self) -> MutexGuard<'_, Brought> {
        let brought = self.inner.brought.lock();
        brought.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Brought {
    /// Counts a visit, and gives the servers that run for this very content.
    fn again(&mut self, workspace: &Path, seal: &str) -> Option<Servers> {
        self.visits += 1;
        let guest = self.by_workspace.get_mut(workspace)?;
        if guest.seal != seal {
            return None;
        }
        guest.visit = self.visits;
        Some(guest.servers.clone())
    }

    /// Those that nobody came back to go. A turn that works with them keeps them until it ends.
    fn make_room(&mut self) {
        while self.by_workspace.len() > WORKSPACES_MAX {
            let guests = self.by_workspace.iter();
            let oldest = guests.min_by_key(|(_, guest)| guest.visit);
            let Some(workspace) = oldest.map(|(workspace, _)| workspace.clone()) else {
                return;
            };
            self.by_workspace.remove(&workspace);
        }
    }
}

/// Reads the file of a workspace.
fn read(
    text: &str,
    environment: &[(String, String)],
) -> Result<(Settings, Vec<String>), SettingsError> {
    let variable = |name: &str| {
        let found = environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
    Settings::read(text, Origin::Workspace, &variable)
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pool").field(&self.inner.everyones).finish()
    }
}
