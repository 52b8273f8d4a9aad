//! The list of configured providers: names and where they come from, nothing about them yet.

use super::{KnownProvider, find, is_same};
use crate::flags::Flags;
use crate::layers::{Layer, Layers, by_option};
use crate::schema::{self, CUSTOM_KIND, ROOT_PROVIDER};
use crate::{Error, Origin, Setting};

pub(super) struct Entry<'a> {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) origin: Origin,
    /// What is known of its kind.
    pub(super) known: Option<&'a KnownProvider>,
}

impl<'a> Entry<'a> {
    fn new(id: &str, origin: Origin, known: &'a [KnownProvider]) -> Self {
        let known = find(known, id);
        Self {
            id: id.to_owned(),
            kind: known.map_or(CUSTOM_KIND, |known| known.id).to_owned(),
            origin,
            known,
        }
    }

    /// Whether it is the known provider itself, not another one of its kind.
    pub(super) fn is_known_itself(&self) -> bool {
        self.known.is_some_and(|known| known.is_called(&self.id))
    }

    /// Its table in a part of the file.
    pub(super) fn table<'l>(&self, layer: &'l Layer<'_>) -> Option<&'l str> {
        let mut names = layer.names(schema::PROVIDERS);
        let exact = layer.names(schema::PROVIDERS).find(|name| *name == self.id);
        exact.or_else(|| names.find(|name| is_same(name, &self.id)))
    }
}

/// What the file has, in the order of the list.
pub(super) fn in_files<'a>(layers: &Layers<'_>, known: &'a [KnownProvider]) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    for layer in &layers.files {
        let has_root =
            layer.get(&schema::API_KEY, "").is_some() || layer.get(&schema::BASE_URL, "").is_some();
        let root = has_root.then_some(ROOT_PROVIDER);
        for name in root.into_iter().chain(layer.names(schema::PROVIDERS)) {
            if !entries.iter().any(|entry| is_same(&entry.id, name)) {
                entries.push(Entry::new(name, layer.origin.clone(), known));
            }
        }
    }
    for entry in &mut entries {
        let kind = layers
            .files
            .iter()
            .find_map(|layer| layer.get(&schema::PROVIDER_KIND, entry.table(layer)?));
        if let Some(kind) = kind {
            entry.known = find(known, &kind.value);
            entry.kind = entry.known.map_or(kind.value, |known| known.id.to_owned());
        }
    }
    entries
}

/// Finds the chosen provider among the entries, or adds it; gives its place.
pub(super) fn choose<'a>(
    entries: &mut Vec<Entry<'a>>,
    chosen: &Setting<String>,
    known: &'a [KnownProvider],
    has_address: impl FnOnce() -> bool,
) -> Result<usize, Error> {
    let name = chosen.value.as_str();
    let meant = find(known, name);
    let place = |is_it: &dyn Fn(&Entry<'a>) -> bool| entries.iter().position(is_it);
    let found = place(&|entry| entry.id == name)
        .or_else(|| place(&|entry| is_same(&entry.id, name)))
        .or_else(|| place(&|entry| meant.is_some_and(|known| is_same(&entry.id, known.id))))
        .or_else(|| place(&|entry| meant.is_some() && entry.known == meant));
    if let Some(place) = found {
        return Ok(place);
    }
    if meant.is_none() && !has_address() {
        return Err(Error::UnknownProvider {
            name: name.to_owned(),
            origin: chosen.origin.clone(),
            known: {
                let mut names = all_names(entries, known);
                names.push(schema::OFFLINE.to_owned());
                names
            },
        });
    }
    let id = meant.map_or(name, |known| known.id);
    entries.push(Entry::new(id, chosen.origin.clone(), known));
    Ok(entries.len() - 1)
}

/// Adds the known providers whose key was kept.
pub(super) fn add_by_keys<'a>(
    entries: &mut Vec<Entry<'a>>,
    layers: &Layers<'_>,
    known: &'a [KnownProvider],
) {
    for name in layers.keys.keys() {
        let is_listed = entries.iter().any(|entry| is_same(&entry.id, name));
        if let Some(provider) = find(known, name).filter(|_| !is_listed) {
            let origin = Origin::Keys(layers.keys_at.clone());
            entries.push(Entry::new(provider.id, origin, known));
        }
    }
}

/// Adds the known providers whose key is in a variable. A variable that several of them read
/// speaks for the first one only.
pub(super) fn add_by_variables<'a>(
    entries: &mut Vec<Entry<'a>>,
    layers: &Layers<'_>,
    known: &'a [KnownProvider],
) -> Result<(), Error> {
    let mut spoken: Vec<&str> = Vec::new();
    for provider in known {
        let fresh = |name: &&&str| !spoken.contains(*name);
        let own: Vec<&str> = provider
            .key_variables
            .iter()
            .filter(fresh)
            .copied()
            .collect();
        let found = layers.by_variables(&schema::API_KEY, &own)?;
        spoken.extend(own);
        let is_listed = entries.iter().any(|entry| is_same(&entry.id, provider.id));
        if let Some(key) = found.filter(|_| !is_listed) {
            entries.push(Entry::new(provider.id, key.origin, known));
        }
    }
    Ok(())
}

/// Adds the root provider when nothing else is configured, but a key or an address is given.
pub(super) fn add_by_address<'a>(
    entries: &mut Vec<Entry<'a>>,
    layers: &Layers<'_>,
    flags: &Flags,
    known: &'a [KnownProvider],
) -> Result<(), Error> {
    if !entries.is_empty() {
        return Ok(());
    }
    let key = by_option(&schema::API_KEY, flags.api_key())?.map(|key| key.origin);
    let address = layers.find(&schema::BASE_URL, flags.base_url())?;
    if let Some(origin) = key.or(address.map(|address| address.origin)) {
        entries.push(Entry::new(ROOT_PROVIDER, origin, known));
    }
    Ok(())
}

pub(super) fn all_names(entries: &[Entry<'_>], known: &[KnownProvider]) -> Vec<String> {
    let mut names: Vec<String> = entries.iter().map(|entry| entry.id.clone()).collect();
    for provider in known {
        if !names.iter().any(|name| is_same(name, provider.id)) {
            names.push(provider.id.to_owned());
        }
    }
    names
}
