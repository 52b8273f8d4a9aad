//! A value together with where it came from.

use std::fmt;
use std::path::PathBuf;

/// A value and its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub origin: Origin,
}

impl<T> Setting<T> {
    pub(crate) fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }

    /// The same origin with another value.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Setting<U> {
        Setting::new(change(self.value), self.origin)
    }
}

/// Where a value came from, the weakest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The configuration file.
    File(PathBuf),
    /// A profile of that file.
    Profile(String),
    /// The file of keys.
    Keys(PathBuf),
    /// An environment variable.
    Env(String),
    /// An option of the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("the built-in default"),
            Origin::File(path) => write!(f, "the file {}", path.display()),
            Origin::Profile(name) => write!(f, "the profile `{name}`"),
            Origin::Keys(path) => write!(f, "the keys in {}", path.display()),
            Origin::Env(name) => write!(f, "the variable {name}"),
            Origin::Flag(name) => write!(f, "the option {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_read_as_words() {
        let cases = [
            (Origin::Default, "the built-in default"),
            (Origin::File("/a/b.toml".into()), "the file /a/b.toml"),
            (Origin::Profile("work".into()), "the profile `work`"),
            (Origin::Keys("/k.json".into()), "the keys in /k.json"),
            (Origin::Env("X".into()), "the variable X"),
            (Origin::Flag("--model"), "the option --model"),
        ];
        for (origin, expect) in cases {
            assert_eq!(origin.to_string(), expect);
        }
    }
}
