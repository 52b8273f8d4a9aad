//! Receipts in the workspace, for programs that look there and not at the API.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use codewhale_protocol::runtime::AgentRun;
use serde::Serialize;

use crate::limits;
use crate::runtime::Core;

/// Where they are, below the workspace.
const DIRECTORY: &str = ".codewhale/state";
const FILE: &str = "subagents.v1.json";

/// What the file holds.
#[derive(Serialize)]
struct Receipts {
    schema_version: u32,
    agents: [(); 0],
    workers: Vec<AgentRun>,
}

impl Core {
    /// Writes the receipts of a workspace anew, beside everything else: a workspace that takes no
    /// files still has its agents.
    pub(crate) fn export_receipts(self: &Arc<Self>, workspace: String) {
        if !self.agents.export {
            return;
        }
        let core = Arc::clone(self);
        self.tasks.spawn(async move {
            // One at a time, so that the newest is written last.
            let _turn = core.exports.lock().await;
            let read = core
                .store
                .read(|reader| reader.agent_runs_in(&workspace, limits::RUNS_EXPORTED));
            let runs = read.map_err(crate::Error::from);
            let workers = match runs.and_then(|runs| core.as_they_stand(runs)) {
                Ok(workers) => workers,
                Err(error) => {
                    tracing::warn!(%error, "the receipts of sub-agents could not be read");
                    return;
                }
            };
            let write = move || write(Path::new(&workspace), workers);
            if let Ok(Err(error)) = core.store.apart(write).await {
                tracing::warn!(%error, "the receipts of sub-agents are not in the workspace");
            }
        });
    }
}

fn write(workspace: &Path, workers: Vec<AgentRun>) -> io::Result<()> {
    if !workspace.is_dir() {
        return Ok(());
    }
    let directory = workspace.join(DIRECTORY);
    fs::create_dir_all(&directory)?;
    // What a link leads to is not ours to write.
    let place = directory.canonicalize()?;
    if !place.starts_with(workspace.canonicalize()?) {
        return Err(io::Error::other(format!(
            "{DIRECTORY} leads out of the workspace"
        )));
    }
    let ignore = place.join(".gitignore");
    if !ignore.exists() {
        fs::write(ignore, "*\n")?;
    }
    let receipts = Receipts {
        schema_version: 1,
        agents: [],
        workers,
    };
    let text = serde_json::to_vec_pretty(&receipts).map_err(io::Error::other)?;
    let mut file = tempfile::NamedTempFile::new_in(&place)?;
    io::Write::write_all(&mut file, &text)?;
    file.persist(place.join(FILE))
        .map_err(|error| error.error)?;
    Ok(())
}
