//! What the command line says. Blank values count as not given.

use std::path::PathBuf;

use codewhale_protocol::Secret;

/// The options that are part of the configuration.
#[derive(Clone, Default, Debug)]
pub struct Flags {
    /// `--config`: the configuration file.
    pub config: Option<PathBuf>,
    /// `--profile`: the profile of that file.
    pub profile: Option<String>,
    /// `--provider`: the provider to use.
    pub provider: Option<String>,
    /// `--model`: its model.
    pub model: Option<String>,
    /// `--api-key`: its key.
    pub api_key: Option<Secret>,
    /// `--base-url`: its address.
    pub base_url: Option<String>,
    /// `--auth-token`: the token of the Runtime API.
    pub auth_token: Option<Secret>,
    /// `--cors-origin`, each time it was given.
    pub cors_origins: Vec<String>,
    /// `--log-level`: what is logged.
    pub log_level: Option<String>,
}

pub(crate) const CONFIG: &str = "--config";
pub(crate) const CORS_ORIGIN: &str = "--cors-origin";

/// One option as it was given, or not.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) name: &'static str,
    pub(crate) text: Option<&'a str>,
}

impl<'a> Given<'a> {
    /// For keys that no option sets.
    pub(crate) const NOTHING: Given<'static> = Given {
        name: "",
        text: None,
    };

    pub(crate) fn new(name: &'static str, text: Option<&'a str>) -> Self {
        Self {
            name,
            text: text.map(str::trim).filter(|text| !text.is_empty()),
        }
    }
}

impl Flags {
    pub(crate) fn profile(&self) -> Given<'_> {
        Given::new("--profile", self.profile.as_deref())
    }

    pub(crate) fn provider(&self) -> Given<'_> {
        Given::new("--provider", self.provider.as_deref())
    }

    pub(crate) fn model(&self) -> Given<'_> {
        Given::new("--model", self.model.as_deref())
    }

    pub(crate) fn api_key(&self) -> Given<'_> {
        Given::new("--api-key", self.api_key.as_ref().map(Secret::expose))
    }

    pub(crate) fn base_url(&self) -> Given<'_> {
        Given::new("--base-url", self.base_url.as_deref())
    }

    pub(crate) fn auth_token(&self) -> Given<'_> {
        Given::new("--auth-token", self.auth_token.as_ref().map(Secret::expose))
    }

    pub(crate) fn log_level(&self) -> Given<'_> {
        Given::new("--log-level", self.log_level.as_deref())
    }
}
