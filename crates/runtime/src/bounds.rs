//! The bounds of work, made ready: checked, and their paths followed to where they lead.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use codewhale_protocol::runtime::Bounds;

use crate::{Error, limits};

/// The bounds of work in a workspace, with paths as they really are.
pub(crate) fn checked(bounds: &Bounds, workspace: &str) -> Result<Bounds, Error> {
    let lists = [
        Some(&bounds.disallowed_tools),
        bounds.allowed_tools.as_ref(),
        bounds.writable_paths.as_ref(),
    ];
    if lists
        .iter()
        .flatten()
        .any(|list| list.len() > limits::BOUND_ENTRIES_MAX)
    {
        return Err(Error::Invalid(format!(
            "a list of bounds has more than {} entries; name directories, not each file",
            limits::BOUND_ENTRIES_MAX
        )));
    }
    if bounds.max_steps == Some(0) {
        return Err(Error::Invalid(
            "max_steps must be at least 1; a turn without a step does nothing".into(),
        ));
    }
    let place = |path: &String| place(Path::new(workspace), path);
    let places = bounds.writable_paths.as_ref();
    let writable_paths = places
        .map(|paths| paths.iter().map(place).collect::<Result<_, _>>())
        .transpose()?;
    Ok(Bounds {
        writable_paths,
        ..bounds.clone()
    })
}

/// The places where files may change, for the law and the walls.
pub(crate) fn writable(bounds: &Bounds) -> Option<Arc<[PathBuf]>> {
    let paths = bounds.writable_paths.as_ref()?;
    Some(paths.iter().map(PathBuf::from).collect())
}

/// A place by its one spelling: what of it exists without links, then the rest.
fn place(workspace: &Path, path: &str) -> Result<String, Error> {
    let invalid = |why: &str| Error::Invalid(format!("the writable path {path:?} {why}"));
    if path.trim().is_empty() {
        return Err(invalid("is blank; name a directory, or leave it out"));
    }
    let whole = workspace.join(path);
    let climbs = |part: Component<'_>| part == Component::ParentDir;
    if whole.components().any(climbs) {
        return Err(invalid("must not contain \"..\""));
    }
    for there in whole.ancestors() {
        let Ok(real) = there.canonicalize() else {
            // A link that leads nowhere may lead anywhere by the time it counts.
            if there.is_symlink() {
                return Err(invalid("is a link to nothing"));
            }
            continue;
        };
        let rest = whole.strip_prefix(there).unwrap_or(Path::new(""));
        let real = match rest.as_os_str().is_empty() {
            true => real,
            false => real.join(rest),
        };
        let text = real.into_os_string().into_string();
        return text.map_err(|_| invalid("is not text"));
    }
    Err(invalid("cannot be followed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(workspace: &Path, paths: &[&str]) -> Result<Vec<String>, String> {
        let bounds = Bounds {
            writable_paths: Some(paths.iter().map(|path| (*path).to_owned()).collect()),
            ..Bounds::default()
        };
        let checked = checked(&bounds, workspace.to_str().unwrap());
        let checked = checked.map_err(|error| error.to_string())?;
        Ok(checked.writable_paths.unwrap())
    }

    #[test]
    fn paths_are_followed_as_far_as_they_exist() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = directory.path().canonicalize().unwrap();
        std::fs::create_dir(workspace.join("real")).unwrap();
        std::os::unix::fs::symlink("real", workspace.join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", workspace.join("broken")).unwrap();
        let at = |path: &str| workspace.join(path).to_str().unwrap().to_owned();
        assert_eq!(
            paths(&workspace, &["real", "link/new", "new/deep", "/"]),
            Ok(vec![at("real"), at("real/new"), at("new/deep"), "/".into()])
        );
        for (path, word) in [
            ("../x", "\"..\""),
            (" ", "blank"),
            ("broken", "a link to nothing"),
            ("broken/x", "a link to nothing"),
        ] {
            let refusal = paths(&workspace, &[path]).unwrap_err();
            assert!(refusal.contains(word), "{refusal}");
        }
    }
}
