//! Files that are written from code: committed, so that a reader finds them, and checked, so that
//! they say what the code says.
//!
//! A new file is one entry of [`GENERATORS`]. Its function may call another crate of the workspace
//! (an edge to allow in `tidy/edges.rs`), or run the program itself:
//! `|| Line::new("cargo run --quiet --locked -p codewhale-cli -- …").read()`.

use std::fs;
use std::io;

use anyhow::{Context, Result, ensure};

use crate::tidy::Tree;
use crate::workspace;

struct Generator {
    name: &'static str,
    /// Below the root; all of them live in `generated/`.
    path: &'static str,
    content: fn() -> Result<String>,
}

const GENERATORS: &[Generator] = &[
    Generator {
        name: "the OpenAPI document",
        path: "generated/openapi.json",
        content: || Ok(codewhale_app_server::openapi(env!("CARGO_PKG_VERSION")) + "\n"),
    },
    Generator {
        name: "the document of the door for other agents",
        path: "generated/agents.openapi.json",
        content: || Ok(codewhale_app_server::agents_openapi(env!("CARGO_PKG_VERSION")) + "\n"),
    },
    Generator {
        name: "the schema of the store",
        path: "generated/schema.sql",
        content: || Ok(codewhale_store::whole_schema()?),
    },
];

const FOLDER: &str = "generated/";

/// Writes the files that are out of date.
pub(crate) fn write() -> Result<()> {
    for generator in GENERATORS {
        let fresh = content(generator)?;
        if committed(generator)?.as_ref() == Some(&fresh) {
            continue;
        }
        let path = workspace::root().join(generator.path);
        fs::create_dir_all(path.parent().expect("a generated file is below the root"))?;
        fs::write(&path, fresh).with_context(|| format!("could not write {}", generator.path))?;
        println!("wrote {}", generator.path);
    }
    Ok(())
}

/// Fails when a file is out of date, missing, or has no generator.
pub(crate) fn check() -> Result<()> {
    let tree = Tree::read()?;
    let mut problems = strangers(tree.paths(), GENERATORS);
    for generator in GENERATORS {
        let committed = committed(generator)?;
        problems.extend(difference(
            generator.path,
            committed.as_deref(),
            &content(generator)?,
        ));
    }
    for problem in &problems {
        println!("{problem}");
    }
    ensure!(
        problems.is_empty(),
        "to write the generated files: cargo xtask gen"
    );
    Ok(())
}

fn content(generator: &Generator) -> Result<String> {
    (generator.content)().with_context(|| format!("could not generate {}", generator.name))
}

fn committed(generator: &Generator) -> Result<Option<String>> {
    match fs::read_to_string(workspace::root().join(generator.path)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("could not read {}", generator.path)),
    }
}

/// The files in the folder that no generator writes.
fn strangers<'a>(paths: impl Iterator<Item = &'a str>, generators: &[Generator]) -> Vec<String> {
    paths
        .filter(|path| path.starts_with(FOLDER))
        .filter(|path| generators.iter().all(|generator| generator.path != *path))
        .map(|path| format!("{path}: no generator writes it"))
        .collect()
}

/// Where the committed text first differs from the fresh one.
fn difference(path: &str, committed: Option<&str>, fresh: &str) -> Option<String> {
    let Some(committed) = committed else {
        return Some(format!("{path}: missing"));
    };
    if committed == fresh {
        return None;
    }
    let (mut old, mut new) = (committed.lines(), fresh.lines());
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => break,
            (old, new) if old == new => {}
            (old, new) => {
                let (old, new) = (old.unwrap_or("(end)"), new.unwrap_or("(end)"));
                return Some(format!(
                    "{path}:{number}: out of date\n  - {old}\n  + {new}"
                ));
            }
        }
    }
    Some(format!("{path}: out of date at the ends of its lines"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_file_is_no_problem() {
        assert_eq!(difference("a", Some("x\ny\n"), "x\ny\n"), None);
    }

    #[test]
    fn a_stale_file_is_shown_where_it_first_differs() {
        let check = |committed, fresh: &str, expected: &str| {
            let problem = difference("a", committed, fresh);
            assert_eq!(problem.as_deref(), Some(expected));
        };
        check(None, "x\n", "a: missing");
        check(Some("x\ny\n"), "x\nz\n", "a:2: out of date\n  - y\n  + z");
        check(Some("x\n"), "x\nz\n", "a:2: out of date\n  - (end)\n  + z");
        check(Some("x"), "x\n", "a: out of date at the ends of its lines");
    }

    #[test]
    fn a_file_without_generator_is_found() {
        let generators = [Generator {
            name: "known",
            path: "generated/known.json",
            content: || Ok(String::new()),
        }];
        let paths = [
            "generated/known.json",
            "generated/old.json",
            "docs/generated/x",
        ];
        assert_eq!(
            strangers(paths.into_iter(), &generators),
            ["generated/old.json: no generator writes it"]
        );
    }

    #[test]
    fn every_generated_file_has_its_own_place_in_the_folder() {
        let mut paths: Vec<_> = GENERATORS.iter().map(|generator| generator.path).collect();
        assert!(paths.iter().all(|path| path.starts_with(FOLDER)));
        paths.sort_unstable();
        assert!(paths.is_sorted_by(|a, b| a < b));
    }
}
