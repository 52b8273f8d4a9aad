//! Workspaces: the directories agents work in, and what their repositories say.

mod git;
mod luggage;
mod skills;
mod status;

use std::path::Path;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::Right;
use codewhale_store::Located;

use crate::runtime::Core;
use crate::{Error, limits};

pub(crate) use git::GitLooks;
pub(crate) use luggage::Luggage;

/// The one spelling of a directory that exists; anything else is refused with the reason.
pub(crate) fn check_workspace(path: &str) -> Result<String, Error> {
    check_directory("workspace", path)
}

fn check_directory(what: &str, path: &str) -> Result<String, Error> {
    if !Path::new(path).is_absolute() {
        return Err(Error::Invalid(format!(
            "the {what} {path:?} must be an absolute path"
        )));
    }
    let real = std::fs::canonicalize(path)
        .map_err(|error| Error::Invalid(format!("the {what} {path:?} cannot be used: {error}")))?;
    if !real.is_dir() {
        return Err(Error::Invalid(format!(
            "the {what} {path:?} is not a directory"
        )));
    }
    real.into_os_string()
        .into_string()
        .map_err(|_| Error::Invalid(format!("the path of the {what} {path:?} is not text")))
}

/// Directories beside a workspace, each by its one spelling, once. Those in it are its own.
pub(crate) fn check_directories(workspace: &str, paths: &[String]) -> Result<Vec<String>, Error> {
    if paths.len() > limits::DIRECTORIES_MAX {
        let most = limits::DIRECTORIES_MAX;
        return Err(Error::Invalid(format!(
            "a thread has at most {most} additional directories"
        )));
    }
    let mut checked: Vec<String> = Vec::new();
    for path in paths {
        let path = check_directory("additional directory", path)?;
        if path == "/" {
            return Err(Error::Invalid(
                "the whole file system cannot be added; name the directories to work in".into(),
            ));
        }
        let is_within = Path::new(&path).starts_with(workspace);
        if !is_within && !checked.contains(&path) {
            checked.push(path);
        }
    }
    Ok(checked)
}

impl Core {
    /// The workspace that is meant, for someone who may see what is in it: members of its room, and
    /// before it has one the operator.
    fn visible_workspace(&self, caller: &Caller, named: Option<&str>) -> Result<String, Error> {
        let workspace = match named {
            Some(path) => check_workspace(path)?,
            None => self.workspace.clone(),
        };
        let room = self
            .store
            .read(|reader| reader.room_of_workspace(&workspace))?;
        let gone = Error::NotFound { what: "workspace" };
        match room {
            Some(room) => match self.require_right(caller, Right::ReadRoom, Located::Room(&room)) {
                Err(Error::NotFound { .. }) => Err(gone),
                seen => seen.map(|()| workspace),
            },
            None if caller.principal == self.operator => Ok(workspace),
            None => Err(gone),
        }
    }
}
