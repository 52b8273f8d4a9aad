//! Workspaces: the directories agents work in, and what their repositories say.

mod git;
mod luggage;

use std::path::Path;

use crate::Error;

pub(crate) use git::GitLooks;
pub(crate) use luggage::Luggage;

/// The one spelling of a directory that exists; anything else is refused with the reason.
pub(crate) fn check_workspace(path: &str) -> Result<String, Error> {
    if !Path::new(path).is_absolute() {
        return Err(Error::Invalid(format!(
            "the workspace {path:?} must be an absolute path"
        )));
    }
    let real = std::fs::canonicalize(path).map_err(|error| {
        Error::Invalid(format!("the workspace {path:?} cannot be used: {error}"))
    })?;
    if !real.is_dir() {
        return Err(Error::Invalid(format!(
            "the workspace {path:?} is not a directory"
        )));
    }
    real.into_os_string()
        .into_string()
        .map_err(|_| Error::Invalid(format!("the path of the workspace {path:?} is not text")))
}
