//! Settings and models over the pipes.

use codewhale_testkit::app::{Home, config_for};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::json;

use super::{Scene, Talk};

#[tokio::test]
async fn a_setting_is_changed_for_good_and_falls_back() {
    let Scene {
        mut talk,
        home,
        model: _model,
    } = Scene::new().await;
    let set = json!({ "key": "retry.max_retries", "value": "7" });
    let changed = talk.ask(1, "app/config/set", set).await;
    assert_eq!(changed["ok"], true, "{changed}");
    assert_eq!(changed["data"]["value"], "7");
    assert_eq!(changed["data"]["error"], json!(null));
    let file = || std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    assert!(file().contains("max_retries = 7"));
    let get = json!({ "key": "retry.max_retries" });
    let got = talk.ask(2, "app/config/get", get.clone()).await;
    assert_eq!(got["data"]["value"], "7");
    let unset = talk.ask(3, "app/config/unset", get.clone()).await;
    assert_eq!(unset["ok"], true, "{unset}");
    assert!(!file().contains("max_retries"));
    let got = talk.ask(4, "app/config/get", get).await;
    assert_eq!(got["data"]["value"], "3");
    let none = talk
        .ask(5, "app/config/get", json!({ "key": "no.such" }))
        .await;
    assert_eq!(
        none,
        json!({ "ok": true, "data": { "key": "no.such", "value": null }, "events": [] })
    );
    let bad = json!({ "key": "retry.max_retries", "value": "many" });
    let refused = talk.ask(6, "app/config/set", bad).await;
    assert_eq!(refused["ok"], false);
    assert!(
        refused["data"]["error"]
            .as_str()
            .unwrap()
            .contains("max_retries")
    );
    let list = talk.ask(7, "app/config/list", json!({})).await;
    assert_eq!(list["data"]["values"]["provider"], "script");
    let text = list.to_string();
    assert!(!text.contains("key-of-the-tests"), "{text}");
}

#[tokio::test]
async fn a_file_that_was_changed_counts_after_a_reload() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let mut talk = Talk::begin(&home);
    let thread = talk.thread().await;
    home.configure("this is no configuration");
    let broken = talk.ask(1, "app/config/reload", json!({})).await;
    assert_eq!(broken["ok"], false);
    let error = broken["data"]["error"].as_str().unwrap();
    assert!(error.starts_with("failed to load config: "), "{error}");
    home.configure(&config_for(&model, "").replace("\"scripted\"", "\"other\""));
    let read = talk
        .ask(2, "app/request", json!({ "kind": "config_reload" }))
        .await;
    assert_eq!(read["data"]["reloaded"], true, "{read}");
    let models = talk.ask(3, "app/models", json!({})).await;
    let model_told = &models["data"]["models"][0];
    let expect = json!({
        "id": "other", "provider": "script", "aliases": [],
        "supports_tools": true, "supports_reasoning": false,
    });
    assert_eq!(*model_told, expect);
    model.push(Reply::says("As before."));
    let params = json!({ "thread_id": thread, "input": "which" });
    talk.ask(4, "thread/message", params).await;
}
