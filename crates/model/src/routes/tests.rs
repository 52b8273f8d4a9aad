use codewhale_protocol::Secret;

use super::*;
use crate::BaseProblem;

fn provider(id: &str, kind: &str) -> ProviderConfig {
    ProviderConfig {
        key: Some(Secret::new("sk-secret")),
        ..ProviderConfig::new(id, kind)
    }
}

fn custom(id: &str) -> ProviderConfig {
    ProviderConfig {
        base_url: Some("http://localhost:8000".into()),
        model: Some("own".into()),
        ..ProviderConfig::new(id, "openai-compatible")
    }
}

fn routes(providers: Vec<ProviderConfig>) -> Routes {
    Routes::new(RoutesConfig {
        providers,
        ..RoutesConfig::default()
    })
}

/// Provider, configured name, model, window.
type Facts<'a> = (&'a str, Option<&'a str>, &'a str, Option<u64>);

fn check(routes: &Routes, provider: Option<&str>, model: Option<&str>, expect: Facts<'_>) {
    let route = routes.resolve(provider, model).unwrap();
    let facts = (
        route.provider.as_str(),
        route.provider_id.as_deref(),
        route.model.as_str(),
        route.context_window,
    );
    assert_eq!(facts, expect, "{provider:?} {model:?}");
}

const MILLION: Option<u64> = Some(1_000_000);

#[test]
fn without_any_provider_everything_is_offline() {
    let routes = routes(vec![]);
    assert!(routes.is_offline());
    for provider in [
        None,
        Some(""),
        Some("offline"),
        Some("deepseek"),
        Some("nobody"),
    ] {
        for model in [
            None,
            Some(""),
            Some("auto"),
            Some("offline"),
            Some("deepseek-v4-pro"),
        ] {
            check(&routes, provider, model, ("offline", None, "offline", None));
        }
    }
}

#[test]
fn a_configured_provider_is_found() {
    let routes = routes(vec![
        provider("deepseek", "deepseek"),
        provider("openai", "openai"),
        custom("mine"),
    ]);
    let pro = ("deepseek", None, "deepseek-v4-pro", MILLION);
    assert!(!routes.is_offline());
    check(&routes, None, None, pro);
    check(&routes, None, Some(" "), pro);
    check(&routes, None, Some("AUTO"), pro);
    check(&routes, Some(" "), None, pro);
    check(&routes, Some("DeepSeek"), None, pro);
    check(&routes, Some("deepseek-cn"), None, pro);
    check(
        &routes,
        None,
        Some(" deepseek-v4-flash "),
        ("deepseek", None, "deepseek-v4-flash", MILLION),
    );
    check(
        &routes,
        None,
        Some("new-one"),
        ("deepseek", None, "new-one", None),
    );
    check(
        &routes,
        Some("openai"),
        None,
        ("openai", None, "gpt-5.6", None),
    );
    check(
        &routes,
        Some("mine"),
        None,
        ("custom", Some("mine"), "own", None),
    );
    check(
        &routes,
        Some("mine"),
        Some("other"),
        ("custom", Some("mine"), "other", None),
    );
    check(
        &routes,
        Some("custom"),
        None,
        ("custom", Some("mine"), "own", None),
    );
    // Needs neither key nor configuration.
    check(
        &routes,
        Some("ollama"),
        None,
        ("ollama", None, "deepseek-v4-flash", None),
    );
}

#[test]
fn a_thread_that_began_offline_goes_on_with_what_is_configured() {
    let routes = routes(vec![provider("deepseek", "deepseek")]);
    check(
        &routes,
        Some("offline"),
        Some("offline"),
        ("deepseek", None, "deepseek-v4-pro", MILLION),
    );
}

#[test]
fn a_provider_may_have_a_name_of_its_own() {
    let work = ProviderConfig {
        context_window: Some(9),
        ..provider("work", "deepseek")
    };
    let routes = routes(vec![work]);
    let expect = ("deepseek", Some("work"), "deepseek-v4-pro", Some(9));
    check(&routes, Some("work"), None, expect);
    check(&routes, Some("deepseek"), None, expect);
}

#[test]
fn the_default_can_be_chosen() {
    let named = ProviderConfig {
        model: Some("named".into()),
        ..provider("openai", "openai")
    };
    let config = RoutesConfig {
        providers: vec![provider("deepseek", "deepseek"), named.clone()],
        default_provider: Some("openai".into()),
        default_model: Some("wished".into()),
        ..RoutesConfig::default()
    };
    check(
        &Routes::new(config.clone()),
        None,
        None,
        ("openai", None, "named", None),
    );
    check(
        &Routes::new(config.clone()),
        Some("deepseek"),
        None,
        ("deepseek", None, "deepseek-v4-pro", MILLION),
    );
    let unnamed = RoutesConfig {
        providers: vec![provider("openai", "openai")],
        ..config
    };
    check(
        &Routes::new(unnamed),
        None,
        None,
        ("openai", None, "wished", None),
    );
}

fn all() -> Vec<&'static str> {
    catalogue::PROVIDERS.iter().map(|row| row.id).collect()
}

fn refusal(routes: &Routes, provider: Option<&str>) -> String {
    routes.resolve(provider, None).unwrap_err().to_string()
}

#[test]
fn what_is_missing_is_named() {
    let no_key = routes(vec![ProviderConfig::new("deepseek", "deepseek")]);
    assert_eq!(
        refusal(&no_key, None),
        "provider `deepseek` has no key: set DEEPSEEK_API_KEY, or api_key in [providers.deepseek] of ~/.codewhale/config.toml"
    );
    assert_eq!(
        refusal(&no_key, Some("nobody")),
        format!(
            "there is no provider `nobody`; known are {}",
            all().join(", ")
        )
    );
    assert!(refusal(&no_key, Some("openai")).contains("OPENAI_API_KEY"));
    let chosen = RoutesConfig {
        default_provider: Some("deepseek".into()),
        ..RoutesConfig::default()
    };
    assert!(refusal(&Routes::new(chosen), None).contains("DEEPSEEK_API_KEY"));
    let blank = ProviderConfig {
        key: Some(Secret::new(" \n")),
        ..ProviderConfig::new("deepseek", "deepseek")
    };
    assert!(refusal(&routes(vec![blank]), None).contains("has no key"));
    let cases = [
        (
            ProviderConfig {
                base_url: None,
                ..custom("mine")
            },
            "provider `mine` has no address: set base_url in [providers.mine]",
        ),
        (
            ProviderConfig {
                model: None,
                ..custom("mine")
            },
            "provider `mine` has no default model: name one, or set model in [providers.mine]",
        ),
        (
            ProviderConfig {
                kind: "gopher".into(),
                ..custom("mine")
            },
            &format!(
                "provider `mine` is of the unknown kind `gopher`; known are {}, openai-compatible",
                all().join(", ")
            ),
        ),
    ];
    for (provider, expect) in cases {
        assert_eq!(refusal(&routes(vec![provider]), None), expect);
    }
}

#[test]
fn addresses_and_keys_that_cannot_be_used_are_refused_and_not_shown() {
    let with_base = |base: &str| ProviderConfig {
        base_url: Some(base.into()),
        ..provider("deepseek", "deepseek")
    };
    let bases = [
        ("http://x.dev", BaseProblem::PlainHttp),
        ("https://a:hidden@x.dev", BaseProblem::Credentials),
        ("x", BaseProblem::NotAnAddress),
    ];
    for (base, problem) in bases {
        let error = routes(vec![with_base(base)])
            .resolve(None, None)
            .unwrap_err();
        assert_eq!(
            error,
            RouteError::UnusableBase {
                provider: "deepseek".into(),
                problem
            }
        );
        assert!(!format!("{error} {error:?}").contains("hidden"));
    }
    let key = ProviderConfig {
        key: Some(Secret::new("sk-hid\nden")),
        ..provider("deepseek", "deepseek")
    };
    let error = routes(vec![key]).resolve(None, None).unwrap_err();
    assert_eq!(
        error,
        RouteError::UnusableKey {
            provider: "deepseek".into()
        }
    );
    let allowed = RoutesConfig {
        providers: vec![with_base("http://x.dev")],
        allow_insecure_http: true,
        ..RoutesConfig::default()
    };
    assert!(Routes::new(allowed).resolve(None, None).is_ok());
}

#[test]
fn a_client_is_built_once() {
    let routes = routes(vec![
        provider("deepseek", "deepseek"),
        provider("other", "deepseek"),
    ]);
    let client = |id| routes.resolve(Some(id), None).unwrap().client;
    assert!(Arc::ptr_eq(&client("deepseek"), &client("deepseek")));
    assert!(!Arc::ptr_eq(&client("deepseek"), &client("other")));
}

#[test]
fn fixed_routes_lead_to_one_model() {
    let routes = Routes::fixed("scripted", "m", Arc::new(OfflineModel));
    check(
        &routes,
        Some("deepseek"),
        Some("x"),
        ("scripted", None, "m", None),
    );
    assert!(!routes.is_offline());
}

#[test]
fn a_dialect_is_chosen_by_setting_then_model_then_provider() {
    let dialect = |kind: &str, wire, model: &str| {
        let provider = ProviderConfig {
            wire,
            ..ProviderConfig::new("x", kind)
        };
        build::dialect(&provider, build::row(&provider).unwrap(), model)
    };
    assert_eq!(dialect("deepseek", None, "m"), Dialect::Chat);
    assert_eq!(dialect("anthropic", None, "m"), Dialect::Messages);
    assert_eq!(dialect("codex", None, "m"), Dialect::Responses);
    assert_eq!(dialect("zen", None, "claude-opus-5"), Dialect::Messages);
    assert_eq!(dialect("openai-compatible", None, "m"), Dialect::Chat);
    let wished = Some(Dialect::Responses);
    assert_eq!(dialect("openai", wished, "m"), Dialect::Responses);
    assert_eq!(dialect("zen", wished, "claude-opus-5"), Dialect::Responses);
}

#[test]
fn a_header_that_cannot_be_sent_is_refused_and_not_shown() {
    for (name, value) in [("x y", "hidden"), ("x-team", "hid\nden")] {
        let headers = vec![(name.to_owned(), Secret::new(value))];
        let with = ProviderConfig {
            headers,
            ..provider("deepseek", "deepseek")
        };
        let error = routes(vec![with]).resolve(None, None).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("den"));
    }
}

#[test]
fn a_declared_chain_is_followed_in_order_and_nobody_else_is_asked() {
    let to = |provider: &str, model: Option<&str>| Fallback {
        provider: provider.into(),
        model: model.map(str::to_owned),
    };
    let chained = |fallbacks| ProviderConfig {
        fallbacks,
        ..provider("deepseek", "deepseek")
    };
    let names = |routes: &Routes| -> Vec<String> {
        let route = routes.resolve(None, None).unwrap();
        let chain = routes.fallbacks(&route).into_iter();
        chain
            .map(|it| it.map_or_else(|problem| problem.to_string(), |it| it.model))
            .collect()
    };
    let declared = vec![
        to("deepseek", None),
        to("deepseek", Some("deepseek-v4-flash")),
        to("mine", None),
        to("mine", Some("own")),
    ];
    let with_chain = routes(vec![chained(Some(declared)), custom("mine")]);
    assert_eq!(names(&with_chain), ["deepseek-v4-flash", "own"]);
    let without = routes(vec![chained(None), custom("mine")]);
    assert!(names(&without).is_empty());
    let openai = || to("openai", None);
    let keyless = vec![openai(), openai(), to("mine", None)];
    let nowhere = routes(vec![chained(Some(keyless)), custom("mine")]);
    let names_of = names(&nowhere);
    assert!(names_of[0].contains("OPENAI_API_KEY"), "{names_of:?}");
    assert_eq!(names_of[1..], ["own"]);
    for (own, expect) in [(None, 1), (Some(vec![]), 0)] {
        let for_all = Routes::new(RoutesConfig {
            providers: vec![chained(own), custom("mine")],
            fallbacks: vec![to("mine", None)],
            ..RoutesConfig::default()
        });
        assert_eq!(names(&for_all).len(), expect);
    }
}
