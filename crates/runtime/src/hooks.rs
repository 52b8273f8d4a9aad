//! Hooks: whose count for a thread, and the moments at which the runtime tells them something.
//!
//! The hooks of the user count for every thread; those of a repository while the user trusts exactly
//! what it brings along, and then between walls. What hooks have no say in is told to them in tasks of
//! its own, so that no thread waits for them.

mod scene;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use codewhale_engine::{Hook, HookKeeper, Hooks, Moment, Stage, Stopped};
use codewhale_policy::{Authority, Confinement};
use codewhale_protocol::runtime::{InputPart, ThreadId};
use codewhale_protocol::service::BoxFuture;
use codewhale_sandbox::Walls;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::runtime::Core;
use crate::walls::Common;
use crate::{Error, limits};

pub(crate) use scene::{HookScene, Spent};

/// Reads the hooks of a file that a repository brings along; what is wrong with it otherwise.
pub type HookReader = Arc<dyn Fn(&Path) -> Result<Vec<Hook>, String> + Send + Sync>;

/// What the configuration says about hooks.
#[derive(Clone)]
pub struct HookSettings {
    /// The user's own, and those of plugins.
    pub everyones: Arc<[Hook]>,
    /// How those of a repository are read.
    pub of_repository: HookReader,
}

impl Default for HookSettings {
    /// None.
    fn default() -> Self {
        Self {
            everyones: Arc::from([]),
            of_repository: Arc::new(|_| Ok(Vec::new())),
        }
    }
}

/// What hooks of one thread are told, one thing after the other.
pub(crate) struct Telling {
    latest: Option<JoinHandle<()>>,
    /// Room for what waits to be told.
    room: Arc<Semaphore>,
}

impl Default for Telling {
    fn default() -> Self {
        Self {
            latest: None,
            room: Arc::new(Semaphore::new(limits::HOOK_TELLINGS_MAX)),
        }
    }
}

/// Where a repository keeps its hooks.
const DIRECTORY: &str = ".codewhale";
const FILE: &str = "hooks.toml";

/// The hooks of a thread.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) hooks: Option<Hooks>,
    /// What to tell people.
    pub(crate) problems: Vec<String>,
}

impl Core {
    /// The hooks that count for a thread.
    pub(crate) async fn hooks_for(self: &Arc<Self>, scene: &HookScene) -> Found {
        let mut found = Found::default();
        let mut hooks = self.hooks.everyones.to_vec();
        let mut walls = None;
        if let Some(file) = file_of(&scene.workspace)
            && self.trusted_content(&scene.workspace).await.is_some()
        {
            let reader = Arc::clone(&self.hooks.of_repository);
            let read = self.store.apart(move || reader(&file)).await;
            match read.unwrap_or_else(|error| Err(error.to_string())) {
                Ok(theirs) => hooks.extend(theirs),
                Err(why) => found
                    .problems
                    .push(format!("The hooks of the repository do not run: {why}.")),
            }
            walls = self.hook_walls(scene);
        }
        if !hooks.is_empty() {
            found.hooks = Some(Hooks::new(hooks, self.stage(scene, walls)));
        }
        found
    }

    fn stage(self: &Arc<Self>, scene: &HookScene, walls: Option<Walls>) -> Stage {
        Stage {
            session_id: scene.thread.to_string(),
            workspace: scene.workspace.clone(),
            model: scene.model.clone(),
            total_tokens: scene.spent.map(|spent| spent.tokens()),
            session_cost: scene.spent.map(|spent| spent.dollars()),
            environment: Arc::clone(&self.child_environment),
            walls,
            redactor: self.store.redactor(),
            keeper: self.keeper(),
        }
    }

    /// The walls of a shell in that thread, and never none: full access is given to the agent, not
    /// to whoever wrote the repository.
    fn hook_walls(&self, scene: &HookScene) -> Option<Walls> {
        if !(self.walls.can_confine)() {
            return None;
        }
        let authority = self.held(Authority::plain(scene.permission).with_shell());
        let authority = Authority {
            confinement: authority.confinement.min(Confinement::WorkspaceWrite),
            confined: true,
            ..authority
        };
        let common = Common::default();
        Some(
            self.walls
                .around(&authority, (&scene.workspace, &[]), None, &common),
        )
    }

    /// Lets hooks have their say about what someone wants to tell a thread; `None` when it stays as
    /// it is.
    pub(crate) async fn submitted(
        self: &Arc<Self>,
        thread: &ThreadId,
        parts: &[InputPart],
    ) -> Result<Option<String>, Error> {
        let stored = self.store.read(|reader| reader.thread(thread))?;
        let Some(stored) = stored.filter(|it| self.may_have_hooks(&it.record.workspace)) else {
            return Ok(None);
        };
        let scene = HookScene::of(&stored.record, None);
        let found = self.hooks_for(&scene).await;
        tell_log(&found.problems);
        let Some(hooks) = found.hooks else {
            return Ok(None);
        };
        let said = InputPart::text_of(parts);
        let (mode, stop) = (scene.permission.mode, self.tasks.stop());
        match hooks.submit(mode, said.clone(), stop).await {
            Ok((text, lines)) => {
                tell_log(&lines);
                Ok((text != said).then_some(text))
            }
            Err(Stopped::Cancelled) => Err(Error::Closing),
            Err(Stopped::Refused { hook, reason }) => Err(Error::HookRefused { hook, reason }),
        }
    }

    /// Tells hooks of moments they have no say in, in this order, behind what was told before. Nobody
    /// waits for it but the end of the program, and that not for long.
    pub(crate) fn tell_hooks(
        self: &Arc<Self>,
        telling: &mut Telling,
        scene: HookScene,
        moments: Vec<Moment>,
    ) {
        if !self.may_have_hooks(&scene.workspace) {
            return;
        }
        let Ok(permit) = Arc::clone(&telling.room).try_acquire_owned() else {
            tracing::warn!(thread = %scene.thread, "hooks are far behind and are not told of this");
            return;
        };
        let (core, before) = (Arc::clone(self), telling.latest.take());
        let task = self.care_for(async move {
            if let Some(before) = before {
                let _ = before.await;
            }
            let _permit = permit;
            let found = core.hooks_for(&scene).await;
            tell_log(&found.problems);
            let Some(hooks) = found.hooks else { return };
            let cancel = CancellationToken::new();
            for moment in &moments {
                tell_log(&hooks.fire(moment, &cancel).await);
            }
        });
        telling.latest = Some(task);
    }

    /// A look that costs next to nothing.
    fn may_have_hooks(&self, workspace: impl AsRef<Path>) -> bool {
        !self.hooks.everyones.is_empty() || file_of(workspace.as_ref()).is_some()
    }

    /// Takes hooks that nobody waits for, as long as they are not too many.
    fn keeper(self: &Arc<Self>) -> HookKeeper {
        let core = Arc::clone(self);
        Arc::new(move |work: BoxFuture<'static, Option<String>>| {
            let Ok(permit) = Arc::clone(&core.hook_room).try_acquire_owned() else {
                return false;
            };
            let _task = core.care_for(async move {
                let line = work.await;
                tell_log(line.as_slice());
                drop(permit);
            });
            true
        })
    }

    /// Owns work of hooks: the runtime waits for it. When the program ends, what does not end soon is dropped, and its
    /// processes with it.
    fn care_for(&self, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        let stop = self.tasks.stop().clone();
        self.tasks.spawn(async move {
            let overdue = async {
                stop.cancelled().await;
                tokio::time::sleep(limits::HOOK_GRACE).await;
            };
            tokio::select! {
                biased;
                () = work => {}
                () = overdue => tracing::warn!("hooks did not end in time and were stopped"),
            }
        })
    }
}

/// The file of a repository's hooks. One behind a link does not count: what it leads to is nothing
/// that anyone has said yes to.
fn file_of(workspace: &Path) -> Option<PathBuf> {
    let directory = workspace.join(DIRECTORY);
    let file = directory.join(FILE);
    let is_plain = directory.symlink_metadata().ok()?.is_dir();
    (is_plain && file.symlink_metadata().ok()?.is_file()).then_some(file)
}

fn tell_log(lines: &[String]) {
    for line in lines {
        tracing::warn!("{line}");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_of_hooks_behind_a_link_does_not_count() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(file_of(root.path()), None);
        let directory = root.path().join(DIRECTORY);
        fs::create_dir(&directory).unwrap();
        assert_eq!(file_of(root.path()), None);
        fs::write(directory.join(FILE), "").unwrap();
        assert_eq!(file_of(root.path()), Some(directory.join(FILE)));

        fs::rename(&directory, root.path().join("elsewhere")).unwrap();
        symlink("elsewhere", &directory).unwrap();
        assert_eq!(file_of(root.path()), None);
        fs::remove_file(&directory).unwrap();
        fs::create_dir(&directory).unwrap();
        symlink("../elsewhere/hooks.toml", directory.join(FILE)).unwrap();
        assert_eq!(file_of(root.path()), None);
    }
}
