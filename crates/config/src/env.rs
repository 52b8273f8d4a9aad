//! The environment: read here and nowhere else, once, into a value that is passed on.

use std::collections::BTreeMap;
use std::fmt;

/// Names the data directory.
pub(crate) const HOME: &str = "CODEWHALE_HOME";

/// Name the user's own directory, for `~` and the default data directory.
pub(crate) const USER_HOME: &[&str] = &["HOME", "USERPROFILE"];

/// Name the configuration file, the strongest first.
pub(crate) const CONFIG_PATH: &[&str] = &["CODEWHALE_CONFIG_PATH", "DEEPSEEK_CONFIG_PATH"];

/// Name the profile, the strongest first.
pub(crate) const PROFILE: &[&str] = &["CODEWHALE_PROFILE", "DEEPSEEK_PROFILE"];

/// Old names that still work, with what to write instead.
pub(crate) const DEPRECATED: &[(&str, &str)] =
    &[("DEEPSEEK_RUNTIME_TOKEN", "CODEWHALE_RUNTIME_TOKEN")];

/// What child processes get to see: who and where they are, their language and terminal, and where
/// toolchains live. Everything else stays here. Left out on purpose: sockets that act with the
/// user's rights (`SSH_AUTH_SOCK`), proxies (their addresses hold passwords), and what changes the
/// code that a program loads (`LD_PRELOAD`, `NODE_OPTIONS`, `PYTHONPATH`).
pub(crate) const CHILD_VARIABLES: &[&str] = &[
    "ANDROID_HOME",
    "BUN_INSTALL",
    "CARGO_HOME",
    "COLORTERM",
    "CONDA_PREFIX",
    "DENO_DIR",
    "GEM_HOME",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GRADLE_USER_HOME",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NVM_BIN",
    "NVM_DIR",
    "PATH",
    "PKG_CONFIG_PATH",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Families of variables that child processes get to see, by how their names begin.
pub(crate) const CHILD_PREFIXES: &[&str] = &["LC_"];

/// All variables at one moment. Shows their names only: some values are secrets.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// The variables of this process. Those that are not text are passed over.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the environment"
    )]
    pub fn of_process() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// The value of a variable without the blanks around it; a blank one counts as not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// The first of these variables that is set, with its name.
    pub(crate) fn first<'a>(&self, names: &[&'a str]) -> Option<(&'a str, &str)> {
        names.iter().find_map(|name| Some((*name, self.get(name)?)))
    }

    /// All variables as they are, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self {
            variables: pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_variable_counts_as_not_set_and_others_are_trimmed() {
        let environment = Environment::from_iter([("A", " "), ("B", " b\n"), ("C", "c")]);
        assert_eq!(environment.get("A"), None);
        assert_eq!(environment.get("B"), Some("b"));
        assert_eq!(environment.first(&["A", "X", "C"]), Some(("C", "c")));
    }

    #[test]
    fn only_names_are_shown() {
        let environment = Environment::from_iter([("KEY", "sk-hidden")]);
        assert_eq!(format!("{environment:?}"), r#"{"KEY"}"#);
    }

    #[test]
    fn the_process_has_a_path() {
        assert!(Environment::of_process().get("PATH").is_some());
    }
}
