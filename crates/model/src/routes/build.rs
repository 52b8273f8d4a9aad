//! Builds what answers for a configured provider.

use std::sync::Arc;

use codewhale_protocol::Secret;
use reqwest::header::HeaderValue;

use super::{ProviderConfig, RouteError, RoutesConfig};
use crate::Model;
use crate::catalogue::{self, Dialect, Provider};
use crate::chat::{ChatModel, Quirks};
use crate::endpoint::{BaseProblem, Endpoint};
use crate::failure::Origin;
use crate::http::Http;

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

pub(super) fn client(
    provider: &ProviderConfig,
    config: &RoutesConfig,
    http: Arc<Http>,
) -> Result<Arc<dyn Model>, RouteError> {
    let row = row(provider)?;
    let endpoint = endpoint(provider, row, config)?;
    let key = key(provider, row)?;
    let authorization = key.as_ref().map(|key| bearer(provider, key)).transpose()?;
    let origin = Origin {
        provider: provider.id.clone(),
        host: endpoint.host(),
        key,
        key_hint: format!("Check the key: {}", key_hint(provider, row)),
    };
    let quirks = Quirks {
        echo_reasoning: row.is_some_and(|row| row.echo_reasoning),
        output_tokens_max: row.and_then(|row| row.output_tokens_max),
    };
    match row.map_or(Dialect::Chat, |row| row.dialect) {
        Dialect::Chat => Ok(Arc::new(ChatModel {
            http,
            endpoint,
            origin: Arc::new(origin),
            authorization,
            quirks,
            timeouts: config.timeouts,
        })),
    }
}

fn endpoint(
    provider: &ProviderConfig,
    row: Option<&Provider>,
    config: &RoutesConfig,
) -> Result<Endpoint, RouteError> {
    let id = || provider.id.clone();
    let configured = provider
        .base_url
        .as_deref()
        .filter(|base| !base.trim().is_empty());
    let base = configured.or(row.map(|row| row.base_url));
    let base = base.ok_or_else(|| RouteError::MissingBase { provider: id() })?;
    let unusable = |problem| RouteError::UnusableBase {
        provider: id(),
        problem,
    };
    let endpoint = Endpoint::chat(base).map_err(unusable)?;
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

fn bearer(provider: &ProviderConfig, key: &Secret) -> Result<HeaderValue, RouteError> {
    let unusable = |_| RouteError::UnusableKey {
        provider: provider.id.clone(),
    };
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose())).map_err(unusable)?;
    value.set_sensitive(true);
    Ok(value)
}
