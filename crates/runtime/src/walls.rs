//! Walls: how far the commands of a thread reach, and what holds them.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codewhale_policy::{Authority, Confinement, NetworkDefault};
use codewhale_protocol::AskForApproval;
use codewhale_protocol::runtime::{Mode, OwnerId, ThreadRecord, TurnOverrides};
use codewhale_sandbox::{Loopback, Temporary, Walls};
use codewhale_store::Store;
use tempfile::TempDir;

use crate::Error;
use crate::runtime::Core;

/// What the configuration says about walls, as plain values.
#[derive(Clone, Debug)]
pub struct WallSettings {
    /// The widest that any thread gets.
    pub widest: Option<Confinement>,
    /// When a person is asked; by the posture alone where it says nothing.
    pub approval_policy: Option<AskForApproval>,
    /// The home of the runtime, with its secrets: what commands may not even read.
    pub home: Option<PathBuf>,
    /// What else they may not read: the user's keys.
    pub hidden: Vec<PathBuf>,
    /// Whether this system can hold a command. Asked when it first matters.
    pub can_confine: fn() -> bool,
}

/// What of the home commands may use.
const USABLE: &[&str] = &["tools", "plugins"];

impl Default for WallSettings {
    /// Nothing is configured, and nothing can be held.
    fn default() -> Self {
        Self {
            widest: None,
            approval_policy: None,
            home: None,
            hidden: Vec::new(),
            can_confine: || false,
        }
    }
}

impl Core {
    /// What a turn of a thread may do.
    pub(crate) fn authority(
        &self,
        thread: &ThreadRecord,
        overrides: &TurnOverrides,
    ) -> Result<Authority, Error> {
        let mode = overrides.mode.as_deref();
        let permission = thread.permission().amended(
            mode.filter(|mode| !mode.trim().is_empty()),
            overrides.permission_posture.as_deref(),
            overrides.auto_approve,
        )?;
        let authority = Authority {
            allow_shell: overrides.allow_shell.unwrap_or(thread.allow_shell),
            trust_mode: overrides.trust_mode.unwrap_or(thread.trust_mode),
            ..Authority::plain(permission)
        };
        let Some(word) = &overrides.sandbox_mode else {
            return Ok(self.held(authority));
        };
        let Some(wished) = Confinement::read(word.trim()) else {
            return Err(Error::Invalid(format!(
                "there is no sandbox mode {word:?}; use read-only, workspace-write, \
                 danger-full-access or external-sandbox"
            )));
        };
        Ok(self.held_in(authority, wished))
    }

    /// The same authority with the walls that go with it.
    pub(crate) fn held(&self, authority: Authority) -> Authority {
        self.held_in(authority, Confinement::of(authority.permission))
    }

    /// The same with walls that someone chose, as wide as the mode and the configuration allow.
    fn held_in(&self, authority: Authority, wished: Confinement) -> Authority {
        let confinement = match authority.permission.mode {
            Mode::Plan => Confinement::ReadOnly,
            Mode::Agent | Mode::Operate => wished.narrowed(self.walls.widest),
        };
        let is_open = confinement == Confinement::FullAccess;
        Authority {
            approval_policy: self.walls.approval_policy,
            confinement,
            network: self.rules.law().network().default == NetworkDefault::Allow,
            // Who has no shell needs no walls, and the system is not asked about them.
            confined: authority.allow_shell && !is_open && (self.walls.can_confine)(),
            ..authority
        }
    }

    /// Writes on a thread what holds its commands.
    pub(crate) fn show_walls(&self, thread: &mut ThreadRecord) {
        let authority = self.held(Authority {
            allow_shell: thread.allow_shell,
            ..Authority::plain(thread.permission())
        });
        thread.sandbox_mode = Some(sandbox_mode(&authority).to_owned());
    }
}

/// What the held commands of a thread share. Without a directory, each has one for itself.
#[derive(Default)]
pub(crate) struct Common {
    /// Where they put temporary files.
    temporary: Option<TempDir>,
    /// The network they have among themselves.
    loopback: Arc<Loopback>,
}

impl Common {
    /// Makes it all, temporary files below this directory.
    pub(crate) fn furnish(root: Option<PathBuf>) -> Self {
        Self {
            temporary: root.and_then(|root| make_temporary(&root).ok()),
            loopback: Arc::default(),
        }
    }

    fn temporary(&self) -> Temporary {
        match &self.temporary {
            Some(directory) => Temporary::At(directory.path().to_owned()),
            None => Temporary::Fresh,
        }
    }
}

fn make_temporary(root: &Path) -> io::Result<TempDir> {
    DirBuilder::new().recursive(true).mode(0o700).create(root)?;
    tempfile::tempdir_in(root)
}

impl Core {
    /// Where the held commands of this process put temporary files.
    pub(crate) fn temporary_root(&self) -> Option<PathBuf> {
        let home = self.walls.home.as_ref()?;
        Some(home.join(TEMPORARY).join(self.store.owner().as_str()))
    }

    /// Removes the temporary files of processes that are no more. Looks at files; not for the async
    /// workers.
    pub(crate) fn clear_temporary(store: &Store, home: &Path) {
        let left = std::fs::read_dir(home.join(TEMPORARY))
            .into_iter()
            .flatten();
        for entry in left.flatten() {
            let owner = OwnerId::from(&*entry.file_name().to_string_lossy());
            if !store.is_alive(&owner) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// The directory of all temporary files, in the home.
const TEMPORARY: &str = "tmp";

impl WallSettings {
    /// What stands around the commands of a turn. Where nothing can hold them, each was asked about,
    /// and runs as the user does.
    pub(crate) fn around(
        &self,
        authority: &Authority,
        (workspace, added): (&Path, &[PathBuf]),
        writable: Option<&[PathBuf]>,
        common: &Common,
    ) -> Walls {
        if !authority.confined {
            return Walls::Open;
        }
        let left = match authority.confinement {
            Confinement::FullAccess => return Walls::Open,
            Confinement::ReadOnly => codewhale_sandbox::Confinement::read_only(),
            Confinement::WorkspaceWrite => {
                let mut whole = codewhale_sandbox::Confinement::workspace(workspace);
                // What is gone meanwhile cannot be opened.
                let added = added.iter().filter(|path| path.exists());
                whole.writable.extend(added.cloned());
                whole.writable = outermost(whole.writable);
                if let Some(places) = writable {
                    let roots = whole.writable.iter();
                    whole.writable = roots.flat_map(|root| within(places, root)).collect();
                }
                whole
            }
        };
        let mut hidden = self.hidden.clone();
        hidden.extend(self.home.iter().flat_map(|home| secrets_of(home)));
        let is_around = |path: &PathBuf| {
            let mut roots = added.iter().map(PathBuf::as_path).chain([workspace]);
            roots.any(|root| root.starts_with(path))
        };
        hidden.retain(|path| !is_around(path));
        let walls = Walls::Confined(codewhale_sandbox::Confinement {
            hidden,
            temporary: common.temporary(),
            loopback: Some(Arc::clone(&common.loopback)),
            ..left
        });
        match authority.network {
            true => walls.with_network(),
            false => walls,
        }
    }
}

/// Directories without those that lie in another of them.
fn outermost(directories: Vec<PathBuf>) -> Vec<PathBuf> {
    let is_within = |path: &PathBuf| {
        let others = directories.iter().filter(|other| *other != path);
        others.clone().any(|other| path.starts_with(other))
    };
    let outer = directories.iter().filter(|path| !is_within(path));
    outer.cloned().collect()
}

/// Those places of a workspace that are there: no walls can be opened around nothing.
fn within(places: &[PathBuf], workspace: &Path) -> Vec<PathBuf> {
    let inside = places.iter().filter_map(|place| {
        let is_around = workspace.starts_with(place);
        let inside = place.starts_with(workspace).then_some(place.as_path());
        inside.or(is_around.then_some(workspace))
    });
    inside
        .filter(|place| place.exists())
        .map(Path::to_owned)
        .collect()
}

/// Everything in the home but what commands are meant to use: the tools the user added.
fn secrets_of(home: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(home).into_iter().flatten().flatten();
    let others = found.filter(|entry| !USABLE.iter().any(|name| entry.file_name() == *name));
    others.map(|entry| entry.path()).collect()
}

/// What really holds the commands of a turn, by its name on the wire.
pub(crate) fn sandbox_mode(authority: &Authority) -> &'static str {
    match authority.confinement {
        _ if authority.allow_shell && !authority.confined => "danger-full-access",
        Confinement::ReadOnly => "read-only",
        Confinement::WorkspaceWrite => "workspace-write",
        Confinement::FullAccess => "danger-full-access",
    }
}
