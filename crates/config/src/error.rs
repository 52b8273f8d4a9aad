//! Why there is no configuration, and what to do about it. Values are never shown: any of them may
//! be a key that was put in the wrong place.

use std::io;
use std::path::PathBuf;

use crate::Origin;

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing says where the user's files are.
    #[error("there is no home directory; set HOME, or CODEWHALE_HOME to an absolute path")]
    NoHome,
    /// A variable holds a path that depends on the current directory.
    #[error("{variable} must be an absolute path, or begin with ~/")]
    RelativePath {
        /// Which variable.
        variable: &'static str,
    },
    /// A file that was asked for does not exist.
    #[error(
        "there is no configuration file {}, which {origin} names; create it, or name another",
        .path.display()
    )]
    MissingFile {
        /// Where it should be.
        path: PathBuf,
        /// Who asked for it.
        origin: Origin,
    },
    /// A file could not be read.
    #[error("could not read the configuration file {}", .path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file of keys could not be used.
    #[error("could not use the keys in {}; correct the file, or move it away", .path.display())]
    Keys {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Others can read the file of keys.
    #[error(
        "the keys in {0} can be read by others on this machine; after `chmod 600 {0}` they are used, but think about new ones",
        .path.display()
    )]
    KeysInTheOpen {
        /// Which file.
        path: PathBuf,
    },
    /// A file is longer than any configuration.
    #[error("{} is longer than {bytes_max} bytes, which no configuration is; name another file", .path.display())]
    TooLong {
        /// Which file.
        path: PathBuf,
        /// The longest that is read.
        bytes_max: u64,
    },
    /// A file is not TOML.
    #[error("{}, line {line}, column {column}: {problem}; correct this line", .path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Which line, from one.
        line: usize,
        /// Which byte of the line, from one.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A key of the file has a value of the wrong kind.
    #[error("{}, line {line}: `{key}` must be {expected}; correct or remove it", .path.display())]
    WrongValue {
        /// Which file.
        path: PathBuf,
        /// Which line, from one.
        line: usize,
        /// Which key, with its tables.
        key: String,
        /// What it takes.
        expected: &'static str,
    },
    /// A key of the file has a word that means nothing there.
    #[error(
        "{}, line {line}: `{key}` must be one of {}{}",
        .path.display(),
        .known.join(", "),
        .suggestion.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default()
    )]
    UnknownWord {
        /// Which file.
        path: PathBuf,
        /// Which line, from one.
        line: usize,
        /// Which key, with its tables.
        key: String,
        /// The words that mean something.
        known: &'static [&'static str],
        /// The one that looks much like it.
        suggestion: Option<&'static str>,
    },
    /// A variable has a value of the wrong kind.
    #[error("the variable {variable} must be {expected}; correct or unset it")]
    WrongVariable {
        /// Which variable.
        variable: String,
        /// What it takes.
        expected: &'static str,
    },
    /// An option has a value of the wrong kind.
    #[error("the option {option} must be {expected}")]
    WrongOption {
        /// Which option.
        option: &'static str,
        /// What it takes.
        expected: &'static str,
    },
    /// A profile that was asked for does not exist.
    #[error(
        "there is no profile `{name}`, which {origin} names; {}",
        list("the file has", .known, "the file has no [profiles] table")
    )]
    UnknownProfile {
        /// Which profile.
        name: String,
        /// Who asked for it.
        origin: Origin,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A provider that was chosen does not exist.
    #[error(
        "there is no provider `{name}`, which {origin} names; {}, or add [providers.{name}] with a base_url",
        list("known are", .known, "none are known")
    )]
    UnknownProvider {
        /// Which provider.
        name: String,
        /// Who chose it.
        origin: Origin,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A fallback names a provider that does not exist.
    #[error(
        "there is no provider `{name}`, which the fallbacks in {origin} name; {}, or add [providers.{name}] with a base_url",
        list("known are", .known, "none are known")
    )]
    UnknownFallback {
        /// Which provider.
        name: String,
        /// Who declared it.
        origin: Origin,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A key that is to be shown or changed does not exist.
    #[error(
        "key not found: {key}{}",
        .suggestion.as_ref().map(|it| format!("; did you mean `{it}`?")).unwrap_or_else(|| "; `codewhale config list --all` shows those there are".to_owned())
    )]
    UnknownKey {
        /// Which.
        key: String,
        /// One that looks much like it.
        suggestion: Option<String>,
    },
    /// A key that is to be shown has no value.
    #[error("key not found: {key} is known, but nobody has set it")]
    NotSet {
        /// Which.
        key: String,
    },
    /// A table is to be shown or changed as if it were a value.
    #[error("`{key}` is a table; name a key in it, such as `{key}.{example}`")]
    IsTable {
        /// Which.
        key: String,
        /// A key in it.
        example: &'static str,
    },
    /// A secret is to be written into the file.
    #[error(
        "`{key}` is a secret and is not written into the configuration; {}",
        secret_hint(key)
    )]
    SecretKey {
        /// Which.
        key: String,
    },
    /// A value has the wrong shape for its key.
    #[error("`{key}` must be {expected}")]
    WrongText {
        /// Which key.
        key: String,
        /// What it takes.
        expected: &'static str,
    },
    /// The file belongs to a workspace.
    #[error(
        "{} belongs to a workspace, and the configuration of the user is not written there; leave --config out",
        .path.display()
    )]
    WorkspaceFile {
        /// Which file.
        path: PathBuf,
    },
    /// Another program changes the file at this moment.
    #[error("another program is changing {}; try again", .path.display())]
    Locked {
        /// Which file.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("could not write the configuration file {}; check its directory", .path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A price of one's own is not whole.
    #[error(
        "[pricing.\"{model}\"] in {origin} needs both input and output; set both, or remove it"
    )]
    HalfAPrice {
        /// Of which model.
        model: String,
        /// Who set it.
        origin: Origin,
    },
}

fn list(lead: &str, names: &[String], empty: &str) -> String {
    match names {
        [] => empty.to_owned(),
        names => format!("{lead} {}", names.join(", ")),
    }
}

/// Where a secret belongs instead.
fn secret_hint(key: &str) -> String {
    let parts: Vec<&str> = key.split('.').collect();
    match parts.as_slice() {
        [.., "providers", provider, "api_key"] => {
            format!("`codewhale auth set --provider {provider}` keeps it")
        }
        ["api_key"] => "`codewhale auth set --provider deepseek` keeps it".to_owned(),
        [.., "auth_token"] => "set the variable CODEWHALE_RUNTIME_TOKEN".to_owned(),
        _ => "write it into the file yourself if it must stand there".to_owned(),
    }
}
