//! Pictures in prompts, from the editor to the model and back.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use codewhale_testkit::app::{Home, config_for};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::{Desk, opened};
use crate::scene::{PICTURE, program};

/// A desk whose model takes this besides text.
async fn desk(input: &str) -> Desk {
    let model = ModelServer::start().await;
    let home = Home::new();
    let declared = format!("model = \"scripted\"\ninput = {input}");
    home.configure(&config_for(&model, "").replace("model = \"scripted\"", &declared));
    let editor = opened(&home, json!({})).await;
    Desk {
        editor,
        model,
        home,
    }
}

fn picture() -> Value {
    json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" })
}

/// What an editor is told that a prompt may hold.
async fn offered(input: &str) -> Value {
    let desk = desk(input).await;
    let mut editor = program(&desk.home).edit();
    let params = json!({ "protocolVersion": 1, "clientCapabilities": {} });
    let opened = editor.ask("initialize", params).await;
    opened["agentCapabilities"]["promptCapabilities"].clone()
}

#[tokio::test]
async fn a_picture_reaches_the_model_and_is_shown_again_when_the_session_is_loaded() {
    let mut desk = desk("[\"image\"]").await;
    let session = desk.session().await;
    desk.model.push(Reply::says("A whale."));
    let blob = json!({ "uri": "file:///b.png", "blob": PICTURE, "mimeType": "image/png" });
    let blocks = json!([
        { "type": "text", "text": "Compare" },
        picture(),
        { "type": "text", "text": "with" },
        { "type": "resource", "resource": blob },
    ]);
    let params = json!({ "sessionId": session, "prompt": blocks });
    let answer = desk.editor.ask("session/prompt", params).await;
    assert_eq!(answer["stopReason"], "end_turn");
    let request = desk.model.last_request();
    let content = request.messages().last().unwrap()["content"].clone();
    let text = content[0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("Compare\n\n[image 1]\n\nwith\n\n[image 2]"),
        "{text}"
    );
    let url = json!({ "url": format!("data:image/png;base64,{PICTURE}") });
    let image = json!({ "type": "image_url", "image_url": url });
    assert_eq!(content.as_array().unwrap()[1..], [image.clone(), image]);

    let mut editor = opened(&desk.home, json!({})).await;
    let params = json!({ "sessionId": session, "cwd": desk.workspace(), "mcpServers": [] });
    editor.ask("session/load", params).await;
    let seen = editor.take_seen();
    let updates = seen.iter().map(|it| &it["params"]["update"]);
    let said: Vec<&Value> = updates
        .filter(|it| it["sessionUpdate"] == "user_message_chunk")
        .map(|it| &it["content"])
        .collect();
    assert_eq!(said.len(), 3);
    assert_eq!((said[1], said[2]), (&picture(), &picture()));
}

#[tokio::test]
async fn a_prompt_may_be_a_picture_alone() {
    let mut desk = desk("[\"image\"]").await;
    let session = desk.session().await;
    desk.model.push(Reply::says("A whale."));
    let params = json!({ "sessionId": session, "prompt": [picture()] });
    let answer = desk.editor.ask("session/prompt", params).await;
    assert_eq!(answer["stopReason"], "end_turn");
}

#[tokio::test]
async fn an_editor_is_told_what_the_model_takes() {
    let prompts = |image: bool, audio: bool| json!({ "image": image, "audio": audio, "embeddedContext": true });
    assert_eq!(offered("[]").await, prompts(false, false));
    assert_eq!(offered("[\"image\"]").await, prompts(true, false));
    assert_eq!(offered("[\"image\", \"audio\"]").await, prompts(true, true));
}

#[tokio::test]
async fn what_the_model_cannot_take_is_refused_and_the_session_goes_on() {
    let mut desk = desk("[]").await;
    let session = desk.session().await;
    let sound = json!({ "type": "audio", "data": "SUQzBAAA", "mimeType": "audio/mpeg" });
    let no_picture = json!({ "type": "image", "data": "AA==", "mimeType": "image/png" });
    for (block, words) in [
        (picture(), "cannot see images"),
        (sound, "cannot hear audio"),
        (no_picture, "none of image/png"),
    ] {
        let params = json!({ "sessionId": session, "prompt": [block] });
        let error = desk.editor.refused("session/prompt", params).await;
        assert_eq!(error["code"], -32602);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
    }
    desk.model.push(Reply::says("Go on."));
    let request = desk.prompt(&session, "In words, then.").await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn a_picture_that_the_agent_reads_is_seen_by_the_model_and_shown_in_the_editor() {
    let mut desk = desk("[\"image\"]").await;
    let session = desk.session().await;
    let bytes = BASE64_STANDARD.decode(PICTURE).unwrap();
    std::fs::write(desk.home.workspace().join("a.png"), bytes).unwrap();
    let read = json!({ "path": "a.png" }).to_string();
    desk.model.push(Reply::calls("c1", "read_file", &read));
    desk.model.push(Reply::says("A whale."));
    let request = desk.prompt(&session, "look at a.png").await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    let told = desk
        .model
        .last_request()
        .messages()
        .last()
        .unwrap()
        .to_string();
    assert!(
        told.contains(&format!("data:image/png;base64,{PICTURE}")),
        "{told}"
    );
    let seen = desk.editor.take_seen();
    let contents = seen.iter().map(|it| &it["params"]["update"]["content"]);
    let shown = contents.filter_map(Value::as_array).flatten();
    let shown: Vec<&Value> = shown.map(|it| &it["content"]).collect();
    assert!(shown.contains(&&picture()), "{shown:?}");
}
