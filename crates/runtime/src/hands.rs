//! The tools of a turn: everyone's, and those that a trusted repository brings along.

use std::path::Path;

use codewhale_tools::{Registry, user_tools};

use crate::runtime::Core;

/// Where a repository keeps its tools.
const TOOLS: &str = ".codewhale/tools";

impl Core {
    /// The tools for work in a directory. What a repository brings along counts only while the user
    /// trusts exactly that.
    pub(crate) async fn tools_for(&self, workspace: &Path) -> Registry {
        let directory = workspace.join(TOOLS);
        let everyones = self.tools.clone();
        if !directory.is_dir() {
            return everyones;
        }
        let trust = self.trust_of(workspace.to_str().map(str::to_owned)).await;
        if !trust.is_ok_and(|trust| trust.trusted) {
            return everyones;
        }
        let load = self
            .store
            .read_apart(move |_| Ok(user_tools::load(&directory)));
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
}
