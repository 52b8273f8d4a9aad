//! Pictures over HTTP and from the command line: large ones, wrong ones, and a provider that does not
//! want them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::scene::{PICTURE, Scene, program};

/// The bytes of a picture that is this long.
fn picture(bytes: usize) -> Vec<u8> {
    let mut picture = BASE64_STANDARD.decode(PICTURE).unwrap();
    picture.resize(bytes, 0);
    picture
}

async fn attach(scene: &Scene, thread: &str, bytes: usize) -> (u16, Value) {
    let body = json!({ "data": BASE64_STANDARD.encode(picture(bytes)) });
    let route = format!("/v1/threads/{thread}/attachments");
    let answer = scene.app.post(&route, body).await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn a_picture_may_be_larger_than_other_requests_and_is_bounded_all_the_same() {
    let scene = Scene::new().await;
    let (thread, _) = scene.thread(json!({})).await;
    let (status, made) = attach(&scene, thread.as_str(), 4 * 1024 * 1024).await;
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["bytes"], 4 * 1024 * 1024);
    let (status, refused) = attach(&scene, thread.as_str(), 5 * 1024 * 1024 + 1).await;
    assert_eq!(status, 400, "{refused}");
    let (status, _) = attach(&scene, thread.as_str(), 7 * 1024 * 1024).await;
    assert_eq!(status, 413);
}

#[tokio::test]
async fn a_provider_that_refuses_a_picture_is_asked_again_without_it_and_the_thread_says_so() {
    let scene = Scene::new().await;
    let (thread, mut events) = scene.thread(json!({})).await;
    let (_, made) = attach(&scene, thread.as_str(), 100).await;
    let complaint = json!({ "error": { "message": "this model takes no images" } });
    scene.model.push(Reply::new().status(400).json(&complaint));
    scene.model.push(Reply::says("I cannot see it."));
    let input = json!([{ "type": "image", "id": made["id"] }]);
    let body = json!({ "prompt": "What is it?", "input": input });
    let route = format!("/v1/threads/{thread}/turns");
    assert_eq!(scene.app.post(&route, body).await.status, 201);
    let ended = events.until("turn.completed").await;
    assert_eq!(ended.payload["turn"]["status"], "completed");
    let requests = scene.model.requests();
    let content = |index: usize| requests[index].messages().last().unwrap()["content"].clone();
    assert!(content(0).is_array() && content(1).is_string());
    let whole = scene.app.get(&format!("/v1/threads/{thread}")).await.json();
    let told = whole["items"].to_string();
    assert!(told.contains("again without what is attached"), "{told}");
}

#[tokio::test]
async fn the_command_line_shows_files_to_the_model() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    std::fs::write(home.workspace().join("a.png"), picture(50)).unwrap();
    home.write("b.txt", "no picture");
    model.push(Reply::says("A whale."));
    let exec =
        |file: &'static str| program(&home).arguments(["exec", "--attach", file, "what is it?"]);
    let ended = exec("a.png").run().await;
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "A whale.\n"));
    let content = model.last_request().messages().last().unwrap()["content"].clone();
    let url = content[1]["image_url"]["url"].as_str().unwrap();
    assert!(url.starts_with("data:image/png;base64,iVBORw0KGgo"));
    for (file, words) in [
        ("b.txt", "none of image/png"),
        ("gone.png", "cannot attach gone.png"),
    ] {
        let ended = exec(file).run().await;
        assert_eq!(ended.code, Some(1));
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
}
