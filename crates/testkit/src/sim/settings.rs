//! Settings of a simulated process: they can be changed, and what comes of it is always the same.

use codewhale_protocol::runtime::{
    ConfigChanged, ConfigReloaded, ConfigSetParams, ConfigView, ModelInfo, ProviderList,
    ProviderModels, ProviderSwitched, ProvidersSwitchParams,
};
use codewhale_runtime::{Check, Preferences, Settings, SettingsError};

use super::journal::SECRET;

/// Makes the same preferences over and over.
pub(crate) struct Steady(pub(crate) Box<dyn Fn() -> Preferences + Send + Sync>);

impl Steady {
    fn next(&self, check: Check<'_>) -> Result<Preferences, SettingsError> {
        let next = (self.0)();
        check(&next)?;
        Ok(next)
    }
}

impl Settings for Steady {
    fn providers(&self) -> ProviderList {
        ProviderList {
            current: "simulated".to_owned(),
            providers: Vec::new(),
        }
    }

    fn models(&self, provider: &str) -> Result<ProviderModels, SettingsError> {
        let models = vec![ModelInfo {
            id: "seeded".to_owned(),
            supports_tools: true,
            supports_reasoning: false,
            reasoning_efforts: Vec::new(),
            input: Vec::new(),
        }];
        Ok(ProviderModels {
            provider: provider.to_owned(),
            models,
        })
    }

    fn values(&self) -> ConfigView {
        let values = [("note".to_owned(), SECRET.into())];
        ConfigView(values.into_iter().collect())
    }

    fn switch(
        &self,
        wish: &ProvidersSwitchParams,
        check: Check<'_>,
    ) -> Result<(ProviderSwitched, Preferences), SettingsError> {
        let answer = ProviderSwitched {
            provider: wish.provider_id.clone(),
            model: "seeded".to_owned(),
            message: "as before".to_owned(),
            persisted: true,
        };
        Ok((answer, self.next(check)?))
    }

    fn set(
        &self,
        change: &ConfigSetParams,
        check: Check<'_>,
    ) -> Result<(ConfigChanged, Preferences), SettingsError> {
        let answer = ConfigChanged {
            key: change.key.clone(),
            value: change.value.clone(),
            message: "as before".to_owned(),
            persisted: change.persist,
            requires_reload: false,
        };
        Ok((answer, self.next(check)?))
    }

    fn reload(&self, check: Check<'_>) -> Result<(ConfigReloaded, Preferences), SettingsError> {
        let message = "as before".to_owned();
        Ok((ConfigReloaded { message }, self.next(check)?))
    }
}
