//! Which providers the user has, and what is known about each.
//!
//! A provider counts as configured when the file has something about it, when it was chosen, or
//! when a variable holds its key. They are listed in this order, and the first is the default when
//! none was chosen:
//!
//! 1. by the profile, then by the rest of the file: `api_key` and `base_url` outside of any table
//!    (they belong to DeepSeek), then the `[providers.<name>]` tables as they stand;
//! 2. the chosen one, if the file has nothing about it;
//! 3. known providers whose key was kept by `auth set`, in the order of their names;
//! 4. known providers whose key is in a variable, in the order they are known.

mod list;
mod resolve;

use codewhale_protocol::Secret;

use crate::headers::Headers;
use crate::{Origin, Setting};

pub(crate) use resolve::resolve;

/// A provider that everyone knows. The catalogue is elsewhere; this is what is needed of it here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownProvider {
    /// Its id.
    pub id: &'static str,
    /// Other spellings of the id.
    pub aliases: &'static [&'static str],
    /// The variables that may hold its key, the strongest first.
    pub key_variables: &'static [&'static str],
    /// How the variables for its address and model begin: `OPENAI` for `OPENAI_BASE_URL`.
    pub prefix: &'static str,
}

impl KnownProvider {
    fn is_called(&self, name: &str) -> bool {
        is_same(self.id, name) || self.aliases.iter().any(|alias| is_same(alias, name))
    }
}

/// A provider that the user has.
#[derive(Clone, PartialEq, Debug)]
pub struct ProviderSettings {
    /// The exact name it is configured under.
    pub id: String,
    /// The id of a known provider, or `openai-compatible`, or whatever word the file has.
    pub kind: String,
    /// What made it a configured one.
    pub origin: Origin,
    /// Its address, if not the known one.
    pub base_url: Option<Setting<String>>,
    /// Its key.
    pub key: Option<Setting<Secret>>,
    /// The model to use when none is asked for, if not the known one.
    pub model: Option<Setting<String>>,
    /// How it is spoken to, if not as it is known to be.
    pub wire: Option<Setting<String>>,
    /// How many tokens its models take at once, if not the known number.
    pub context_window: Option<Setting<u64>>,
    /// What its models take besides text, if not what their names tell: `image`, `audio`.
    pub input: Option<Setting<Vec<String>>>,
    /// How many tokens an answer may have, if not what is usual.
    pub max_output_tokens: Option<Setting<u32>>,
    /// Headers it wants besides the usual ones.
    pub http_headers: Option<Setting<Headers>>,
    /// Who may answer when it cannot; those for all, if it says nothing.
    pub fallbacks: Option<Setting<Vec<Fallback>>>,
}

/// Who may answer instead of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fallback {
    /// The provider.
    pub provider: String,
    /// The model, if not that provider's default.
    pub model: Option<String>,
}

impl Fallback {
    /// Reads `provider` or `provider/model`; a model may have slashes of its own.
    pub(crate) fn read(text: &str) -> Self {
        let (provider, model) = match text.split_once('/') {
            Some((provider, model)) => (provider, Some(model.trim().to_owned())),
            None => (text, None),
        };
        let provider = provider.trim().to_owned();
        Self { provider, model }
    }
}

/// Names of providers are the same in any case of letters, with `_` for `-`: tables are often
/// written that way.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.trim().replace('_', "-").to_ascii_lowercase();
    plain(one) == plain(other)
}

fn find<'a>(known: &'a [KnownProvider], name: &str) -> Option<&'a KnownProvider> {
    known.iter().find(|provider| provider.is_called(name))
}
