//! Goes through the files below a directory: ignored ones are left out, links are not followed.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use ignore::{DirEntry, WalkBuilder};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::Output;
use crate::globs::Globs;
use crate::limits::SEARCH_TIME;
use crate::paths::Place;

/// The stores of version control, which nobody means when they search.
const STORES: &[&str] = &[".git", ".hg", ".jj", ".svn"];

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// Everything was seen.
    Complete,
    /// The visitor had enough.
    Enough,
    /// It took too long.
    TimeUp,
    Cancelled,
}

impl Ended {
    /// What the model should know about it.
    pub(crate) fn note(self) -> Option<String> {
        match self {
            Self::Complete | Self::Enough => None,
            Self::TimeUp => Some(format!(
                "stopped after {} s, not everything was searched; search a smaller path",
                SEARCH_TIME.as_secs()
            )),
            Self::Cancelled => Some("interrupted".to_owned()),
        }
    }

    pub(crate) fn facts(self) -> serde_json::Value {
        json!(self == Self::Complete)
    }
}

/// Visits the files below `root`, or `root` itself if it is a file, in the order of their names.
/// The visitor gets each path relative to `root`. What fits `exclude` is not visited, nor what is
/// below it.
pub(crate) fn walk(
    root: &Place,
    exclude: Globs,
    cancel: &CancellationToken,
    mut visit: impl FnMut(&Path, &DirEntry) -> ControlFlow<()>,
) -> Result<Ended, Output> {
    check_root(root)?;
    let until = Instant::now() + SEARCH_TIME;
    let start = root.path.clone();
    let wanted = move |entry: &DirEntry| {
        let below = entry.path().strip_prefix(&start).unwrap_or(entry.path());
        let is_store = STORES.iter().any(|store| entry.file_name() == *store);
        entry.depth() == 0 || !(is_store || exclude.fit(below))
    };
    let entries = WalkBuilder::new(&root.path)
        .hidden(false)
        .require_git(false)
        // Would read files of the user that are not part of the work.
        .git_global(false)
        .follow_links(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(wanted)
        .build();
    for entry in entries {
        if cancel.is_cancelled() {
            return Ok(Ended::Cancelled);
        }
        if Instant::now() > until {
            return Ok(Ended::TimeUp);
        }
        // What cannot be read is left out, as if it were ignored.
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let below = entry
            .path()
            .strip_prefix(&root.path)
            .unwrap_or(entry.path());
        if visit(below, &entry).is_break() {
            return Ok(Ended::Enough);
        }
    }
    Ok(Ended::Complete)
}

fn check_root(root: &Place) -> Result<(), Output> {
    root.check_unmoved()?;
    match root.path.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(crate::missing::missing(root)),
        Err(error) => Err(Output::failure(format!(
            "could not search `{}`: {error}",
            root.shown
        ))),
    }
}

/// How a file below `root` is called in answers: by a path that other tools take.
pub(crate) fn shown(root: &Place, below: &Path) -> String {
    let below = below.to_string_lossy();
    let path = match (root.shown.as_str(), below.as_ref()) {
        (root, "") => root.to_owned(),
        (".", below) => below.to_owned(),
        (root, below) => format!("{root}/{below}"),
    };
    match path.contains(char::is_control) {
        true => path.escape_debug().to_string(),
        false => path,
    }
}
