//! What is known about each configured provider.

use codewhale_protocol::Secret;

use super::list::{self, Entry};
use super::{Fallback, KnownProvider, ProviderSettings, find, is_same};
use crate::flags::{Flags, Given};
use crate::headers::Headers;
use crate::layers::{Layers, by_option};
use crate::schema::{self, Key, ROOT_PROVIDER};
use crate::shape::Shape;
use crate::{Error, Origin, Setting, Warning};

#[derive(Default)]
pub(crate) struct Providers {
    pub(crate) list: Vec<ProviderSettings>,
    pub(crate) default: Option<Setting<String>>,
    pub(crate) warnings: Vec<Warning>,
    /// Those for providers that name nobody.
    pub(crate) fallbacks: Vec<Fallback>,
}

pub(crate) fn resolve(
    layers: &Layers<'_>,
    flags: &Flags,
    known: &[KnownProvider],
) -> Result<Providers, Error> {
    let chosen = layers.find(&schema::PROVIDER, flags.provider())?;
    if let Some(offline) = chosen
        .as_ref()
        .filter(|name| is_same(&name.value, schema::OFFLINE))
    {
        return Ok(Providers {
            default: Some(offline.clone().map(|_| schema::OFFLINE.to_owned())),
            ..Providers::default()
        });
    }
    let mut entries = list::in_files(layers, known);
    let has_address = || {
        let ours = layers.environment.get(OUR_ADDRESS);
        flags.base_url().text.or(ours).is_some()
    };
    let place = match &chosen {
        Some(chosen) => list::choose(&mut entries, chosen, known, has_address)?,
        None => 0,
    };
    list::add_by_keys(&mut entries, layers, known);
    list::add_by_variables(&mut entries, layers, known)?;
    list::add_by_address(&mut entries, layers, flags, known)?;

    let default = entries.get(place).map(|entry| {
        let origin = chosen.map_or_else(|| entry.origin.clone(), |chosen| chosen.origin);
        Setting::new(entry.id.clone(), origin)
    });
    let fallbacks = layers.get(&schema::FALLBACKS)?.map(read_all);
    let names = list::all_names(&entries, known);
    let mut providers = Providers {
        default,
        ..Providers::default()
    };
    for (at, entry) in entries.into_iter().enumerate() {
        let resolve = Resolve {
            layers,
            flags,
            entry: &entry,
            is_in_use: at == place,
        };
        let settings = resolve.settings(&mut providers.warnings)?;
        providers.list.push(settings);
    }
    let own = providers.list.iter().filter_map(|it| it.fallbacks.as_ref());
    for declared in own.chain([&fallbacks]) {
        check_fallbacks(declared, known, &names)?;
    }
    providers.fallbacks = fallbacks.value;
    Ok(providers)
}

fn read_all(names: Vec<String>) -> Vec<Fallback> {
    names.iter().map(|name| Fallback::read(name)).collect()
}

/// A stand-in that nobody knows would be missed when it is needed.
fn check_fallbacks(
    declared: &Setting<Vec<Fallback>>,
    known: &[KnownProvider],
    names: &[String],
) -> Result<(), Error> {
    let is_there =
        |name: &str| find(known, name).is_some() || names.iter().any(|known| is_same(known, name));
    match declared.value.iter().find(|it| !is_there(&it.provider)) {
        None => Ok(()),
        Some(unknown) => Err(Error::UnknownFallback {
            name: unknown.provider.clone(),
            origin: declared.origin.clone(),
            known: names.to_vec(),
        }),
    }
}

/// Sets the address of the provider in use, whichever it is. Its older twin does not: it begins
/// like the variables of one provider, and the key of another must not follow it.
const OUR_ADDRESS: &str = schema::BASE_URL.variables[0];

struct Resolve<'a> {
    layers: &'a Layers<'a>,
    flags: &'a Flags,
    entry: &'a Entry<'a>,
    /// Whether options and general variables are about this one.
    is_in_use: bool,
}

impl Resolve<'_> {
    fn settings(&self, warnings: &mut Vec<Warning>) -> Result<ProviderSettings, Error> {
        let base_url = self.base_url()?;
        let window = &schema::PROVIDER_CONTEXT_WINDOW;
        let http_headers = self.http_headers(base_url.as_ref(), warnings);
        let fallbacks = self.by_files(&schema::PROVIDER_FALLBACKS, None);
        Ok(ProviderSettings {
            id: self.entry.id.clone(),
            kind: self.entry.kind.clone(),
            origin: self.entry.origin.clone(),
            key: self.key(base_url.as_ref(), warnings)?,
            base_url,
            model: self.model()?,
            wire: self.by_files(&schema::PROVIDER_WIRE, None),
            context_window: self.by_files(window, None),
            input: self.by_files(&schema::PROVIDER_INPUT, None),
            max_output_tokens: self.by_files(&schema::PROVIDER_MAX_OUTPUT_TOKENS, None),
            http_headers,
            fallbacks: fallbacks.map(|names| names.map(read_all)),
        })
    }

    fn base_url(&self) -> Result<Option<Setting<String>>, Error> {
        let key = &schema::BASE_URL;
        let own = self.own_variable("BASE_URL");
        let general = self.is_in_use.then_some(OUR_ADDRESS);
        let names: Vec<&str> = general.into_iter().chain(own.as_deref()).collect();
        if let Some(given) = self.option(key, Flags::base_url)? {
            return Ok(Some(given));
        }
        if let Some(variable) = self.layers.by_variables(key, &names)? {
            return Ok(Some(variable));
        }
        let is_root = is_same(&self.entry.id, ROOT_PROVIDER);
        Ok(self.by_files(&schema::PROVIDER_BASE_URL, is_root.then_some(key)))
    }

    fn model(&self) -> Result<Option<Setting<String>>, Error> {
        let key = &schema::MODEL;
        let own = self.own_variable("MODEL");
        let general = if self.is_in_use { key.variables } else { &[] };
        let (ours, older) = general.split_at(general.len().min(1));
        let ours = ours.iter().copied();
        let names: Vec<&str> = ours
            .chain(own.as_deref())
            .chain(older.iter().copied())
            .collect();
        if let Some(given) = self.option(key, Flags::model)? {
            return Ok(Some(given));
        }
        if let Some(variable) = self.layers.by_variables(key, &names)? {
            return Ok(Some(variable));
        }
        Ok(self.by_files(&schema::PROVIDER_MODEL, self.is_in_use.then_some(key)))
    }

    /// The key: from the option, the file, the variable the file names, the keys that were kept,
    /// the provider's own variables. An address from the environment gets no key from the file, so that whoever can
    /// set a variable cannot have the key sent to a host of theirs.
    fn key(
        &self,
        base_url: Option<&Setting<String>>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Setting<Secret>>, Error> {
        if let Some(given) = self.option(&schema::API_KEY, Flags::api_key)? {
            return Ok(Some(given));
        }
        let is_root = is_same(&self.entry.id, ROOT_PROVIDER);
        let root = is_root.then_some(&schema::API_KEY);
        let in_file = self.by_files(&schema::PROVIDER_API_KEY, root);
        let in_file = match in_file {
            Some(key) => Some(key),
            None => self.key_named()?.or_else(|| self.key_kept()),
        };
        let foreign_address = base_url.and_then(|base_url| match &base_url.origin {
            Origin::Env(variable) => Some(variable),
            _ => None,
        });
        let (Some(_), Some(variable)) = (&in_file, foreign_address) else {
            return Ok(in_file.or(self.key_by_variables()?));
        };
        let key = self.key_by_variables()?;
        if key.is_none() {
            warnings.push(Warning::KeyWithheld {
                provider: self.entry.id.clone(),
                variable: variable.clone(),
            });
        }
        Ok(key)
    }

    /// Its headers. Like a key, they do not follow an address from the environment.
    fn http_headers(
        &self,
        base_url: Option<&Setting<String>>,
        warnings: &mut Vec<Warning>,
    ) -> Option<Setting<Headers>> {
        let is_root = is_same(&self.entry.id, ROOT_PROVIDER);
        let root = is_root.then_some(&schema::HTTP_HEADERS);
        let headers = self.by_files(&schema::PROVIDER_HTTP_HEADERS, root)?;
        let Some(Origin::Env(variable)) = base_url.map(|base_url| &base_url.origin) else {
            return Some(headers);
        };
        warnings.push(Warning::HeadersWithheld {
            provider: self.entry.id.clone(),
            variable: variable.clone(),
        });
        None
    }

    /// From the variable that the file names.
    fn key_named(&self) -> Result<Option<Setting<Secret>>, Error> {
        let named = self.by_files(&schema::PROVIDER_API_KEY_ENV, None);
        let named: Vec<&str> = named.iter().map(|name| name.value.as_str()).collect();
        self.layers.by_variables(&schema::API_KEY, &named)
    }

    /// From the keys that were kept.
    fn key_kept(&self) -> Option<Setting<Secret>> {
        let mut keys = self.layers.keys.iter();
        let (_, key) = keys.find(|(name, _)| is_same(name, &self.entry.id))?;
        let origin = Origin::Keys(self.layers.keys_at.clone());
        Some(Setting::new(key.clone(), origin))
    }

    fn key_by_variables(&self) -> Result<Option<Setting<Secret>>, Error> {
        let named = self.by_files(&schema::PROVIDER_API_KEY_ENV, None);
        let named = named.as_ref().map(|name| name.value.as_str());
        let own = self
            .entry
            .known
            .map_or(&[] as &[&str], |known| known.key_variables);
        let names: Vec<&str> = named.into_iter().chain(own.iter().copied()).collect();
        self.layers.by_variables(&schema::API_KEY, &names)
    }

    fn option<T: Shape>(
        &self,
        key: &Key<T>,
        given: fn(&Flags) -> Given<'_>,
    ) -> Result<Option<Setting<T>>, Error> {
        if self.is_in_use {
            by_option(key, given(self.flags))
        } else {
            Ok(None)
        }
    }

    /// The strongest part of the file that says something; in each, the provider's own table
    /// before a key outside of it.
    fn by_files<T: Shape>(
        &self,
        in_table: &Key<T>,
        outside: Option<&Key<T>>,
    ) -> Option<Setting<T>> {
        self.layers.files.iter().find_map(|layer| {
            let table = self.entry.table(layer);
            let inside = table.and_then(|table| layer.get(in_table, table));
            inside.or_else(|| layer.get(outside?, ""))
        })
    }

    /// A variable of this very provider, such as `OPENAI_MODEL`.
    fn own_variable(&self, what: &str) -> Option<String> {
        let known = self.entry.known.filter(|_| self.entry.is_known_itself())?;
        Some(format!("{}_{what}", known.prefix))
    }
}
