//! Settings: providers, their models, and the configuration of the user. No secret is in any of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Effort, MediaKind};

/// Nothing to say.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NoParams {}

/// The providers there are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProviderList {
    /// The one that new threads use when nobody says which.
    pub current: String,
    /// All that are known or configured.
    pub providers: Vec<ProviderInfo>,
}

/// A provider.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProviderInfo {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub display_name: String,
    /// Where it is, unless configured otherwise.
    pub default_base_url: String,
    /// The model to use when none is asked for.
    pub default_model: String,
    /// Whether some of its models are known by name.
    pub has_model_catalog: bool,
    /// The variables that may hold its key: names, never values.
    pub env_vars: Vec<String>,
}

/// A provider named by the path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProviderParams {
    /// The provider.
    pub provider_id: String,
}

/// The models that are known of a provider.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProviderModels {
    /// The provider.
    pub provider: String,
    /// Its models; none when it is not configured.
    pub models: Vec<ModelInfo>,
}

/// A model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ModelInfo {
    /// Its id, in the provider's spelling.
    pub id: String,
    /// Whether it calls tools.
    pub supports_tools: bool,
    /// Whether it can be asked to think first.
    pub supports_reasoning: bool,
    /// The efforts it tells apart, the least first and `auto` last; none where it is not asked.
    #[serde(default)]
    pub reasoning_efforts: Vec<Effort>,
    /// What it may be given besides text: what it takes, or is not known not to take.
    #[serde(default)]
    pub input: Vec<MediaKind>,
}

/// What `providers/switch` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProvidersSwitchParams {
    /// The provider.
    pub provider_id: String,
    /// The model, if not the provider's default.
    #[serde(default)]
    pub model: Option<String>,
}

/// What `providers/switch` did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProviderSwitched {
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What that means, for people.
    pub message: String,
    /// Whether it stands in the configuration file.
    pub persisted: bool,
}

/// The settings that count, by name. A secret that is set is shown as eight stars.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ConfigView(pub Map<String, Value>);

/// What `config/set` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfigSetParams {
    /// The key, with its tables.
    pub key: String,
    /// The value, as a person would type it; null lets the key fall back to its default.
    #[serde(deserialize_with = "Option::deserialize")]
    pub value: Option<String>,
    /// Whether it is written into the configuration file; else it holds until the program ends.
    #[serde(default)]
    pub persist: bool,
}

/// What `config/set` did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfigChanged {
    /// The key.
    pub key: String,
    /// The value; null when the key has fallen back to its default.
    pub value: Option<String>,
    /// What that means, for people.
    pub message: String,
    /// Whether it stands in the configuration file.
    pub persisted: bool,
    /// Whether it counts only after the program has started anew.
    pub requires_reload: bool,
}

/// What `config/reload` did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfigReloaded {
    /// What that means, for people.
    pub message: String,
}
