//! A place where the measured binary lives: a home of its own and an empty workspace.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::model::Model;
use super::server::{Merging, Server};
use crate::shell::Line;

pub(super) struct Site {
    pub(super) bin: PathBuf,
    pub(super) home: PathBuf,
    pub(super) workspace: PathBuf,
}

impl Site {
    pub(super) fn new(bin: &Path, folder: &Path) -> Result<Self> {
        let workspace = folder.join("workspace");
        fs::create_dir_all(&workspace)
            .with_context(|| format!("could not make {}", workspace.display()))?;
        let workspace = workspace.canonicalize()?;
        // Without a repository of its own, a look for one finds that of the checkout around it.
        let path = workspace.display().to_string();
        Line::new("git init --quiet").with([path]).succeeds();
        Ok(Self {
            bin: bin.to_owned(),
            home: folder.join("home"),
            workspace,
        })
    }

    /// Starts the binary here.
    pub(super) fn start(&self, model: &Model, merging: Merging) -> Result<Server> {
        Server::start(self, model, merging)
    }
}
