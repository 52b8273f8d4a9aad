//! What is told of providers and settings. Nothing here is a secret.

use codewhale_config::{Config, OFFLINE, ProviderSettings, Setting, Shown};
use codewhale_model::catalogue::{self, Dialect, PROVIDERS, Provider};
use codewhale_protocol::runtime::{
    ConfigView, Effort, ModelInfo, ProviderInfo, ProviderList, ProviderModels,
};
use codewhale_runtime::SettingsError;
use serde_json::{Map, Value, json};

use crate::{compose, mcp};

/// What stands in the place of a secret.
const STARS: &str = "********";

/// The provider that new threads use when nobody says.
pub(super) fn current(config: &Config) -> String {
    let chosen = config.default_provider.as_ref();
    match compose::routes(config).resolve(None, None) {
        Ok(route) => route.provider_id.unwrap_or(route.provider),
        Err(_) => chosen.map_or(OFFLINE.to_owned(), |it| it.value.clone()),
    }
}

pub(super) fn providers(config: &Config) -> ProviderList {
    let known = PROVIDERS.iter().map(|row| ProviderInfo {
        id: row.id.to_owned(),
        display_name: row.name.to_owned(),
        default_base_url: row.base_url.to_owned(),
        default_model: row.default_model.to_owned(),
        has_model_catalog: !row.windows.is_empty(),
        env_vars: row.env.iter().map(|name| (*name).to_owned()).collect(),
    });
    let is_own = |it: &&ProviderSettings| PROVIDERS.iter().all(|row| row.id != it.id);
    let own = config
        .providers
        .iter()
        .filter(is_own)
        .map(|it| ProviderInfo {
            id: it.id.clone(),
            display_name: it.id.clone(),
            default_base_url: it.base_url.as_ref().map(bare).unwrap_or_default(),
            default_model: text(&it.model).unwrap_or_default(),
            has_model_catalog: false,
            env_vars: Vec::new(),
        });
    ProviderList {
        current: current(config),
        providers: known.chain(own).collect(),
    }
}

/// The id that is meant, as lists tell it.
pub(super) fn provider_named(config: &Config, name: &str) -> Result<String, SettingsError> {
    let name = name.trim();
    let own = config.providers.iter().find(|it| it.id == name);
    // Only by the id that is listed: an alias may be one of several for the same provider.
    let known = PROVIDERS.iter().find(|row| row.id == name);
    let known = known.map(|row| row.id.to_owned());
    let offline = (name == OFFLINE).then(|| OFFLINE.to_owned());
    let found = own.map(|it| it.id.clone()).or(known).or(offline);
    found.ok_or_else(|| {
        let listed = providers(config).providers.into_iter().map(|it| it.id);
        let listed: Vec<String> = listed.collect();
        let message = format!(
            "there is no provider `{name}`; known are {}",
            listed.join(", ")
        );
        SettingsError::Unknown(message)
    })
}

pub(super) fn models(config: &Config, name: &str) -> Result<ProviderModels, SettingsError> {
    let id = provider_named(config, name)?;
    let own = config.providers.iter().find(|it| it.id == id);
    let row = own.and_then(|it| catalogue::find(&it.kind));
    let known = row.into_iter().flat_map(|row| {
        let windows = row.windows.iter().map(|window| window.model);
        std::iter::once(row.default_model).chain(windows)
    });
    let configured = own.and_then(|it| text(&it.model));
    let (name, routes) = (id.clone(), compose::routes(config));
    let mut models: Vec<ModelInfo> = Vec::new();
    for id in configured.into_iter().chain(known.map(str::to_owned)) {
        if id != "auto" && models.iter().all(|it| it.id != id) {
            let reasoning_efforts = efforts(own, row, &id);
            let senses = routes.senses(Some(&name), Some(&id)).unwrap_or_default();
            models.push(ModelInfo {
                id,
                // Every model is offered tools; one that cannot call them is no use to an agent.
                supports_tools: true,
                supports_reasoning: !reasoning_efforts.is_empty(),
                reasoning_efforts,
                input: senses.kinds(),
            });
        }
    }
    Ok(ProviderModels {
        provider: id,
        models,
    })
}

/// The efforts that a model of a provider tells apart, in the dialect it is spoken to in.
fn efforts(own: Option<&ProviderSettings>, row: Option<&Provider>, model: &str) -> Vec<Effort> {
    let Some(row) = row else { return Vec::new() };
    let wire = own.and_then(|own| own.wire.as_ref());
    let dialect = wire.and_then(|wire| Dialect::read(&wire.value));
    let dialect = dialect.unwrap_or_else(|| row.dialect_of(model));
    row.efforts(model, dialect).to_vec()
}

/// Every key that has a value, and some under the names that clients know.
pub(super) fn values(config: &Config, shown: &[Shown]) -> ConfigView {
    let entry = |it: &Shown| {
        let value = it.value.clone().unwrap_or_else(|| json!(STARS));
        (it.key.clone(), value)
    };
    let mut all: Map<String, Value> = shown.iter().map(entry).collect();
    let route = compose::routes(config).resolve(None, None).ok();
    let permissions = &config.permissions;
    let depth = config.subagents.max_depth.value;
    let named = [
        ("model", json!(route.map(|it| it.model))),
        ("default_model", json!(text(&config.model))),
        ("provider", json!(current(config))),
        ("approval_mode", json!(text(&permissions.approval_policy))),
        ("sandbox_mode", json!(text(&permissions.sandbox_mode))),
        ("reasoning_effort", json!(text(&config.reasoning_effort))),
        ("default_mode", json!("agent")),
        ("memory_enabled", json!(config.memory.value)),
        ("mcp_config_path", json!(mcp::file_of(config))),
        ("subagents_enabled", json!(depth > 0)),
        ("subagents_max_depth", json!(depth)),
    ];
    all.extend(named.map(|(name, value)| (name.to_owned(), value)));
    ConfigView(all)
}

fn text(setting: &Option<Setting<String>>) -> Option<String> {
    setting.as_ref().map(|it| it.value.clone())
}

/// An address without what may be secret in it.
fn bare(url: &Setting<String>) -> String {
    let address = url.value.split(['?', '#']).next();
    address.unwrap_or_default().to_owned()
}
