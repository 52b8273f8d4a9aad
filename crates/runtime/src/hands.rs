//! What a turn works with: tools, instructions, skills and memory; everyone's, and those that a
//! trusted repository brings along.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use codewhale_engine::{Sources, Standing};
use codewhale_tools::{Registry, Tool, user_tools};

use crate::runtime::Core;

/// Where instructions, skills and memory of the user are, as plain values.
#[derive(Clone, Debug)]
pub struct LibrarySettings {
    /// The home of the product.
    pub home: PathBuf,
    /// The person's own directory.
    pub person: Option<PathBuf>,
    /// One more directory of skills.
    pub skills: Option<PathBuf>,
    /// Whether agents remember things for later threads.
    pub memory: bool,
}

/// Tools that come and go while the program runs, asked for at each turn.
pub type MoreTools = Arc<dyn Fn() -> Vec<Arc<dyn Tool>> + Send + Sync>;

/// What was found for a turn.
#[derive(Default)]
pub(crate) struct Shelf {
    pub(crate) standing: Standing,
    /// Where it was found; nowhere without a library.
    pub(crate) sources: Option<Sources>,
}

/// Where a repository keeps its tools.
const TOOLS: &str = ".codewhale/tools";

impl Core {
    /// The tools for work in a directory. What a repository brings along counts only while the user
    /// trusts exactly that.
    pub(crate) async fn tools_for(&self, workspace: &Path, is_trusted: bool) -> Registry {
        let directory = workspace.join(TOOLS);
        let (everyones, taken) = self.tools.clone().with((self.more_tools)());
        for name in taken {
            tracing::warn!(name, "a tool has the name of another and is left out");
        }
        if !is_trusted || !directory.is_dir() {
            return everyones;
        }
        let load = self.store.apart(move || user_tools::load(&directory));
        let Ok((tools, problems)) = load.await else {
            return everyones;
        };
        for problem in problems {
            tracing::warn!(%problem, "a tool of a repository is left out");
        }
        let (registry, taken) = everyones.with(tools);
        for name in taken {
            tracing::warn!(
                name,
                "a tool of a repository has the name of another and is left out"
            );
        }
        registry
    }

    /// Instructions, skills and memory for work in a directory. The same files give the same bytes.
    pub(crate) async fn library_for(&self, workspace: &Path, trusted: bool) -> Shelf {
        let Some(library) = self.library.clone() else {
            return Shelf::default();
        };
        let sources = Sources {
            workspace: workspace.to_owned(),
            home: library.home,
            person: library.person,
            skills: library.skills,
            trusted,
            memory: library.memory,
        };
        let gather = self.store.apart(move || {
            let standing = sources.gather();
            (standing, sources)
        });
        match gather.await {
            Ok((standing, sources)) => Shelf {
                standing,
                sources: Some(sources),
            },
            Err(_) => Shelf::default(),
        }
    }
}
