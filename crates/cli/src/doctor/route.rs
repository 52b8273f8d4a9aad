//! Which model would answer now, where it is, and whether it has a key.

use codewhale_config::{Config, Origin, ProviderSettings};
use codewhale_model::catalogue::{self, Dialect};

use crate::compose;

pub(super) struct RouteFacts {
    pub(super) provider: String,
    pub(super) provider_source: &'static str,
    pub(super) model: String,
    pub(super) base_url: String,
    pub(super) base_class: &'static str,
    pub(super) wire: &'static str,
    pub(super) context_window: Option<u64>,
    pub(super) key: KeyFacts,
    /// Why nothing would answer.
    pub(super) problem: Option<String>,
    pub(super) is_offline: bool,
}

/// Where the key comes from, never the key.
pub(super) struct KeyFacts {
    /// In the words of old: env, config, missing.
    pub(super) source: &'static str,
    /// In finer ones.
    pub(super) detail: &'static str,
    pub(super) availability: &'static str,
}

impl RouteFacts {
    pub(super) fn gather(config: &Config) -> Self {
        let routes = compose::routes(config);
        let resolved = routes.resolve(None, None);
        let settings = chosen(config);
        let id = settings.map_or(codewhale_config::OFFLINE, |it| it.id.as_str());
        let row = settings.and_then(|it| catalogue::find(&it.kind));
        let model = match &resolved {
            Ok(route) => route.model.clone(),
            Err(_) => wished(config, settings, row),
        };
        let dialect = dialect(settings, row, &model);
        let own = settings.and_then(|it| it.base_url.as_ref());
        let base = match (own, row) {
            (Some(url), _) => url.value.as_str(),
            (None, Some(row)) => row.base_of(dialect),
            (None, None) => "",
        };
        let is_offline = routes.is_offline();
        Self {
            provider: id.to_owned(),
            provider_source: match config.default_provider.as_ref().map(|it| &it.origin) {
                Some(Origin::Env(_)) => "env",
                Some(Origin::Flag(_)) => "option",
                Some(Origin::File(_) | Origin::Profile(_) | Origin::Keys(_)) => "config",
                Some(Origin::Default) | None => "default",
            },
            base_url: bare(base).to_owned(),
            base_class: class(base, own.is_some()),
            wire: match (is_offline, dialect) {
                (true, _) => "none",
                (false, Dialect::Chat) => "chat_completions",
                (false, Dialect::Messages) => "anthropic_messages",
                (false, Dialect::Responses) => "responses",
            },
            context_window: resolved.as_ref().ok().and_then(|it| it.context_window),
            key: key(settings, row, is_offline || resolved.is_ok()),
            problem: resolved.err().map(|error| error.to_string()),
            model,
            is_offline,
        }
    }
}

/// The provider that is asked when nobody says which.
fn chosen(config: &Config) -> Option<&ProviderSettings> {
    let wanted = config.default_provider.as_ref().map(|it| it.value.as_str());
    let mut providers = config.providers.iter();
    match wanted {
        Some(wanted) => providers.find(|it| it.id == wanted),
        None => providers.next(),
    }
}

/// The model that would be asked if something answered.
fn wished(
    config: &Config,
    settings: Option<&ProviderSettings>,
    row: Option<&catalogue::Provider>,
) -> String {
    let own = settings.and_then(|it| it.model.as_ref());
    let named = own.or(config.model.as_ref()).map(|it| it.value.clone());
    named.unwrap_or_else(|| row.map_or(String::new(), |row| row.default_model.to_owned()))
}

fn dialect(
    settings: Option<&ProviderSettings>,
    row: Option<&catalogue::Provider>,
    model: &str,
) -> Dialect {
    let own = settings.and_then(|it| Dialect::read(&it.wire.as_ref()?.value));
    let known = || row.map_or(Dialect::Chat, |row| row.dialect_of(model));
    own.unwrap_or_else(known)
}

fn key(
    settings: Option<&ProviderSettings>,
    row: Option<&catalogue::Provider>,
    works_without: bool,
) -> KeyFacts {
    let origin = settings.and_then(|it| it.key.as_ref()).map(|it| &it.origin);
    let (source, detail) = match origin {
        Some(Origin::Env(_)) => ("env", "env_declared"),
        Some(Origin::File(_) | Origin::Profile(_) | Origin::Default) => {
            ("config", "config_declared")
        }
        Some(Origin::Keys(_)) => ("config", "secret_store"),
        Some(Origin::Flag(_)) => ("config", "option"),
        None => ("missing", "none"),
    };
    let is_optional = works_without || row.is_some_and(|row| row.key_optional);
    let availability = match (origin.is_some(), is_optional) {
        (true, _) => "present",
        (false, true) => "not_required",
        (false, false) => "unavailable",
    };
    KeyFacts {
        source,
        detail,
        availability,
    }
}

/// An address without what may be secret in it.
fn bare(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

fn class(url: &str, is_own: bool) -> &'static str {
    let host = url.split_once("//").map_or(url, |(_, rest)| rest);
    let local = ["localhost", "127.", "[::1]"];
    match (local.iter().any(|it| host.starts_with(it)), is_own) {
        (true, _) => "local",
        (false, true) => "custom",
        (false, false) => "default",
    }
}
