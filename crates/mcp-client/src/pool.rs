//! The servers of a program that works in many workspaces: those of the user run once, those that a
//! trusted workspace brings along run for it alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codewhale_sandbox::Walls;

use crate::limits::WORKSPACES_MAX;
use crate::place::{IsShut, Place};
use crate::servers::Servers;
use crate::settings::{Origin, Settings};
use crate::{SettingsError, Startup, Vault};

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
    /// Where logins are kept; without it nobody is logged in.
    pub vault: Option<Arc<dyn Vault>>,
}

/// All servers. Cloning gives another handle.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    ground: Ground,
    /// Where the user's own run.
    place: Arc<Place>,
    everyones: Mutex<Servers>,
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
    /// Its own, without the user's.
    servers: Servers,
    visit: u64,
}

impl Pool {
    /// Starts the user's own servers, and waits for none.
    pub fn start(settings: Settings, ground: Ground) -> Self {
        let place = ground.place(&ground.workspace, Walls::Open);
        let everyones = Servers::start(settings, place.clone(), told);
        Self {
            inner: Arc::new(Inner {
                ground,
                place: Arc::new(place),
                everyones: Mutex::new(everyones),
                brought: Mutex::default(),
            }),
        }
    }

    /// The settings of the user have changed: servers that they leave as they were go on.
    pub fn renew(&self, settings: Settings) {
        let mut everyones = self.lock_everyones();
        *everyones = everyones.renewed(settings, &self.inner.place, Arc::new(told));
    }

    /// Tries those again that waited for a login, where there is one now.
    pub async fn notice_logins(&self) {
        self.everyones().notice_logins().await;
    }

    /// The servers of the user.
    pub fn everyones(&self) -> Servers {
        self.lock_everyones().clone()
    }

    /// The servers that run for a workspace, if any of its own do.
    pub fn running(&self, workspace: &Path) -> Option<Servers> {
        let brought = self.brought();
        let guest = brought.by_workspace.get(workspace)?;
        Some(self.everyones().below(&guest.servers))
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
        let everyones = self.everyones();
        if let Some(servers) = brought.again(workspace, seal) {
            return Ok((everyones.below(&servers), Vec::new()));
        }
        let ground = &self.inner.ground;
        let (settings, warnings) = read(text, &ground.environment)?;
        let place = Arc::new(ground.place(workspace, walls));
        let nobody = everyones.none_beside();
        let servers = nobody.renewed(settings, &place, Arc::new(told));
        let guest = Guest {
            seal: seal.to_owned(),
            servers: servers.clone(),
            visit: brought.visits,
        };
        brought.by_workspace.insert(workspace.to_owned(), guest);
        brought.make_room();
        Ok((everyones.below(&servers), warnings))
    }

    /// Starts servers that somebody lends for a time, in this workspace, and waits for none. They are
    /// the lender's to stop.
    pub fn guests(&self, settings: Settings, workspace: &Path) -> Servers {
        let place = self.inner.ground.place(workspace, Walls::Open);
        let nobody = self.everyones().none_beside();
        nobody.renewed(settings, &Arc::new(place), Arc::new(told))
    }

    /// The same to look at: those that run, or what would. Starts nothing.
    pub fn look(&self, workspace: &Path, seal: &str, text: &str) -> Result<Servers, SettingsError> {
        let everyones = self.everyones();
        let brought = self.brought();
        let guest = brought.by_workspace.get(workspace);
        if let Some(guest) = guest.filter(|guest| guest.seal == seal) {
            return Ok(everyones.below(&guest.servers));
        }
        let ground = &self.inner.ground;
        let (settings, _) = read(text, &ground.environment)?;
        let place = Arc::new(ground.place(workspace, Walls::Open));
        Ok(everyones.below(&everyones.idle(settings, &place)))
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
        self.everyones().stop().await;
    }

    fn lock_everyones(&self) -> MutexGuard<'_, Servers> {
        let everyones = self.inner.everyones.lock();
        everyones.unwrap_or_else(PoisonError::into_inner)
    }

    fn brought(&self) -> MutexGuard<'_, Brought> {
        let brought = self.inner.brought.lock();
        brought.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ground {
    fn place(&self, workspace: &Path, walls: Walls) -> Place {
        Place {
            workspace: workspace.to_owned(),
            environment: self.environment.clone(),
            walls,
            pipes: self.pipes.clone(),
            is_shut: self.is_shut.clone(),
            vault: self.vault.clone(),
        }
    }
}

/// What becomes of servers, for those who look for what is wrong. The log masks what must not show.
fn told(startup: Startup) {
    match startup {
        Startup::Update(update) => {
            let (server, status) = (update.server_name, update.status);
            tracing::debug!(server, ?status, "an MCP server moved");
        }
        Startup::Complete(sum) => {
            let failed = sum.failed.iter().map(|it| it.server_name.as_str());
            let failed: Vec<_> = failed.collect();
            tracing::debug!(ready = ?sum.ready, ?failed, "the MCP servers are up");
        }
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
        f.debug_tuple("Pool").field(&self.everyones()).finish()
    }
}
