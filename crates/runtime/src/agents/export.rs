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
    // Step by step, because what a link leads to is not ours to write.
    let mut place = workspace.canonicalize()?;
    for name in DIRECTORY.split('/') {
        place.push(name);
        match fs::create_dir(&place) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ if !fs::symlink_metadata(&place)?.is_dir() => {
                let shown = place.display();
                return Err(io::Error::other(format!("{shown} is no directory")));
            }
            _ => {}
        }
    }
    // Made here or not at all: it may be a link to somewhere else.
    match fs::File::create_new(place.join(".gitignore")) {
        Ok(mut file) => io::Write::write_all(&mut file, b"*\n")?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn receipts_are_written_into_the_workspace_and_nowhere_else() {
        let root = tempfile::tempdir().unwrap();
        let (workspace, outside) = (root.path().join("w"), root.path().join("outside"));
        fs::create_dir(&workspace).unwrap();
        fs::create_dir(&outside).unwrap();
        write(&workspace, Vec::new()).unwrap();
        write(&workspace, Vec::new()).unwrap();
        let text = fs::read_to_string(workspace.join(DIRECTORY).join(FILE)).unwrap();
        assert!(text.contains("\"schema_version\": 1"), "{text}");

        let state = workspace.join(DIRECTORY);
        let ignore = state.join(".gitignore");
        fs::remove_file(&ignore).unwrap();
        symlink(outside.join("made"), &ignore).unwrap();
        write(&workspace, Vec::new()).unwrap();
        for linked in [state, workspace.join(".codewhale")] {
            fs::remove_dir_all(&linked).unwrap();
            symlink(&outside, &linked).unwrap();
            write(&workspace, Vec::new()).unwrap_err();
            fs::remove_file(&linked).unwrap();
            fs::create_dir(&linked).unwrap();
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
