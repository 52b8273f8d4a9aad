//! Settings that change while the runtime runs: what counts when, and for whom.

use std::sync::{Arc, Mutex};

use codewhale_engine::RetryPolicy;
use codewhale_model::{Effort, ProviderConfig, Route, Routes, RoutesConfig};
use codewhale_protocol::operations::{
    ConfigGet, ConfigReload, ConfigSet, ProvidersList, ProvidersSwitch, ThreadsCreate,
};
use codewhale_protocol::runtime::{
    ConfigChanged, ConfigReloaded, ConfigSetParams, ConfigView, ProviderInfo, ProviderList,
    ProviderModels, ProviderSwitched, ProvidersSwitchParams,
};
use codewhale_protocol::{Caller, ErrorCode, Scope, Scopes, Secret};
use codewhale_runtime::{Check, Preferences, Settings, SettingsError};
use codewhale_store::{Place, Writing};
use serde_json::json;
use tokio::sync::Notify;

use crate::model::{Piece, Script, says};
use crate::world::{World, open};

const SECRET: &str = "a-key-that-nobody-may-see-0123";

/// Settings whose file is a variable.
#[derive(Default)]
struct Fake {
    model: Option<Arc<Script>>,
    /// The providers that can be asked; a model that answers by itself if there are none.
    providers: Mutex<Vec<&'static str>>,
    kept: Mutex<Vec<String>>,
}

impl Fake {
    fn next(&self, name: &str) -> Preferences {
        let providers = self.providers.lock().unwrap().clone();
        let routes = match (&self.model, providers.is_empty()) {
            (Some(model), true) => Routes::only(Route {
                context_window: Some(20_000),
                ..Route::to(name, format!("{name}-1"), Arc::clone(model) as _)
            }),
            _ => routes(&providers),
        };
        Preferences {
            routes,
            effort: Effort::High,
            allow_shell: true,
            retry: RetryPolicy::default(),
        }
    }

    fn keep(&self, what: &str) {
        self.kept.lock().unwrap().push(what.to_owned());
    }
}

/// Providers of one's own, which need no key.
fn routes(names: &[&str]) -> Routes {
    let provider = |name: &&str| ProviderConfig {
        base_url: Some("http://127.0.0.1:9/v1".to_owned()),
        model: Some("m".to_owned()),
        ..ProviderConfig::new(*name, "openai-compatible")
    };
    Routes::new(RoutesConfig {
        providers: names.iter().map(provider).collect(),
        ..RoutesConfig::default()
    })
}

impl Settings for Fake {
    fn providers(&self) -> ProviderList {
        let provider = ProviderInfo {
            id: "mine".to_owned(),
            display_name: "mine".to_owned(),
            default_base_url: format!("https://x.dev/{SECRET}"),
            default_model: "m".to_owned(),
            has_model_catalog: false,
            env_vars: Vec::new(),
        };
        ProviderList {
            current: "mine".to_owned(),
            providers: vec![provider],
        }
    }

    fn models(&self, _: &str) -> Result<ProviderModels, SettingsError> {
        Err(SettingsError::Unknown("there is no such provider".into()))
    }

    fn values(&self) -> ConfigView {
        let nested = json!({ "a": [SECRET, 1, null], "b": { "c": SECRET } });
        ConfigView([("all".to_owned(), nested)].into_iter().collect())
    }

    fn switch(
        &self,
        wish: &ProvidersSwitchParams,
        check: Check<'_>,
    ) -> Result<(ProviderSwitched, Preferences), SettingsError> {
        let next = self.next(&wish.provider_id);
        check(&next)?;
        self.keep(&wish.provider_id);
        let answer = ProviderSwitched {
            provider: wish.provider_id.clone(),
            model: "m".to_owned(),
            message: String::new(),
            persisted: true,
        };
        Ok((answer, next))
    }

    fn set(
        &self,
        _: &ConfigSetParams,
        _: Check<'_>,
    ) -> Result<(ConfigChanged, Preferences), SettingsError> {
        Err(SettingsError::Busy("another program is at it".into()))
    }

    fn reload(&self, check: Check<'_>) -> Result<(ConfigReloaded, Preferences), SettingsError> {
        let next = self.next("read");
        check(&next)?;
        self.keep("read");
        let message = "read".to_owned();
        Ok((ConfigReloaded { message }, next))
    }
}

/// A world whose settings answer with its own model under another name.
async fn world() -> World {
    let store = open(Place::Memory, Writing::Inline);
    World::made(store, |options, model| {
        options.settings = Some(Arc::new(Fake {
            model: Some(Arc::clone(model)),
            ..Fake::default()
        }));
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn new_threads_use_the_switched_provider_at_once_and_a_running_turn_finishes_on_the_old_one()
{
    let world = world().await;
    let before = world.thread(json!({})).await;
    let gate = Arc::new(Notify::new());
    world.model.then(vec![
        Piece::Text("Still"),
        Piece::Gate(Arc::clone(&gate)),
        Piece::Text(" here."),
    ]);
    world.start(&before, "go").await.unwrap();
    world
        .until(&before, |detail| {
            detail.items.iter().any(|it| it.detail.is_some())
        })
        .await;
    let switched = world.call::<ProvidersSwitch>(json!({ "provider_id": "other" }));
    assert_eq!(switched.await.unwrap().provider, "other");
    let after = world.call::<ThreadsCreate>(json!({})).await.unwrap();
    assert_eq!(after.model_provider.as_deref(), Some("other"));
    assert_eq!((after.model.as_str(), after.allow_shell), ("other-1", true));
    gate.notify_one();
    let turn = world.ended(&before).await;
    assert_eq!(turn.effective_provider.as_deref(), Some("scripted"));
    assert_eq!(turn.reasoning_effort, None);
    let old = world.detail(&before).await.thread;
    assert_eq!(
        (old.model_provider.as_deref(), old.allow_shell),
        (Some("scripted"), false)
    );
    world.model.then(says("Here."));
    let turn = world.turn(&after.id, "go").await;
    assert_eq!(turn.effective_model.as_deref(), Some("other-1"));
    assert_eq!(turn.reasoning_effort, Some(Effort::High));
}

#[tokio::test(start_paused = true)]
async fn a_change_that_would_take_the_model_from_a_thread_in_use_changes_nothing() {
    let fake = Arc::new(Fake::default());
    let store = open(Place::Memory, Writing::Inline);
    let settings = Arc::clone(&fake);
    let world = World::fitted(store, move |options| {
        options.routes = routes(&["mine", "yours"]);
        options.settings = Some(settings);
    })
    .await;
    let thread = world.thread(json!({ "model_provider": "yours" })).await;
    world
        .patch(&thread, json!({ "title": "in use" }))
        .await
        .unwrap();
    *fake.providers.lock().unwrap() = vec!["mine"];
    let error = world.call::<ConfigReload>(json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert!(error.message.contains(thread.as_str()), "{}", error.message);
    let switch = world.call::<ProvidersSwitch>(json!({ "provider_id": "mine" }));
    switch.await.unwrap_err();
    assert!(fake.kept.lock().unwrap().is_empty());
    world.thread(json!({ "model_provider": "yours" })).await;
    *fake.providers.lock().unwrap() = vec!["yours"];
    world.call::<ConfigReload>(json!({})).await.unwrap();
    let unknown = json!({ "model_provider": "mine" });
    world.call::<ThreadsCreate>(unknown).await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn settings_are_the_operators_alone_and_changing_them_takes_admin() {
    let world = world().await;
    let stranger = Caller {
        principal: "prn_stranger".into(),
        ..world.operator.clone()
    };
    let runs = Caller {
        scopes: Scopes::of(&[Scope::Read, Scope::Run, Scope::Approve]),
        ..world.operator.clone()
    };
    let named = json!({ "provider_id": "other" });
    for who in [&stranger, &runs] {
        let switched = world.call_as::<ProvidersSwitch>(who, named.clone()).await;
        assert_eq!(switched.unwrap_err().code, ErrorCode::Forbidden);
        let read = world.call_as::<ConfigReload>(who, json!({})).await;
        assert_eq!(read.unwrap_err().code, ErrorCode::Forbidden);
    }
    let shown = world.call_as::<ConfigGet>(&stranger, json!({})).await;
    assert_eq!(shown.unwrap_err().code, ErrorCode::Forbidden);
    world.call_as::<ConfigGet>(&runs, json!({})).await.unwrap();
    let set = world.call::<ConfigSet>(json!({ "key": "a", "value": "b" }));
    assert_eq!(set.await.unwrap_err().code, ErrorCode::Conflict);
}

#[tokio::test(start_paused = true)]
async fn no_answer_about_settings_shows_a_secret() {
    let world = world().await;
    world.store.redactor().learn([Secret::new(SECRET)]);
    let ConfigView(values) = world.call::<ConfigGet>(json!({})).await.unwrap();
    let list = world.call::<ProvidersList>(json!({})).await.unwrap();
    let told = format!("{values:?} {list:?}");
    assert!(!told.contains(SECRET), "{told}");
    assert_eq!(values["all"]["a"][1], 1);
}

#[tokio::test(start_paused = true)]
async fn without_settings_nothing_can_be_changed_and_that_is_told() {
    let world = World::new().await;
    let error = world.call::<ConfigReload>(json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert!(error.message.contains("without a configuration"));
}
