//! Every key, every source, and which of them wins.

use std::time::Duration;

use codewhale_config::{Config, Flags, Origin, Setting};

use crate::{User, env, secret, set};

/// A value as text with its origin in words, however it is kept.
fn show<T: std::fmt::Debug>(setting: &Setting<T>) -> (String, Origin) {
    (format!("{:?}", setting.value), setting.origin.clone())
}

type Look = fn(&Config) -> (String, Origin);

/// Key, line for the file, what it reads as, the variables the strongest first, a value for them and
/// what that reads as, the default.
struct Case {
    line: &'static str,
    in_file: &'static str,
    variables: &'static [&'static str],
    in_variable: (&'static str, &'static str),
    default: &'static str,
    look: Look,
}

const SECONDS: &[Case] = &[
    Case {
        line: "stream.idle_timeout_secs = 0.25",
        in_file: "250ms",
        variables: &[
            "CODEWHALE_STREAM_IDLE_TIMEOUT_SECS",
            "DEEPSEEK_STREAM_IDLE_TIMEOUT_SECS",
        ],
        in_variable: ("1.5", "1.5s"),
        default: "900s",
        look: |config| show(&config.stream.idle_timeout),
    },
    Case {
        line: "[stream]\nopen_timeout_secs = 7",
        in_file: "7s",
        variables: &[
            "CODEWHALE_STREAM_OPEN_TIMEOUT_SECS",
            "DEEPSEEK_STREAM_OPEN_TIMEOUT_SECS",
        ],
        in_variable: ("0.1", "100ms"),
        default: "45s",
        look: |config| show(&config.stream.open_timeout),
    },
    Case {
        line: "approvals.timeout_secs = 20",
        in_file: "20s",
        variables: &[],
        in_variable: ("", ""),
        default: "300s",
        look: |config| show(&config.approvals.timeout),
    },
    Case {
        line: "retry.initial_delay = 0",
        in_file: "0ns",
        variables: &[],
        in_variable: ("", ""),
        default: "1s",
        look: |config| show(&config.retry.initial_delay),
    },
    Case {
        line: "retry.max_delay = 5.5",
        in_file: "5.5s",
        variables: &[],
        in_variable: ("", ""),
        default: "60s",
        look: |config| show(&config.retry.max_delay),
    },
];

const OTHERS: &[Case] = &[
    Case {
        line: "snapshots.enabled = false",
        in_file: "false",
        variables: &[],
        in_variable: ("", ""),
        default: "true",
        look: |config| show(&config.snapshots.enabled),
    },
    Case {
        line: "snapshots.max_age_days = 30",
        in_file: "30",
        variables: &[],
        in_variable: ("", ""),
        default: "7",
        look: |config| show(&config.snapshots.max_age_days),
    },
    Case {
        line: "snapshots.max_workspace_gb = 0.5",
        in_file: "0.5",
        variables: &[],
        in_variable: ("", ""),
        default: "2.0",
        look: |config| show(&config.snapshots.max_workspace_gb),
    },
    Case {
        line: "allow_shell = true",
        in_file: "true",
        variables: &["CODEWHALE_ALLOW_SHELL", "DEEPSEEK_ALLOW_SHELL"],
        in_variable: ("on", "true"),
        default: "false",
        look: |config| show(&config.allow_shell),
    },
    Case {
        line: "allow_insecure_http = true",
        in_file: "true",
        variables: &[
            "CODEWHALE_ALLOW_INSECURE_HTTP",
            "DEEPSEEK_ALLOW_INSECURE_HTTP",
        ],
        in_variable: ("1", "true"),
        default: "false",
        look: |config| show(&config.allow_insecure_http),
    },
    Case {
        line: "store.merge_deltas = false",
        in_file: "false",
        variables: &["CODEWHALE_MERGE_DELTAS"],
        in_variable: ("no", "false"),
        default: "true",
        look: |config| show(&config.store.merge_deltas),
    },
    Case {
        line: "subagents.max_concurrent = 5",
        in_file: "5",
        variables: &["CODEWHALE_MAX_SUBAGENTS", "DEEPSEEK_MAX_SUBAGENTS"],
        in_variable: ("7", "7"),
        default: "64",
        look: |config| show(&config.subagents.max_concurrent),
    },
    Case {
        line: "subagents.max_admitted = 9",
        in_file: "9",
        variables: &[],
        in_variable: ("", ""),
        default: "1024",
        look: |config| show(&config.subagents.max_admitted),
    },
    Case {
        line: "subagents.max_depth = 0",
        in_file: "0",
        variables: &[],
        in_variable: ("", ""),
        default: "3",
        look: |config| show(&config.subagents.max_depth),
    },
    Case {
        line: "goal.max_continuations = 4",
        in_file: "4",
        variables: &[],
        in_variable: ("", ""),
        default: "0",
        look: |config| show(&config.goal.max_continuations),
    },
    Case {
        line: "retry.enabled = false",
        in_file: "false",
        variables: &[],
        in_variable: ("", ""),
        default: "true",
        look: |config| show(&config.retry.enabled),
    },
    Case {
        line: "retry.max_retries = 0",
        in_file: "0",
        variables: &[],
        in_variable: ("", ""),
        default: "3",
        look: |config| show(&config.retry.max_retries),
    },
    Case {
        line: "retry.exponential_base = 3",
        in_file: "3.0",
        variables: &[],
        in_variable: ("", ""),
        default: "2.0",
        look: |config| show(&config.retry.exponential_base),
    },
    Case {
        line: "runtime_api.allowed_hosts = [' a.dev ', '', 'b.dev', 'a.dev']",
        in_file: r#"["a.dev", "b.dev"]"#,
        variables: &[],
        in_variable: ("", ""),
        default: "[]",
        look: |config| show(&config.runtime_api.allowed_hosts),
    },
];

#[test]
fn every_key_with_a_default_can_be_set_in_the_file_and_by_its_variables() {
    for case in SECONDS.iter().chain(OTHERS) {
        let default = (case.default.to_owned(), Origin::Default);
        assert_eq!((case.look)(&User::new().load()), default, "{}", case.line);

        let mut user = User::with_file(case.line);
        assert_eq!(
            (case.look)(&user.load()),
            (case.in_file.to_owned(), user.file())
        );
        // From the weakest to the strongest: each one wins over those before.
        let (value, shown) = case.in_variable;
        for name in case.variables.iter().rev() {
            user = user.variable(name, value);
            assert_eq!((case.look)(&user.load()), (shown.to_owned(), env(name)));
        }
    }
}

#[test]
fn a_stronger_source_wins_and_is_named() {
    let mut user = User::with_file(
        "default_text_model = 'old'\nlog_level = 'a'\n[profiles.work]\nmodel = 'profile'\nlog_level = 'b'",
    );
    let model = |user: &User| user.load().model.unwrap();
    assert_eq!(model(&user), set("old", user.file()));

    user.write(
        ".codewhale/config.toml",
        "default_text_model = 'old'\nmodel = 'file'\n[profiles.work]\nmodel = 'profile'",
    );
    assert_eq!(model(&user), set("file", user.file()));

    user = user.variable("DEEPSEEK_PROFILE", "work");
    assert_eq!(model(&user), set("profile", Origin::Profile("work".into())));
    for name in [
        "DEEPSEEK_DEFAULT_TEXT_MODEL",
        "DEEPSEEK_MODEL",
        "CODEWHALE_MODEL",
    ] {
        user = user.variable(name, &format!(" {name} "));
        assert_eq!(model(&user), set(name, env(name)));
    }
    user = user.flags(|flags| flags.model = Some(" ".into()));
    assert_eq!(model(&user).origin, env("CODEWHALE_MODEL"));

    user = user.flags(|flags| flags.model = Some(" flag ".into()));
    assert_eq!(model(&user), set("flag", Origin::Flag("--model")));
}

#[test]
fn the_log_level_has_an_option_and_falls_back_to_the_usual_variable() {
    let user = User::with_file("log_level = 'file'").variable("RUST_LOG", "a=debug");
    assert_eq!(user.load().log_level, Some(set("a=debug", env("RUST_LOG"))));
    let user = user.variable("CODEWHALE_LOG_LEVEL", "info");
    assert_eq!(
        user.load().log_level,
        Some(set("info", env("CODEWHALE_LOG_LEVEL")))
    );
    let user = user.flags(|flags| flags.log_level = Some("trace".into()));
    assert_eq!(
        user.load().log_level,
        Some(set("trace", Origin::Flag("--log-level")))
    );
    assert_eq!(User::new().load().log_level, None);
}

#[test]
fn the_token_comes_from_the_option_then_variables_then_the_file() {
    let token = |user: &User| user.load().runtime_api.auth_token;
    assert_eq!(token(&User::new()), None);

    let user = User::with_file("auth_token = 'top'");
    assert_eq!(token(&user), Some(set(secret("top"), user.file())));

    let user = User::with_file("auth_token = 'top'\nruntime_api.auth_token = 'table'");
    assert_eq!(token(&user), Some(set(secret("table"), user.file())));

    let user = user.variable("DEEPSEEK_RUNTIME_TOKEN", "older");
    assert_eq!(
        token(&user),
        Some(set(secret("older"), env("DEEPSEEK_RUNTIME_TOKEN")))
    );
    assert_eq!(
        user.warnings(),
        ["DEEPSEEK_RUNTIME_TOKEN is an old name; set CODEWHALE_RUNTIME_TOKEN instead"]
    );

    let user = user.variable("CODEWHALE_RUNTIME_TOKEN", " newer\n");
    assert_eq!(
        token(&user),
        Some(set(secret("newer"), env("CODEWHALE_RUNTIME_TOKEN")))
    );
    assert_eq!(user.warnings(), [""; 0]);

    let user = user.flags(|flags| flags.auth_token = Some(secret("flag")));
    assert_eq!(
        token(&user),
        Some(set(secret("flag"), Origin::Flag("--auth-token")))
    );
}

#[test]
fn cors_origins_of_all_sources_stand_beside_each_other() {
    let user = User::with_file("runtime_api.cors_origins = ['http://a', ' ', 'http://b']")
        .variable("DEEPSEEK_CORS_ORIGINS", "http://ignored")
        .variable("CODEWHALE_CORS_ORIGINS", "http://b, http://c,,")
        .flags(|flags| {
            flags.cors_origins = vec!["http://d".into(), "".into(), "http://a".into()];
        });
    let expect = [
        set("http://a", user.file()),
        set("http://b", user.file()),
        set("http://c", env("CODEWHALE_CORS_ORIGINS")),
        set("http://d", Origin::Flag("--cors-origin")),
    ];
    assert_eq!(user.load().runtime_api.cors_origins, expect);

    let user = User::new().variable("DEEPSEEK_CORS_ORIGINS", "http://e");
    let expect = [set("http://e", env("DEEPSEEK_CORS_ORIGINS"))];
    assert_eq!(user.load().runtime_api.cors_origins, expect);
}

#[test]
fn a_blank_text_in_the_file_counts_as_not_set() {
    let config = User::with_file("model = ' '\nlog_level = ''\nauth_token = ''").load();
    assert_eq!((config.model, config.log_level), (None, None));
    assert_eq!(config.runtime_api.auth_token, None);
}

#[test]
fn a_variable_of_the_wrong_kind_is_refused_by_name_and_without_its_value() {
    let cases = [
        ("CODEWHALE_ALLOW_SHELL", "true or false"),
        (
            "DEEPSEEK_STREAM_OPEN_TIMEOUT_SECS",
            "a number of seconds above 0",
        ),
    ];
    for (name, expected) in cases {
        assert_eq!(
            User::new().variable(name, "hidden").error(),
            format!("the variable {name} must be {expected}; correct or unset it")
        );
    }
    assert_eq!(
        User::new()
            .flags(|flags| flags.base_url = Some("https://me:hidden@x.dev".into()))
            .error(),
        "the option --base-url must be an address without a user name or password"
    );
}

#[test]
fn nothing_configured_gives_the_defaults() {
    let user = User::new();
    let config = user.load();
    assert_eq!(config.home, set(user.path(".codewhale"), Origin::Default));
    assert_eq!(config.legacy_home, Some(user.path(".deepseek")));
    assert_eq!((&config.file, &config.profile), (&None, &None));
    assert_eq!(config.default_provider, None);
    assert!(config.providers.is_empty() && config.warnings.is_empty());
    assert!(config.secrets().is_empty());
    assert_eq!(config.approvals.timeout.value, Duration::from_secs(300));
}

#[test]
fn no_secret_is_shown() {
    let user = User::with_file(
        "api_key = 'hidden-1'\nauth_token = 'hidden-2'\n[providers.x]\napi_key = 'hidden-3'",
    )
    .variable("OPENAI_API_KEY", "hidden-4")
    .flags(|flags| {
        *flags = Flags {
            api_key: Some(secret("hidden-5")),
            auth_token: Some(secret("hidden-6")),
            ..Flags::default()
        }
    });
    let config = user.load();
    assert_eq!(config.secrets().len(), 6);
    let shown = format!("{config:?} {:?} {:?}", user.flags, user.environment());
    assert!(!shown.contains("hidden"), "{shown}");
}

#[test]
fn the_hooks_of_a_profile_stand_in_place_of_those_of_the_file() {
    let text = "[[hooks.hooks]]\nevent = 'turn_end'\ncommand = 'everyday'\n\
                [profiles.work.hooks]\nworking_dir = '~/w'\n\
                [[profiles.work.hooks.hooks]]\nevent = 'turn_end'\ncommand = 'work'\n\
                [profiles.home]\n[profiles.bad.hooks]\nenabeld = true\n";
    let commands = |user: &User| -> Vec<String> {
        let hooks = user.load().hooks;
        hooks.into_iter().map(|hook| hook.command).collect()
    };
    let user = User::with_file(text);
    assert_eq!(commands(&user), ["everyday"]);
    let warnings = user.load().warnings;
    assert!(
        warnings[0]
            .to_string()
            .contains("did you mean `profiles.bad.hooks.enabled`?"),
        "{warnings:?}"
    );
    let user = user.flags(|flags| flags.profile = Some("work".into()));
    assert_eq!(commands(&user), ["work"]);
    assert_eq!(user.load().hooks[0].working_dir, Some(user.path("w")));
    let user = user.flags(|flags| flags.profile = Some("home".into()));
    assert_eq!(commands(&user), ["everyday"]);
}

#[test]
fn a_price_of_ones_own_is_whole_or_refused() {
    let user = User::with_file(
        "[pricing.\"a/b-1.5\"]\ninput = 1\noutput = 2.5\n[pricing.c]\ninput = 3\ncached = 0.5\noutput = 4",
    );
    let prices = user.load().pricing;
    let told: Vec<_> = prices
        .iter()
        .map(|it| (it.model.as_str(), it.input, it.cached, it.output))
        .collect();
    assert_eq!(told, [("a/b-1.5", 1.0, 1.0, 2.5), ("c", 3.0, 0.5, 4.0)]);
    let error = User::with_file("[pricing.c]\ninput = 3").error();
    assert!(error.starts_with("[pricing.\"c\"] in "), "{error}");
    assert!(
        error.ends_with("needs both input and output; set both, or remove it"),
        "{error}"
    );
    let error = User::with_file("[pricing.c]\ninput = -3").error();
    assert!(
        error.contains("`pricing.c.input` must be a price"),
        "{error}"
    );
}

#[test]
fn an_effort_is_one_of_the_known_words() {
    assert_eq!(User::new().load().reasoning_effort, None);
    for word in [
        "off",
        "low",
        "medium",
        "high",
        "max",
        "xhigh",
        "ultracode",
        "auto",
    ] {
        let user = User::with_file(&format!("reasoning_effort = '{word}'"));
        assert_eq!(user.load().reasoning_effort, Some(set(word, user.file())));
    }
    let error = User::with_file("reasoning_effort = 'lots'").error();
    assert!(
        error.contains("`reasoning_effort` must be off, low"),
        "{error}"
    );
}
