//! Where a path leads.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use codewhale_policy::Demand;
use serde::{Serialize, Serializer};

use crate::Output;
use crate::limits::{LINKS_MAX, PATH_BYTES_MAX};
use crate::roots::Roots;

/// A path that a model gave, followed to its end. As part of an effect it is its exact bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// Absolute, without `..` and without links as far as it exists: what is opened is this, so
    /// that what was judged is what is touched.
    pub(crate) path: PathBuf,
    /// How it is called in answers: relative to the workspace, or absolute when outside.
    pub(crate) shown: String,
    /// Whether it lies in the workspace, or in a directory that was added to it.
    pub(crate) inside: bool,
}

impl Place {
    /// Follows `given`, which starts from the workspace unless it is absolute. What it leads to need
    /// not exist.
    pub(crate) fn find(roots: &Roots, given: &str) -> Result<Self, Output> {
        check_spelling(given)?;
        let workspace = &roots.workspace;
        let root = workspace.canonicalize().map_err(|error| {
            let shown = workspace.display();
            Output::failure(format!(
                "the workspace {shown} cannot be used: {error}. Nothing can be done in it until \
                 the user brings it back"
            ))
        })?;
        let path = follow(&root.join(given))
            .map_err(|error| Output::failure(format!("`{given}` leads nowhere: {error}")))?;
        check_process_files(&path)?;
        let inside = path.starts_with(&root) || roots.have_added(&path);
        let shown = match path.strip_prefix(&root) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => rest.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        Ok(Self {
            path,
            shown,
            inside,
        })
    }

    /// What reading it asks permission for.
    pub(crate) fn read_demand(&self) -> Demand {
        Demand::read(self.path.clone(), self.inside)
    }

    /// What changing it asks permission for.
    pub(crate) fn write_demand(&self) -> Demand {
        Demand::write(self.path.clone(), self.inside)
    }

    /// Makes sure that no link was put in the way since the path was followed: an approval can
    /// take minutes.
    pub(crate) fn check_unmoved(&self) -> Result<(), Output> {
        match follow(&self.path) {
            Ok(path) if path == self.path => Ok(()),
            Ok(_) | Err(_) => Err(Output::failure(format!(
                "`{}` leads elsewhere than when the call was prepared; nothing was done. Look at \
                 the path again and repeat the call if it is still wanted",
                self.shown
            ))),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        path_bytes(&self.path, serializer)
    }
}

/// A path as part of an effect: its exact bytes, because not every path is UTF-8.
pub(crate) fn path_bytes<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_os_str().as_encoded_bytes().serialize(serializer)
}

fn check_spelling(given: &str) -> Result<(), Output> {
    let problem = if given.is_empty() {
        "the path is empty; give a path relative to the workspace, or `.` for the workspace itself"
    } else if given.contains('\0') {
        "the path contains a NUL character, which no path can"
    } else if given == "~" || given.starts_with("~/") {
        "`~` is not expanded; give a path relative to the workspace, or an absolute path"
    } else if given.len() > PATH_BYTES_MAX {
        "the path is longer than any path may be"
    } else {
        return Ok(());
    };
    Err(Output::failure(problem))
}

/// Below these directories the kernel shows memory, environment and open files of processes: for
/// a tool that runs in this process, the secrets of this process.
fn check_process_files(path: &Path) -> Result<(), Output> {
    let Ok(below) = path.strip_prefix("/proc") else {
        return Ok(());
    };
    let is_process = below
        .iter()
        .next()
        .is_some_and(|name| name.as_encoded_bytes().iter().all(u8::is_ascii_digit));
    if !is_process {
        return Ok(());
    }
    Err(Output::failure(format!(
        "`{}` belongs to a process and is not for tools",
        path.display()
    )))
}

/// Walks an absolute path step by step, as the kernel does, and through links whose target does
/// not exist, which `canonicalize` does not: opening such a link for writing creates the target.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::from("/");
    let mut ahead = steps(path);
    let mut links = 0;
    while let Some(step) = ahead.pop() {
        if step == ".." {
            real.pop();
            continue;
        }
        let next = real.join(step);
        match fs::symlink_metadata(&next) {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(io::Error::other("its links go round in a circle"));
                }
                let target = fs::read_link(&next)?;
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                ahead.extend(steps(&target));
            }
            Ok(_) => real = next,
            Err(error) if error.kind() == io::ErrorKind::NotFound => real = next,
            Err(error) => return Err(error),
        }
    }
    Ok(real)
}

/// The steps of a path, the first one last.
fn steps(path: &Path) -> Vec<OsString> {
    let steps = path
        .components()
        .rev()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::Bench;

    /// Where `given` leads: the place as shown, and whether it is inside.
    fn check(bench: &Bench, given: &str, shown: &str, inside: bool) {
        let place = Place::find(&bench.roots(), given).expect("it leads somewhere");
        let shown = shown.replace("$OUTSIDE", &bench.outside.display().to_string());
        assert_eq!((place.shown, place.inside), (shown, inside), "{given}");
    }

    fn problem(bench: &Bench, given: &str) -> String {
        Place::find(&bench.roots(), given)
            .expect_err("it leads nowhere")
            .text
    }

    #[test]
    fn a_path_is_judged_by_where_it_ends() {
        let bench = Bench::new();
        bench.write("src/a.rs", "");
        check(&bench, "src/a.rs", "src/a.rs", true);
        check(&bench, "./src/../src//a.rs", "src/a.rs", true);
        check(&bench, "new/deep/file", "new/deep/file", true);
        check(&bench, ".", ".", true);
        check(&bench, "src/..", ".", true);
        check(&bench, "grüße/日本.txt", "grüße/日本.txt", true);
        check(&bench, "~draft", "~draft", true);
        let absolute = bench.workspace.join("src/a.rs").display().to_string();
        check(&bench, &absolute, "src/a.rs", true);
    }

    #[test]
    fn a_path_that_climbs_out_is_outside() {
        let bench = Bench::new();
        check(&bench, "../outside/x", "$OUTSIDE/x", false);
        check(&bench, "missing/../../outside/x", "$OUTSIDE/x", false);
        check(&bench, "/etc/passwd", "/etc/passwd", false);
        check(
            &bench,
            "../../../../../../../../../../etc/passwd",
            "/etc/passwd",
            false,
        );
    }

    #[test]
    fn a_neighbour_whose_name_begins_alike_is_outside() {
        let bench = Bench::new();
        let neighbour = format!("{}-old/x", bench.workspace.display());
        check(&bench, &neighbour, &neighbour, false);
    }

    #[test]
    fn links_are_followed_before_they_are_judged() {
        let bench = Bench::new();
        bench.write("real/file", "");
        symlink("real", bench.workspace.join("alias")).unwrap();
        symlink(&bench.outside, bench.workspace.join("exit")).unwrap();
        symlink("exit", bench.workspace.join("chain")).unwrap();
        symlink(
            bench.outside.join("not-there"),
            bench.workspace.join("dangling"),
        )
        .unwrap();
        check(&bench, "alias/file", "real/file", true);
        check(&bench, "exit/x", "$OUTSIDE/x", false);
        check(&bench, "missing/../exit/x", "$OUTSIDE/x", false);
        check(&bench, "chain", "$OUTSIDE", false);
        check(&bench, "dangling", "$OUTSIDE/not-there", false);
        // The kernel leaves the link's target, not the link.
        check(&bench, "exit/../workspace/real", "real", true);
    }

    #[test]
    fn a_directory_that_was_added_is_inside_and_called_by_its_whole_path() {
        let bench = Bench::new();
        let added = bench.outside.canonicalize().unwrap();
        let roots = Roots {
            added: [added.clone()].into(),
            ..bench.roots()
        };
        let find = |path: &Path| Place::find(&roots, &path.display().to_string()).unwrap();
        let place = find(&added.join("a"));
        assert!(place.inside);
        assert_eq!(place.shown, added.join("a").display().to_string());
        assert!(!find(&added.join("../else")).inside);
        symlink("/etc", added.join("exit")).unwrap();
        assert!(!find(&added.join("exit/passwd")).inside);
    }

    #[test]
    fn a_workspace_behind_a_link_is_still_the_workspace() {
        let bench = Bench::new();
        let link = bench.outside.join("link");
        symlink(&bench.workspace, &link).unwrap();
        let given = link.join("a").display().to_string();
        let place = Place::find(&Roots::from(&*link), &given).expect("it leads somewhere");
        assert_eq!((place.shown.as_str(), place.inside), ("a", true));
    }

    /// Every path of up to four steps through a small maze of links, where the system has an
    /// answer to compare with.
    #[test]
    fn a_path_leads_where_the_system_says() {
        const STEPS: [&str; 7] = ["..", ".", "sub", "up", "exit", "file", "none"];
        let bench = Bench::new();
        bench.write("sub/file", "");
        symlink("..", bench.workspace.join("sub/up")).unwrap();
        symlink("sub/up/sub", bench.workspace.join("up")).unwrap();
        symlink("../outside", bench.workspace.join("exit")).unwrap();
        symlink(&bench.workspace, bench.outside.join("sub")).unwrap();
        let (mut paths, mut compared) = (vec![bench.workspace.clone()], 0);
        for _ in 0..4 {
            let longer = paths
                .iter()
                .flat_map(|path| STEPS.map(|step| path.join(step)));
            paths = longer.collect();
            for path in &paths {
                let Ok(expected) = path.canonicalize() else {
                    continue;
                };
                assert_eq!(
                    follow(path).expect("it exists"),
                    expected,
                    "{}",
                    path.display()
                );
                compared += 1;
            }
        }
        assert!(compared > 200, "only {compared} of the paths exist");
    }

    #[test]
    fn what_leads_nowhere_says_why() {
        let bench = Bench::new();
        bench.write("file", "");
        symlink("circle", bench.workspace.join("circle")).unwrap();
        for (given, why) in [
            ("", "the path is empty"),
            ("a\0b", "NUL"),
            ("~", "not expanded"),
            ("~/notes", "not expanded"),
            ("circle", "go round in a circle"),
            ("circle/x", "go round in a circle"),
            ("file/x", "Not a directory"),
            ("/proc/self/environ", "belongs to a process"),
            ("/dev/fd/../environ", "belongs to a process"),
            (&"x".repeat(300), "File name too long"),
            (&"x/".repeat(3000), "longer than any path"),
        ] {
            let problem = problem(&bench, given);
            assert!(problem.contains(why), "{given:?}: {problem}");
        }
    }

    #[test]
    fn a_workspace_that_is_gone_says_so() {
        let bench = Bench::new();
        fs::remove_dir_all(&bench.workspace).unwrap();
        assert!(problem(&bench, "a").contains("the workspace"));
    }

    #[test]
    fn a_link_put_in_the_way_later_is_noticed() {
        let bench = Bench::new();
        let place = Place::find(&bench.roots(), "sub/file").unwrap();
        place.check_unmoved().expect("nothing changed");
        symlink(&bench.outside, bench.workspace.join("sub")).unwrap();
        let failure = place.check_unmoved().expect_err("it leads out now");
        assert!(failure.text.contains("leads elsewhere"));
    }
}
