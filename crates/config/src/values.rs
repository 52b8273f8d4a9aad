//! Every key with the value that counts, for those who look. Secrets are there or not, never shown.

use serde_json::json;

use crate::check::quote;
use crate::edit::{joined, row_of, way_of};
use crate::file::{Document, Value};
use crate::home;
use crate::layers::{self, Layers};
use crate::schema::{PROFILES, ROWS, Row};
use crate::{Config, Environment, Error, Flags, KeyFile, KnownProvider, Origin, Setting};

/// A key and what counts for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// The key, with its tables.
    pub key: String,
    /// Its value; nothing for a secret, which is set.
    pub value: Option<serde_json::Value>,
    /// Who set it.
    pub origin: Origin,
}

impl Shown {
    fn new(key: String, setting: Setting<Option<Value>>) -> Self {
        Self {
            key,
            value: setting.value.as_ref().map(plain),
            origin: setting.origin,
        }
    }

    /// The value as a person reads it.
    pub fn text(&self) -> String {
        match &self.value {
            None => "set".to_owned(),
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }
}

/// Every key that has a value, defaults too, in the order of the schema.
pub fn values(
    environment: &Environment,
    flags: &Flags,
    known: &[KnownProvider],
) -> Result<Vec<Shown>, Error> {
    let config = Config::load(environment, flags, known)?;
    with_layers(environment, flags, |layers| of_layers(layers, &config))
}

/// The same for a file that has been read.
pub(crate) fn of_document(
    environment: &Environment,
    flags: &Flags,
    config: &Config,
    document: Option<&Document>,
) -> Result<Vec<Shown>, Error> {
    let profile = layers::profile(environment, flags);
    let keys = KeyFile::of(&config.home.value);
    let layers = Layers::new(environment, document, profile.as_ref(), &keys)?;
    of_layers(&layers, config)
}

fn of_layers(layers: &Layers<'_>, config: &Config) -> Result<Vec<Shown>, Error> {
    let mut shown = Vec::new();
    for row in ROWS {
        shown.extend(of_row(layers, row)?);
    }
    for provider in &config.providers {
        let key = format!("providers.{}.api_key", quote(&provider.id));
        let is_new = shown.iter().all(|it: &Shown| it.key != key);
        if let Some(secret) = provider.key.as_ref().filter(|_| is_new) {
            let hidden = Setting::new(None, secret.origin.clone());
            shown.push(Shown::new(key, hidden));
        }
    }
    Ok(shown)
}

impl Shown {
    /// What counts for one key.
    pub fn of(
        key: &str,
        environment: &Environment,
        flags: &Flags,
        known: &[KnownProvider],
    ) -> Result<Shown, Error> {
        let way = way_of(key)?;
        let row = row_of(&way)?;
        let name = joined(&way);
        let all = values(environment, flags, known)?;
        if let Some(shown) = all.into_iter().find(|it| it.key == name) {
            return Ok(shown);
        }
        // An older name, or a profile that is not in use.
        let steps: Vec<&str> = way.iter().map(String::as_str).collect();
        let (profile, inside) = match steps.as_slice() {
            [PROFILES, profile, inside @ ..] => (Some(*profile), inside),
            inside => (None, inside),
        };
        let flags = Flags {
            profile: profile.map(str::to_owned).or(flags.profile.clone()),
            ..flags.clone()
        };
        let chosen = chosen(row, inside);
        let found = with_layers(environment, &flags, |layers| (row.find)(layers, &chosen))?;
        let found = found.filter(|it| profile.is_none() || matches!(it.origin, Origin::Profile(_)));
        let setting = found.ok_or(Error::NotSet { key: name.clone() })?;
        Ok(Shown::new(name, setting))
    }
}

fn with_layers<T>(
    environment: &Environment,
    flags: &Flags,
    look: impl FnOnce(&Layers<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let places = home::places(environment)?;
    let document = home::document(environment, flags, &places)?;
    let profile = layers::profile(environment, flags);
    let keys = KeyFile::of(&places.home.value);
    let layers = Layers::new(environment, document.as_ref(), profile.as_ref(), &keys)?;
    look(&layers)
}

/// A key, or one for each name that stands in the place of its `*`.
fn of_row(layers: &Layers<'_>, row: &Row) -> Result<Vec<Shown>, Error> {
    let path = row.paths[0];
    let Some((table, last)) = path.split_once(".*.") else {
        let found = (row.find)(layers, "")?;
        let shown = found.map(|setting| Shown::new(path.to_owned(), setting));
        return Ok(shown.into_iter().collect());
    };
    let names = layers.files.iter().flat_map(|layer| layer.names(table));
    let mut shown = Vec::new();
    for name in crate::shape::distinct(names) {
        let key = format!("{table}.{}.{last}", quote(name));
        shown.extend((row.find)(layers, name)?.map(|setting| Shown::new(key, setting)));
    }
    Ok(shown)
}

/// The name that stands in the place of the `*`.
fn chosen(row: &Row, inside: &[&str]) -> String {
    let place = row.paths[0].split('.').position(|part| part == "*");
    let name = place.and_then(|place| inside.get(place)).copied();
    name.unwrap_or_default().to_owned()
}

fn plain(value: &Value) -> serde_json::Value {
    match value {
        Value::Text(text) => json!(text),
        Value::Whole(number) => json!(number),
        Value::Number(number) => json!(number),
        Value::Flag(flag) => json!(flag),
        Value::List(values) => values.iter().map(plain).collect(),
        Value::Table(table) => {
            let entries = table
                .iter()
                .map(|(key, node)| (key.clone(), plain(&node.value)));
            serde_json::Value::Object(entries.collect())
        }
        Value::Other => serde_json::Value::Null,
    }
}
