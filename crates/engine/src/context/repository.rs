//! The repository around a workspace, as far as files tell it: no git is asked.

use std::fs;
use std::path::{Path, PathBuf};

use super::limits::{GIT_CONFIG_BYTES_MAX, PARENTS_MAX};
use super::text;

/// The directory that holds the whole: the nearest one with a `.git`, or else the workspace itself.
/// Both without links.
pub(super) fn root_of(workspace: &Path) -> PathBuf {
    let mut above = workspace.ancestors().take(PARENTS_MAX);
    let root = above.find(|directory| fs::symlink_metadata(directory.join(".git")).is_ok());
    root.unwrap_or(workspace).to_owned()
}

/// What a repository is known by wherever it lies: the address of its origin, without a name or
/// password in it. Nothing when it has none.
pub(super) fn origin_of(root: &Path) -> Option<String> {
    let config = git_directory(root)?.join("config");
    let config = text::read_whole(&config, None, GIT_CONFIG_BYTES_MAX).ok()??;
    let address = origin_in(&config)?;
    Some(plain(&address)).filter(|address| !address.is_empty())
}

/// A worktree has a file that leads to its part of the repository, and from there to the whole.
fn git_directory(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let line = |path: &Path| text::read_whole(path, None, GIT_CONFIG_BYTES_MAX).ok()?;
    let own = root.join(line(&git)?.trim().strip_prefix("gitdir:")?.trim());
    match line(&own.join("commondir")) {
        Some(common) => Some(own.join(common.trim())),
        None => Some(own),
    }
}

fn origin_in(config: &str) -> Option<String> {
    let mut is_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_origin = line == "[remote \"origin\"]";
        } else if is_origin
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            return Some(value.trim().trim_matches('"').to_owned());
        }
    }
    None
}

fn plain(address: &str) -> String {
    let without_login = match address.split_once("://") {
        Some((scheme, rest)) => {
            let host_end = rest.find('/').unwrap_or(rest.len());
            let host_start = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[host_start..])
        }
        None => address.to_owned(),
    };
    let trimmed = without_login.trim_end_matches('/');
    trimmed.strip_suffix(".git").unwrap_or(trimmed).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::World;

    const CONFIG: &str = "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = https://a.example/f\n\
        [remote \"origin\"]\n\turl = https://me:secret@a.example/team/it.git\n";

    #[test]
    fn the_root_is_the_nearest_directory_with_a_repository() {
        let world = World::new();
        assert_eq!(root_of(&world.workspace), world.workspace);
        world.write(".git/config", "");
        let deep = world.workspace.join("a/b");
        assert_eq!(root_of(&deep), world.workspace);
    }

    #[test]
    fn an_origin_is_known_without_its_login() {
        let world = World::new();
        assert_eq!(origin_of(&world.workspace), None);
        world.write(".git/config", CONFIG);
        let origin = origin_of(&world.workspace);
        assert_eq!(origin.as_deref(), Some("https://a.example/team/it"));
        assert_eq!(plain("git@a.example:team/it.git/"), "git@a.example:team/it");
    }

    #[test]
    fn a_worktree_has_the_origin_of_its_repository() {
        let world = World::new();
        world.write("main/.git/config", CONFIG);
        world.write("main/.git/worktrees/w/commondir", "../..\n");
        world.write("w/.git", "gitdir: ../main/.git/worktrees/w\n");
        let root = root_of(&world.workspace.join("w"));
        assert_eq!(
            origin_of(&root).as_deref(),
            Some("https://a.example/team/it")
        );
    }

    #[test]
    fn a_broken_repository_has_no_origin() {
        let world = World::new();
        world.write(".git", b"\xff\xfe");
        assert_eq!(origin_of(&world.workspace), None);
        world.write("b/.git/config", "[remote \"origin\"]\nurl\n[x]\nurl = no\n");
        assert_eq!(origin_of(&world.workspace.join("b")), None);
    }
}
