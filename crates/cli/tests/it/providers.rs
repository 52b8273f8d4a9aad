//! Providers and settings over HTTP: looked at, switched, changed for a while or for good, read again.

use codewhale_protocol::runtime::Seq;
use codewhale_testkit::app::{Answer, App, Home};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::scene::program;

const KEY: &str = "key-of-the-second-0123456789";

/// Two providers of one's own, and the file with a comment in it.
async fn two() -> (ModelServer, ModelServer, Home) {
    let (first, second) = (ModelServer::start().await, ModelServer::start().await);
    let home = Home::new();
    home.configure(&format!(
        r#"# mine, and it stays
provider = "first"
[providers.first]
base_url = "{}"
api_key = "key-of-the-first-0123456789"
model = "one"
[providers.second]
base_url = "{}"
api_key = "{KEY}"
model = "two" # the good one
"#,
        first.base_url(),
        second.base_url()
    ));
    (first, second, home)
}

fn file(home: &Home) -> String {
    std::fs::read_to_string(home.path().join("config.toml")).unwrap()
}

async fn set(app: &App, key: &str, value: &str, persist: bool) -> Answer {
    let body = json!({ "key": key, "value": value, "persist": persist });
    app.post("/v1/config", body).await
}

fn unknown(answer: &Answer, said: &str) {
    assert_eq!(answer.status, 404, "{}", answer.text());
    assert!(answer.text().contains(said), "{}", answer.text());
}

fn refused(answer: &Answer, said: &str) {
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains(said), "{}", answer.text());
}

#[tokio::test]
async fn a_switch_counts_for_new_threads_at_once_and_for_the_next_start() {
    let (first, second, home) = two().await;
    let app = program(&home).serve().await;
    let list: Value = app.get("/v1/providers").await.read(200);
    assert_eq!(list["current"], "first");
    let all = list["providers"].as_array().unwrap();
    let deepseek = all.iter().find(|it| it["id"] == "deepseek").unwrap();
    assert_eq!(deepseek["env_vars"][0], "DEEPSEEK_API_KEY");
    assert!(all.iter().any(|it| it["id"] == "second"));
    let models: Value = app.get("/v1/providers/second/models").await.read(200);
    assert_eq!(
        models,
        json!({ "provider": "second", "models": [
            { "id": "two", "supports_tools": true, "supports_reasoning": false, "reasoning_efforts": [], "input": ["image"] },
        ] })
    );
    let models: Value = app.get("/v1/providers/openai/models").await.read(200);
    assert_eq!(models["models"], json!([]));
    unknown(
        &app.get("/v1/providers/deepseek-cn/models").await,
        "deepseek-cn",
    );

    let old = app.create_thread(json!({})).await;
    let body = json!({ "model": "three" });
    let switched: Value = app
        .post("/v1/providers/second/switch", body)
        .await
        .read(200);
    assert_eq!(
        (&switched["provider"], &switched["model"]),
        (&json!("second"), &json!("three"))
    );
    assert_eq!(switched["persisted"], true);
    let text = file(&home);
    assert!(text.starts_with("# mine, and it stays\nprovider = \"second\"\n"));
    assert!(text.contains("model = \"three\" # the good one"), "{text}");
    let new = app.create_thread(json!({})).await;
    assert_eq!(new.model, "three");
    for (thread, server) in [(&old.id, &first), (&new.id, &second)] {
        server.push(Reply::says("Here."));
        let mut events = app.follow(thread, Seq::ZERO).await;
        app.start_turn(thread, "go").await;
        let end = events.until("turn.completed").await;
        assert_eq!(end.payload["turn"]["status"], "completed");
        assert_eq!(server.request_count(), 1);
    }
    app.terminate().await;
    let app = program(&home).serve().await;
    assert_eq!(app.create_thread(json!({})).await.model, "three");
}

#[tokio::test]
async fn a_switch_that_leads_nowhere_is_refused_and_the_file_stays() {
    let (_first, _second, home) = two().await;
    let before = file(&home);
    let app = program(&home)
        .variable("CODEWHALE_PROVIDER", "first")
        .serve()
        .await;
    let switch = async |id: &str, body: Value| {
        let target = format!("/v1/providers/{id}/switch");
        app.post(&target, body).await
    };
    unknown(&switch("nobody", json!({})).await, "known are");
    refused(&switch("openai", json!({})).await, "has no key");
    refused(&switch("second", json!({})).await, "CODEWHALE_PROVIDER");
    let wrong = switch("second", json!({ "model": 7 })).await;
    assert_eq!(wrong.status, 422);
    assert_eq!(file(&home), before);
    assert_eq!(app.create_thread(json!({})).await.model, "one");
}

#[tokio::test]
async fn settings_are_shown_without_secrets_and_changed_for_a_while_or_for_good() {
    let (_first, _second, home) = two().await;
    let app = program(&home).serve().await;
    let shown = app.get("/v1/config").await;
    assert!(!shown.text().contains(KEY) && !shown.text().contains("first-01234"));
    let shown: Value = shown.read(200);
    assert_eq!(shown["providers.second.api_key"], "********");
    assert_eq!(
        (&shown["provider"], &shown["model"]),
        (&json!("first"), &json!("one"))
    );
    assert_eq!(shown["allow_shell"], false);

    let before = file(&home);
    let changed: Value = set(&app, "allow_shell", "true", false).await.read(200);
    assert_eq!(
        (&changed["persisted"], &changed["requires_reload"]),
        (&json!(false), &json!(false))
    );
    assert!(app.create_thread(json!({})).await.allow_shell);
    assert_eq!(file(&home), before);
    // A change for good does not carry the other one along.
    let kept: Value = set(&app, "subagents_max_depth", "1", true).await.read(200);
    assert_eq!(
        (&kept["persisted"], &kept["requires_reload"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        file(&home),
        format!("{before}\n[subagents]\nmax_depth = 1\n")
    );
    let shown: Value = app.get("/v1/config").await.read(200);
    assert_eq!(
        (&shown["allow_shell"], &shown["subagents.max_depth"]),
        (&json!(true), &json!(1))
    );

    refused(
        &set(&app, "modle", "x", true).await,
        "did you mean `model`?",
    );
    refused(&set(&app, "allow_shell", "perhaps", false).await, "must be");
    refused(
        &set(&app, "log_level", "debug", false).await,
        "from the next start on",
    );
    let secret = set(&app, "providers.first.api_key", KEY, false).await;
    refused(&secret, "is a secret");
    assert!(!secret.text().contains(KEY));
    let untyped = app.post("/v1/config", json!({ "key": "model" })).await;
    assert_eq!(untyped.status, 422);
}

#[tokio::test]
async fn a_file_is_read_again_and_a_broken_one_changes_nothing() {
    let (_first, _second, home) = two().await;
    let app = program(&home).serve().await;
    set(&app, "allow_shell", "true", false).await;
    let good = file(&home);
    home.configure("provider = \n");
    let reload = async || app.post("/v1/config/reload", json!({})).await;
    refused(&reload().await, "line 1");
    assert!(app.create_thread(json!({})).await.allow_shell);
    assert_eq!(app.create_thread(json!({})).await.model, "one");
    home.configure(&good.replace("provider = \"first\"", "provider = \"second\""));
    let done: Value = reload().await.read(200);
    assert!(done["message"].as_str().unwrap().contains("config.toml"));
    let thread = app.create_thread(json!({})).await;
    assert_eq!((thread.model.as_str(), thread.allow_shell), ("two", false));
    // A key that came with it is masked like any other.
    let fresh = "key-that-came-later-0123456789";
    home.configure(&file(&home).replace(KEY, fresh));
    assert_eq!(reload().await.status, 200);
    let named = app.create_thread(json!({ "title": fresh })).await;
    assert!(!named.title.unwrap_or_default().contains(fresh));
}
