//! The settings of the user for the runtime: the same file and the same checks as `codewhale config`.
//!
//! What counts is kept here. A change that is to last is written into the file; any other is laid over
//! it until the program ends or reads the file again.

mod show;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codewhale_config::{
    Config, Editor, Environment, Error, Flags, KnownProvider, Origin, Shown, values,
};
use codewhale_protocol::Redactor;
use codewhale_protocol::runtime::{
    ConfigChanged, ConfigReloaded, ConfigSetParams, ConfigView, ProviderList, ProviderModels,
    ProviderSwitched, ProvidersSwitchParams,
};
use codewhale_runtime::{Check, Preferences, Settings, SettingsError};

use crate::compose;

/// Names that clients know, and the keys that are meant.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("approval_mode", "approval_policy"),
    ("default_model", "model"),
    ("memory_enabled", "memory.enabled"),
    ("subagents_max_depth", "subagents.max_depth"),
];

/// Keys, by their first part, that count as soon as they are changed. The others are read when the
/// program starts.
const LIVE: &[&str] = &[
    "allow_insecure_http",
    "allow_shell",
    "base_url",
    "default_text_model",
    "fallbacks",
    "http_headers",
    "model",
    "provider",
    "providers",
    "reasoning_effort",
    "retry",
    "stream",
];

/// The settings that count, and where they come from.
pub(crate) struct Desk {
    environment: Environment,
    flags: Flags,
    known: Vec<KnownProvider>,
    /// Learns the keys that come with a change.
    redactor: Arc<Redactor>,
    present: Mutex<Present>,
}

/// What counts.
struct Present {
    config: Config,
    shown: Vec<Shown>,
    /// What holds only until the program ends.
    over: Vec<(String, String)>,
}

impl Desk {
    pub(crate) fn new(
        environment: Environment,
        flags: Flags,
        config: Config,
        redactor: Arc<Redactor>,
    ) -> Result<Self, Error> {
        let known = compose::known_providers();
        let present = Present {
            config,
            shown: values(&environment, &flags, &known)?,
            over: Vec::new(),
        };
        Ok(Self {
            environment,
            flags,
            known,
            redactor,
            present: Mutex::new(present),
        })
    }

    fn present(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn editor(&self) -> Result<Editor<'_>, SettingsError> {
        Editor::open(&self.environment, &self.flags, &self.known).map_err(told)
    }

    /// What the runtime is to go by. Secrets are known from here on.
    fn preferences(&self, config: &Config) -> Preferences {
        self.redactor.learn(config.secrets().iter().cloned());
        compose::preferences(config)
    }
}

impl Settings for Desk {
    fn providers(&self) -> ProviderList {
        show::providers(&self.present().config)
    }

    fn models(&self, provider: &str) -> Result<ProviderModels, SettingsError> {
        show::models(&self.present().config, provider)
    }

    fn values(&self) -> ConfigView {
        let present = self.present();
        show::values(&present.config, &present.shown)
    }

    fn switch(
        &self,
        wish: &ProvidersSwitchParams,
        check: Check<'_>,
    ) -> Result<(ProviderSwitched, Preferences), SettingsError> {
        let mut present = self.present();
        let id = show::provider_named(&present.config, &wish.provider_id)?;
        let model = wish.model.as_deref().map(str::trim);
        let model = model.filter(|model| !model.is_empty());
        let own_key = format!("providers.{}.model", quoted(&id));
        let has_own = present.shown.iter().any(|it| it.key == own_key);
        let mut editor = self.editor()?;
        editor.set("provider", &id).map_err(told)?;
        match model {
            Some(model) if has_own => editor.set(&own_key, model).map_err(told)?,
            Some(model) => editor.set("model", model).map_err(told)?,
            // It belongs to the provider there was.
            None if id != show::current(&present.config) => {
                for key in ["model", "default_text_model"] {
                    editor.unset(key).map_err(told)?;
                }
            }
            None => {}
        }
        let mut over = present.over.clone();
        over.retain(|(key, _)| !["provider", "model", &own_key].contains(&key.as_str()));
        let (config, shown) = editor.settled(&over).map_err(told)?;
        let next = self.preferences(&config);
        let wished = next.routes.resolve(Some(&id), model);
        let route = wished.and_then(|_| next.routes.resolve(None, None));
        let route = route.map_err(|problem| SettingsError::Refused(problem.to_string()))?;
        let (now, chosen) = (show::current(&config), route.model);
        let is_other = model.is_some_and(|model| model != chosen && model != "auto");
        if now != id || is_other {
            return Err(SettingsError::Refused(overruled(&shown, &now, &chosen)));
        }
        check(&next)?;
        editor.save().map_err(told)?;
        *present = Present {
            config,
            shown,
            over,
        };
        let answer = ProviderSwitched {
            message: format!("New threads use {id} with {chosen}; those there are keep theirs."),
            provider: id,
            model: chosen,
            persisted: true,
        };
        Ok((answer, next))
    }

    fn set(
        &self,
        change: &ConfigSetParams,
        check: Check<'_>,
    ) -> Result<(ConfigChanged, Preferences), SettingsError> {
        let key = change.key.trim();
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == key);
        let key = other.map_or(key, |(_, key)| key);
        let is_live = is_live(key);
        let mut present = self.present();
        let mut over = present.over.clone();
        over.retain(|(known, _)| known != key);
        let mut editor = self.editor()?;
        match (&change.value, change.persist) {
            (Some(value), true) => editor.set(key, value).map_err(told)?,
            (Some(value), false) => over.push((key.to_owned(), value.clone())),
            (None, true) => {
                editor.unset(key).map_err(told)?;
            }
            // What was laid over it is gone, and that is all.
            (None, false) => {}
        }
        let (config, shown) = editor.settled(&over).map_err(told)?;
        if !is_live && !change.persist {
            return Err(SettingsError::Refused(format!(
                "{key} counts only from the next start on; send \"persist\": true to keep it until then"
            )));
        }
        let next = self.preferences(&config);
        check(&next)?;
        if change.persist {
            editor.save().map_err(told)?;
        }
        let done = match &change.value {
            Some(_) => "is set",
            None => "has fallen back",
        };
        let message = told_of_change((key, done), change.persist, is_live, &shown);
        *present = Present {
            config,
            shown,
            over,
        };
        let answer = ConfigChanged {
            key: change.key.clone(),
            value: change.value.as_deref().map(|value| value.trim().to_owned()),
            message,
            persisted: change.persist,
            requires_reload: !is_live,
        };
        Ok((answer, next))
    }

    fn reload(&self, check: Check<'_>) -> Result<(ConfigReloaded, Preferences), SettingsError> {
        let mut present = self.present();
        let refused = |error: Error| SettingsError::Refused(words(&error));
        let config = Config::load(&self.environment, &self.flags, &self.known).map_err(refused)?;
        let shown = values(&self.environment, &self.flags, &self.known).map_err(refused)?;
        let next = self.preferences(&config);
        check(&next)?;
        let message = format!(
            "{} was read again; what is not about models, the shell or retries counts from the next start on.",
            config.path().display()
        );
        *present = Present {
            config,
            shown,
            over: Vec::new(),
        };
        Ok((ConfigReloaded { message }, next))
    }
}

fn is_live(key: &str) -> bool {
    let mut parts = key.split('.').map(str::trim);
    let first = match parts.next() {
        Some("profiles") => parts.nth(1),
        first => first,
    };
    first.is_some_and(|first| LIVE.contains(&first))
}

fn told_of_change(
    (key, done): (&str, &str),
    persist: bool,
    is_live: bool,
    shown: &[Shown],
) -> String {
    let stronger = shown.iter().find(|it| it.key == key);
    let stronger = stronger.and_then(|it| match &it.origin {
        Origin::Default | Origin::File(_) => None,
        origin @ (Origin::Profile(_) | Origin::Keys(_) | Origin::Env(_) | Origin::Flag(_)) => {
            Some(origin)
        }
    });
    let what = match (persist, is_live) {
        (true, true) => format!("{key} {done}, and that counts from now on"),
        (true, false) => format!("{key} {done}, and that counts from the next start on"),
        (false, _) => format!("{key} {done} until the program ends"),
    };
    match stronger {
        Some(origin) => format!("{what}; but {origin} sets it too, and that is what counts."),
        None => format!("{what}."),
    }
}

/// Why a switch would change nothing.
fn overruled(shown: &[Shown], provider: &str, model: &str) -> String {
    let strong = shown.iter().filter(|it| match it.origin {
        Origin::Profile(_) | Origin::Env(_) | Origin::Flag(_) => {
            it.key == "provider" || it.key == "model" || it.key.ends_with(".model")
        }
        Origin::Default | Origin::File(_) | Origin::Keys(_) => false,
    });
    let strong: Vec<String> = strong.map(|it| it.origin.to_string()).collect();
    let who = match strong.is_empty() {
        true => "something stronger than the file".to_owned(),
        false => strong.join(", "),
    };
    format!(
        "it would stay {provider} with {model}, because {who} says so; start without that first"
    )
}

/// A name as it stands in a key.
fn quoted(name: &str) -> String {
    let is_bare = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    match name.chars().all(is_bare) && !name.is_empty() {
        true => name.to_owned(),
        false => format!("{name:?}"),
    }
}

/// What went wrong, with its cause. No value is in it.
fn words(error: &Error) -> String {
    let cause = std::error::Error::source(error);
    match cause {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn told(error: Error) -> SettingsError {
    let words = words(&error);
    if matches!(error, Error::Locked { .. }) {
        return SettingsError::Busy(words);
    }
    if matches!(error, Error::Write { .. }) {
        return SettingsError::Failed(words);
    }
    // The others are about what the file or the wish says.
    SettingsError::Refused(words)
}
