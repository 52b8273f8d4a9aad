//! Changing the configuration file: one key at a time, with everything else in it as it was. A change
//! after which the configuration would not load is refused, and so is a secret.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Key, Table, TableLike};

use crate::check::{self, Place};
use crate::file::{self, Value};
use crate::home::{self, Places};
use crate::limits::VALUE_BYTES_MAX;
use crate::schema::{PROFILES, ROWS, Row};
use crate::values;
use crate::{Config, Environment, Error, Flags, KnownProvider, Shown};

/// The configuration file of the user, open for changes. Others who want to change it wait.
pub struct Editor<'a> {
    environment: &'a Environment,
    flags: &'a Flags,
    known: &'a [KnownProvider],
    path: PathBuf,
    document: DocumentMut,
    /// Held until the change is written.
    _lock: File,
}

impl<'a> Editor<'a> {
    /// Opens the file that `Config::load` would read. One of the older home is carried over.
    pub fn open(
        environment: &'a Environment,
        flags: &'a Flags,
        known: &'a [KnownProvider],
    ) -> Result<Self, Error> {
        let places = home::places(environment)?;
        let path = place_of(environment, flags, &places)?;
        let lock = lock(&path)?;
        let text = match read(&path)? {
            Some(text) => text,
            None => older(&places, &path)?.unwrap_or_default(),
        };
        // Ours tells the line and never shows the text of the file.
        file::of_text(&path, &text)?;
        let document = text.parse().unwrap_or_default();
        Ok(Self {
            environment,
            flags,
            known,
            path,
            document,
            _lock: lock,
        })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives a key a value, as a person types it.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), Error> {
        assign(&mut self.document, key, text)?;
        self.verify()
    }

    /// Takes the value of a key away; false when there was none.
    pub fn unset(&mut self, key: &str) -> Result<bool, Error> {
        let way = way_of(key)?;
        row_of(&way)?;
        let was_there = take(self.document.as_table_mut(), &way);
        self.verify()?;
        Ok(was_there)
    }

    /// Writes the file, whole or not at all, and tells what the configuration then is.
    pub fn save(self) -> Result<Config, Error> {
        let failed = |source| Error::Write {
            path: self.path.clone(),
            source,
        };
        let config = self.config()?;
        write(&self.path, &self.document.to_string()).map_err(failed)?;
        Ok(config)
    }

    /// What would count if the file were written now and these stood in it too. Nothing is written.
    pub fn settled(&self, over: &[(String, String)]) -> Result<(Config, Vec<Shown>), Error> {
        let mut document = self.document.clone();
        for (key, text) in over {
            assign(&mut document, key, text)?;
        }
        let config = self.config_of(&document)?;
        let document = file::of_text(&self.path, &document.to_string())?;
        let shown = values::of_document(self.environment, self.flags, &config, Some(&document))?;
        Ok((config, shown))
    }

    fn verify(&self) -> Result<(), Error> {
        self.config().map(drop)
    }

    fn config(&self) -> Result<Config, Error> {
        self.config_of(&self.document)
    }

    fn config_of(&self, document: &DocumentMut) -> Result<Config, Error> {
        let document = file::of_text(&self.path, &document.to_string())?;
        let places = home::places(self.environment)?;
        Config::of_document(
            self.environment,
            self.flags,
            self.known,
            places,
            Some(document),
        )
    }
}

/// Puts a value, as a person types it, in its place.
fn assign(document: &mut DocumentMut, key: &str, text: &str) -> Result<(), Error> {
    let way = way_of(key)?;
    let row = row_of(&way)?;
    if row.is_secret {
        return Err(Error::SecretKey { key: joined(&way) });
    }
    let wrong = || Error::WrongText {
        key: joined(&way),
        expected: row.expected,
    };
    let text = text.trim();
    if text.is_empty() || text.len() > VALUE_BYTES_MAX {
        return Err(wrong());
    }
    let value = match list_of(text) {
        Some(list) => list,
        None => (row.parse)(text).ok().flatten().ok_or_else(wrong)?,
    };
    (row.check)(&value).map_err(|_| wrong())?;
    let value = item_of(&value).ok_or_else(wrong)?;
    put(document.as_table_mut(), &way, value).ok_or_else(wrong)
}

/// The file that is written: the one that was named, else that of the home. Never one of a workspace.
fn place_of(environment: &Environment, flags: &Flags, places: &Places) -> Result<PathBuf, Error> {
    let usual = || home::config_file(&places.home.value);
    let named = home::named_file(environment, flags)?.map(|it| it.value);
    let path = named.unwrap_or_else(usual);
    // A link may lead to where the user keeps such files; that is what is written.
    let path = path.canonicalize().unwrap_or(path);
    let directory = path.parent().unwrap_or(Path::new(""));
    let is_home = |home: &PathBuf| {
        home == directory || home.canonicalize().is_ok_and(|home| home == directory)
    };
    let homes = [Some(&places.home.value), places.legacy_home.as_ref()];
    let is_ours = homes.into_iter().flatten().any(is_home);
    match directory.file_name().and_then(|name| name.to_str()) {
        Some(".codewhale" | ".deepseek") if !is_ours => Err(Error::WorkspaceFile { path }),
        _ => Ok(path),
    }
}

fn read(path: &Path) -> Result<Option<String>, Error> {
    // Reads with its bounds first; what it accepts can be read again.
    if file::read(path)?.is_none() {
        return Ok(None);
    }
    let text = fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok(Some(text))
}

/// What stood in the older home, where ours has no file yet.
fn older(places: &Places, path: &Path) -> Result<Option<String>, Error> {
    let is_usual = path == home::config_file(&places.home.value);
    match places.legacy_home.as_ref().filter(|_| is_usual) {
        Some(home) => read(&home::config_file(home)),
        None => Ok(None),
    }
}

/// Two who change the file at once would each undo what the other did.
fn lock(path: &Path) -> Result<File, Error> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let failed = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    let mut builder = DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(directory);
    made.map_err(failed)?;
    let held = File::open(directory).map_err(failed)?;
    match held.try_lock() {
        Ok(()) => Ok(held),
        Err(TryLockError::WouldBlock) => Err(Error::Locked {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

/// Written beside it and put in its place. A new file is for the user's eyes only: keys may follow.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mode = fs::metadata(path).map(|it| it.permissions().mode() & 0o777);
    let fresh = path.with_extension("toml.new");
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::options()
        .write(true)
        .create_new(true)
        .mode(mode.unwrap_or(0o600))
        .open(&fresh)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&fresh, path)
}

/// The parts of a key as a person writes it.
pub(crate) fn way_of(key: &str) -> Result<Vec<String>, Error> {
    let unknown = || Error::UnknownKey {
        key: key.to_owned(),
        suggestion: None,
    };
    let parts = Key::parse(key).map_err(|_| unknown())?;
    let way: Vec<String> = parts.iter().map(|part| part.get().to_owned()).collect();
    (!way.is_empty()).then_some(way).ok_or_else(unknown)
}

/// What the schema says of a key, in a profile or outside.
pub(crate) fn row_of(way: &[String]) -> Result<&'static Row, Error> {
    let steps: Vec<&str> = way.iter().map(String::as_str).collect();
    let (outside, inside) = match steps.as_slice() {
        [PROFILES, _, inside @ ..] => (&steps[..2], inside),
        inside => (&steps[..0], inside),
    };
    let key = || joined(way);
    match check::place(inside) {
        Place::Key(row) => Ok(row),
        Place::Table => Err(Error::IsTable {
            key: key(),
            example: example(inside),
        }),
        Place::Nowhere => Err(Error::UnknownKey {
            key: key(),
            suggestion: check::nearest(inside).map(|near| {
                let parts = outside.iter().chain(&near).map(|part| check::quote(part));
                parts.collect::<Vec<_>>().join(".")
            }),
        }),
    }
}

/// A key in a table, for those who named the table.
fn example(inside: &[&str]) -> &'static str {
    let first = inside.first().copied().unwrap_or_default();
    let paths = ROWS.iter().map(|row| row.paths[0]);
    let mut keys = paths.filter(|path| path.split('.').next() == Some(first));
    let last = keys.next().and_then(|path| path.rsplit('.').next());
    last.unwrap_or("model")
}

pub(crate) fn joined(way: &[String]) -> String {
    let parts = way.iter().map(|part| check::quote(part));
    parts.collect::<Vec<_>>().join(".")
}

/// A list in brackets, as it stands in files.
fn list_of(text: &str) -> Option<Value> {
    if !text.starts_with('[') {
        return None;
    }
    let value: toml_edit::Value = text.parse().ok()?;
    let texts = value.as_array()?.iter().map(|it| it.as_str());
    let texts: Option<Vec<&str>> = texts.collect();
    let texts = texts?.into_iter().map(|it| Value::Text(it.to_owned()));
    Some(Value::List(texts.collect()))
}

fn item_of(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Text(text) => text.as_str().into(),
        Value::Whole(number) => (*number).into(),
        Value::Number(number) => (*number).into(),
        Value::Flag(flag) => (*flag).into(),
        Value::List(values) => {
            let items: Option<Array> = values.iter().map(item_of).collect();
            items?.into()
        }
        Value::Table(_) | Value::Other => return None,
    })
}

/// Puts a value in its place, making the tables on the way. What is written around the old value stays.
fn put(table: &mut dyn TableLike, way: &[String], mut value: toml_edit::Value) -> Option<()> {
    let (first, rest) = way.split_first()?;
    if rest.is_empty() {
        if let Some(old) = table.get(first).and_then(Item::as_value) {
            *value.decor_mut() = old.decor().clone();
        }
        match table.get_mut(first) {
            Some(item) => *item = Item::Value(value),
            None => drop(table.insert(first, Item::Value(value))),
        }
        return Some(());
    }
    if table.get(first).is_none() {
        let mut fresh = Table::new();
        // Only the last one is written as a heading.
        fresh.set_implicit(rest.len() > 1);
        table.insert(first, Item::Table(fresh));
    }
    let below = table.get_mut(first)?;
    put(below.as_table_like_mut()?, rest, value)
}

fn take(table: &mut dyn TableLike, way: &[String]) -> bool {
    match way {
        [] => false,
        [last] => table.remove(last).is_some(),
        [first, rest @ ..] => table
            .get_mut(first)
            .and_then(Item::as_table_like_mut)
            .is_some_and(|below| take(below, rest)),
    }
}
