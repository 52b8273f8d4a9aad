//! What a user of the configuration meets, from files on disk to the finished values.
#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod children;
mod edits;
mod files;
mod providers;
mod values;

use std::fs;
use std::path::{Path, PathBuf};

use codewhale_config::{Config, Environment, Error, Flags, KnownProvider, Origin, Setting};
use codewhale_protocol::Secret;
use tempfile::TempDir;

/// A catalogue in small.
const KNOWN: &[KnownProvider] = &[
    KnownProvider {
        id: "deepseek",
        aliases: &["deepseek-cn"],
        key_variables: &["DEEPSEEK_API_KEY"],
        prefix: "DEEPSEEK",
    },
    KnownProvider {
        id: "nvidia-nim",
        aliases: &[],
        key_variables: &["NVIDIA_API_KEY", "DEEPSEEK_API_KEY"],
        prefix: "NVIDIA_NIM",
    },
    KnownProvider {
        id: "openai",
        aliases: &["gpt"],
        key_variables: &["OPENAI_API_KEY", "OPENAI_KEY"],
        prefix: "OPENAI",
    },
    KnownProvider {
        id: "ollama",
        aliases: &[],
        key_variables: &["OLLAMA_API_KEY"],
        prefix: "OLLAMA",
    },
];

/// A user: a home directory, variables, options.
struct User {
    home: TempDir,
    variables: Vec<(String, String)>,
    flags: Flags,
}

impl User {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
            variables: Vec::new(),
            flags: Flags::default(),
        }
    }

    /// A user with this in `~/.codewhale/config.toml`.
    fn with_file(text: &str) -> Self {
        let user = Self::new();
        user.write(".codewhale/config.toml", text);
        user
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn variables(self, pairs: &[(&str, &str)]) -> Self {
        pairs
            .iter()
            .fold(self, |user, (name, value)| user.variable(name, value))
    }

    fn flags(mut self, change: impl FnOnce(&mut Flags)) -> Self {
        change(&mut self.flags);
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The origin of what stands in the default file.
    fn file(&self) -> Origin {
        Origin::File(self.path(".codewhale/config.toml"))
    }

    fn environment(&self) -> Environment {
        let home = ("HOME".to_owned(), text(self.home.path()));
        [home].into_iter().chain(self.variables.clone()).collect()
    }

    fn try_load(&self) -> Result<Config, Error> {
        Config::load(&self.environment(), &self.flags, KNOWN)
    }

    fn load(&self) -> Config {
        self.try_load().unwrap()
    }

    /// The message, with the home directory cut out of it.
    fn error(&self) -> String {
        let message = self.try_load().unwrap_err().to_string();
        message.replace(&text(self.home.path()), "~")
    }

    /// The warnings, with the home directory cut out of them.
    fn warnings(&self) -> Vec<String> {
        let home = text(self.home.path());
        let warnings = self.load().warnings;
        warnings
            .iter()
            .map(|warning| warning.to_string().replace(&home, "~"))
            .collect()
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn set<T>(value: impl Into<T>, origin: Origin) -> Setting<T> {
    Setting {
        value: value.into(),
        origin,
    }
}

fn env(name: &str) -> Origin {
    Origin::Env(name.to_owned())
}

fn secret(value: &str) -> Secret {
    Secret::new(value)
}
