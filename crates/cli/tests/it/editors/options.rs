//! What a person sets in the editor, and what others set meanwhile.

use codewhale_protocol::runtime::ThreadId;
use codewhale_testkit::app::{Home, config_for};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::{Desk, opened, prompt};
use crate::scene::program;

#[tokio::test]
async fn what_the_person_sets_holds_and_is_told() {
    let mut desk = Desk::new().await;
    let params = json!({ "cwd": desk.workspace(), "mcpServers": [] });
    let made = desk.editor.ask("session/new", params).await;
    let session = made["sessionId"].as_str().unwrap();
    assert_eq!(made["modes"]["currentModeId"], "agent");
    let set = json!({ "sessionId": session, "modeId": "plan" });
    desk.editor.ask("session/set_mode", set).await;
    assert_eq!(
        desk.editor.update("current_mode_update").await["currentModeId"],
        "plan"
    );
    let set = json!({ "sessionId": session, "configId": "mode", "value": "agent" });
    let options = desk.editor.ask("session/set_config_option", set).await;
    let mode = |options: &Value| options["configOptions"][0]["currentValue"].clone();
    assert_eq!(mode(&options), "agent");
    assert_eq!(
        mode(&desk.editor.update("config_option_update").await),
        "plan"
    );
    let unknown = json!({ "sessionId": session, "configId": "mode", "value": "swim" });
    let error = desk
        .editor
        .refused("session/set_config_option", unknown)
        .await;
    assert_eq!(error["code"], -32602);
}

/// A desk whose provider is told in its own words how hard to think.
async fn thinking() -> Desk {
    let model = ModelServer::start().await;
    let home = Home::new();
    home.configure(&config_for(&model, "").replace("openai-compatible", "deepseek"));
    let editor = opened(&home, json!({})).await;
    Desk {
        editor,
        model,
        home,
    }
}

/// What is told of how hard the model thinks.
fn thought_level(told: &Value) -> &Value {
    let options = told["configOptions"].as_array().unwrap();
    let option = options.iter().find(|it| it["id"] == "thought_level");
    option.unwrap_or(&Value::Null)
}

#[tokio::test]
async fn the_model_thinks_as_hard_as_the_person_says_and_as_others_say_meanwhile() {
    let mut desk = thinking().await;
    let place = json!({ "cwd": desk.workspace(), "mcpServers": [] });
    let made = desk.editor.ask("session/new", place).await;
    let session = made["sessionId"].as_str().unwrap().to_owned();
    let level = thought_level(&made);
    assert_eq!(level["category"], "thought_level");
    assert_eq!(level["currentValue"], "default");
    let offered = level["options"].as_array().unwrap().iter();
    let offered: Vec<&str> = offered.map(|it| it["value"].as_str().unwrap()).collect();
    assert_eq!(offered, ["default", "off", "low", "high", "max", "auto"]);

    let set =
        |value: &str| json!({ "sessionId": session, "configId": "thought_level", "value": value });
    let options = desk
        .editor
        .ask("session/set_config_option", set("low"))
        .await;
    assert_eq!(thought_level(&options)["currentValue"], "low");
    let told = desk.editor.update("config_option_update").await;
    assert_eq!(thought_level(&told)["currentValue"], "low");
    desk.model.push(Reply::says("Hello"));
    desk.editor
        .ask("session/prompt", prompt(&session, "hello"))
        .await;
    let asked = |desk: &Desk| desk.model.last_request().body["reasoning_effort"].clone();
    assert_eq!(asked(&desk), "low");

    let app = program(&desk.home).serve().await;
    let thread = ThreadId::from(session.as_str());
    assert_eq!(
        app.snapshot(&thread).await.turns[0]
            .reasoning_effort
            .unwrap()
            .as_str(),
        "low"
    );
    let path = format!("/v1/threads/{thread}");
    app.patch(&path, json!({ "reasoning_effort": "max" })).await;
    let told = desk.editor.update("config_option_update").await;
    assert_eq!(thought_level(&told)["currentValue"], "max");
    desk.model.push(Reply::says("Hello again"));
    desk.editor
        .ask("session/prompt", prompt(&session, "and now?"))
        .await;
    assert_eq!(asked(&desk), "max");

    // An effort that the provider does not tell apart is shown as long as it is set.
    let options = desk
        .editor
        .ask("session/set_config_option", set("medium"))
        .await;
    assert_eq!(thought_level(&options)["currentValue"], "medium");
    let error = desk
        .editor
        .refused("session/set_config_option", set("lots"))
        .await;
    assert_eq!(error["code"], -32602);
    let words = "off, low, medium, high, max, auto";
    assert!(
        error["message"].as_str().unwrap().contains(words),
        "{error}"
    );
    for method in ["session/load", "session/resume"] {
        let place = json!({ "sessionId": session, "cwd": desk.workspace(), "mcpServers": [] });
        let again = desk.editor.ask(method, place).await;
        assert_eq!(thought_level(&again)["currentValue"], "medium");
    }
    let options = desk
        .editor
        .ask("session/set_config_option", set("default"))
        .await;
    assert_eq!(thought_level(&options)["currentValue"], "default");
}

#[tokio::test]
async fn a_model_that_is_not_told_how_hard_to_think_has_no_such_option() {
    let mut desk = Desk::new().await;
    let place = json!({ "cwd": desk.workspace(), "mcpServers": [] });
    let made = desk.editor.ask("session/new", place).await;
    assert_eq!(thought_level(&made), &Value::Null);
}
