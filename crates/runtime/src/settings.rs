//! Settings that may change while the program runs. The runtime does not know where settings stand:
//! whoever starts it hands it someone who does, and takes what that one makes of them.
//!
//! ```text
//! request ─► Settings (reads, checks, writes the file) ─► Preferences ─► new threads, next turns
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use codewhale_engine::RetryPolicy;
use codewhale_model::{Effort, Routes};
use codewhale_protocol::Caller;
use codewhale_protocol::operations::{
    ConfigGet, ConfigReload, ConfigSet, ProvidersList, ProvidersModels, ProvidersSwitch,
};
use codewhale_protocol::runtime::{
    ConfigChanged, ConfigReloaded, ConfigSetParams, ConfigView, NoParams, ProviderList,
    ProviderModels, ProviderParams, ProviderSwitched, ProvidersSwitchParams, ThreadId,
};
use serde_json::Value;

use crate::Error;
use crate::runtime::Core;
use crate::serve::Handler;

/// What turns go by from the next one on. A turn that runs goes by what it began with.
pub struct Preferences {
    /// The models.
    pub routes: Routes,
    /// How hard they think.
    pub effort: Effort,
    /// Whether threads that do not say otherwise offer the shell.
    pub allow_shell: bool,
    /// How patient turns are with their provider.
    pub retry: RetryPolicy,
}

/// Why settings stay as they are.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// What was asked for cannot be; the words say what could.
    #[error("{0}")]
    Refused(String),
    /// There is nothing of this name; the words say what there is.
    #[error("{0}")]
    Unknown(String),
    /// Another program changes the same file.
    #[error("{0}")]
    Busy(String),
    /// The file could not be written.
    #[error("{0}")]
    Failed(String),
}

/// Looks at preferences before they are kept.
pub type Check<'a> = &'a dyn Fn(&Preferences) -> Result<(), SettingsError>;

/// Knows the settings of the user. Answers may take the time that a small file takes; changes come one
/// after the other.
pub trait Settings: Send + Sync {
    /// The providers there are.
    fn providers(&self) -> ProviderList;

    /// What is known of the models of one.
    fn models(&self, provider: &str) -> Result<ProviderModels, SettingsError>;

    /// The settings that count.
    fn values(&self) -> ConfigView;

    /// Makes a provider, and perhaps a model, the one to use when nobody says.
    fn switch(
        &self,
        wish: &ProvidersSwitchParams,
        check: Check<'_>,
    ) -> Result<(ProviderSwitched, Preferences), SettingsError>;

    /// Gives a key another value.
    fn set(
        &self,
        change: &ConfigSetParams,
        check: Check<'_>,
    ) -> Result<(ConfigChanged, Preferences), SettingsError>;

    /// Reads the file again.
    fn reload(&self, check: Check<'_>) -> Result<(ConfigReloaded, Preferences), SettingsError>;
}

/// The preferences that count, and who makes them.
pub(crate) struct Desk {
    present: Mutex<Arc<Preferences>>,
    settings: Option<Arc<dyn Settings>>,
    /// Held through a change, so that what counts is what was kept last.
    changing: Mutex<()>,
}

impl Desk {
    pub(crate) fn new(present: Preferences, settings: Option<Arc<dyn Settings>>) -> Self {
        Self {
            present: Mutex::new(Arc::new(present)),
            settings,
            changing: Mutex::default(),
        }
    }
}

impl Core {
    /// What counts at this moment.
    pub(crate) fn preferences(&self) -> Arc<Preferences> {
        let present = self.settings.present.lock();
        Arc::clone(&present.unwrap_or_else(PoisonError::into_inner))
    }

    fn settings(&self) -> Result<Arc<dyn Settings>, SettingsError> {
        self.settings.settings.clone().ok_or_else(|| {
            let message = "this program was started without a configuration that could be changed";
            SettingsError::Refused(message.into())
        })
    }

    /// Asks who knows the settings, beside the async threads.
    async fn ask_settings<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Settings) -> Result<T, SettingsError> + Send + 'static,
    ) -> Result<T, Error> {
        let settings = self.settings()?;
        Ok(self.store.apart(move || question(&*settings)).await??)
    }

    /// Changes settings, whether whoever asked stays to hear of it or not.
    async fn change_settings<T: Send + 'static>(
        self: &Arc<Self>,
        caller: &Caller,
        change: impl FnOnce(&dyn Settings, Check<'_>) -> Result<(T, Preferences), SettingsError>
        + Send
        + 'static,
    ) -> Result<T, Error> {
        self.require_operator(caller)?;
        let (core, settings) = (Arc::clone(self), self.settings()?);
        let changed = move || {
            let changing = core.settings.changing.lock();
            let _changing = changing.unwrap_or_else(PoisonError::into_inner);
            let (answer, next) = change(&*settings, &|next| core.suits_loaded_threads(next))?;
            let mut present = core
                .settings
                .present
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *present = Arc::new(next);
            Ok::<T, SettingsError>(answer)
        };
        Ok(self.store.apart(changed).await??)
    }

    /// Settings are the user's own: nobody else's token reaches them, whatever its scopes.
    fn require_operator(&self, caller: &Caller) -> Result<(), Error> {
        match caller.principal == self.operator {
            true => Ok(()),
            false => Err(Error::Role),
        }
    }

    /// A thread that is in use does not lose its model to a change of settings.
    fn suits_loaded_threads(&self, next: &Preferences) -> Result<(), SettingsError> {
        let loaded: Vec<ThreadId> = self.loaded().keys().cloned().collect();
        let present = self.preferences();
        for id in loaded {
            let thread = self.store.read(|reader| reader.thread(&id));
            let thread = thread.map_err(|error| SettingsError::Failed(error.to_string()))?;
            let Some(thread) = thread.map(|it| it.record) else {
                continue;
            };
            let provider = thread.model_provider_id.as_deref();
            let provider = provider.or(thread.model_provider.as_deref());
            let way = |routes: &Routes| routes.resolve(provider, Some(&thread.model)).map(drop);
            if let (Ok(()), Err(problem)) = (way(&present.routes), way(&next.routes)) {
                return Err(SettingsError::Refused(format!(
                    "thread {id} is in use and would lose its model: {problem}"
                )));
            }
        }
        Ok(())
    }
}

impl Handler<ProvidersList> for Arc<Core> {
    async fn handle(&self, _: &Caller, _: NoParams) -> Result<ProviderList, Error> {
        let mut list = self.ask_settings(|it| Ok(it.providers())).await?;
        for provider in &mut list.providers {
            mask(self, &mut provider.default_base_url);
        }
        Ok(list)
    }
}

impl Handler<ProvidersModels> for Arc<Core> {
    async fn handle(&self, _: &Caller, params: ProviderParams) -> Result<ProviderModels, Error> {
        self.ask_settings(move |it| it.models(&params.provider_id))
            .await
    }
}

impl Handler<ProvidersSwitch> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ProvidersSwitchParams,
    ) -> Result<ProviderSwitched, Error> {
        self.change_settings(caller, move |it, check| it.switch(&params, check))
            .await
    }
}

impl Handler<ConfigGet> for Arc<Core> {
    async fn handle(&self, caller: &Caller, _: NoParams) -> Result<ConfigView, Error> {
        self.require_operator(caller)?;
        let ConfigView(mut values) = self.ask_settings(|it| Ok(it.values())).await?;
        values
            .iter_mut()
            .for_each(|(_, value)| mask_value(self, value));
        Ok(ConfigView(values))
    }
}

impl Handler<ConfigSet> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ConfigSetParams,
    ) -> Result<ConfigChanged, Error> {
        self.change_settings(caller, move |it, check| it.set(&params, check))
            .await
    }
}

impl Handler<ConfigReload> for Arc<Core> {
    async fn handle(&self, caller: &Caller, _: NoParams) -> Result<ConfigReloaded, Error> {
        self.change_settings(caller, |it, check| it.reload(check))
            .await
    }
}

/// These answers do not come from the store, so nothing has masked them yet.
fn mask(core: &Core, text: &mut String) {
    *text = core.store.redactor().mask(text).into_owned();
}

fn mask_value(core: &Core, value: &mut Value) {
    match value {
        Value::String(text) => mask(core, text),
        Value::Array(values) => values.iter_mut().for_each(|it| mask_value(core, it)),
        Value::Object(members) => {
            let values = members.iter_mut();
            values.for_each(|(_, it)| mask_value(core, it));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
