//! Which file is read, and what is said about one that is not right.

use codewhale_config::Origin;

use crate::{User, env, set, text};

#[test]
fn an_explicitly_named_file_wins_and_must_be_there() {
    let mut user = User::with_file("model = 'default'");
    for name in ["old", "new", "flag"] {
        user.write(&format!("{name}.toml"), &format!("model = '{name}'"));
    }
    let model = |user: &User| user.load().model.unwrap().value;
    assert_eq!(model(&user), "default");

    let old = text(&user.path("old.toml"));
    user = user.variable("DEEPSEEK_CONFIG_PATH", &old);
    assert_eq!(model(&user), "old");

    user = user.variable("CODEWHALE_CONFIG_PATH", "~/new.toml");
    assert_eq!(model(&user), "new");
    assert_eq!(user.load().file, Some(user.path("new.toml")));

    let flag = user.path("flag.toml");
    user = user.flags(|flags| flags.config = Some(flag));
    assert_eq!(model(&user), "flag");

    user = user.flags(|flags| flags.config = Some("~/none.toml".into()));
    assert_eq!(
        user.error(),
        "there is no configuration file ~/none.toml, which the option --config names; create it, or name another"
    );
    let user = User::new().variable("CODEWHALE_CONFIG_PATH", "/none/x.toml");
    assert_eq!(
        user.error(),
        "there is no configuration file /none/x.toml, which the variable CODEWHALE_CONFIG_PATH names; create it, or name another"
    );
    let user = User::new().variable("DEEPSEEK_CONFIG_PATH", "x.toml");
    assert_eq!(
        user.error(),
        "DEEPSEEK_CONFIG_PATH must be an absolute path, or begin with ~/"
    );
}

#[test]
fn the_old_home_is_read_only_while_the_new_file_is_missing() {
    let user = User::new();
    user.write(".deepseek/config.toml", "model = 'legacy'");
    let config = user.load();
    let legacy = user.path(".deepseek/config.toml");
    assert_eq!(
        config.model,
        Some(set("legacy", Origin::File(legacy.clone())))
    );
    assert_eq!(config.file, Some(legacy));
    assert_eq!(config.home.value, user.path(".codewhale"));

    user.write(".codewhale/config.toml", "");
    assert_eq!(user.load().model, None);
}

#[test]
fn a_named_home_knows_no_old_one() {
    let user = User::new().variable("CODEWHALE_HOME", "~/data");
    user.write(".deepseek/config.toml", "model = 'legacy'");
    let config = user.load();
    assert_eq!((config.model, config.file), (None, None));
    assert_eq!(config.home, set(user.path("data"), env("CODEWHALE_HOME")));
    assert_eq!(config.legacy_home, None);

    user.write("data/config.toml", "model = 'own'");
    assert_eq!(user.load().model.unwrap().value, "own");
}

#[test]
fn a_profile_lies_over_the_file() {
    let user = User::with_file(
        "model = 'm'\nallow_shell = true\n[profiles.work]\nmodel = 'w'\nretry.max_retries = 9\n[profiles.'at home']",
    );
    let work = || Origin::Profile("work".into());
    let config = user.load();
    assert_eq!(config.profile, None);
    assert_eq!(config.retry.max_retries.value, 3);

    let user = user.variable("CODEWHALE_PROFILE", "work");
    let config = user.load();
    assert_eq!(config.profile, Some(set("work", env("CODEWHALE_PROFILE"))));
    assert_eq!(config.model, Some(set("w", work())));
    assert_eq!(config.retry.max_retries, set(9_u32, work()));
    assert_eq!(config.allow_shell, set(true, user.file()));

    let user = user.flags(|flags| flags.profile = Some("at home".into()));
    assert_eq!(user.load().model, Some(set("m", user.file())));

    let user = user.flags(|flags| flags.profile = Some("wrok".into()));
    assert_eq!(
        user.error(),
        "there is no profile `wrok`, which the option --profile names; the file has work, at home"
    );
    let user = User::new().variable("DEEPSEEK_PROFILE", "work");
    assert_eq!(
        user.error(),
        "there is no profile `work`, which the variable DEEPSEEK_PROFILE names; the file has no [profiles] table"
    );
}

#[test]
fn keys_that_mean_nothing_are_named_with_their_line_and_the_nearest_key() {
    let user = User::with_file(
        "modle = 'x'\n[tui]\na = 1\nb = 2\n[providers.mine]\nbaseurl = 'x'\n[profiles.'a b']\nallowshell = true",
    );
    let file = "~/.codewhale/config.toml";
    let ignored = "means nothing to this version and is ignored";
    assert_eq!(
        user.warnings(),
        [
            format!("{file}, line 1: `modle` {ignored}; did you mean `model`?"),
            format!("{file}, line 2: `tui` {ignored}"),
            format!(
                "{file}, line 6: `providers.mine.baseurl` {ignored}; did you mean `providers.mine.base_url`?"
            ),
            format!(
                "{file}, line 8: `profiles.\"a b\".allowshell` {ignored}; did you mean `profiles.\"a b\".allow_shell`?"
            ),
        ]
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_refused_with_its_key_and_what_it_takes() {
    let cases = [
        ("model = 1", "line 1: `model` must be text in quotes"),
        (
            "\nallow_shell = 'yes'",
            "line 2: `allow_shell` must be true or false",
        ),
        ("retry = 3", "line 1: `retry` must be a table"),
        ("providers.x = 'y'", "line 1: `providers.x` must be a table"),
        ("profiles = 1", "line 1: `profiles` must be a table"),
        ("profiles.a = 1", "line 1: `profiles.a` must be a table"),
        (
            "[profiles.a]\nretry.max_retries = 1.5",
            "line 2: `profiles.a.retry.max_retries` must be a whole number up to 100",
        ),
        (
            "retry.max_retries = 101",
            "line 1: `retry.max_retries` must be a whole number up to 100",
        ),
        (
            "retry.initial_delay = -1",
            "line 1: `retry.initial_delay` must be a number of seconds, such as 30 or 0.5",
        ),
        (
            "retry.max_delay = inf",
            "line 1: `retry.max_delay` must be a number of seconds, such as 30 or 0.5",
        ),
        (
            "retry.exponential_base = 0.5",
            "line 1: `retry.exponential_base` must be a number from 1 to 100",
        ),
        (
            "approvals.timeout_secs = 0",
            "line 1: `approvals.timeout_secs` must be a number of seconds above 0",
        ),
        (
            "[runtime_api]\ncors_origins = 'http://a'",
            "line 2: `runtime_api.cors_origins` must be a list of texts, such as [\"a\", \"b\"]",
        ),
        (
            "runtime_api.allowed_hosts = [1]",
            "line 1: `runtime_api.allowed_hosts` must be a list of texts, such as [\"a\", \"b\"]",
        ),
        (
            "[providers.x]\ninput = ['smell']",
            "line 2: `providers.x.input` must be a list of image and audio",
        ),
        (
            "[providers.x]\ncontext_window = 0",
            "line 2: `providers.x.context_window` must be a number of tokens above 0",
        ),
        (
            "[providers.x]\nmax_output_tokens = 0",
            "line 2: `providers.x.max_output_tokens` must be a number of tokens above 0",
        ),
        (
            "[providers.x]\nbase_url = 'https://me:hidden@x.dev'",
            "line 2: `providers.x.base_url` must be an address without a user name or password",
        ),
        (
            "api_key = 2020-01-01",
            "line 1: `api_key` must be text in quotes",
        ),
    ];
    for (file, expect) in cases {
        assert_eq!(
            User::with_file(file).error(),
            format!("~/.codewhale/config.toml, {expect}; correct or remove it")
        );
    }
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_the_place_and_without_its_text() {
    let error = User::with_file("model = 'm'\napi_key = \"hidden").error();
    assert!(
        error.starts_with("~/.codewhale/config.toml, line 2, column "),
        "{error}"
    );
    assert!(error.ends_with("; correct this line"), "{error}");
    assert!(!error.contains("hidden"), "{error}");
}

#[test]
fn what_is_no_configuration_file_is_refused() {
    let user = User::new();
    user.write(".codewhale/config.toml/x", "");
    let expect = "could not read the configuration file ~/.codewhale/config.toml";
    assert_eq!(user.error(), expect);

    let user = User::with_file(&"#\n".repeat(600_000));
    let expect = "~/.codewhale/config.toml is longer than 1048576 bytes, which no configuration is; name another file";
    assert_eq!(user.error(), expect);
}

#[test]
fn the_mcp_server_file_of_the_predecessor_counts_where_ours_says_nothing() {
    let user = User::new();
    let legacy = "[server]\nexpose_tools = ['shell']\nrequire_approval = true\n";
    user.write(".deepseek/mcp_server.toml", legacy);
    let config = user.load().mcp_server;
    assert_eq!(config.expose_tools.unwrap().value, ["shell"]);
    assert!(config.require_approval.unwrap().value);
    user.write(
        ".codewhale/config.toml",
        "[mcp_server]\nrequire_approval = false\n",
    );
    let config = user.load().mcp_server;
    assert_eq!(config.expose_tools.unwrap().value, ["shell"]);
    assert!(!config.require_approval.unwrap().value);
    user.write(".deepseek/mcp_server.toml", "[server]\nexpose_tools = 7\n");
    let slip = user.error();
    assert!(
        slip.contains("`server.expose_tools` must be a list"),
        "{slip}"
    );
}
