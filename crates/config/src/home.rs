//! Where the user's files are: the data directory, its predecessor, the configuration file.

use std::path::{Path, PathBuf};

use crate::env;
use crate::file::{self, Document};
use crate::flags::{self, Flags};
use crate::{Environment, Error, Origin, Setting};

/// Under the user's own directory.
const HOME: &str = ".codewhale";
/// The same, before the product was renamed: only ever read.
const LEGACY_HOME: &str = ".deepseek";
const CONFIG_FILE: &str = "config.toml";

pub(crate) struct Places {
    pub(crate) home: Setting<PathBuf>,
    /// Looked at when `home` lacks something; nothing when the user named a home.
    pub(crate) legacy_home: Option<PathBuf>,
}

/// Finds the data directory. It need not exist yet.
pub(crate) fn places(environment: &Environment) -> Result<Places, Error> {
    if let Some(text) = environment.get(env::HOME) {
        let path = absolute(environment, env::HOME, text)?;
        return Ok(Places {
            home: Setting::new(path, Origin::Env(env::HOME.to_owned())),
            legacy_home: None,
        });
    }
    let user = user_home(environment)?;
    Ok(Places {
        home: Setting::new(user.join(HOME), Origin::Default),
        legacy_home: Some(user.join(LEGACY_HOME)),
    })
}

/// Reads the configuration file, if there is one. One that was named must be there.
pub(crate) fn document(
    environment: &Environment,
    flags: &Flags,
    places: &Places,
) -> Result<Option<Document>, Error> {
    if let Some(named) = named_file(environment, flags)? {
        let document = file::read(&named.value)?;
        return document.map(Some).ok_or(Error::MissingFile {
            path: named.value,
            origin: named.origin,
        });
    }
    let homes = [Some(&places.home.value), places.legacy_home.as_ref()];
    for home in homes.into_iter().flatten() {
        if let Some(document) = file::read(&config_file(home))? {
            return Ok(Some(document));
        }
    }
    Ok(None)
}

/// Where the configuration file of a home is.
pub(crate) fn config_file(home: &Path) -> PathBuf {
    home.join(CONFIG_FILE)
}

pub(crate) fn named_file(
    environment: &Environment,
    flags: &Flags,
) -> Result<Option<Setting<PathBuf>>, Error> {
    let given = flags.config.as_deref();
    if let Some(path) = given.filter(|path| !path.as_os_str().is_empty()) {
        let path = expand(environment, path)?;
        return Ok(Some(Setting::new(path, Origin::Flag(flags::CONFIG))));
    }
    let Some((variable, text)) = environment.first(env::CONFIG_PATH) else {
        return Ok(None);
    };
    let path = absolute(environment, variable, text)?;
    Ok(Some(Setting::new(path, Origin::Env(variable.to_owned()))))
}

fn absolute(
    environment: &Environment,
    variable: &'static str,
    text: &str,
) -> Result<PathBuf, Error> {
    let path = expand(environment, Path::new(text))?;
    path.is_absolute()
        .then_some(path)
        .ok_or(Error::RelativePath { variable })
}

/// Puts the user's directory in the place of a leading `~`.
pub(crate) fn expand(environment: &Environment, path: &Path) -> Result<PathBuf, Error> {
    match path.strip_prefix("~") {
        Ok(rest) => Ok(user_home(environment)?.join(rest)),
        Err(_) => Ok(path.to_owned()),
    }
}

fn user_home(environment: &Environment) -> Result<PathBuf, Error> {
    let (_, text) = environment.first(env::USER_HOME).ok_or(Error::NoHome)?;
    let path = PathBuf::from(text);
    path.is_absolute().then_some(path).ok_or(Error::NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expect: Result<(&str, Option<&str>), &str>) {
        let environment: Environment = variables.iter().copied().collect();
        let found = places(&environment)
            .map(|places| (places.home.value, places.legacy_home))
            .map_err(|error| error.to_string());
        let expect = expect
            .map(|(home, legacy)| (PathBuf::from(home), legacy.map(PathBuf::from)))
            .map_err(str::to_owned);
        assert_eq!(found, expect, "{variables:?}");
    }

    #[test]
    fn the_home_is_named_or_stands_beside_its_predecessor() {
        check(
            &[("HOME", "/u")],
            Ok(("/u/.codewhale", Some("/u/.deepseek"))),
        );
        check(
            &[("HOME", "/u"), ("CODEWHALE_HOME", " ")],
            Ok(("/u/.codewhale", Some("/u/.deepseek"))),
        );
        check(
            &[("HOME", "/u"), ("CODEWHALE_HOME", "/data")],
            Ok(("/data", None)),
        );
        check(&[("CODEWHALE_HOME", "/data")], Ok(("/data", None)));
        check(
            &[("HOME", "/u"), ("CODEWHALE_HOME", "~/cw")],
            Ok(("/u/cw", None)),
        );
        check(&[("HOME", "/u"), ("CODEWHALE_HOME", "~")], Ok(("/u", None)));
    }

    #[test]
    fn a_home_that_depends_on_the_current_directory_is_refused() {
        let relative = "CODEWHALE_HOME must be an absolute path, or begin with ~/";
        check(&[("CODEWHALE_HOME", "data")], Err(relative));
        check(
            &[("HOME", "/u"), ("CODEWHALE_HOME", "~other/x")],
            Err(relative),
        );
        let none = "there is no home directory; set HOME, or CODEWHALE_HOME to an absolute path";
        check(&[], Err(none));
        check(&[("HOME", "u")], Err(none));
        check(&[("CODEWHALE_HOME", "~/x")], Err(none));
    }
}
