//! What child processes see of the environment, and which values nobody outside may see.

use codewhale_protocol::Secret;

use crate::env::{CHILD_PREFIXES, CHILD_VARIABLES};
use crate::flags::Flags;
use crate::layers::Layers;
use crate::providers::KnownProvider;
use crate::schema::{self, ROWS};
use crate::shape::distinct;
use crate::{Config, Environment};

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

    fn holds_secret(&self, value: &str) -> bool {
        self.secrets().iter().map(Secret::expose).any(|secret| {
            value.trim() == secret || (secret.len() >= SECRET_BYTES_MIN && value.contains(secret))
        })
    }
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
