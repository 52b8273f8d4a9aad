//! What a person should know although the configuration works.

use std::fmt;
use std::path::PathBuf;

/// Something to tell, once, at the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// A key of the file means nothing to this version.
    UnknownKey {
        /// Which file.
        file: PathBuf,
        /// Which line, from one.
        line: usize,
        /// The key, with its tables.
        key: String,
        /// A key that looks much like it.
        suggestion: Option<String>,
    },
    /// A variable with an old name was used.
    DeprecatedVariable {
        /// The old name.
        variable: &'static str,
        /// The new one.
        instead: &'static str,
    },
    /// A provider's address comes from the environment, so the key of the file is not sent there.
    KeyWithheld {
        /// Which provider.
        provider: String,
        /// The variable that holds the address.
        variable: String,
    },
    /// The same for the headers of the file.
    HeadersWithheld {
        /// Which provider.
        provider: String,
        /// The variable that holds the address.
        variable: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::UnknownKey {
                file,
                line,
                key,
                suggestion,
            } => {
                let file = file.display();
                write!(
                    f,
                    "{file}, line {line}: `{key}` means nothing to this version and is ignored"
                )?;
                match suggestion {
                    Some(suggestion) => write!(f, "; did you mean `{suggestion}`?"),
                    None => Ok(()),
                }
            }
            Warning::DeprecatedVariable { variable, instead } => {
                write!(f, "{variable} is an old name; set {instead} instead")
            }
            Warning::KeyWithheld { provider, variable } => write!(
                f,
                "the address of provider `{provider}` comes from {variable}, so its key in the \
                 configuration file is not sent there; put the address into the file, or the key \
                 into a variable"
            ),
            Warning::HeadersWithheld { provider, variable } => write!(
                f,
                "the address of provider `{provider}` comes from {variable}, so the http_headers in \
                 the configuration file are not sent there; put the address into the file"
            ),
        }
    }
}
