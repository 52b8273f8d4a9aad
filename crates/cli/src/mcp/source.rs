//! Which MCP servers the user has: their file, and those of their plugins. Read again when asked,
//! so that a change counts without a new start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use codewhale_config::{Config, Environment};
use codewhale_mcp_client::{Origin, Settings};
use codewhale_runtime::ReadAgain;

use super::itself::Itself;
use crate::compose;

/// The files, as they were read.
type Texts = Vec<(PathBuf, String)>;

/// Where the servers of the user are configured.
pub(crate) struct Source {
    config: Config,
    environment: Environment,
    itself: Itself,
    last: Mutex<Last>,
}

/// What was read last.
#[derive(Default)]
struct Last {
    texts: Texts,
    /// Why it could not be used.
    problem: Option<String>,
}

impl Source {
    pub(crate) fn new(config: &Config, environment: &Environment, itself: Itself) -> Self {
        Self {
            config: config.clone(),
            environment: environment.clone(),
            itself,
            last: Mutex::default(),
        }
    }

    /// The servers, and what is to be said about them. A plugin that is broken is left out.
    pub(crate) fn read(&self) -> anyhow::Result<(Settings, Vec<String>)> {
        let texts = self.texts()?;
        let read = self.settings(&texts)?;
        self.keep(texts, None);
        Ok(read)
    }

    /// Reads them again whenever that is asked for.
    pub(crate) fn again(self) -> ReadAgain {
        let source = Arc::new(self);
        Arc::new(move || source.read_again())
    }

    fn read_again(&self) -> Result<Option<Settings>, String> {
        let texts = self.texts().map_err(|error| format!("{error:#}"))?;
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.texts == texts {
            return last.problem.clone().map_or(Ok(None), Err);
        }
        drop(last);
        match self.settings(&texts) {
            Ok((settings, warnings)) => {
                for warning in warnings {
                    tracing::warn!(warning, "the MCP servers were read again");
                }
                self.keep(texts, None);
                Ok(Some(settings))
            }
            Err(error) => {
                let problem = format!("{error:#}");
                self.keep(texts, Some(problem.clone()));
                Err(problem)
            }
        }
    }

    fn keep(&self, texts: Texts, problem: Option<String>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Last { texts, problem };
    }

    /// The user's own file first, then those of plugins.
    fn texts(&self) -> anyhow::Result<Texts> {
        let own = file_of(&self.config);
        let text = text_of(&own)?;
        let plugins = compose::plugins(&self.config).into_iter();
        let plugins = plugins.filter_map(|plugin| {
            let text = fs::read_to_string(plugin.join("mcp.json")).ok()?;
            Some((plugin, text))
        });
        Ok(std::iter::once((own, text)).chain(plugins).collect())
    }

    fn settings(&self, texts: &Texts) -> anyhow::Result<(Settings, Vec<String>)> {
        let variable = |name: &str| self.environment.get(name).map(str::to_owned);
        let (mut servers, mut warnings) = (Settings::default(), Vec::new());
        let mut texts = texts.iter();
        if let Some((_, text)) = texts.next() {
            (servers, warnings) = Settings::read(text, Origin::User, &variable)?;
        }
        for (plugin, text) in texts {
            match servers.clone().with_plugin(plugin, text, &variable) {
                Ok((with, more)) => {
                    servers = with;
                    warnings.extend(more);
                }
                Err(error) => warnings.push(format!("{}: {error}", plugin.display())),
            }
        }
        Ok((self.itself.of(servers), warnings))
    }
}

/// The user's own file.
pub(crate) fn file_of(config: &Config) -> PathBuf {
    config.home.value.join("mcp.json")
}

/// What stands in it; nothing much when it does not exist.
pub(super) fn text_of(file: &Path) -> anyhow::Result<String> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text),
        // A home that is no directory is told of by those who need one.
        Err(error) if is_absent(error.kind()) => Ok("{}".to_owned()),
        Err(error) => Err(error).with_context(|| format!("could not read {}", file.display())),
    }
}

fn is_absent(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
