//! What a turn works with: tools, instructions, skills and memory; everyone's, and those that a
//! trusted repository brings along.

use std::path::{Path, PathBuf};

use codewhale_engine::{Sources, Standing};
use codewhale_mcp_client::Servers;
use codewhale_tools::{Registry, user_tools};

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
    /// The tools for work in a directory: everyone's, those of the servers, and those that a
    /// repository brings along. The last count only while the user trusts exactly that.
    pub(crate) async fn tools_for(
        &self,
        workspace: &Path,
        is_trusted: bool,
        servers: Option<&Servers>,
    ) -> Registry {
        let directory = workspace.join(TOOLS);
        let of_servers = servers.map(Servers::tools).unwrap_or_default();
        let (everyones, taken) = self.tools.clone().with(of_servers);
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

    /// Where instructions, skills and memory for work in a directory are.
    pub(crate) fn sources_for(&self, workspace: &Path, trusted: bool) -> Option<Sources> {
        let library = self.library.clone()?;
        Some(Sources {
            workspace: workspace.to_owned(),
            home: library.home,
            person: library.person,
            skills: library.skills,
            trusted,
            memory: library.memory,
        })
    }

    /// Instructions, skills and memory for work in a directory. The same files give the same bytes.
    pub(crate) async fn library_for(&self, workspace: &Path, trusted: bool) -> Shelf {
        let Some(sources) = self.sources_for(workspace, trusted) else {
            return Shelf::default();
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
