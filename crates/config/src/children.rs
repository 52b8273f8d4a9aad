//! What child processes see of the environment, and which values nobody outside may see.

use codewhale_protocol::Secret;

use crate::env::{CHILD_PREFIXES, CHILD_VARIABLES, CONFIG_PATH, HOME, PROFILE};
use crate::flags::Flags;
use crate::layers::Layers;
use crate::providers::KnownProvider;
use crate::schema::{self, ROWS};
use crate::shape::distinct;
use crate::{Config, Environment, Origin, Setting};

/// A secret shorter than this is only looked for as a whole value: it would hit ordinary words.
const SECRET_BYTES_MIN: usize = 8;

impl Config {
    /// The environment for child processes: an allow-list, without anything that holds one of our
    /// secrets.
    pub fn child_environment(&self, environment: &Environment) -> Vec<(String, String)> {
        environment
            .iter()
            .filter(|(name, value)| is_for_children(name) && !self.holds_secret(value))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// The environment for workers, which are this program again: what children see, and what of the
    /// environment configures a provider, keys included. The token of our own door stays here.
    pub fn worker_environment(
        &self,
        environment: &Environment,
        known: &[KnownProvider],
    ) -> Vec<(String, String)> {
        let ours = |name: &str, value: &str| {
            let is_way = WAYS_OUT.iter().any(|way| way.eq_ignore_ascii_case(name));
            let is_named = is_way
                || OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
                || known.iter().any(|provider| is_of(provider, name));
            let is_key = self
                .secrets()
                .iter()
                .any(|key| key.expose() == value.trim());
            (is_named || is_key) && !OUR_DOOR.contains(&name)
        };
        let mut all = self.child_environment(environment);
        for (name, value) in environment.iter() {
            let is_there = all.iter().any(|(known, _)| known == name);
            if !is_there && ours(name, value) {
                all.push((name.to_owned(), value.to_owned()));
            }
        }
        let by_option = |setting: &Option<Setting<String>>| {
            let setting = setting.as_ref();
            let given = setting.filter(|it| matches!(it.origin, Origin::Flag { .. }));
            given.map(|it| it.value.clone())
        };
        let file = self.file.as_ref().map(|file| file.display().to_string());
        let given = [
            (HOME, Some(self.home.value.display().to_string())),
            (CONFIG_PATH[0], file),
            (PROFILE[0], by_option(&self.profile)),
            (
                schema::PROVIDER.variables[0],
                by_option(&self.default_provider),
            ),
            (schema::MODEL.variables[0], by_option(&self.model)),
        ];
        for (name, value) in given {
            if let Some(value) = value {
                all.retain(|(known, _)| known != name);
                all.push((name.to_owned(), value));
            }
        }
        all
    }

    fn holds_secret(&self, value: &str) -> bool {
        self.secrets().iter().map(Secret::expose).any(|secret| {
            value.trim() == secret || (secret.len() >= SECRET_BYTES_MIN && value.contains(secret))
        })
    }
}

/// How variables begin that are about this program.
const OWN_PREFIXES: &[&str] = &["CODEWHALE_", "DEEPSEEK_"];

/// Variables that say how providers are reached. Workers keep them from their own children as we do.
const WAYS_OUT: &[&str] = &["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/// Variables that open our own door.
const OUR_DOOR: &[&str] = &["CODEWHALE_RUNTIME_TOKEN", "DEEPSEEK_RUNTIME_TOKEN"];

/// Whether a variable is about a provider.
fn is_of(provider: &KnownProvider, name: &str) -> bool {
    let behind = name.strip_prefix(provider.prefix);
    let about = behind.is_some_and(|it| matches!(it, "_BASE_URL" | "_MODEL"));
    about || provider.key_variables.contains(&name)
}

fn is_for_children(name: &str) -> bool {
    CHILD_VARIABLES.contains(&name) || CHILD_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Every secret in sight, whether it is used or not: those of the file, of options, and of all
/// variables that hold keys.
pub(crate) fn secrets(
    in_file: Vec<Secret>,
    layers: &Layers<'_>,
    flags: &Flags,
    known: &[KnownProvider],
) -> Vec<Secret> {
    let named: Vec<String> = layers
        .files
        .iter()
        .flat_map(|layer| {
            layer.names(schema::PROVIDERS).filter_map(|name| {
                let variable = layer.get(&schema::PROVIDER_API_KEY_ENV, name)?;
                Some(variable.value)
            })
        })
        .collect();
    let ours = ROWS.iter().filter(|row| row.is_secret);
    let names = ours
        .flat_map(|row| row.variables)
        .chain(known.iter().flat_map(|provider| provider.key_variables))
        .copied()
        .chain(named.iter().map(String::as_str));
    let in_variables = names.filter_map(|name| layers.environment.get(name));
    let options = [flags.api_key().text, flags.auth_token().text];
    let texts = in_variables.chain(options.into_iter().flatten());
    let kept = layers.keys.values().cloned();
    distinct(
        in_file
            .into_iter()
            .chain(kept)
            .chain(texts.map(Secret::new)),
    )
}
