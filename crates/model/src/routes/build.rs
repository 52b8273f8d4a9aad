//! Builds what answers for a configured provider.

use std::sync::Arc;

use codewhale_protocol::Secret;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::{ProviderConfig, RouteError, RoutesConfig};
use crate::Model;
use crate::catalogue::{self, Dialect, Provider, Thinking};
use crate::chat::{ChatModel, Quirks};
use crate::endpoint::{BaseProblem, Endpoint};
use crate::exchange::Exchange;
use crate::failure::Origin;
use crate::http::Http;
use crate::messages::{self, Manner, MessagesModel};
use crate::responses::{ResponsesModel, Terms};

/// The kind that a word means, in the spelling that is shown.
pub(super) fn kind(word: &str) -> Option<&'static str> {
    let is_custom = catalogue::CUSTOM_KINDS
        .iter()
        .any(|kind| kind.eq_ignore_ascii_case(word.trim()));
    if is_custom {
        Some(catalogue::CUSTOM)
    } else {
        catalogue::find(word.trim()).map(|row| row.id)
    }
}

/// The row of a provider, or nothing for one that is only configured.
pub(super) fn row(provider: &ProviderConfig) -> Result<Option<&'static Provider>, RouteError> {
    if let Some(kind) = kind(&provider.kind) {
        return Ok(catalogue::find(kind));
    }
    let known = catalogue::PROVIDERS
        .iter()
        .map(|row| row.id)
        .chain([catalogue::CUSTOM_KINDS[0]]);
    Err(RouteError::UnknownKind {
        provider: provider.id.clone(),
        kind: provider.kind.clone(),
        known: known.map(str::to_owned).collect(),
    })
}

/// How a model of a provider is spoken to.
pub(super) fn dialect(provider: &ProviderConfig, row: Option<&Provider>, model: &str) -> Dialect {
    let usual = || row.map_or(Dialect::Chat, |row| row.dialect_of(model));
    provider.wire.unwrap_or_else(usual)
}

pub(super) fn client(
    provider: &ProviderConfig,
    dialect: Dialect,
    config: &RoutesConfig,
    http: Arc<Http>,
) -> Result<Arc<dyn Model>, RouteError> {
    let row = row(provider)?;
    let endpoint = endpoint(provider, row, dialect, config)?;
    let key = key(provider, row)?;
    let headers = headers(provider, key.as_ref(), dialect)?;
    let origin = Origin {
        provider: provider.id.clone(),
        host: endpoint.host(),
        key,
        key_hint: format!("Check the key: {}", key_hint(provider, row)),
    };
    let exchange = Exchange {
        http,
        endpoint,
        origin: Arc::new(origin),
        headers,
        timeouts: config.timeouts,
    };
    let thinking = row.map_or(Thinking::Unspoken, |row| row.thinking);
    let echo_reasoning = row.is_some_and(|row| row.echo_reasoning);
    let usual = row.and_then(|row| row.output_tokens_max);
    let output_tokens_max = provider.output_tokens_max.or(usual);
    Ok(match dialect {
        Dialect::Chat => Arc::new(ChatModel {
            exchange,
            quirks: Quirks {
                echo_reasoning,
                output_tokens_max,
                thinking,
            },
        }),
        Dialect::Messages => Arc::new(MessagesModel {
            exchange,
            manner: Manner {
                echo_reasoning,
                output_tokens_max,
                thinking,
            },
            memory: Arc::default(),
        }),
        Dialect::Responses => Arc::new(ResponsesModel {
            exchange,
            terms: Terms {
                seals_reasoning: row.is_some_and(|row| row.seals_reasoning),
                output_tokens_max,
                thinking,
            },
            memory: Arc::default(),
        }),
    })
}

/// The key as the dialect wants it, and what else is configured.
fn headers(
    provider: &ProviderConfig,
    key: Option<&Secret>,
    dialect: Dialect,
) -> Result<HeaderMap, RouteError> {
    let mut headers = HeaderMap::new();
    if dialect == Dialect::Messages {
        let version = HeaderValue::from_static(messages::VERSION);
        headers.insert("anthropic-version", version);
    }
    match (key, dialect) {
        (None, _) => {}
        (Some(key), Dialect::Messages) => {
            headers.insert("x-api-key", secret(provider, key.expose())?);
        }
        (Some(key), Dialect::Chat | Dialect::Responses) => {
            let bearer = format!("Bearer {}", key.expose());
            headers.insert(AUTHORIZATION, secret(provider, &bearer)?);
        }
    }
    for (name, value) in &provider.headers {
        let name = HeaderName::try_from(name).map_err(|_| unusable_key(provider))?;
        headers.insert(name, secret(provider, value.expose())?);
    }
    Ok(headers)
}

fn endpoint(
    provider: &ProviderConfig,
    row: Option<&Provider>,
    dialect: Dialect,
    config: &RoutesConfig,
) -> Result<Endpoint, RouteError> {
    let id = || provider.id.clone();
    let configured = provider
        .base_url
        .as_deref()
        .filter(|base| !base.trim().is_empty());
    let base = configured.or(row.map(|row| row.base_of(dialect)));
    let base = base.ok_or_else(|| RouteError::MissingBase { provider: id() })?;
    let unusable = |problem| RouteError::UnusableBase {
        provider: id(),
        problem,
    };
    let endpoint = Endpoint::new(base, dialect).map_err(unusable)?;
    if endpoint.is_plain_remote() && !config.allow_insecure_http {
        return Err(unusable(BaseProblem::PlainHttp));
    }
    Ok(endpoint)
}

/// The key without the blanks that come with copying. Servers that are only configured may do
/// without one; they say so themselves if they do not.
fn key(provider: &ProviderConfig, row: Option<&Provider>) -> Result<Option<Secret>, RouteError> {
    let key = provider
        .key
        .as_ref()
        .map(|key| key.expose().trim())
        .filter(|key| !key.is_empty());
    let needs_key = row.is_some_and(|row| !row.key_optional);
    if key.is_none() && needs_key {
        let hint = key_hint(provider, row);
        return Err(RouteError::MissingKey {
            provider: provider.id.clone(),
            hint,
        });
    }
    Ok(key.map(Secret::new))
}

fn key_hint(provider: &ProviderConfig, row: Option<&Provider>) -> String {
    let table = format!(
        "api_key in [providers.{}] of ~/.codewhale/config.toml",
        provider.id
    );
    match row.map_or(&[] as &[&str], |row| row.env) {
        [] => format!("set {table}"),
        variables => format!("set {}, or {table}", variables.join(" or ")),
    }
}

fn secret(provider: &ProviderConfig, text: &str) -> Result<HeaderValue, RouteError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| unusable_key(provider))?;
    value.set_sensitive(true);
    Ok(value)
}

fn unusable_key(provider: &ProviderConfig) -> RouteError {
    RouteError::UnusableKey {
        provider: provider.id.clone(),
    }
}
