//! Which providers there are, which one is the default, and what is known about each.

use codewhale_config::{Config, Fallback, Origin, ProviderSettings, Warning};

use crate::{User, env, secret, set};

fn ids(config: &Config) -> Vec<&str> {
    config
        .providers
        .iter()
        .map(|provider| provider.id.as_str())
        .collect()
}

fn provider<'a>(config: &'a Config, id: &str) -> &'a ProviderSettings {
    let mut providers = config.providers.iter();
    providers.find(|provider| provider.id == id).expect(id)
}

fn key(config: &Config, id: &str) -> Option<(String, Origin)> {
    let key = provider(config, id).key.clone()?;
    Some((key.value.expose().to_owned(), key.origin))
}

#[test]
fn the_list_has_files_then_the_chosen_one_then_keys_in_variables() {
    let user = User::with_file(
        "api_key = 'k'\n[providers.zeta]\nbase_url = 'http://localhost:1'\n[providers.alpha]\n[profiles.p.providers.work]",
    )
    .variable("NVIDIA_API_KEY", "n")
    .variable("DEEPSEEK_API_KEY", "d");
    assert_eq!(
        ids(&user.load()),
        ["deepseek", "zeta", "alpha", "nvidia-nim"]
    );
    assert_eq!(
        user.load().default_provider,
        Some(set("deepseek", user.file()))
    );

    let user = user
        .variable("CODEWHALE_PROVIDER", "OpenAI")
        .variable("DEEPSEEK_PROVIDER", "ollama")
        .variable("CODEWHALE_PROFILE", "p");
    let config = user.load();
    assert_eq!(
        ids(&config),
        ["work", "deepseek", "zeta", "alpha", "openai", "nvidia-nim"]
    );
    assert_eq!(
        config.default_provider,
        Some(set("openai", env("CODEWHALE_PROVIDER")))
    );
}

#[test]
fn without_a_choice_the_first_is_the_default() {
    let check = |file: &str, variables: &[(&str, &str)], expect: Option<&str>| {
        let config = User::with_file(file).variables(variables).load();
        let default = config.default_provider.map(|setting| setting.value);
        assert_eq!(default.as_deref(), expect, "{file} {variables:?}");
    };
    check("", &[], None);
    check("model = 'm'", &[], None);
    let tables = "[providers.b]\n[providers.a]";
    check(tables, &[("OPENAI_API_KEY", "x")], Some("b"));
    let keys = [("OLLAMA_API_KEY", "x"), ("OPENAI_KEY", "x")];
    check("", &keys, Some("openai"));
    check("", &[("DEEPSEEK_API_KEY", " ")], None);
    check("", &[("DEEPSEEK_API_KEY", "__KEYRING__")], None);
    let address = [("DEEPSEEK_BASE_URL", "http://localhost:1")];
    check("", &address, Some("deepseek"));
}

#[test]
fn a_variable_that_several_providers_read_speaks_for_the_first() {
    let config = User::new().variable("DEEPSEEK_API_KEY", "d").load();
    assert_eq!(ids(&config), ["deepseek"]);

    let user = User::new()
        .variable("DEEPSEEK_API_KEY", "d")
        .variable("CODEWHALE_PROVIDER", "nvidia_nim");
    let config = user.load();
    assert_eq!(ids(&config), ["nvidia-nim", "deepseek"]);
    let expect = Some(("d".to_owned(), env("DEEPSEEK_API_KEY")));
    assert_eq!(key(&config, "nvidia-nim"), expect);
}

#[test]
fn a_choice_finds_its_table_by_any_of_its_names() {
    let cases = [
        ("[providers.openai]", "OPENAI", "openai", "openai"),
        ("[providers.openai]", "gpt", "openai", "openai"),
        (
            "[providers.nvidia_nim]",
            "nvidia-nim",
            "nvidia_nim",
            "nvidia-nim",
        ),
        ("[providers.gpt]", "openai", "gpt", "openai"),
        ("[providers.work]\nkind = 'gpt'", "openai", "work", "openai"),
        (
            "[providers.work]\nkind = 'openai'\n[providers.openai]",
            "gpt",
            "openai",
            "openai",
        ),
        ("[providers.Mine]", "mine", "Mine", "openai-compatible"),
        ("[providers.mine]\nkind = 'other'", "mine", "mine", "other"),
        ("", "deepseek-cn", "deepseek", "deepseek"),
    ];
    for (file, choice, id, kind) in cases {
        let user = User::with_file(file).flags(|flags| flags.provider = Some(choice.into()));
        let config = user.load();
        let expect = Some(set(id, Origin::Flag("--provider")));
        assert_eq!(config.default_provider, expect, "{file} {choice}");
        assert_eq!(provider(&config, id).kind, kind, "{file} {choice}");
    }
}

#[test]
fn a_choice_that_nobody_knows_is_refused_unless_it_has_an_address() {
    let user = User::with_file("provider = 'depseek'\n[providers.mine]");
    assert_eq!(
        user.error(),
        "there is no provider `depseek`, which the file ~/.codewhale/config.toml names; known are \
         mine, deepseek, nvidia-nim, openai, ollama, offline, or add [providers.depseek] with a base_url"
    );
    let user = user.variable("CODEWHALE_BASE_URL", "http://localhost:1");
    let config = user.load();
    let depseek = provider(&config, "depseek");
    assert_eq!(depseek.kind, "openai-compatible");
    assert_eq!(
        depseek.base_url,
        Some(set("http://localhost:1", env("CODEWHALE_BASE_URL")))
    );
}

#[test]
fn offline_can_be_chosen_against_every_provider() {
    let config = User::with_file("api_key = 'k'")
        .variable("OPENAI_API_KEY", "x")
        .flags(|flags| flags.provider = Some("Offline".into()))
        .load();
    assert!(config.providers.is_empty());
    assert_eq!(
        config.default_provider,
        Some(set("offline", Origin::Flag("--provider")))
    );
}

#[test]
fn a_key_is_looked_for_in_the_file_then_in_the_named_variable_then_in_the_own_ones() {
    let file = "[providers.openai]\napi_key = 'file'\napi_key_env = 'MY_KEY'";
    let named = "[providers.openai]\napi_key = '__KEYRING__'\napi_key_env = 'MY_KEY'";
    let all: &[_] = &[
        ("MY_KEY", "mine"),
        ("OPENAI_API_KEY", "own"),
        ("OPENAI_KEY", "own2"),
    ];
    let check = |file: &str, variables: &[(&str, &str)], expect: Option<(&str, Option<&str>)>| {
        let user = User::with_file(file).variables(variables);
        let expect = expect
            .map(|(value, variable)| (value.to_owned(), variable.map_or_else(|| user.file(), env)));
        assert_eq!(key(&user.load(), "openai"), expect, "{file} {variables:?}");
    };
    let (mine, own, own2) = (
        Some(("mine", Some("MY_KEY"))),
        Some(("own", Some("OPENAI_API_KEY"))),
        Some(("own2", Some("OPENAI_KEY"))),
    );
    check(file, all, Some(("file", None)));
    check(named, all, mine);
    check(named, &all[1..], own);
    check("[providers.openai]", &all[2..], own2);
    check("[providers.openai]", &all[..1], None);
    check("provider = 'openai'", &all[1..], own);
}

#[test]
fn options_are_about_the_provider_in_use_only() {
    let user = User::with_file(
        "provider = 'openai'\nmodel = 'root'\napi_key = 'k'\n[providers.openai]\nmodel = 'table'\napi_key = 'f'",
    )
    .flags(|flags| {
        flags.api_key = Some(secret("flag"));
        flags.base_url = Some("https://proxy.dev".into());
        flags.model = Some("m".into());
    });
    let config = user.load();
    let openai = provider(&config, "openai");
    assert_eq!(openai.model, Some(set("m", Origin::Flag("--model"))));
    assert_eq!(
        openai.base_url,
        Some(set("https://proxy.dev", Origin::Flag("--base-url")))
    );
    assert_eq!(
        openai.key,
        Some(set(secret("flag"), Origin::Flag("--api-key")))
    );
    let deepseek = provider(&config, "deepseek");
    assert_eq!((&deepseek.model, &deepseek.base_url), (&None, &None));
    assert_eq!(deepseek.key, Some(set(secret("k"), user.file())));
}

#[test]
fn keys_outside_of_tables_belong_to_deepseek() {
    let user = User::with_file(
        "api_key = 'root'\nbase_url = 'https://root.dev'\nmodel = 'm'\n[providers.deepseek]\ncontext_window = 9\ninput = ['image']\nmax_output_tokens = 8\n[profiles.p]\nbase_url = 'https://profile.dev'",
    );
    let config = user.load();
    let expect = ProviderSettings {
        id: "deepseek".into(),
        kind: "deepseek".into(),
        origin: user.file(),
        base_url: Some(set("https://root.dev", user.file())),
        key: Some(set(secret("root"), user.file())),
        model: Some(set("m", user.file())),
        wire: None,
        context_window: Some(set(9_u64, user.file())),
        input: Some(set(vec!["image".to_owned()], user.file())),
        max_output_tokens: Some(set(8_u32, user.file())),
        http_headers: None,
        fallbacks: None,
    };
    assert_eq!(config.providers, [expect]);

    let user = user.flags(|flags| flags.profile = Some("p".into()));
    assert_eq!(
        provider(&user.load(), "deepseek").base_url,
        Some(set("https://profile.dev", Origin::Profile("p".into())))
    );
    let config = User::new()
        .flags(|flags| flags.api_key = Some(secret("k")))
        .load();
    assert_eq!(ids(&config), ["deepseek"]);
}

#[test]
fn the_model_of_the_default_comes_from_the_strongest_and_then_the_closest_source() {
    let mut user = User::with_file("provider = 'openai'\nmodel = 'root'");
    let model = |user: &User| provider(&user.load(), "openai").model.clone().unwrap();
    assert_eq!(model(&user), set("root", user.file()));

    user.write(
        ".codewhale/config.toml",
        "provider = 'openai'\nmodel = 'root'\n[providers.openai]\nmodel = 'table'\n[profiles.p]\nmodel = 'profile'",
    );
    assert_eq!(model(&user), set("table", user.file()));

    user = user.flags(|flags| flags.profile = Some("p".into()));
    assert_eq!(model(&user), set("profile", Origin::Profile("p".into())));

    for name in ["DEEPSEEK_MODEL", "OPENAI_MODEL", "CODEWHALE_MODEL"] {
        user = user.variable(name, name);
        assert_eq!(model(&user), set(name, env(name)));
    }
}

#[test]
fn the_address_variable_of_one_provider_does_not_move_another() {
    let user = User::new()
        .variable("OPENAI_API_KEY", "o")
        .variable("DEEPSEEK_API_KEY", "d")
        .variable("CODEWHALE_PROVIDER", "openai")
        .variable("DEEPSEEK_BASE_URL", "https://deepseek-proxy.dev");
    let config = user.load();
    assert_eq!(provider(&config, "openai").base_url, None);
    assert_eq!(
        provider(&config, "deepseek").base_url,
        Some(set("https://deepseek-proxy.dev", env("DEEPSEEK_BASE_URL")))
    );
    let config = user.variable("OPENAI_BASE_URL", "https://own.dev").load();
    assert_eq!(
        provider(&config, "openai").base_url,
        Some(set("https://own.dev", env("OPENAI_BASE_URL")))
    );
}

#[test]
fn an_address_from_the_environment_gets_no_key_from_the_file() {
    let user =
        User::with_file("api_key = 'file'").variable("DEEPSEEK_BASE_URL", "https://evil.dev");
    let config = user.load();
    assert_eq!(key(&config, "deepseek"), None);
    assert_eq!(
        user.warnings(),
        [
            "the address of provider `deepseek` comes from DEEPSEEK_BASE_URL, so its key in the \
          configuration file is not sent there; put the address into the file, or the key into a variable"
        ]
    );
    let user = user.variable("DEEPSEEK_API_KEY", "own");
    let expect = Some(("own".to_owned(), env("DEEPSEEK_API_KEY")));
    assert_eq!(key(&user.load(), "deepseek"), expect);
    assert_eq!(user.warnings(), [""; 0]);
}

#[test]
fn a_table_says_how_its_provider_is_spoken_to() {
    for wire in ["openai", "anthropic", "responses"] {
        let user = User::with_file(&format!("[providers.mine]\nwire = '{wire}'"));
        let expect = Some(set(wire, user.file()));
        assert_eq!(provider(&user.load(), "mine").wire, expect);
    }
    let error = User::with_file("[providers.mine]\nwire = 'gopher'").error();
    assert!(
        error.ends_with("line 2: `providers.mine.wire` must be openai, anthropic or responses; correct or remove it"),
        "{error}"
    );
}

#[test]
fn fallbacks_name_providers_with_or_without_a_model() {
    let user = User::with_file(
        "fallbacks = ['ollama']\n[providers.mine]\nbase_url = 'http://localhost:1'\nfallbacks = ['gpt/a/b', 'deepseek']\n[providers.other]\nfallbacks = []",
    );
    let config = user.load();
    let fallback = |provider: &str, model: Option<&str>| Fallback {
        provider: provider.into(),
        model: model.map(str::to_owned),
    };
    assert_eq!(config.fallbacks, [fallback("ollama", None)]);
    let own = |id| {
        let own = provider(&config, id).fallbacks.clone();
        own.map(|setting| setting.value)
    };
    let expect = vec![fallback("gpt", Some("a/b")), fallback("deepseek", None)];
    assert_eq!(own("mine"), Some(expect));
    assert_eq!(own("other"), Some(vec![]));
}

#[test]
fn a_fallback_that_leads_nowhere_is_refused_by_name() {
    let error = User::with_file("fallbacks = ['nobody/x']\n[providers.mine]").error();
    assert!(
        error.contains("there is no provider `nobody`, which the fallbacks in"),
        "{error}"
    );
    assert!(error.contains("known are mine, deepseek"), "{error}");
    let error = User::with_file("fallbacks = ['openai/']").error();
    assert!(
        error.contains("line 1: `fallbacks` must be a list of"),
        "{error}"
    );
}

#[test]
fn headers_belong_to_their_provider_and_are_secrets() {
    let user = User::with_file(
        "api_key = 'k'\nhttp_headers = { X-Root = 'root-value' }\n[providers.mine]\nhttp_headers = { X-Team = 'team-value' }",
    );
    let config = user.load();
    let headers = |id| {
        let headers = provider(&config, id).http_headers.clone().unwrap().value;
        headers.0
    };
    assert_eq!(
        headers("deepseek"),
        [("X-Root".to_owned(), secret("root-value"))]
    );
    assert_eq!(
        headers("mine"),
        [("X-Team".to_owned(), secret("team-value"))]
    );
    for value in ["root-value", "team-value"] {
        assert!(config.secrets().contains(&secret(value)), "{value}");
    }
}

#[test]
fn a_key_does_not_hide_among_headers_and_headers_do_not_follow_a_foreign_address() {
    for name in ["Authorization", "x-api-key", "Host"] {
        let file = format!("[providers.mine]\nhttp_headers = {{ {name} = 'value' }}");
        let error = User::with_file(&file).error();
        assert!(error.contains("a key belongs into api_key"), "{error}");
        assert!(!error.contains("'value'"), "{error}");
    }
    let user = User::with_file("[providers.openai]\nhttp_headers = { X-Team = 'team-value' }")
        .variable("OPENAI_BASE_URL", "https://elsewhere.dev");
    let config = user.load();
    assert_eq!(provider(&config, "openai").http_headers, None);
    assert!(
        config
            .warnings
            .iter()
            .any(|it| matches!(it, Warning::HeadersWithheld { .. })),
        "{:?}",
        config.warnings
    );
}
