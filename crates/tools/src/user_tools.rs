//! Tools that a user adds: a program and a manifest beside it.
//!
//! A manifest is a file `<anything>.json` in the directory of tools:
//!
//! ```json
//! {"name": "count_words", "description": "Counts the words of a text.",
//!  "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}},
//!  "effect": "read", "executable": "count_words.py", "arguments": [], "timeout_ms": 10000}
//! ```
//!
//! A call runs the program in the workspace with the input as JSON on its standard input; what it
//! writes is the result, and an exit code other than 0 is a failure. To the law it is a command,
//! whatever its manifest says about its effect.

mod manifest;
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::limits::USER_TOOLS_MAX;
use crate::{Registry, Tool};
use program::UserTool;

/// Why a manifest made no tool.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The directory is there and cannot be listed.
    #[error("could not list the tools in {}: {why}", directory.display())]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        why: String,
    },
    /// A manifest cannot be used.
    #[error("{} is no tool: {why}", manifest.display())]
    Manifest {
        /// Its file.
        manifest: PathBuf,
        /// What to mend.
        why: String,
    },
}

/// Reads the tools of a directory, in the order of their names. A directory that is not there has
/// none. What cannot be used is left out and named.
pub fn load(directory: &Path) -> (Vec<Arc<dyn Tool>>, Vec<Problem>) {
    let manifests = match manifests_in(directory) {
        Ok(manifests) => manifests,
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    let builtin = Registry::builtin();
    let mut tools: BTreeMap<String, Arc<dyn Tool>> = BTreeMap::new();
    let mut problems = Vec::new();
    for (index, path) in manifests.into_iter().enumerate() {
        let read = match index < USER_TOOLS_MAX {
            true => UserTool::read(&path),
            false => Err(format!("there are more than {USER_TOOLS_MAX}; remove some")),
        };
        let tool = read.and_then(|tool| {
            let name = tool.name().to_owned();
            match builtin.get(&name).is_some() || tools.contains_key(&name) {
                true => Err(format!(
                    "there is a tool named {name:?} already; choose another name"
                )),
                false => Ok((name, tool)),
            }
        });
        match tool {
            Ok((name, tool)) => drop(tools.insert(name, Arc::new(tool))),
            Err(why) => problems.push(Problem::Manifest {
                manifest: path,
                why,
            }),
        }
    }
    (tools.into_values().collect(), problems)
}

/// The files that should be manifests, in order.
fn manifests_in(directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    let failed = |error: std::io::Error| Problem::Directory {
        directory: directory.to_owned(),
        why: error.to_string(),
    };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests;
