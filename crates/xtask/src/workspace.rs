//! What cargo knows about the workspace.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell::Line;

/// The root of the workspace. The menu is always run by cargo from the tree it was built in.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The members as their manifests stand, whatever the lock file says.
pub(crate) fn members() -> Result<Vec<Package>> {
    let text = Line::new("cargo metadata --format-version 1 --no-deps").read()?;
    let metadata: Metadata =
        serde_json::from_str(&text).context("could not read what `cargo metadata` wrote")?;
    Ok(metadata.packages)
}

/// The part of `cargo metadata` that we read.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

impl Package {
    /// The name of its folder: how a crate is called in the house.
    pub(crate) fn noun(&self) -> &str {
        last_name(self.manifest_path.parent())
    }
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    rename: Option<String>,
    /// None stands for the normal kind.
    kind: Option<Kind>,
    path: Option<PathBuf>,
}

impl Dependency {
    /// The noun of the crate, if it is one of this workspace.
    pub(crate) fn noun(&self) -> Option<&str> {
        self.path.as_deref().map(|path| last_name(Some(path)))
    }

    /// How the manifest names it.
    pub(crate) fn key(&self) -> &str {
        self.rename.as_ref().unwrap_or(&self.name)
    }

    /// How code names it.
    pub(crate) fn library(&self) -> String {
        self.key().replace('-', "_")
    }

    pub(crate) fn is_for_tests(&self) -> bool {
        self.kind == Some(Kind::Dev)
    }
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Dev,
    Build,
}

fn last_name(path: Option<&Path>) -> &str {
    path.and_then(Path::file_name)
        .and_then(|name| name.to_str())
        .expect("a crate lies in a folder with a name")
}
