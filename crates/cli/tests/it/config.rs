//! `codewhale config`: settings are shown and changed, secrets are neither.

use codewhale_testkit::app::{Ended, Home};
use serde_json::Value;

use crate::scene::program;

async fn config(home: &Home, arguments: &[&str]) -> Ended {
    let words = ["config"].into_iter().chain(arguments.iter().copied());
    program(home).arguments(words).run().await
}

async fn said(home: &Home, arguments: &[&str]) -> String {
    let ended = config(home, arguments).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    ended.stdout
}

fn text(home: &Home) -> String {
    std::fs::read_to_string(home.path().join("config.toml")).unwrap()
}

#[tokio::test]
async fn a_key_is_set_shown_used_and_unset() {
    let home = Home::new();
    let path = home.path().join("config.toml");
    assert_eq!(
        said(&home, &["path"]).await,
        format!("{}\n", path.display())
    );
    assert!(!path.exists());
    assert_eq!(said(&home, &["get", "allow_shell"]).await, "false\n");
    assert_eq!(
        said(&home, &["set", "allow_shell", "true"]).await,
        "set allow_shell\n"
    );
    assert_eq!(said(&home, &["get", "allow_shell"]).await, "true\n");
    assert_eq!(text(&home), "allow_shell = true\n");
    let app = program(&home).serve().await;
    let thread = app.create_thread(serde_json::json!({})).await;
    assert!(thread.allow_shell);
    assert_eq!(
        said(&home, &["unset", "allow_shell"]).await,
        "unset allow_shell\n"
    );
    assert_eq!(said(&home, &["get", "allow_shell"]).await, "false\n");
}

#[tokio::test]
async fn what_cannot_be_is_told_with_what_could() {
    let home = Home::new();
    home.configure("# mine\n");
    let check = async |arguments: &[&str], said: &str| {
        let ended = config(&home, arguments).await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
    };
    check(&["get", "nonsense"], "error: key not found: nonsense").await;
    check(&["set", "modle", "x"], "did you mean `model`?").await;
    check(
        &["set", "snapshots.max_age_days", "0"],
        "must be a number of days",
    )
    .await;
    check(
        &["set", "providers.a.api_key", "k"],
        "codewhale auth set --provider a",
    )
    .await;
    assert_eq!(text(&home), "# mine\n");
}

#[tokio::test]
async fn lists_say_who_set_what_and_hide_secrets() {
    let home = Home::new();
    home.configure("model = \"m\"\napi_key = \"sk-list-must-not-show-this\"\n");
    let lines = said(&home, &["list"]).await;
    let head: Vec<&str> = lines.lines().take(2).collect();
    assert!(head.iter().all(|line| line.starts_with("# ")), "{lines}");
    assert!(
        lines.contains("\nmodel = \"m\"\napi_key = set\n"),
        "{lines}"
    );
    assert!(!lines.contains("allow_shell"), "{lines}");
    let all = said(&home, &["list", "--all", "--json"]).await;
    for shown in [&lines, &all] {
        assert!(!shown.contains("must-not-show"), "{shown}");
    }
    let all: Value = serde_json::from_str(&all).unwrap();
    let entry = |key: &str| {
        let mut entries = all.as_array().unwrap().iter();
        entries.find(|it| it["key"] == key).unwrap().clone()
    };
    assert_eq!(entry("allow_shell")["source"], "the built-in default");
    assert_eq!(entry("api_key")["secret"], true);
    let ended = program(&home)
        .variable("CODEWHALE_MODEL", "other")
        .arguments(["config", "set", "model", "n"])
        .run()
        .await;
    assert_eq!(ended.stdout, "set model\n");
    assert_eq!(
        ended.stderr,
        "warning: the variable CODEWHALE_MODEL sets model too, and that counts\n"
    );
}
