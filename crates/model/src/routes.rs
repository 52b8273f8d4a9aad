//! From a wish for a provider and a model to something that answers.
//!
//! Without any configured provider every wish leads to the offline model. With one, a wish leads
//! to exactly what was configured, or to an error that says what is missing: never to another
//! provider, and a key never to another address than its own.

mod build;
mod config;
mod error;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::catalogue::{self, Dialect};
use crate::http::Http;
use crate::offline::{self, OfflineModel};
use crate::{Model, Senses};

pub use config::{Fallback, ProviderConfig, RoutesConfig};
pub use error::RouteError;

/// A way to a model. Cheap to clone.
#[derive(Clone)]
pub struct Route {
    /// The kind of provider.
    pub provider: String,
    /// The configured name, where it differs from the kind. A later wish for the same way names
    /// this one, else the kind.
    pub provider_id: Option<String>,
    /// The model, in the provider's spelling.
    pub model: String,
    /// How many tokens it takes at once, where known.
    pub context_window: Option<u64>,
    /// What it takes besides text.
    pub senses: Senses,
    /// What answers.
    pub client: Arc<dyn Model>,
}

impl Route {
    /// A way of which nothing else is known.
    pub fn to(
        provider: impl Into<String>,
        model: impl Into<String>,
        client: Arc<dyn Model>,
    ) -> Self {
        Self {
            provider: provider.into(),
            provider_id: None,
            model: model.into(),
            context_window: None,
            senses: Senses::default(),
            client,
        }
    }

    /// Whether both lead to the same model of the same provider.
    pub fn is_same(&self, other: &Route) -> bool {
        self.provider == other.provider
            && self.provider_id == other.provider_id
            && self.model == other.model
    }

    /// The way in words: the provider as it is configured, and the model.
    pub fn label(&self) -> String {
        let provider = self.provider_id.as_deref().unwrap_or(&self.provider);
        format!("{provider}/{}", self.model)
    }
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Route")
            .field("provider", &self.provider)
            .field("provider_id", &self.provider_id)
            .field("model", &self.model)
            .field("context_window", &self.context_window)
            .finish_non_exhaustive()
    }
}

/// All ways to models.
pub struct Routes(Kind);

enum Kind {
    /// Every wish gets this, and these when it fails.
    Fixed(Route, Vec<Route>),
    Configured(Configured),
}

struct Configured {
    config: RoutesConfig,
    http: Arc<Http>,
    /// By the id of the provider and the dialect, as far as they were needed.
    clients: Mutex<BTreeMap<(String, Dialect), Arc<dyn Model>>>,
}

/// What a wish leads to.
struct Found {
    provider: ProviderConfig,
    row: Option<&'static catalogue::Provider>,
    model: String,
    dialect: Dialect,
}

impl Found {
    fn senses(&self) -> Senses {
        match &self.provider.input {
            Some(kinds) => Senses::declared(kinds, self.dialect),
            None => Senses::of(&self.model, self.dialect),
        }
    }
}

impl Routes {
    /// The routes of a configuration. Costs nothing: clients are built when they are needed.
    pub fn new(config: RoutesConfig) -> Self {
        if config.providers.is_empty() && config.default_provider.as_deref().is_none_or(is_offline)
        {
            return Self::only(Route {
                senses: Senses::NONE,
                ..Route::to(offline::ID, offline::ID, Arc::new(OfflineModel))
            });
        }
        let http = Arc::new(Http::new(config.timeouts.connect));
        Self(Kind::Configured(Configured {
            config,
            http,
            clients: Mutex::default(),
        }))
    }

    /// Routes that lead every wish to one model.
    pub fn fixed(
        provider: impl Into<String>,
        model: impl Into<String>,
        client: Arc<dyn Model>,
    ) -> Self {
        Self::only(Route::to(provider, model, client))
    }

    /// Routes of which there is only one.
    pub fn only(route: Route) -> Self {
        Self::chain(route, Vec::new())
    }

    /// One route for every wish, and those that stand in for it.
    pub fn chain(route: Route, fallbacks: Vec<Route>) -> Self {
        Self(Kind::Fixed(route, fallbacks))
    }

    /// Finds the way. A model that is absent, blank or `auto` means the provider's default.
    pub fn resolve(
        &self,
        provider: Option<&str>,
        model: Option<&str>,
    ) -> Result<Route, RouteError> {
        match &self.0 {
            Kind::Fixed(route, _) => Ok(route.clone()),
            Kind::Configured(configured) => configured.resolve(provider, model),
        }
    }

    /// What a model takes besides text. Needs no key.
    pub fn senses(
        &self,
        provider: Option<&str>,
        model: Option<&str>,
    ) -> Result<Senses, RouteError> {
        match &self.0 {
            Kind::Fixed(route, _) => Ok(route.senses),
            Kind::Configured(configured) => Ok(configured.find(provider, model)?.senses()),
        }
    }

    /// The ways declared to be tried when this one fails, the first choice first; the way itself
    /// and repetitions are left out. One that leads nowhere keeps its place with the reason, which
    /// is told when it would have been needed.
    pub fn fallbacks(&self, route: &Route) -> Vec<Result<Route, RouteError>> {
        match &self.0 {
            Kind::Fixed(_, fallbacks) => fallbacks.iter().cloned().map(Ok).collect(),
            Kind::Configured(configured) => configured.fallbacks(route),
        }
    }

    /// Whether the offline model answers, because nothing was configured.
    pub fn is_offline(&self) -> bool {
        matches!(&self.0, Kind::Fixed(route, _) if is_offline(&route.provider))
    }
}

impl Configured {
    fn resolve(&self, provider: Option<&str>, model: Option<&str>) -> Result<Route, RouteError> {
        let found = self.find(provider, model)?;
        let senses = found.senses();
        let Found {
            provider,
            row,
            model,
            dialect,
        } = found;
        Ok(Route {
            provider: row.map_or(catalogue::CUSTOM, |row| row.id).to_owned(),
            provider_id: row
                .is_none_or(|row| row.id != provider.id)
                .then(|| provider.id.clone()),
            context_window: provider.context_window.or_else(|| row?.window(&model)),
            senses,
            client: self.client(&provider, dialect)?,
            model,
        })
    }

    fn find(&self, provider: Option<&str>, model: Option<&str>) -> Result<Found, RouteError> {
        let provider = self.provider(provider)?;
        let row = build::row(&provider)?;
        let model = self.model(&provider, row, model)?;
        Ok(Found {
            dialect: build::dialect(&provider, row, &model),
            provider,
            row,
            model,
        })
    }

    fn fallbacks(&self, route: &Route) -> Vec<Result<Route, RouteError>> {
        let mut chain: Vec<Result<Route, RouteError>> = Vec::new();
        for declared in self.declared(route) {
            let next = self.resolve(Some(&declared.provider), declared.model.as_deref());
            let is_known = match &next {
                Ok(next) => {
                    next.is_same(route) || chain.iter().flatten().any(|it| it.is_same(next))
                }
                Err(problem) => chain.iter().any(|it| it.as_ref().err() == Some(problem)),
            };
            if !is_known {
                chain.push(next);
            }
        }
        chain
    }

    /// The stand-ins of a provider: its own, else those for all.
    fn declared(&self, route: &Route) -> Vec<Fallback> {
        let name = route.provider_id.as_deref().unwrap_or(&route.provider);
        let own = self.provider(Some(name)).ok();
        own.and_then(|own| own.fallbacks)
            .unwrap_or_else(|| self.config.fallbacks.clone())
    }

    /// The provider that is meant. A thread that began offline holds the name of the offline model
    /// and means no choice by it: it goes on with whatever is configured now.
    fn provider(&self, asked: Option<&str>) -> Result<ProviderConfig, RouteError> {
        let default = || {
            self.config
                .default_provider
                .as_deref()
                .filter(|id| !is_offline(id))
        };
        let Some(asked) = asked.filter(|id| !is_offline(id)).or_else(default) else {
            return Ok(self
                .config
                .providers
                .first()
                .cloned()
                .expect("without providers there is a default"));
        };
        let asked = asked.trim();
        let by = |is_it: &dyn Fn(&ProviderConfig) -> bool| {
            self.config
                .providers
                .iter()
                .find(|provider| is_it(provider))
        };
        let kind = build::kind(asked);
        let found = by(&|provider| provider.id == asked)
            .or_else(|| by(&|provider| provider.id.eq_ignore_ascii_case(asked)))
            .or_else(|| by(&|provider| Some(provider.id.as_str()) == kind))
            .or_else(|| by(&|provider| kind.is_some() && build::kind(&provider.kind) == kind));
        match (found, catalogue::find(asked)) {
            (Some(found), _) => Ok(found.clone()),
            // Known to everyone, but not configured: it works if it needs no key.
            (None, Some(row)) => Ok(ProviderConfig::new(row.id, row.id)),
            (None, None) => Err(RouteError::UnknownProvider {
                asked: asked.to_owned(),
                known: self.known(),
            }),
        }
    }

    fn model(
        &self,
        provider: &ProviderConfig,
        row: Option<&catalogue::Provider>,
        asked: Option<&str>,
    ) -> Result<String, RouteError> {
        let is_default = self
            .provider(None)
            .is_ok_and(|default| default.id == provider.id);
        let default = self.config.default_model.as_deref().filter(|_| is_default);
        let wishes = [
            asked,
            provider.model.as_deref(),
            default,
            row.map(|row| row.default_model),
        ];
        let model = wishes
            .into_iter()
            .flatten()
            .map(str::trim)
            .find(|model| is_choice(model));
        model
            .map(str::to_owned)
            .ok_or_else(|| RouteError::MissingModel {
                provider: provider.id.clone(),
            })
    }

    fn client(
        &self,
        provider: &ProviderConfig,
        dialect: Dialect,
    ) -> Result<Arc<dyn Model>, RouteError> {
        let key = (provider.id.clone(), dialect);
        let mut clients = self
            .clients
            .lock()
            .expect("nobody panics while holding the clients");
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let client = build::client(provider, dialect, &self.config, self.http.clone())?;
        clients.insert(key, client.clone());
        Ok(client)
    }

    fn known(&self) -> Vec<String> {
        let mut known: Vec<String> = self
            .config
            .providers
            .iter()
            .map(|provider| provider.id.clone())
            .collect();
        for row in catalogue::PROVIDERS {
            if !known.iter().any(|id| id == row.id) {
                known.push(row.id.to_owned());
            }
        }
        known
    }
}

/// Blank counts: it is what clients send who mean nothing by it.
fn is_offline(id: &str) -> bool {
    id.trim().is_empty() || id.trim() == offline::ID
}

fn is_choice(model: &str) -> bool {
    !model.is_empty() && !model.eq_ignore_ascii_case("auto") && model != offline::ID
}

#[cfg(test)]
mod tests;
