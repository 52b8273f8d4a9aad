//! Where a call runs.

use std::path::PathBuf;
use std::sync::Arc;

use codewhale_sandbox::{Jobs, Walls};
use tokio_util::sync::CancellationToken;

use crate::buffers::OpenFiles;
use crate::crew::{Agents, Alone, Goals};
use crate::library::{Library, NoLibrary};
use crate::live::Live;
use crate::person::{Nobody, Person};
use crate::results::{KeepsNothing, Results};
use crate::roots::Roots;

/// What a tool may know about the turn it works for.
#[derive(Clone, Debug)]
pub struct Context {
    /// The directory that relative paths start from and that file tools stay in.
    pub workspace: PathBuf,
    /// Directories that file tools stay in as well: real paths.
    pub added: Arc<[PathBuf]>,
    /// The environment of child processes: chosen by the configuration, without any secret.
    pub environment: Arc<[(String, String)]>,
    /// Fires when the turn is to stop.
    pub cancel: CancellationToken,
    /// Who answers questions.
    pub person: Arc<dyn Person>,
    /// Where results that are too long for the model are kept.
    pub results: Arc<dyn Results>,
    /// Skills and memory.
    pub library: Arc<dyn Library>,
    /// Files that are open in an editor.
    pub files: OpenFiles,
    /// The sub-agents of the turn.
    pub agents: Arc<dyn Agents>,
    /// The goal of the thread.
    pub goals: Arc<dyn Goals>,
    /// Whether pictures in results may be shown to the model.
    pub sees: bool,
    /// What stands around the commands of this thread, unless a call was granted more.
    pub walls: Walls,
    /// The commands that run in the background of this thread.
    pub jobs: Jobs,
    /// Where a call tells what it prints while it runs.
    pub live: Live,
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
            added: Arc::default(),
            environment,
            cancel,
            person: Arc::new(Nobody),
            results: Arc::new(KeepsNothing),
            library: Arc::new(NoLibrary),
            files: OpenFiles::default(),
            agents: Arc::new(Alone),
            goals: Arc::new(Alone),
            sees: false,
            walls: Walls::Open,
            jobs: Jobs::default(),
            live: Live::default(),
        }
    }

    /// The same with more directories to work in.
    pub fn with_added(self, added: Arc<[PathBuf]>) -> Self {
        Self { added, ..self }
    }

    /// The directories it works in.
    pub(crate) fn roots(&self) -> Roots {
        Roots {
            workspace: self.workspace.clone(),
            added: Arc::clone(&self.added),
        }
    }

    /// The same with somebody who answers questions.
    pub fn with_person(self, person: Arc<dyn Person>) -> Self {
        Self { person, ..self }
    }

    /// The same with a place for long results.
    pub fn with_results(self, results: Arc<dyn Results>) -> Self {
        Self { results, ..self }
    }

    /// The same with skills and a memory.
    pub fn with_library(self, library: Arc<dyn Library>) -> Self {
        Self { library, ..self }
    }

    /// The same with the files of an editor.
    pub fn with_files(self, files: OpenFiles) -> Self {
        Self { files, ..self }
    }

    /// The same with sub-agents.
    pub fn with_agents(self, agents: Arc<dyn Agents>) -> Self {
        Self { agents, ..self }
    }

    /// The same with a goal that can be set and judged.
    pub fn with_goals(self, goals: Arc<dyn Goals>) -> Self {
        Self { goals, ..self }
    }

    /// The same for a model that may see pictures, or not.
    pub fn with_sight(self, sees: bool) -> Self {
        Self { sees, ..self }
    }

    /// The same with walls around its commands.
    pub fn with_walls(self, walls: Walls) -> Self {
        Self { walls, ..self }
    }

    /// The same with somebody who watches what a call prints.
    pub fn with_live(self, live: Live) -> Self {
        Self { live, ..self }
    }

    /// The same with the background commands of its thread, which outlast the turn.
    pub fn with_jobs(self, jobs: Jobs) -> Self {
        Self { jobs, ..self }
    }
}
