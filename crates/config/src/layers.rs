//! Looks a key up: the option, then variables, then the profile, then the file, then the default.

use std::collections::BTreeMap;
use std::path::PathBuf;

use codewhale_protocol::Secret;

use crate::env;
use crate::file::{Document, Node, Table, Value};
use crate::flags::{Flags, Given};
use crate::schema::{self, Key};
use crate::shape::Shape;
use crate::{Environment, Error, KeyFile, Origin, Setting};

pub(crate) struct Layers<'a> {
    pub(crate) environment: &'a Environment,
    /// The parts of the file, the strongest first.
    pub(crate) files: Vec<Layer<'a>>,
    /// The keys that `auth set` kept, and where.
    pub(crate) keys: BTreeMap<String, Secret>,
    pub(crate) keys_at: PathBuf,
}

/// A table that holds the schema: the root of the file, or a profile in it.
pub(crate) struct Layer<'a> {
    pub(crate) origin: Origin,
    pub(crate) table: &'a Table,
}

impl<'a> Layers<'a> {
    pub(crate) fn new(
        environment: &'a Environment,
        document: Option<&'a Document>,
        profile: Option<&Setting<String>>,
        keys: &KeyFile,
    ) -> Result<Self, Error> {
        let mut files = Vec::new();
        if let Some(profile) = profile {
            let table = document.and_then(|document| {
                let profiles = table(&document.root, schema::PROFILES)?;
                table(profiles, &profile.value)
            });
            files.push(Layer {
                origin: Origin::Profile(profile.value.clone()),
                table: table.ok_or_else(|| unknown_profile(document, profile))?,
            });
        }
        files.extend(document.map(|document| Layer {
            origin: Origin::File(document.path.clone()),
            table: &document.root,
        }));
        Ok(Self {
            environment,
            files,
            keys: keys.read()?,
            keys_at: keys.path().to_owned(),
        })
    }

    /// The strongest value of a key, if there is any.
    pub(crate) fn find<T: Shape>(
        &self,
        key: &Key<T>,
        given: Given<'_>,
    ) -> Result<Option<Setting<T>>, Error> {
        if let Some(setting) = by_option(key, given)? {
            return Ok(Some(setting));
        }
        if let Some(setting) = self.by_variables(key, key.variables)? {
            return Ok(Some(setting));
        }
        let default = || Some(Setting::new(key.default.clone()?, Origin::Default));
        Ok(self.by_files(key).or_else(default))
    }

    /// The value of a key that no option sets and that has a default.
    pub(crate) fn get<T: Shape>(&self, key: &Key<T>) -> Result<Setting<T>, Error> {
        let setting = self.find(key, Given::NOTHING)?;
        Ok(setting.expect("the line of this key states a default"))
    }

    /// The strongest value of a key, with this name in the place of a `*`: those stand in files only.
    pub(crate) fn find_named<T: Shape>(
        &self,
        key: &Key<T>,
        name: &str,
    ) -> Result<Option<Setting<T>>, Error> {
        if name.is_empty() {
            return self.find(key, Given::NOTHING);
        }
        Ok(self.files.iter().find_map(|layer| layer.get(key, name)))
    }

    /// The value by the first of these variables that is set.
    pub(crate) fn by_variables<T: Shape>(
        &self,
        key: &Key<T>,
        names: &[&str],
    ) -> Result<Option<Setting<T>>, Error> {
        for name in names {
            let Some(text) = self.environment.get(name) else {
                continue;
            };
            let value = key.parse(text).map_err(|_| Error::WrongVariable {
                variable: (*name).to_owned(),
                expected: key.expected,
            })?;
            if let Some(value) = value {
                let origin = Origin::Env((*name).to_owned());
                return Ok(Some(Setting::new(value, origin)));
            }
        }
        Ok(None)
    }

    pub(crate) fn by_files<T: Shape>(&self, key: &Key<T>) -> Option<Setting<T>> {
        self.files.iter().find_map(|layer| layer.get(key, ""))
    }
}

impl Layer<'_> {
    /// The value here, with `name` in the place of a `*`. The file has been checked, so a value of
    /// the wrong shape does not come this far.
    pub(crate) fn get<T: Shape>(&self, key: &Key<T>, name: &str) -> Option<Setting<T>> {
        let value = key.paths.iter().find_map(|path| {
            let value = lookup(self.table, path, name)?;
            key.read(value).ok().flatten()
        })?;
        Some(Setting::new(value, self.origin.clone()))
    }

    /// What stands under a key at the top.
    pub(crate) fn node(&self, key: &str) -> Option<&Node> {
        let (_, node) = self.table.iter().find(|(name, _)| name == key)?;
        Some(node)
    }

    /// The names in a table of named things, as they stand in the file.
    pub(crate) fn names(&self, key: &str) -> impl Iterator<Item = &str> {
        table(self.table, key)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
    }
}

/// What an option says.
pub(crate) fn by_option<T: Shape>(
    key: &Key<T>,
    given: Given<'_>,
) -> Result<Option<Setting<T>>, Error> {
    let Some(text) = given.text else {
        return Ok(None);
    };
    let value = key.parse(text).map_err(|_| Error::WrongOption {
        option: given.name,
        expected: key.expected,
    })?;
    Ok(value.map(|value| Setting::new(value, Origin::Flag(given.name))))
}

/// The profile that is asked for.
pub(crate) fn profile(environment: &Environment, flags: &Flags) -> Option<Setting<String>> {
    let given = flags.profile();
    if let Some(name) = given.text {
        return Some(Setting::new(name.to_owned(), Origin::Flag(given.name)));
    }
    let (variable, name) = environment.first(env::PROFILE)?;
    Some(Setting::new(
        name.to_owned(),
        Origin::Env(variable.to_owned()),
    ))
}

fn unknown_profile(document: Option<&Document>, profile: &Setting<String>) -> Error {
    let profiles = document.and_then(|document| table(&document.root, schema::PROFILES));
    let known = profiles.into_iter().flatten();
    Error::UnknownProfile {
        name: profile.value.clone(),
        origin: profile.origin.clone(),
        known: known.map(|(name, _)| name.clone()).collect(),
    }
}

fn lookup<'a>(mut at: &'a Table, path: &str, name: &str) -> Option<&'a Value> {
    let (tables, last) = path.rsplit_once('.').unwrap_or(("", path));
    for part in tables.split('.').filter(|part| !part.is_empty()) {
        at = table(at, if part == "*" { name } else { part })?;
    }
    child(at, last)
}

fn table<'a>(at: &'a Table, key: &str) -> Option<&'a Table> {
    match child(at, key)? {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

fn child<'a>(at: &'a Table, key: &str) -> Option<&'a Value> {
    let (_, node) = at.iter().find(|(name, _)| name == key)?;
    Some(&node.value)
}
