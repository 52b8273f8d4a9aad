//! What child processes see, and what the redactor is told to mask.

use codewhale_config::KnownProvider;

use crate::{User, secret};

#[test]
fn child_processes_get_the_allowed_variables_only() {
    let user = User::new().variables(&[
        ("PATH", "/bin"),
        ("LC_ALL", "C"),
        ("LC_TIME", ""),
        ("TZ", " UTC "),
        ("CARGO_HOME", "/c"),
        ("OPENAI_API_KEY", "sk-1"),
        ("AWS_SECRET_ACCESS_KEY", "aws"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("LD_PRELOAD", "/x.so"),
        ("HTTPS_PROXY", "http://u:p@proxy"),
        ("CODEWHALE_RUNTIME_TOKEN", "t"),
        ("path", "/other"),
    ]);
    let children = user.load().child_environment(&user.environment());
    let home = user.home.path().to_str().unwrap();
    let expect = [
        ("CARGO_HOME", "/c"),
        ("HOME", home),
        ("LC_ALL", "C"),
        ("LC_TIME", ""),
        ("PATH", "/bin"),
        ("TZ", " UTC "),
    ];
    assert_eq!(
        children,
        expect.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
}

#[test]
fn an_allowed_variable_that_holds_a_secret_is_left_out() {
    let user = User::with_file(
        "api_key = 'shortky'\n[providers.x]\napi_key_env = 'LANG'\n[profiles.p]\napi_key = 'long-enough-key'",
    )
    .variables(&[
        ("PATH", "/bin"),
        ("LANG", "the-key-is-here"),
        ("LC_ALL", "shortky"),
        ("LC_TIME", "a-shortky-b"),
        ("LC_NAME", "a-long-enough-key-b"),
        ("TERM", "xterm"),
    ]);
    let children = user.load().child_environment(&user.environment());
    let names: Vec<&str> = children.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["HOME", "LC_TIME", "PATH", "TERM"]);
}

#[test]
fn workers_get_what_configures_a_provider_besides_and_not_the_token_of_our_door() {
    let user = User::with_file("[providers.x]\napi_key_env = 'MY_KEY'").variables(&[
        ("PATH", "/bin"),
        ("MY_KEY", "sk-mine"),
        ("OPENAI_API_KEY", "sk-1"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1"),
        ("AWS_SECRET_ACCESS_KEY", "aws"),
        ("SSH_AUTH_SOCK", "/run/agent"),
        ("https_proxy", "http://u:p@proxy"),
        ("CODEWHALE_MODEL", "m"),
        ("CODEWHALE_RUNTIME_TOKEN", "t"),
        ("DEEPSEEK_RUNTIME_TOKEN", "t"),
    ]);
    let openai = KnownProvider {
        id: "openai",
        aliases: &[],
        key_variables: &["OPENAI_API_KEY"],
        prefix: "OPENAI",
    };
    let config = user.load();
    let workers = config.worker_environment(&user.environment(), &[openai]);
    let mut names: Vec<&str> = workers.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let expect = [
        "CODEWHALE_CONFIG_PATH",
        "CODEWHALE_HOME",
        "CODEWHALE_MODEL",
        "HOME",
        "MY_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "PATH",
        "https_proxy",
    ];
    assert_eq!(names, expect);
}

#[test]
fn the_redactor_learns_every_secret_in_sight_used_or_not() {
    let user = User::with_file(
        "api_key = 'root'\nauth_token = 'top'\nruntime_api.auth_token = 'table'\n\
         [providers.openai]\napi_key = 'file'\napi_key_env = 'MY_KEY'\n\
         [profiles.other]\napi_key = 'other'\nproviders.x.api_key = '__KEYRING__'",
    )
    .variables(&[
        ("MY_KEY", "mine"),
        ("OPENAI_API_KEY", "openai"),
        ("OPENAI_KEY", "file"),
        ("DEEPSEEK_RUNTIME_TOKEN", "runtime"),
        ("UNRELATED_API_KEY", "unrelated"),
    ])
    .flags(|flags| flags.api_key = Some(secret("flag")));
    let config = user.load();
    let mut secrets: Vec<&str> = config
        .secrets()
        .iter()
        .map(|secret| secret.expose())
        .collect();
    secrets.sort_unstable();
    let expect = [
        "file", "flag", "mine", "openai", "other", "root", "runtime", "table", "top",
    ];
    assert_eq!(secrets, expect);
}
